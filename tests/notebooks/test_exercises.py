"""The exercise notebooks: three or four exercises each; with the solutions shown, each is right."""

import json
import re

import pytest
from proctor import paths

NUMBERS = {"uq": "1234", "hle": "1234", "hle_verified": "1234", "kina": "123", "cbu": "123"}


def texts(cells, tag):
    return ["".join(cell["source"]) for cell in cells if tag in cell["metadata"].get("tags", ())]


@pytest.mark.parametrize("paper", NUMBERS)
def test_all_solutions_are_right(paper, quick_run, printed):
    said = printed(quick_run(f"{paper}/exercises"))
    assert re.findall(rf"^{paper}/(\d): .* is right$", said, re.MULTILINE) == [*NUMBERS[paper]]
    assert re.findall(rf"^{paper}/(\d): not answered yet$", said, re.MULTILINE) == [*NUMBERS[paper]]


@pytest.mark.parametrize("paper", NUMBERS)
def test_each_task_has_an_open_answer_and_a_folded_solution(paper):
    cells = json.loads((paths.ROOT / f"notebooks/{paper}/exercises.ipynb").read_text())["cells"]
    answers, solutions = texts(cells, "exercise"), texts(cells, "solution")
    assert answers == [f'answer = None  # yours\ncheck("{paper}/{n}", answer)' for n in NUMBERS[paper]]
    assert [re.search(r'check\.solution\("([\w/]+)"', text)[1] for text in solutions] == [
        f"{paper}/{n}" for n in NUMBERS[paper]
    ]
    folded = [cell for cell in cells if "hide-cell" in cell["metadata"].get("tags", ())]
    assert len(folded) == len(NUMBERS[paper]) and all(cell["metadata"]["jupyter"]["source_hidden"] for cell in folded)
    assert all("".join(cell["source"]).startswith("if show_solutions:\n") for cell in folded)
