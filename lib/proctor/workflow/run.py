"""Run one notebook with its parameters.

    python -m proctor.workflow.run notebooks/hle/2_published_tables.ipynb [OUTPUT] [--params FILE] [-p NAME VALUE]

Without OUTPUT the executed copy goes to build/notebooks/. Exit codes: 0 done, 1 the notebook failed, 2 bad input.

Snakemake calls this with --values, the parameters as one JSON object, already merged and checked. If the
environment names the socket of a running `make reproduce` (PROCTOR_WORKERS), the job is handed to it: there
papermill is imported once and not, at two seconds of CPU, for each notebook. So only light modules up here.
"""

import argparse
import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

from proctor.paths import PARAMS
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    notebook = Notebook(options.notebook)
    output = (options.output or notebook.executed).absolute()
    try:
        values = options.values if options.values is not None else _values(notebook, options)
        if workers := os.environ.get("PROCTOR_WORKERS"):
            problem = hand_over(workers, notebook, output, values, options.cell_timeout)
        else:
            problem = run_here(notebook, output, values, options.cell_timeout)
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def run_here(notebook: Notebook, output: Path, values: dict[str, Any], cell_timeout: float | None = None) -> str | None:
    """Run the notebook in a kernel of its own. Returns what went wrong, or None."""
    print(f"{notebook.name}: running", flush=True)
    start = time.monotonic()
    with KernelServer() as server:  # imports its packages while papermill is imported here
        from proctor.workflow.execute import NotebookFailed, execute

        try:
            execute(notebook, output, values, server, cell_timeout=cell_timeout)
        except NotebookFailed as error:
            return str(error)
    print(f"{notebook.name}: done in {time.monotonic() - start:.1f} s, see {output}", flush=True)
    return None


def hand_over(
    workers: str, notebook: Notebook, output: Path, values: dict[str, Any], cell_timeout: float | None = None
) -> str | None:
    """Have the server at the socket `workers` run the notebook. Returns what went wrong, or None.

    The server stops the job when this process ends, whatever ends it.
    """
    ours = {name: value for name, value in os.environ.items() if name.startswith("PROCTOR_")}
    job = dict(
        notebook=str(notebook.path), output=str(output), values=values, environment=ours, cell_timeout=cell_timeout
    )
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(workers)
            connection.sendall(json.dumps(job).encode() + b"\n")
            reply = connection.makefile().readline()
    except OSError as error:
        return f"{notebook.name}: the `make reproduce` that started this job has ended ({error}); run it again"
    if not reply:
        return f"{notebook.name}: the `make reproduce` that started this job ended before it; run it again"
    return json.loads(reply)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.run", description=__doc__.splitlines()[0])
    parser.add_argument("notebook", type=Path)
    parser.add_argument("output", type=Path, nargs="?", help="executed copy (default: under build/notebooks/)")
    parser.add_argument("--values", type=json.loads, help="all parameters, checked, as JSON (for Snakemake)")
    add_parameter_options(parser)
    add_timeout_option(parser)
    return parser.parse_args(arguments)


def add_timeout_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cell-timeout", type=_seconds, metavar="SECONDS", help="stop a notebook whose cell takes longer"
    )


def _seconds(text: str) -> float:
    if not 0 < (seconds := float(text)) < float("inf"):
        raise ValueError(text)
    return seconds


def add_parameter_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--params",
        type=Path,
        metavar="FILE",
        default=PARAMS / "default.yaml",
        help="parameter profile (default: params/default.yaml)",
    )
    parser.add_argument(
        "-p",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        dest="overrides",
        help="set one parameter; may be repeated",
    )


def _values(notebook: Notebook, options: argparse.Namespace) -> dict[str, Any]:
    from proctor.workflow import params  # not needed by a job of Snakemake's

    others = [other for other in all_notebooks() if other.path != notebook.path]
    overrides = {notebook.name: params.read_overrides(options.overrides)}
    return params.resolve([*others, notebook], options.params, overrides)[notebook.name]


if __name__ == "__main__":
    sys.exit(main())
