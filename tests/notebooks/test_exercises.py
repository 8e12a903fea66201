"""The exercise notebooks: three or four exercises each; with the solutions shown, each is right."""

import re

import pytest
from proctor import paths
from proctor.report.exercises import EXERCISES
from proctor.workflow.notebook import Notebook

NUMBERS = {"uq": "1234", "hle": "1234", "hle_verified": "1234", "kina": "123", "cbu": "123"}
papers = pytest.mark.parametrize("paper", NUMBERS)


def cells_of(paper):
    return Notebook(paths.ROOT / f"notebooks/{paper}/exercises.ipynb").content["cells"]


def texts(cells, tag):
    return ["".join(cell["source"]) for cell in cells if tag in cell["metadata"].get("tags", ())]


@papers
def test_all_solutions_are_right(paper, quick_run, printed):
    said = printed(quick_run(f"{paper}/exercises"))
    assert re.findall(rf"^{paper}/(\d): .* is right$", said, re.MULTILINE) == [*NUMBERS[paper]]
    assert re.findall(rf"^{paper}/(\d): not answered yet$", said, re.MULTILINE) == [*NUMBERS[paper]]


@papers
def test_each_task_has_an_open_answer_and_a_folded_solution(paper):
    cells, names = cells_of(paper), [f"{paper}/{n}" for n in NUMBERS[paper]]
    assert texts(cells, "exercise") == [f'answer = None  # yours\ncheck("{name}", answer)' for name in names]
    solutions = texts(cells, "solution")
    assert [re.search(r'check\.solution\("([\w/]+)"', text)[1] for text in solutions] == names
    folded = [cell for cell in cells if "hide-cell" in cell["metadata"].get("tags", ())]
    assert len(folded) == len(names) and all(cell["metadata"]["jupyter"]["source_hidden"] for cell in folded)
    assert all("".join(cell["source"]).startswith("if show_solutions:\n") for cell in folded)


MISTAKES = [
    ("uq/1", 67, "wrong answers"),
    ("uq/3", 370, "accepted"),
    ("uq/4", 76.5, "what the judge accepts"),
    ("uq/4", 33.3, "among the labelled"),
    ("uq/4", 32.2, "among the accepted"),
    ("cbu/1", 18, "half"),
    ("cbu/2", 6, "one of 15"),
    ("cbu/3", 100, "Not all five"),
    ("kina/1", 3.42, "hasty other"),
    ("kina/1", 2.67, "bar at 2"),
    ("kina/2", 12538, "80 %"),
    ("kina/3", 71.4, "all topics"),
    ("hle/1", 58, "second one"),
    ("hle/2", 89.2, "square"),
    ("hle/3", 12.3, "all answers"),
    ("hle/4", -50, "equal text"),
    ("hle/4", 100, "before"),
    ("hle_verified/1", 16.7, "free answers"),
    ("hle_verified/2", 40, "gain in accuracy"),
    ("hle_verified/3", 3.9, "divides"),
    ("hle_verified/4", 53.3, "reviewed keys"),
]


@pytest.mark.parametrize(("name", "answer", "hint"), MISTAKES)
def test_a_common_mistake_has_its_own_hint(name, answer, hint):
    assert hint in EXERCISES[name].mark(answer)


def test_recall_and_specificity_of_uq_are_those_of_the_counts_in_cell_and_table():
    task, given = ("".join(cell["source"]) for cell in cells_of("uq") if cell["id"] in ("task-1", "given-1"))
    exec(given.splitlines()[0], values := {})
    for name, *counts in (("VOTES", 42 / 65, 321 / 435), ("PIPELINE", 22 / 64, 383 / 432)):  # of 500 and 496 answers
        shown = tuple(round(100 * share, 1) for share in counts)
        assert values[name] == shown and f"| {shown[0]} % | {shown[1]} % |" in task
