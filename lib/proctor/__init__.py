"""Proctor: replications of five papers on judging frontier language models.

Floors, an import points only downwards: report, protocols, models, stats and data.
"""

import sys
from pathlib import Path

__version__ = "0.1.0"


# How typer sets up each command line of ours: no completion to install, plain help, errors told by `proctor.cli` alone.
COMMAND_LINE = dict(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def program() -> str:
    """How the command line was started, for its help: `proctor` where it is installed, else `python -m proctor`."""
    return "proctor" if Path(sys.argv[0]).stem == "proctor" else "python -m proctor"
