"""What UQ's exercises expect, against counts by hand."""

import pytest
from proctor import paths
from proctor.stats.proportions import wilson
from proctor.uq import exercises
from proctor.workflow.notebook import Notebook

RECALL, SPECIFICITY = (42 / 65, 22 / 64), (321 / 435, 383 / 432)  # of 500 and of 496 answers


def test_the_notebook_gives_recall_and_specificity_of_the_counts_in_cell_and_table():
    cells = Notebook(paths.ROOT / "notebooks/uq/exercises.ipynb").content["cells"]
    task, given = ("".join(cell["source"]) for cell in cells if cell["id"] in ("task-1", "given-1"))
    values = {}
    exec(given.splitlines()[0], values)
    for n, name in enumerate(("VOTES", "PIPELINE")):
        shown = tuple(round(100 * float(shares[n]), 1) for shares in (RECALL, SPECIFICITY))
        assert values[name] == shown and f"| {shown[0]} % | {shown[1]} % |" in task


def test_equal_accuracy_is_that_of_the_counts():
    recall, specificity = RECALL, SPECIFICITY
    share = exercises.equal_accuracy()
    one, other = (share * r + (1 - share) * s for r, s in zip(recall, specificity))
    assert one == pytest.approx(other, abs=0.001)


def test_a_vote_of_five():
    assert exercises.balanced_accuracy("unanimity", 0.7, 0.4) == pytest.approx((0.7**5 + 1 - 0.4**5) / 2)
    assert exercises.balanced_accuracy("majority", 0.5, 0.5) == pytest.approx(0.5)


def test_the_sample_has_the_asked_width():
    accepted = round(exercises.judged_right(0.05) * 0.25 / 0.4)
    low, high = wilson(round(0.4 * accepted), accepted)
    assert (high - low) / 2 == pytest.approx(0.05, abs=1e-3)


def test_common_mistakes_have_their_own_hint():
    first, _, third, fourth = exercises.exercises().values()
    assert "wrong answers" in first.mark(67) and "accepted" in third.mark(370)
    assert "what the judge accepts" in fourth.mark(76.5) and "among the labelled" in fourth.mark(33.3)
    assert "among the accepted" in fourth.mark(32.2)
    assert first.mark(33) == third.mark(592) == fourth.mark(35.2) == "right"
