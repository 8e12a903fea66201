"""Figures of leaderboards, item budgets and slopes keep to the house's rules and draw what they are given."""

import numpy as np
import pytest
from proctor.kina import board_figures
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


def test_two_exams_name_the_three_that_move_most():
    one, other = np.arange(1, 9), np.array([4, 2, 3, 1, 5, 6, 8, 7])
    fig = board_figures.draw_two_exams([f"m{k}" for k in range(8)], one, other)
    assert kept(fig) and "m0" in texts(fig) and "m3" in texts(fig) and "m4" not in texts(fig)
