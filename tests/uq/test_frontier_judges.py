"""Logged scores of strong judges, gathered from a made-up log."""

import numpy as np
import pandas as pd
import pytest
from proctor.uq import frontier_judges as fj

NAMES = ("chosen", "rejected1", "rejected2", "rejected3")


def made_log(judges=("a", "a+criteria", "b"), items=40, repeats=8, seed=3):
    """Scores 1 to 10: right candidates about two points higher; repeats of a candidate alike, some missing."""
    rng = np.random.default_rng(seed)
    rows = []
    for judge in judges:
        base = 5 + 2.0 * (np.arange(4) == 0) + rng.normal(0, 1.5, (items, 4))
        scores = np.clip(np.rint(base[..., None] + rng.normal(0, 0.7, (items, 4, repeats))), 1, 10)
        scores[rng.random(scores.shape) < 0.01] = np.nan
        for (i, c, r), score in np.ndenumerate(scores):
            rows.append((f"q{i:03d}", NAMES[c], judge, r + 1, score, int(c == 0)))
    columns = ["item", "candidate", "judge", "repeat", "score", "truth"]
    return pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=1)


@pytest.fixture(scope="module")
def log():
    return made_log()


@pytest.fixture(scope="module")
def scores(log):
    return fj.gather(log, ["a", "b"])


def test_scores_are_gathered_in_the_order_of_the_log(log, scores):
    assert list(scores.by) == [("a", "V"), ("a", "C"), ("b", "V")]
    cell = log[(log["judge"] == "a+criteria") & (log["item"] == "q007") & (log["candidate"] == "rejected2")]
    expected = cell.sort_values("repeat")["score"].to_numpy()
    np.testing.assert_array_equal(scores.by["a", "C"][list(scores.items).index("q007"), 2], expected)


def test_only_items_that_all_judges_scored_are_kept(log):
    part = log[~((log["judge"] == "b") & (log["item"] == "q005"))]
    assert len(fj.gather(part, ["a", "b"]).items) == 39 and len(fj.gather(part, ["a"]).items) == 40
    with pytest.raises(ValueError, match="no item was scored by all of nobody"):
        fj.gather(log, ["nobody"])
    two = log.assign(truth=log["truth"].where(log["candidate"] != "rejected1", 1))
    with pytest.raises(ValueError, match="one right candidate"):
        fj.gather(two, ["a"])
