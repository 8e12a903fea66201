"""Each figure of the repaired exam draws what it is given, on made-up numbers, within the house's rules."""

import numpy as np
import pandas as pd
from proctor.hle_verified import real_repair_figures as figures
from proctor.hle_verified.real_repairs import METHODS, SIGNALS
from proctor.report.figures import style
from proctor.report.frame import faults


def drawn(fig):
    fig.draw_without_rendering()
    assert not faults(fig)
    legends = [*fig.legends, *(ax.get_legend() for ax in fig.axes if ax.get_legend())]
    marks = [text.get_text() for ax in fig.axes for text in [*ax.texts, *ax.get_yticklabels()]]
    return " ".join(marks + [text.get_text() for legend in legends for text in legend.get_texts()])


def test_each_model_has_a_row_with_both_keys():
    style()
    values = {"before": 20.0, "after": 60.0}
    table = pd.DataFrame(dict(model=["openai_gpt-4-0613", "mine"], changed_items=9))
    for when, value in values.items():
        for end, by in (("", 0), ("_low", -5), ("_high", 5)):
            table[f"changed_{when}{end}"] = value + by
    text = drawn(figures.before_and_after(table))
    assert "GPT-4" in text and "mine" in text and "repaired key" in text


def test_each_method_is_named_at_its_line():
    style()
    rows = [
        dict(items=n, method=method, off=off, off_low=off - 0.1, off_high=off + 0.1)
        for n in (100, 400)
        for method, off in zip(METHODS, (0.9, 0.5, 0.2))
    ]
    assert all(name in drawn(figures.prediction_error(pd.DataFrame(rows))) for name in METHODS.values())


def test_the_budget_is_marked_and_each_signal_named():
    style()
    grid = np.linspace(1, 20, 5)
    curve = pd.concat([pd.DataFrame(dict(signal=name, reviewed=grid, found=grid)) for name in SIGNALS])
    text = drawn(figures.what_finds(curve, 0.05))
    assert "budget of 5 %" in text and all(name in text for name in SIGNALS.values())


def test_a_square_an_item_by_what_experts_say():
    style()
    table = pd.DataFrame(dict(error_type=["ok", "wrong_groundtruth", "expert"], impossible=[7, 5, 2]))
    text = drawn(figures.impossible_items(table))
    assert "wrong key (5)" in text and "other flaw (2)" in text and "sound, only hard (7)" in text
