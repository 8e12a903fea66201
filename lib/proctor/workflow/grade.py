"""Exercise notebooks: hand them out without solutions, and mark what students return.

    python -m proctor.workflow.grade --hand-out [FOLDER]    # or: make assignments; into build/assignments
    python -m proctor.workflow.grade FOLDER [--limit 60]    # a row of CSV for each student and exercise

Each paper's `exercises.ipynb` goes to <paper>/exercises.ipynb, with nbgrader's cell metadata (its schema, version 3);
nbgrader marks them too, with these folders as its `source` or `release`.

What is returned: FOLDER holds <student>.ipynb, or folders named by student with notebooks anywhere in them, executed or
not. Each answer is computed again, in a kernel of its own, from the student's cells: those above the first task, and
those of its task down to the answer. Results: right, wrong, empty (still None), error (with a note). The mark is given
here, in another process, by the check that the notebook uses; no expected value and no hint is printed.

This runs code of students as you. Environment variables other than Python's and the system's are taken from it, so it
finds no API key there, but it can read your files: use a container or an account of its own.
"""

import argparse
import copy
import csv
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from proctor.files import write_atomic
from proctor.paths import BUILD
from proctor.report.exercises import NOT_ANSWERED, RIGHT, Exercise, exercises
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import NOTEBOOKS, Notebook, WorkflowError

KEPT = ("PATH", "HOME", "LANG", "LC_", "TMPDIR", "USER", "PYTHON", "VIRTUAL_ENV", "PROCTOR_ROOT")  # beginnings of names
HAND_IN = """from IPython.display import display
from proctor.workflow.grade import plain
display({"application/json": plain(answer)}, raw=True)"""

HOW = (
    "**How it works.** Write your answer in place of `None` and run the cell: it says *right*, or *not yet* with a "
    "hint. Add cells above the answer as you like, and delete none."
)


def assignment(notebook: Notebook) -> dict:
    """An exercise notebook as students get it: no solutions and no parameter that shows them; below each answer a
    locked cell that is worth a point in nbgrader. Links to files of the repository become text."""
    content = copy.deepcopy(notebook.content)
    cells = []
    for cell in content["cells"]:
        tags, source = cell["metadata"].get("tags", ()), "".join(cell["source"])
        if {"solution", "parameters"} & set(tags) or source.startswith("## More exercises"):
            continue
        if cell["cell_type"] == "markdown":
            source = re.sub(r"\*\*How it works\.\*\*.*", HOW, source, flags=re.DOTALL)
            cell["source"] = re.sub(r"\[([^\]]+)\]\((?!\w+:)[^)]+\)", r"\1", source)
        cells.append(cell)
        if "exercise" in tags and (name := exercise_in(cell)):
            id = name.replace("/", "-")  # nbgrader takes letters, digits, "_" and "-"
            cell["metadata"] = {"tags": ["exercise"], "nbgrader": _nbgrader(id, solution=True)}
            about = {"nbgrader": _nbgrader(f"{id}-test", grade=True, locked=True, points=1)}
            test = f'assert check.exercises["{name}"].mark(answer) == "right"  # for nbgrader'
            cells.append(new_code_cell(test, id=f"test-{id}", metadata=about))
    return content | {"cells": cells}


def exercise_in(cell: dict) -> str | None:
    """The exercise, such as "uq/1", that a code cell answers: by its nbgrader metadata, else by its call of `check`."""
    marked = cell["metadata"].get("nbgrader", {})
    if cell["cell_type"] != "code" or marked.get("grade"):
        return None
    if marked.get("solution"):
        return "/".join(marked["grade_id"].rsplit("-", 1))
    called = re.search(r'^check\("(\w+/\d+)"', "".join(cell["source"]), re.MULTILINE)
    return called and called[1]


def hand_out(folder: Path) -> list[Path]:
    """Write all assignments under `folder`. Raises WorkflowError for a notebook that can't be read."""
    written = []
    for path in sorted(NOTEBOOKS.glob("*/exercises.ipynb")):
        text = json.dumps(assignment(Notebook(path)), indent=1, ensure_ascii=False) + "\n"
        written.append(write_atomic(folder / path.relative_to(NOTEBOOKS), text))
    return written


