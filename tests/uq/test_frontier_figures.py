"""Figures on strong judges draw what they are given."""

import matplotlib
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from proctor.uq import frontier_figures as ff

matplotlib.use("agg")


def limits(names, value):
    return {f"{name}{end}": value + shift for name in names for end, shift in (("", 0), ("_low", -1), ("_high", 1))}


def test_votes_have_a_line_a_judge_and_the_papers_are_hollow():
    texts = ["V", "V x3 |U"]
    rows = [
        {"judges": j, "validator": t} | limits(("recall", "precision"), 40 + k)
        for j in ff.NAMES
        for k, t in enumerate(texts)
    ]
    printed = pd.DataFrame([{"model": "o3", "recall_M": 57, "recall_U": 14, "precision_M": 25, "precision_U": 26}])
    fig = ff.votes_trade(pd.DataFrame(rows), list(ff.NAMES), texts, printed, 0.13)
    drawn = [line for line in fig.axes[0].lines if len(line.get_xdata()) == 2]
    assert len(drawn) == len(ff.NAMES) + 1 and drawn[-1].get_markerfacecolor() == "white"
    np.testing.assert_array_equal(drawn[0].get_ydata(), [40, 41])
    assert "13 %" in fig.axes[0].get_ylabel()
    plt.close(fig)


def picked():
    rows = []
    for k, name in enumerate(("gpt-5.4", "claude-sonnet-4.6", "both")):
        for calls in (1, 2, 4, 8):
            rows.append({"judges": name, "calls": calls} | limits(("fair_credit", "ties_are_errors"), 70 + calls + k))
    return pd.DataFrame(rows)


def test_a_judge_looks_alike_in_every_figure():
    fig = ff.mixed_families(picked(), "both")
    colours = [line.get_color() for line in fig.axes[0].lines]
    assert colours[:2] == [ff.LOOKS[name].colour for name in ("gpt-5.4", "claude-sonnet-4.6")]
    assert len(set(colours)) == 3
    plt.close(fig)


def test_ties_and_order_have_a_row_a_judge():
    fig = ff.ties(picked(), ["gpt-5.4", "claude-sonnet-4.6"])
    assert len(fig.axes[0].get_yticklabels()) == 4
    plt.close(fig)
    table = pd.DataFrame([{"judge": j, "prompt": p} | limits(("changes",), 20) for j in ("x", "y") for p in ("p", "q")])
    fig = ff.order(table, {"p": "plain", "q": "thought"})
    assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == ["x", "y"]
    plt.close(fig)
