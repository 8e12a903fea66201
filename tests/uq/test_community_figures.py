"""The figures on a community draw what they receive, in the house style."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from proctor.report import frame
from proctor.report.figures import style
from proctor.uq import community_figures as figures


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


def faults(fig):
    fig.draw_without_rendering()
    return frame.faults(fig)


def test_published_people_are_hollow_and_last():
    row = dict(system="system A", right=3, unsettled=5, of=100, share=0.03, low=0.01, high=0.2, share_most=0.08)
    people = dict(system="people (the paper)", share=0.004, low=0.001, high=0.01, share_most=0.004)
    fig = figures.cautious_ranking(pd.DataFrame([row]), people, pd.Series({"system A": 0.02}))
    hollow = [line for line in fig.axes[0].lines if line.get_markerfacecolor() == "white"]
    assert [line.get_label() for line in hollow] == ["people, as published"] and faults(fig) == []


def test_states_are_stacked_to_all_reviewed_answers():
    at = pd.date_range("2026-01-01", periods=12, freq="30D", tz="UTC")
    table = pd.DataFrame(dict(at=at, right=2, wrong=3, disputed=1, open=4, resolved=np.arange(12), false=1.0))
    fig = figures.over_time(table)
    assert max(path.vertices[:, 1].max() for each in fig.axes[0].collections for path in each.get_paths()) == 10
    assert faults(fig) == []


def test_effort_shows_formula_simulation_and_rounds():
    screens = pd.DataFrame(dict(base_rate=[0.02, 0.1] * 2, screen=["none"] * 2 + ["v"] * 2))
    screens["reviews_per_resolution"] = [200.0, 40, 90, 20]
    points = pd.DataFrame(dict(base_rate=[0.02], screen=["v"], reviews=[91.0], low=[80.0], high=[100.0]))
    rounds = pd.DataFrame(dict(screen=["fixed"] * 2, round=[1, 2], resolutions=[1.0, 2], low=[0.5, 1], high=[2.0, 3]))
    assert faults(figures.effort_and_learning(screens, points, rounds)) == []


def test_an_error_that_was_never_seen_is_not_drawn():
    table = pd.DataFrame(dict(panel="one", reviews=[1, 3], formula=[0.1, 0.001], error=[0.1, 0.0], low=[0.08, 0.0]))
    table["high"] = [0.12, 0.001]
    fig = figures.reviews_needed(table)
    marks = [line for line in fig.axes[0].lines if line.get_marker() not in ("", "None", "_", "|", None)]
    assert [len(line.get_xdata()) for line in marks] == [1] and faults(fig) == []


def test_detection_has_a_panel_a_kind():
    rows = [
        dict(
            kind=kind,
            group="honest" if kind == "none" else kind,
            test=test,
            reviews_each=n,
            flagged=0.5,
            low=0.4,
            high=0.6,
        )
        for kind, tests in (("always no", ["beyond chance"]), ("colluding", ["pairs"]), ("none", ["favour", "pairs"]))
        for test in tests
        for n in (20, 40)
    ]
    fig = figures.detection(pd.DataFrame(rows))
    assert [ax.get_title() for ax in fig.axes][1] == "four who collude" and faults(fig) == []


def test_a_difference_above_zero_looks_other_than_one_below():
    table = pd.DataFrame(dict(panel=["a", "b"], difference=[-2.0, 1.0], low=[-3.0, 0.5], high=[-1.0, 1.5]))
    fig = figures.against_majority(table)
    points = [line for line in fig.axes[0].lines if line.get_linestyle() == "None"]
    assert len({line.get_color() for line in points}) == 2 and faults(fig) == []