def _nbgrader(id: str, **settings: bool | int) -> dict:
    base = {"grade_id": id, "schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
    return base | settings


class Mark(NamedTuple):
    student: str
    exercise: str
    result: str  # right, wrong, empty or error
    note: str = ""


def marks(folder: Path, limit: int) -> Iterator[Mark]:
    """The marks of all notebooks under `folder`; `limit`: seconds that one cell may take."""
    paths = sorted(path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    with KernelServer() as server, tempfile.TemporaryDirectory() as place:
        for path in paths:
            student = path.relative_to(folder).parts[0].removesuffix(".ipynb")
            try:
                tasks = _tasks(Notebook(path).content["cells"])
                exercises = _exercises(tasks)
            except (WorkflowError, KeyError, TypeError, AttributeError) as error:
                yield Mark(student, path.name, "error", str(error) or "no exercise notebook")
                continue
            for name, exercise in exercises.items():
                yield Mark(student, name, *_mark(exercise, tasks.get(name), Path(place), server, limit))


def plain(answer: Any) -> Any:
    """An answer as JSON: None, a string or a number as such; anything else is never right: {"type": ...}."""
    if answer is None or isinstance(answer, str):
        return answer
    if isinstance(answer, Real) and not isinstance(answer, bool):
        return float(answer)
    return {"type": type(answer).__name__}


def _tasks(cells: list[dict]) -> dict[str, list[dict]]:
    """{exercise: the code cells that its answer is computed from}. A task begins at a heading "## "."""
    opening: list[dict] = []
    section: list[dict] = opening
    found: dict[str, list[dict]] = {}
    for cell in cells:
        if cell["cell_type"] == "markdown" and "".join(cell["source"]).startswith("## "):
            section = []
        elif cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader", {}).get("grade"):
            section.append(cell)
            if name := exercise_in(cell):
                found[name] = [*(opening if section is not opening else ()), *section]
    return found


def _exercises(tasks: dict[str, list[dict]]) -> dict[str, Exercise]:
    """All exercises of the paper that the notebook is of. Raises WorkflowError where it answers none."""
    papers = {name.partition("/")[0] for name in tasks}
    if len(papers) != 1:
        raise WorkflowError("no exercise notebook: it has no answer cell of one paper's exercises")
    if not (found := exercises(paper := papers.pop())):
        raise WorkflowError(f"no exercises of this paper: {paper}")
    return found


def _mark(
    exercise: Exercise, cells: list[dict] | None, place: Path, server: KernelServer, limit: int
) -> tuple[str, str]:
    from proctor.workflow.execute import NotebookFailed, execute  # papermill takes two seconds to import

    if cells is None:
        return "error", "its answer cell is gone"
    code = [new_code_cell("".join(cell["source"])) for cell in [*cells, {"source": HAND_IN}]]
    given, done = place / "given.ipynb", place / "done.ipynb"
    nbformat.write(new_notebook(cells=code), given)
    try:
        execute(Notebook(given), done, {}, server, cell_timeout=limit)
        [output] = Notebook(done).content["cells"][-1]["outputs"]
        mark = exercise.mark(output["data"]["application/json"])
    except NotebookFailed as failed:
        return "error", _reason(str(failed), limit)
    except (ValueError, KeyError):
        return "error", "the cell of the answer gives no answer"
    return {NOT_ANSWERED: "empty", RIGHT: "right"}.get(mark, "wrong"), ""


def _reason(failure: str, limit: int) -> str:
    """What stopped a notebook, without the places of the grader's own files."""
    if "took longer than" in failure:
        return f"a cell took longer than {limit} seconds"
    lines = [line.strip() for line in failure.splitlines()[1:] if "copy: " not in line and "at: " not in line]
    return lines[0] if lines else "its Python process died"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.grade", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--hand-out", action="store_true", help="write the exercises there, mark nothing")
    parser.add_argument("--limit", type=int, default=60, metavar="SECONDS", help="for one cell (default: 60)")
    options = parser.parse_args(arguments)
    if options.hand_out:
        folder = options.folder or BUILD / "assignments"
        try:
            written = hand_out(folder)
        except (WorkflowError, OSError) as error:
            print(f"make assignments: {error}", file=sys.stderr)
            return 1
        print(
            f"{len(written)} assignments in {folder}; to mark what comes back: python -m proctor.workflow.grade FOLDER"
        )
        return 0
    if options.folder is None:
        parser.error("which folder holds what students returned?")
    if not any(options.folder.rglob("*.ipynb")):
        print(f"{options.folder}: no notebooks (.ipynb) in this folder", file=sys.stderr)
        return 2
    for name in [name for name in os.environ if not name.startswith(KEPT)]:
        del os.environ[name]
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(Mark._fields)
    for mark in marks(options.folder, options.limit):
        rows.writerow(mark)
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
