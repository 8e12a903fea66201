"""Proctor: replications of five papers on judging frontier language models.

Imports point only downwards: recordings and synthesis, the papers, exam, audit, generated and logs, models and stats,
data. `report` and `workflow` stand aside (the contracts in pyproject.toml).
"""

import importlib.util
import re
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


def need(*modules: str) -> None:
    """Raises ModuleNotFoundError for the first of these modules that is not installed, before anything else is done."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)


def remedy(error: ModuleNotFoundError) -> str | None:
    """What to install where a module is not found; None where none of our extras (pyproject.toml) has it.

    In a checkout, which has no metadata of a package, `make setup` installs all of them.
    """
    import importlib.metadata

    module = (error.name or "").partition(".")[0]
    try:
        required = importlib.metadata.requires("proctor") or []
    except importlib.metadata.PackageNotFoundError:
        return None if module == "proctor" else "make setup"
    for line in required:
        found = re.fullmatch(r"([\w.-]+).*; extra == ['\"](\w+)['\"]", line)
        if found and re.sub(r"[-.]", "_", found[1]).lower() == module.lower():
            return f"pip install 'proctor[{found[2]}]'"
    return None
