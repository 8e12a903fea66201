"""The figures on bias and ranks draw every estimate that they receive, in the house style."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from proctor.report import frame
from proctor.report.figures import style
from proctor.uq import bias, bias_figures, rankings

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]


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


def test_heatmap_frames_own_answers_and_dots_the_siblings():
    rows = [
        dict(judge=judge, validator=name, author=author, bias=0.1)
        for judge in MODELS
        for name in ("V", "C")
        for author in [*MODELS, "all"]
    ]
    fig = bias_figures.bias_heatmap(pd.DataFrame(rows), MODELS, MODELS, ["V", "C"])
    styles = [patch.get_linestyle() for patch in fig.axes[0].patches]
    assert styles.count("-") == 6 and styles.count(":") == 4 and faults(fig) == []


def test_power_marks_where_we_stand():
    power = bias.preference_power(0.1, [0.5, 0.1], [25, 100], 20, np.random.default_rng(0))
    fig = bias_figures.preference_power(power, recorded=27)
    assert {"ours", "Table S1"} <= {text.get_text() for text in fig.axes[0].texts} and faults(fig) == []


def test_ranks_have_a_panel_a_judge_with_panel_and_truth_at_the_end():
    keys = [*((judge, "V") for judge in MODELS), ("panel", "panel"), ("key", "truth")]
    rows = [
        dict(judge=judge, validator=name, author=author, share=0.5, rank=i + 1, rank_low=1, rank_high=3)
        for judge, name in keys
        for i, author in enumerate(MODELS)
    ]
    fig = bias_figures.rank_trajectories(pd.DataFrame(rows), MODELS, ["V"])
    assert [ax.get_title() for ax in fig.axes] == ["judge: 135M", "judge: 0.5B", "judge: 1.5B"]
    assert [label.get_text() for label in fig.axes[0].get_xticklabels()] == ["V", "panel", "truth"]
    assert faults(fig) == []


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
