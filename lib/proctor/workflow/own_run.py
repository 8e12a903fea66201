"""Run a notebook on one's own data, into a folder of its own: build/runs/<name>/, never figures/.

A run leaves there the executed notebook, its tables and figures, and `run.json`: which notebook, its state, when.
"""

import html
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor.extras import need
from proctor.files import write_atomic
from proctor.paths import BUILD, PARAMS
from proctor.workflow.notebook import NOTEBOOKS, Notebook, WorkflowError, all_notebooks
from proctor.workflow.run import run_notebook

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
    others = [other for other in all_notebooks() if other.path != this.path]
    given = params.resolve([*others, this], PARAMS / "default.yaml", {this.name: dict(values)})[this.name]
    mark(folder, this.name, INCOMPLETE)
    before = os.environ.get("PROCTOR_FIGURES")
    os.environ["PROCTOR_FIGURES"] = str(folder)  # for the kernel
    try:
        problem = run_notebook(this, folder / "notebook.ipynb", given)
    finally:
        if before is None:
            del os.environ["PROCTOR_FIGURES"]
        else:
            os.environ["PROCTOR_FIGURES"] = before
    if problem:
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
    caption, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    rows = [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("| ")]
    names = [_plain(cell) for cell in rows[0]]
    kept = [[_plain(row[names.index(column)]) for column in columns if column in names] for row in rows]
    widths = [max(len(row[n]) for row in kept) for n in range(len(kept[0]))]
    print(f"\n{_plain(caption)}")
    for place, row in enumerate(kept):
        if place <= SHOWN or set(row) & set(also):
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if len(kept) > SHOWN + 1:
        print(f"  ... all rows: {path.with_suffix('.csv')}")


def _plain(cell: str) -> str:
    return re.sub(r"\\(.)", r"\1", html.unescape(cell.strip()))


def mark(folder: Path, notebook: str, state: str) -> None:
    """Write the state of a run beside its results."""
    folder.mkdir(parents=True, exist_ok=True)
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
