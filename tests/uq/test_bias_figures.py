"""The figures on bias and ranks draw every estimate that they receive, in the house style."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from proctor.report import frame
from proctor.report.figures import style
from proctor.uq import bias, bias_figures, rankings


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def validators():
    return bias.published_validators(np.random.default_rng(0), 50)


def faults(fig):
    fig.draw_without_rendering()
    return frame.faults(fig)


def test_every_published_validator_is_a_hollow_mark(validators):
    fig = bias_figures.bias_and_skill(validators)
    marks = [line for line in fig.axes[0].lines if line.get_marker() not in ("None", "", None)]
    assert sum(len(line.get_xdata()) for line in marks) == len(validators)
    assert {line.get_markerfacecolor() for line in marks} == {"white"} and faults(fig) == []


def test_simulated_figures_draw_every_point(validators):
    rng = np.random.default_rng(0)
    chances = rankings.order_chances(validators, [0.2, 0.165, 0.13], 0.01, 20, rng)
    order = bias_figures.order_chances(chances, {"order_100": "100", "order_500": "500"})
    assert [len(line.get_xdata()) for line in order.axes[0].lines] == [33, 33]
    tipping = bias_figures.tipping_points(chances, 0.035)
    assert sum(len(line.get_xdata()) for line in tipping.axes[0].lines if line.get_marker() != "None") == 33
    six = validators.set_index(["judges", "strategy"]).loc[rankings.SIX]
    firsts = bias_figures.first_places(rankings.first_places(six, [0.2, 0.165, 0.13], [100], [0.0, 1.0], 20, rng))
    assert len(firsts.axes[0].lines) == 1 and [faults(fig) for fig in (order, tipping, firsts)] == [[], [], []]
