"""The cautious ranking: counts, bounds, pairs and what a short list of resolutions can tell."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from proctor.stats.proportions import clopper_pearson
from proctor.uq import community, resolution
from scipy.stats import binomtest


def boards(right: dict[str, int], unsettled: dict[str, int], n: int = 100):
    sure = pd.DataFrame(0.0, index=list(right), columns=range(n))
    possible = sure.copy()
    for k, name in enumerate(right):
        sure.iloc[k, : right[name]] = 1
        possible.iloc[k, : right[name] + unsettled[name]] = 1
    return sure, possible


def test_ranking_counts_and_widens_by_unsettled_answers():
    sure, possible = boards({"a": 2, "b": 5}, {"a": 10, "b": 0})
    table = resolution.ranking(sure, possible).set_index("system")
    assert table.index.tolist() == ["b", "a"] and table["rank"].tolist() == [1, 2]
    assert table.loc["a", ["right", "unsettled", "share_most"]].tolist() == [2, 10, 0.12]
    assert table.loc["a", "low"] == clopper_pearson(2, 100)[0]
    assert table.loc["a", "high"] == clopper_pearson(12, 100)[1]


def test_a_pair_is_surely_apart_only_if_the_worst_case_keeps_the_order():
    sure, possible = boards({"a": 30, "b": 2}, {"a": 0, "b": 5})
    row = resolution.apart(sure, possible).iloc[0]
    assert row["p_by_count"] == pytest.approx(binomtest(28, 28).pvalue)
    assert row["p_at_worst"] == pytest.approx(binomtest(23, 23).pvalue) and row["surely_apart"]
    sure, possible = boards({"a": 30, "b": 2}, {"a": 0, "b": 40})
    row = resolution.apart(sure, possible).iloc[0]
    assert row["apart"] and not row["surely_apart"] and row["p_at_worst"] == 1
    assert resolution.ranking(sure, possible)["rank_high"].tolist() == [2, 2]


def test_people_are_an_entry_and_need_no_validator():
    ours = community.simulate(np.random.default_rng(3), replace(community.SETTING, questions=120, reviews=500))
    sure, possible = resolution.scores(ours, "three stages")
    assert "people" in sure.index and (possible >= sure).all().all() and sure.shape[1] == 120
    states = resolution.answer_states(ours)
    for name in sure.index:
        part = states[(states["system"] == name) & (states["state"] == "right")]
        assert sure.loc[name].sum() == part["question_id"].nunique()
