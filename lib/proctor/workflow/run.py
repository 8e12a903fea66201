"""Run one notebook with its parameters.

    python -m proctor.workflow.run notebooks/hle/2_published_tables.ipynb [OUTPUT] [--params FILE] [-p NAME VALUE]

Without OUTPUT the executed copy goes to build/own/notebooks/. Figures and tables go to build/figures/; those in git are
written by `make reproduce` alone, also of one notebook: `make reproduce NOTEBOOK=hle/2_published_tables`.
Exit codes: 0 done, 1 the notebook failed, 2 bad input.

A run that leaves its executed copy there leaves its receipt too (see receipts.py).

Snakemake calls this with --values, the parameters as one JSON object, already merged and checked, and with --read,
the files that the run rests on. With --receipt the receipt goes to that place, and why a run stopped before its end
stands in problem.txt beside it.

Run a notebook on one's own data, into a folder of its own: build/runs/<name>/, never figures/.

A run leaves there the executed notebook, its tables and figures, and `run.json`: which notebook, its state, when.
"""

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.extras import need
from proctor.files import write_atomic
from proctor.paths import BUILD, OWN_FIGURES, PARAMS
from proctor.workflow import receipts
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import NOTEBOOKS, Notebook, WorkflowError

if TYPE_CHECKING:
    from proctor.models.spending import Budget

PROBLEM = "problem.txt"  # beside a receipt that is not there: why the run stopped before its end
PLAN = "PROCTOR_PLAN"  # the file where a notebook leaves its plan, and then asks nothing (models/studies.py)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    notebook = Notebook(options.notebook)
    figures = options.figures.absolute()
    output = (options.output or notebook.executed(figures)).absolute()
    try:
        if budget := budget_of(options):
            budget.keep()  # for the kernel
        values, files = (options.values, options.read) if options.read else _values_and_files(notebook, options)
        if options.kept:
            keep(notebook, values, figures)
            return 0
        if notebook.missing_logs():
            raise WorkflowError(f"{notebook.name} can't run: {receipts.how_to_get(notebook)}")
        how = dict(receipt=options.receipt, environment=options.environment, cell_timeout=options.cell_timeout)
        problem = run_alone(notebook, values, output, figures, files, **how)
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if problem:
        print(problem, file=sys.stderr)
    return 1 if problem else 0


def run_alone(
    notebook: Notebook, values: Mapping[str, Any], output: Path, figures: Path, read: Sequence[Path] = (), **how: Any
) -> str | None:
    """`run` with a server of its own for its kernel, reported on the terminal."""
    _say(f"{notebook.name}: running")
    start = time.monotonic()
    with KernelServer() as server:  # imports its packages while papermill is imported here
        problem = run(notebook, values, output, figures, read, server=server, say=_say, **how)
    if not problem:
        _say(f"{notebook.name}: done in {time.monotonic() - start:.1f} s, see {output}")
    return problem


def run(
    notebook: Notebook,
    values: Mapping[str, Any],
    output: Path,
    figures: Path,
    read: Sequence[Path],
    receipt: Path | None = None,
    environment: Mapping[str, str] | None = None,
    **how: Any,
) -> str | None:
    """Run the notebook, remove what it no longer makes, and leave its receipt. Returns what went wrong, or None.

    output: the executed copy. figures: where figures and tables go. read: the files that the run rests on. receipt: its
    file, where the folder `figures` is this run's alone. environment, how: as `execute` takes them.
    """
    from proctor.workflow.execute import NotebookFailed, execute  # imports papermill

    inputs, before = receipts.digests(read), receipts.states(notebook.name, figures)
    ours = {**(environment or {}), "PROCTOR_FIGURES": str(figures)}
    try:
        execute(notebook, output, dict(values), environment=ours, **how)
    except NotebookFailed as error:
        if not os.path.exists(ours.get(PLAN, "")):  # else it stopped where it was to stop
            if receipt:
                write_atomic(receipt.with_name(PROBLEM), str(error))
            return str(error)
    for dropped in receipts.drop_old(notebook.name, figures, before):
        _say(f"{notebook.name} no longer makes {dropped}: removed from {figures}")
    if receipt:
        made = [path for path in (output, *receipts.files_in([figures])) if path.exists()]
        receipts.write(notebook, values, inputs, made, receipt)
    elif output == notebook.executed(figures).absolute():
        made = receipts.outputs(notebook, figures)
        receipts.write(notebook, values, inputs, made, receipts.path_of(notebook.name, figures))
    return None


