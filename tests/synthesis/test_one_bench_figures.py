"""The figures of the bench keep the house's rules and say what they show."""

import numpy as np
import pandas as pd
from proctor.report.figures import style
from proctor.report.frame import faults
from proctor.synthesis import one_bench_figures as figures

MODELS = ["smollm2-135m", "qwen2.5-coder-1.5b"]


def checked(drawn):
    fig, alt = drawn
    fig.draw_without_rendering()
    assert not faults(fig) and alt
    return fig, alt


def test_a_method_that_never_varies_is_not_on_the_map():
    style()
    rows = pd.DataFrame(dict(one=["a", "a", "b"], other=["b", "flat", "flat"], errors=[0.5, np.nan, np.nan]))
    fig, alt = checked(figures.together(rows, ["a", "b", "flat"]))
    assert [text.get_text() for text in fig.axes[0].get_yticklabels()] == ["b"] and "0.50" in alt


def test_where_no_method_varies_the_map_is_blank_and_says_so():
    rows = pd.DataFrame(dict(one=["a", "a", "b"], other=["b", "c", "c"], errors=[np.nan] * 3))
    fig, alt = checked(figures.together(rows, ["a", "b", "c"]))
    assert len(fig.axes[0].get_yticklabels()) == 2 and "blank" in alt


def test_gains_show_both_sides():
    style()
    rows = [
        dict(set=name, model=model, budget=budget, single=0.7, combination=0.65, difference=-0.05, low=-0.2, high=0.1)
        | dict(in_sample=0.04)
        for name in ("pairs", "solutions")
        for model in MODELS
        for budget in (2, 3)
    ]
    chosen = pd.DataFrame(rows)
    fig, _ = checked(figures.gains(chosen, {"pairs": "pairs", "solutions": "all"}))
    assert fig.axes[0].get_yticklabels()[0].get_text() == "2 calls" and len(fig.axes) == 2
