"""Figures of leaderboards, item budgets and slopes keep to the house's rules and draw what they are given."""

import numpy as np
import pytest
from proctor.kina import board_figures, ranked_models
from proctor.report.figures import style
from proctor.report.frame import faults, visible_texts


@pytest.fixture(autouse=True)
def house():
    style()


def texts(fig) -> str:
    fig.draw_without_rendering()
    return " | ".join(text.get_text() for text in visible_texts(fig))


def kept(fig) -> bool:
    fig.draw_without_rendering()
    return faults(fig) == []


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    scores = (rng.random((6, 400)) < np.array([0.7, 0.62, 0.6, 0.58, 0.56, 0.2])[:, None]).astype(float)
    return ranked_models.rank_models(scores, [f"a model at {k} %" for k in range(6)], 0, 500)


def test_leaderboard_marks_both_kinds_of_border(table):
    fig = board_figures.draw_leaderboard(table, "simulated", printed=[70.0] + [np.nan] * 5)
    assert kept(fig) and "a model at 5 %" in texts(fig)
    borders = [line.get_linestyle() for line in fig.axes[1].lines if line.get_label().startswith(("tier", "_"))]
    assert {"-", ":"} >= set(borders) - {"None"} and "separates its neighbours" in texts(fig)


def test_two_exams_name_the_three_that_move_most():
    one, other = np.arange(1, 9), np.array([4, 2, 3, 1, 5, 6, 8, 7])
    fig = board_figures.draw_two_exams([f"m{k}" for k in range(8)], one, other)
    assert kept(fig) and "m0" in texts(fig) and "m3" in texts(fig) and "m4" not in texts(fig)
