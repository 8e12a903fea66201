"""The exercises to hand out: without solutions, with nbgrader's cell metadata (its schema, version 3).

    python -m proctor.workflow.assignments [FOLDER]        # default: build/assignments

Each paper's `exercises.ipynb` goes to FOLDER/<paper>/exercises.ipynb. `workflow/grade.py` marks what comes back, and so
does nbgrader, with these folders as its `source` or `release`.
"""

import copy
import json
import re
import sys
from pathlib import Path

from proctor.files import write_atomic
from proctor.paths import BUILD
from proctor.workflow.notebook import NOTEBOOKS, Notebook, WorkflowError

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
            cells.append(
                {
                    "cell_type": "code",
                    "execution_count": None,
                    "id": f"test-{id}",
                    "metadata": {"nbgrader": _nbgrader(f"{id}-test", grade=True, locked=True, points=1)},
                    "outputs": [],
                    "source": f'assert check.exercises["{name}"].mark(answer) == "right"  # for nbgrader',
                }
            )
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


def write(folder: Path) -> list[Path]:
    """Write all assignments under `folder`. Raises WorkflowError for a notebook that can't be read."""
    written = []
    for path in sorted(NOTEBOOKS.glob("*/exercises.ipynb")):
        text = json.dumps(assignment(Notebook(path)), indent=1, ensure_ascii=False) + "\n"
        written.append(write_atomic(folder / path.relative_to(NOTEBOOKS), text))
    return written


def _nbgrader(id: str, **settings: bool | int) -> dict:
    base = {"grade_id": id, "schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
    return base | settings


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else BUILD / "assignments"
    try:
        written = write(folder)
    except (WorkflowError, OSError) as error:
        print(f"make assignments: {error}", file=sys.stderr)
        return 1
    print(f"{len(written)} assignments in {folder}; to mark what comes back: python -m proctor.workflow.grade FOLDER")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
