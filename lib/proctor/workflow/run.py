"""Run one notebook with its parameters.

    python -m proctor.workflow.run notebooks/hle/2_published_tables.ipynb [OUTPUT] [--params FILE] [-p NAME VALUE]

Without OUTPUT the executed copy goes to build/own/notebooks/. Figures and tables go to build/figures/; those in git are
written by `make reproduce` alone, also of one notebook: `make reproduce NOTEBOOK=hle/2_published_tables`.
Exit codes: 0 done, 1 the notebook failed, 2 bad input.

A run that leaves its executed copy there leaves its receipt too (see receipts.py).

Run a notebook on one's own data, into a folder of its own: build/runs/<name>/, never figures/.

A run leaves there the executed notebook, its tables and figures, and `run.json`: which notebook, its state, when.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor.extras import need
from proctor.files import write_atomic
from proctor.paths import BUILD, OWN_FIGURES
from proctor.workflow import receipts
from proctor.workflow.command_line import add_budget_options, add_options, budget_of, split_more
from proctor.workflow.jobs import Job, run_job
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import NOTEBOOKS, Notebook, WorkflowError


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    notebook, figures = Notebook(options.notebook), options.figures.absolute()
    copy = notebook.executed(figures).absolute()
    output = (options.output or copy).absolute()
    receipt = receipts.path_of(notebook.name, figures) if output == copy else None
    try:
        if budget := budget_of(options):
            budget.keep()  # for the kernel
        values = _values(notebook, options)
        if notebook.missing_logs():
            raise WorkflowError(f"{notebook.name} can't run: {receipts.how_to_get(notebook)}")
        problem = run_alone(Job(notebook, values, output, figures, receipt), options.cell_timeout)
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if problem:
        print(problem, file=sys.stderr)
    return 1 if problem else 0


def run_alone(job: Job, cell_timeout: float | None = None) -> str:
    """Run a job, reported on the terminal; what went wrong, or ""."""
    _say(f"{job.name}: running")
    start = time.monotonic()
    with KernelServer() as server:  # imports its packages while papermill is imported here
        problem = run_job(job, server, cell_timeout=cell_timeout, say=_say).problem
    if not problem:
        _say(f"{job.name}: done in {time.monotonic() - start:.1f} s, see {job.copy}")
    return problem


def _say(line: str) -> None:
    print(line, flush=True)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.run", description=__doc__.splitlines()[0])
    parser.add_argument("notebook", type=Path)
    parser.add_argument("output", type=Path, nargs="?", help="executed copy (default: under build/own/notebooks/)")
    parser.add_argument("--figures", type=Path, default=OWN_FIGURES, help="where figures and tables go")
    add_options(parser, "--params", "-p", "--cell-timeout")
    add_budget_options(parser, "the notebook")
    parser.add_argument("--file", action="append", default=[], metavar="NAME=PATH", help="set one parameter to a file")
    return parser.parse_args(split_more(arguments))


def _values(notebook: Notebook, options: argparse.Namespace) -> dict[str, Any]:
    from proctor.workflow import params  # pydantic: not for --help

    files = {name: str(Path(path).resolve()) for name, _, path in (text.partition("=") for text in options.file)}
    return params.of(notebook, options.params, params.read_overrides(options.overrides) | files)


RUNS = BUILD / "runs"
DONE, INCOMPLETE = "done", "incomplete"
SHOWN = 20  # rows of a table on the terminal; the file has all


def folder_of(name: str) -> Path:
    """Where the run called `name` lies. Raises WorkflowError for a name that leads elsewhere."""
    if not name or Path(name).name != name or name.startswith("."):
        raise WorkflowError(f"the name of a run can't be {name!r}: use letters, digits, - and _")
    return RUNS / name


def run_own(
    notebook: str,
    name: str,
    values: Mapping[str, Any],
    tables: Mapping[str, Sequence[str]] | None = None,
    also: Sequence[str] = (),
) -> int:
    """Run notebooks/<notebook>.ipynb with `values`; print its `tables` (name: columns; also: as for `show`).

    Returns 0, or 1 if the notebook failed. Raises WorkflowError for a notebook or values that do not fit."""
    from proctor.workflow import params  # pydantic: not for --help

    ready(notebook)
    this, folder = find(notebook), folder_of(name)
    given = params.of(this, params.DEFAULT, values)
    mark(folder, this.name, INCOMPLETE)
    if problem := run_alone(Job(this, given, folder / "notebook.ipynb", folder, None)):
        print(problem, file=sys.stderr)
        return 1
    mark(folder, this.name, DONE)
    for table, columns in (tables or {}).items():
        show(folder / f"{table}.md", columns, also)
    print(f"tables, figures and the notebook to read: {folder}")
    return 0


def ready(notebook: str) -> None:
    """Raises WorkflowError where the notebook is not here, ModuleNotFoundError where what runs it is not installed."""
    find(notebook)
    need("papermill", "ipykernel")


def find(notebook: str) -> Notebook:
    """The notebook of that name ("uq/6_agreement") or path. Raises WorkflowError."""
    path = Path(notebook) if notebook.endswith(".ipynb") else NOTEBOOKS / f"{notebook}.ipynb"
    if not path.is_file():
        raise WorkflowError(f"{path}: no such notebook; `run` alone lists them")
    return Notebook(path)


def show(path: Path, columns: Sequence[str], also: Sequence[str] = ()) -> None:
    """Print some columns of a Markdown table: its first rows if it is long, and those that hold a cell of `also`.
    Nothing where the run made none."""
    if not path.is_file():
        return
    from proctor.report.tables import cells, unescaped  # pandas: not for --help

    caption, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    names, *rows = [cells(line) for line in text.splitlines() if line.startswith("| ")]
    shown = [[row[names.index(column)] for column in columns if column in names] for row in (names, *rows)]
    widths = [max(len(row[n]) for row in shown) for n in range(len(shown[0]))]
    print(f"\n{unescaped(caption)}")
    for place, row in enumerate(shown):
        if place <= SHOWN or set(row) & set(also):
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if len(rows) > SHOWN:
        print(f"  ... all rows: {path.with_suffix('.csv')}")


def mark(folder: Path, notebook: str, state: str) -> None:
    """Write the state of a run beside its results."""
    record = {"notebook": notebook, "state": state, "time": datetime.now().isoformat(timespec="seconds")}
    write_atomic(folder / "run.json", json.dumps(record))


def states() -> list[dict[str, str]]:
    """All runs: name, notebook, state, time."""
    found = []
    for path in sorted(RUNS.glob("*/run.json")):
        try:
            found.append({"name": path.parent.name, **json.loads(path.read_text(encoding="utf-8"))})
        except ValueError:
            found.append({"name": path.parent.name, "notebook": "?", "state": "unreadable", "time": "?"})
    return found


if __name__ == "__main__":
    sys.exit(main())
