"""Order effects of judges of pairs, counted by hand."""

import numpy as np
import pandas as pd
import pytest
from proctor.uq import order_effects as oe


def log(rows, judge="g", prompt="p"):
    """rows: (vote in order 1, vote in order 2, truth) of each pair."""
    return pd.DataFrame(
        [
            {"item": i, "judge": judge, "prompt": prompt, "candidate": "output_1", "repeat": order, "vote": vote, "truth": truth}
            for i, (*votes, truth) in enumerate(rows)
            for order, vote in enumerate(votes, 1)
        ]
    )  # fmt: skip


ROWS = [(1, 1, 1), (1, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 0), (0, 0, 1), (1, np.nan, 1), (1, 1, 1)]


def test_effects_are_counted_by_hand():
    found = oe.order_effects(log(ROWS), np.random.default_rng(0), 500)
    assert (found.pairs, found.unreadable) == (7, 1)
    assert found.prefers_first.estimate == pytest.approx(100 * (4 / 7 - 3 / 7))  # output 1: first 4 times, second 3
    assert found.changes.estimate == pytest.approx(100 * 3 / 7)
    assert found.right.estimate == pytest.approx(100 * (2 + 0 + 2 + 2 + 1 + 1 + 1) / 14)
    assert found.right_if_agreed.estimate == pytest.approx(100 * 3 / 4)
    assert found.gain.estimate == pytest.approx(found.right_if_agreed.estimate - found.right.estimate)


def test_a_judge_that_only_follows_the_order_changes_always():
    found = oe.order_effects(log([(1, 0, i % 2) for i in range(20)]), np.random.default_rng(0), 200)
    assert found.changes.estimate == found.prefers_first.estimate == 100 and found.right.estimate == 50
    assert np.isnan(found.right_if_agreed.estimate) and np.isnan(found.gain.low)
