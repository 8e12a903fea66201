"""Run one notebook on one's own data, into a folder of its own: build/runs/<name>/, never figures/.

A run leaves there the executed notebook, its tables and figures, and `run.json`: which notebook, its state, when.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor import need
from proctor.files import write_atomic
from proctor.paths import BUILD
from proctor.workflow import receipts
from proctor.workflow.jobs import Job, run_job
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import NOTEBOOKS, Notebook, WorkflowError

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
    folder = folder_of(name)
    job = job_into(folder, notebook, values)
    mark(folder, job.name, INCOMPLETE)
    if run_alone(job):
        return 1
    mark(folder, job.name, DONE)
    for table, columns in (tables or {}).items():
        show(folder / f"{table}.md", columns, also)
    print(f"tables, figures and the notebook to read: {folder}")
    return 0


def job_into(folder: Path, notebook: str, values: Mapping[str, Any]) -> Job:
    """The job of a notebook whose figures, tables and executed copy go to `folder`. Raises what `run_own` does."""
    from proctor.workflow import params  # pydantic: not for --help

    this = find(notebook)
    given = params.of(this, params.DEFAULT, values)
    if this.missing_logs():
        raise WorkflowError(f"{this.name} can't run: {receipts.how_to_get(this)}")
    return Job(this, given, folder / "notebook.ipynb", folder, None)


def run_alone(job: Job) -> int:
    """Run a job, reported on the terminal. Returns 0, or 1 if the notebook failed."""
    start = time.monotonic()
    print(f"{job.name}: running", flush=True)
    with KernelServer() as server:  # imports its packages while papermill is imported here
        problem = run_job(job, server).problem
    if problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"{job.name}: done in {time.monotonic() - start:.1f} s, see {job.copy}", flush=True)
    return 0


def find(notebook: str) -> Notebook:
    """The notebook of that name ("uq/6_agreement") or path. Raises WorkflowError where it is not here, and
    ModuleNotFoundError where what runs it is not installed."""
    path = Path(notebook) if notebook.endswith(".ipynb") else NOTEBOOKS / f"{notebook}.ipynb"
    if not path.is_file():
        raise WorkflowError(f"{path}: no such notebook; `run` alone lists them")
    need("papermill", "ipykernel")
    return Notebook(path)


def show(path: Path, columns: Sequence[str], also: Sequence[str] = ()) -> None:
    """Print some columns of a Markdown table: its first rows if it is long, and those that hold a cell of `also`.
    Nothing where the run made none."""
    if not path.is_file():
        return
    from proctor.report.tables import read_markdown  # pandas: not for --help

    table, _, caption, _ = read_markdown(path.read_text(encoding="utf-8"))
    part = table[[column for column in columns if column in table]]
    shown = [list(part), *part.to_numpy().tolist()]
    widths = [max(len(row[n]) for row in shown) for n in range(len(shown[0]))]
    print(f"\n{caption}")
    for place, row in enumerate(shown):
        if place <= SHOWN or set(row) & set(also):
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if len(table) > SHOWN:
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
