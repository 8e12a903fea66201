"""Each figure draws what it is given: no missing series, nothing computed, within the house rules of size."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from proctor.cbu import figures
from proctor.report.figures import style
from proctor.report.frame import faults

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b"]


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


def sound(fig):
    fig.draw_without_rendering()
    return faults(fig)


def legend_of(fig):
    return [text.get_text() for text in fig.legends[0].get_texts()]


def test_frontier_draws_every_point_with_its_interval():
    names = [f"{scheme} {n}" for scheme in figures.SCHEMES for n in (64, 32)]
    found = pd.DataFrame(dict(scheme=names, share=[1, 0.5] * 3))
    for metric in ("acc1", "regret"):
        found = found.assign(**{f"{metric} gap": -0.01, f"{metric} low": -0.02, f"{metric} high": 0.0})
    found.loc[0, [column for column in found if "gap" in column]] = np.nan  # the reference
    fig = figures.rollout_frontier(found)
    drawn = [line for line in fig.axes[0].lines if line.get_linestyle() == "None"]
    assert sum(len(line.get_xdata()) for line in drawn) == 5 and sound(fig) == []
