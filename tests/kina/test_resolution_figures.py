"""Figures of leaderboards, item budgets and slopes keep to the house's rules and draw what they are given."""

import numpy as np
import pandas as pd
import pytest
from proctor.kina import exam_resolution, ranked_models, resolution_figures
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


def test_lead_gaps_write_each_gap_and_each_agreement():
    x = np.geomspace(300, 4000, 20)
    lines = {agree: (x, exam_resolution.smallest_gap(x, 1 - agree / 100)) for agree in (50, 85, 95)}
    fig = resolution_figures.draw_lead_gaps(lines, exam_resolution.printed_gaps(), 85)
    said = texts(fig)
    assert kept(fig) and all(text in said for text in ("3.25", "1.37", "85 % of the items", "KINA", "3,000"))


def test_other_pictures_of_resolution_keep_to_the_rules():
    x = np.geomspace(0.2, 10, 20)
    marks = pd.DataFrame(dict(points=[3.25, 0.3], items=[900.0, 1e5]), index=["1st to 2nd", "dense tier (assumed)"])
    assert kept(resolution_figures.draw_items_needed({"1 answer": (x, 1e4 / x**2)}, marks, 899))
    alarms = exam_resolution.false_alarms(np.random.default_rng(0).choice([-1.0, 1.0], (50, 100)))
    assert kept(resolution_figures.draw_false_alarms(alarms))
    asked = pd.DataFrame(dict(points=[0, 8], asked=[890.0, 380], asked_low=[880.0, 370], asked_high=[895.0, 390]))
    assert kept(resolution_figures.draw_items_asked(asked, 899))
