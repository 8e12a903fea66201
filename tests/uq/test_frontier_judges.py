"""Logged scores of strong judges, gathered from a made-up log."""

import numpy as np
import pandas as pd
import pytest
from proctor.uq import frontier_judges as fj

NAMES = ("chosen", "rejected1", "rejected2", "rejected3")


@pytest.fixture(scope="module")
def log():
    """As `logs.judge_scores()`, of three judges and 40 items in any order."""
    index = pd.MultiIndex.from_product(
        [("a", "a+criteria", "b"), [f"q{i:03d}" for i in range(40)]], names=["judge", "item"]
    )
    columns = pd.MultiIndex.from_product([NAMES, range(1, 9)], names=["candidate", "repeat"])
    scores = np.random.default_rng(3).integers(1, 11, (len(index), len(columns)))
    return pd.DataFrame(scores.astype(float), index, columns).sample(frac=1, random_state=1)


def test_scores_are_gathered_by_judge_and_prompt_the_items_in_one_order(log):
    scores = fj.gather(log, ["a", "b"])
    assert list(scores.by) == [("a", "V"), ("a", "C"), ("b", "V")] and scores.by["a", "C"].shape == (40, 4, 8)
    expected = log.loc[("a+criteria", "q007"), "rejected2"].to_numpy()
    np.testing.assert_array_equal(scores.by["a", "C"][list(scores.items).index("q007"), 2], expected)


def test_only_items_that_all_judges_scored_are_kept(log):
    part = log.drop(index=("b", "q005"))
    assert len(fj.gather(part, ["a", "b"]).items) == 39 and len(fj.gather(part, ["a"]).items) == 40
    with pytest.raises(ValueError, match="no item was scored by all of nobody"):
        fj.gather(log, ["nobody"])