def keep(notebook: Notebook, values: Mapping[str, Any], figures: Path) -> None:
    """Write the page of a notebook whose logs are not here, and its receipt."""
    read, page = receipts.digests(receipts.inputs(notebook, values)), notebook.executed(figures)
    receipts.write_page(notebook, page)
    receipts.write(notebook, values, read, [page], receipts.path_of(notebook.name, figures))


def _say(line: str) -> None:
    print(line, flush=True)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.run", description=__doc__.splitlines()[0])
    parser.add_argument("notebook", type=Path)
    parser.add_argument("output", type=Path, nargs="?", help="executed copy (default: under build/own/notebooks/)")
    parser.add_argument("--figures", type=Path, default=OWN_FIGURES, help="where figures and tables go")
    parser.add_argument("--values", type=json.loads, help="parameters, checked, as JSON (for Snakemake)")
    parser.add_argument("--read", type=Path, nargs="+", help="the files that the run rests on (for Snakemake)")
    parser.add_argument("--receipt", type=Path, help="where the run's receipt goes (for Snakemake)")
    parser.add_argument("--environment", type=json.loads, default={}, help="variables, as JSON (for Snakemake)")
    add_options(parser, "--params", "-p", "--cell-timeout")
    add_budget_options(parser, "the notebook")
    parser.add_argument("--kept", action="store_true", help="show the committed results, run nothing (for Snakemake)")
    parser.add_argument("--file", action="append", default=[], metavar="NAME=PATH", help="set one parameter to a file")
    return parser.parse_args(split_more(arguments))


def _one_or_more(text: str) -> int:
    if (jobs := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text}: give 1 or more")
    return jobs


def _seconds(text: str) -> float:
    if not 0 < (seconds := float(text)) < float("inf"):
        raise ValueError(text)
    return seconds


OPTIONS: dict[str, dict[str, Any]] = {  # that several commands take
    "--jobs": dict(type=_one_or_more, help="notebooks to run at once (default %(default)s)"),
    "--cell-timeout": dict(type=_seconds, metavar="SECONDS", help="stop a notebook whose cell takes longer"),
    "--notebook": dict(action="append", default=[], help="only this one, e.g. uq/6_agreement"),
    "--again": dict(action="store_true", help="run also what ran before and whose inputs are the same"),
    "--params": dict(
        type=Path,
        metavar="FILE",
        default=PARAMS / "default.yaml",
        help="parameter profile (default: params/default.yaml)",
    ),
    "-p": dict(
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        dest="overrides",
        help="set one parameter; may be repeated",
    ),
}


def add_options(parser: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        parser.add_argument(name, **OPTIONS[name])


def split_more(arguments: list[str] | None) -> list[str]:
    """The arguments (default: the command line's), where --more=TEXT stands for the words of TEXT, as in a shell.

    So `make` hands on what P="..." says, without a shell that would run what stands in it.
    """
    words: list[str] = []
    for argument in sys.argv[1:] if arguments is None else arguments:
        option, _, text = argument.partition("=")
        try:
            words += shlex.split(text) if option == "--more" else [argument]
        except ValueError as error:
            sys.exit(f"P={text}: {error}; close the quote")
    return words


def add_budget_options(parser: argparse.ArgumentParser, of: str) -> None:
    """--budget, --max-calls, --total-budget and --no-budget, which `budget_of` reads. of: whose they are."""
    parser.add_argument("--budget", type=float, metavar="DOLLARS", help=f"that {of} may spend")
    parser.add_argument("--max-calls", type=int, metavar="N", help=f"calls that {of} may make")
    parser.add_argument("--total-budget", type=float, metavar="DOLLARS", help="that all runs may ever have spent")
    parser.add_argument("--no-budget", action="store_true", help="no limit to what is spent")


def budget_of(options: argparse.Namespace) -> "Budget | None":
    """Raises WorkflowError where one of these options excludes another."""
    bounds = options.budget, options.max_calls, options.total_budget
    if not options.no_budget and bounds == (None, None, None):
        return None
    from proctor.models.spending import Budget

    try:
        return Budget.of_options(*bounds, options.no_budget)
    except ValueError as error:
        raise WorkflowError(str(error)) from None


def _values_and_files(notebook: Notebook, options: argparse.Namespace) -> tuple[dict[str, Any], list[Path]]:
    from proctor.workflow import params  # not needed by a job of Snakemake's

    files = {name: str(Path(path).resolve()) for name, _, path in (text.partition("=") for text in options.file)}
    values = params.of(notebook, options.params, params.read_overrides(options.overrides) | files)
    return values, receipts.inputs(notebook, values)


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
    if problem := run_alone(this, given, folder / "notebook.ipynb", folder):
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
