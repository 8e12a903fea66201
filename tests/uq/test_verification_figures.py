"""The figures on people's checks draw what they receive, in the house style."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from proctor.report import frame
from proctor.report.figures import style
from proctor.stats.bootstrap import Interval
from proctor.uq import verification_figures as figures


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


def faults(fig):
    fig.draw_without_rendering()
    return frame.faults(fig)


def test_published_kappa_is_hollow_and_stands_at_its_own_share():
    share = np.linspace(0, 1, 11)
    fig = figures.kappa_and_prevalence(share, 0.9, share, 0.04, Interval(0.5, 0.0, 1.0, 0.95, "percentile"), "a model")
    point = fig.axes[0].lines[-1]
    assert point.get_xdata() == [4] and point.get_markerfacecolor() == "white" and faults(fig) == []
