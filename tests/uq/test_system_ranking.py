"""The cautious ranking: counts, bounds, pairs and what a short list of resolutions can tell."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from proctor.stats.proportions import clopper_pearson
from proctor.uq import community, partial_verification, resolution, system_ranking
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
    table = system_ranking.ranking(sure, possible).set_index("system")
    assert table.index.tolist() == ["b", "a"] and table["rank"].tolist() == [1, 2]
    assert table.loc["a", ["right", "unsettled", "share_most"]].tolist() == [2, 10, 0.12]
    assert table.loc["a", "low"] == clopper_pearson(2, 100)[0]
    assert table.loc["a", "high"] == clopper_pearson(12, 100)[1]


def test_a_pair_is_surely_apart_only_if_the_worst_case_keeps_the_order():
    sure, possible = boards({"a": 30, "b": 2}, {"a": 0, "b": 5})
    row = system_ranking.apart(sure, possible).iloc[0]
    assert row["p_by_count"] == pytest.approx(binomtest(28, 28).pvalue)
    assert row["p_at_worst"] == pytest.approx(binomtest(23, 23).pvalue) and row["surely_apart"]
    sure, possible = boards({"a": 30, "b": 2}, {"a": 0, "b": 40})
    row = system_ranking.apart(sure, possible).iloc[0]
    assert row["apart"] and not row["surely_apart"] and row["p_at_worst"] == 1
    assert system_ranking.ranking(sure, possible)["rank_high"].tolist() == [2, 2]


def test_people_are_an_entry_and_need_no_validator():
    ours = community.simulate(np.random.default_rng(3), replace(community.SETTING, questions=120, reviews=500))
    sure, possible = system_ranking.scores(ours, "three stages")
    assert "people" in sure.index and (possible >= sure).all().all() and sure.shape[1] == 120
    states = resolution.answer_states(ours)
    for name in sure.index:
        part = states[(states["system"] == name) & (states["state"] == "right")]
        assert sure.loc[name].sum() == part["question_id"].nunique()


def test_published_numbers_are_those_of_the_paper():
    entry = system_ranking.published_people()
    assert (entry["right"], entry["of"]) == (2, 500)
    models, _ = partial_verification.full_set(partial_verification.pass_rates())
    pairs = system_ranking.published_pairs(models)
    assert len(pairs) == 28 and pairs["p_min"].min() == pytest.approx(binomtest(4, 4).pvalue) == 0.125


def test_boards_tell_more_apart_as_solutions_accumulate():
    table = system_ranking.simulate_boards([0.02, 0.01, 0.002], 500, [1, 30], 1.0, 40, np.random.default_rng(0), 200)
    assert table.loc[0, "apart"] < 0.5 < table.loc[1, "apart"] and table.loc[1, "first"] > 0.9
    assert table["best"].tolist() == pytest.approx([10, 300])


def test_boosts_count_leads_and_mistakes():
    setting = replace(community.SETTING, questions=120, reviews=500)
    settings = system_ranking.with_and_without_collusion(setting)
    assert sum(group.count for group in settings["honest"].groups) == sum(group.count for group in setting.groups)
    assert "colluding" not in [group.name for group in settings["honest"].groups]
    rules = {"loose": resolution.Rule(2, 0.6), "strict": resolution.Rule(5, 0.9)}
    table = system_ranking.boosts(settings, rules, 3, np.random.default_rng(0), 50)
    assert table["setting"].tolist() == ["honest", "collusion"] * 2 and (table["leads"] <= 3).all()
    assert (table["resolved"].to_numpy()[:2] >= table["resolved"].to_numpy()[2:]).all()


def test_possible_truth_is_a_share_of_right_answers_that_passed():
    ours = community.simulate(np.random.default_rng(3), replace(community.SETTING, questions=120, reviews=50))
    found = system_ranking.possible_truth(ours, "three stages")
    right = ours.answers.merge(ours.truth).groupby("system")["right"].sum() / 120
    assert (found.reindex(right.index) <= right).all() and set(found.index) == set(right.index)
