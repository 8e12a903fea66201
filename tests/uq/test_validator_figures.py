"""Pictures of validators draw what they are given and keep the house rules."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from proctor.report import figures
from proctor.report.frame import faults
from proctor.stats.bootstrap import Interval
from proctor.uq import table_s10, validator_figures

CHECKS = ["V", "C", "FLC", "CC", "B"]
MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]


@pytest.fixture(scope="module")
def rows():
    figures.style()
    return table_s10.first_solutions(table_s10.load_rows(np.random.default_rng(0), 50), counts=False)


def clean(fig):
    fig.draw_without_rendering()
    found = faults(fig)
    plt.close(fig)
    assert found == []


def test_the_pipeline_shows_the_counts_of_its_row(rows):
    row = rows.set_index(["model", "name"]).loc[("o3", "3-Iter")]
    fig = validator_figures.pipeline(row, (2, 12))
    text = " ".join(part.get_text() for part in fig.axes[0].texts)
    assert "71 accepted" in text and "425 rejected" in text and "2 to 12 calls" in text
    clean(fig)


def test_every_judge_and_check_is_one_mark_and_the_diagonal_is_named():
    rng = np.random.default_rng(0)
    values = {name: rng.uniform(20, 80, 15) for name in ("right_accepted", "wrong_accepted")}
    limits = {f"{name}{end}": at + shift for name, at in values.items() for end, shift in (("_low", -9), ("_high", 9))}
    shares = pd.DataFrame(dict(judge=np.repeat(MODELS, 5), check=CHECKS * 3, gap=0.0) | values | limits)
    fig = validator_figures.right_and_wrong_accepted(shares, MODELS)
    marks = [line for line in fig.axes[0].lines if line.get_label() in ("135M", "0.5B", "1.5B")]
    assert [len(line.get_xdata()) for line in marks] == [5, 5, 5]
    assert "accepts both alike" in [text.get_text() for text in fig.axes[0].texts]
    clean(fig)


def test_checks_are_drawn_with_their_intervals(rows):
    scores = pd.DataFrame(
        [dict(judge=judge, check=check) | {f"{name}{end}": 0.5 + shift for name in ("balanced_accuracy", "auc")
                                           for end, shift in (("", 0), ("_low", -0.1), ("_high", 0.1))}
         for judge in MODELS for check in CHECKS]
    )  # fmt: skip
    fig = validator_figures.checks_forest(scores, CHECKS, Interval(0.6, 0.5, 0.7, 0.95, ""))
    assert len(fig.axes[0].get_yticklabels()) == 5
    clean(fig)
