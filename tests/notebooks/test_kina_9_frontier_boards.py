"""notebooks/kina/9_frontier_boards.ipynb with the quick parameters, where the logs are on this machine."""

import numpy as np
import pandas as pd
import pytest
from proctor import logs
from scipy.special import logit
from scipy.stats import kendalltau, linregress, spearmanr

NAME = "kina/9_frontier_boards"


@pytest.fixture(scope="module")
def items(done):
    table = logs.table("mmlu_pro").set_index("item")
    return table[(table["common"] == 1) & table["twin_of"].isna()].iloc[:, 5:]


def test_slopes_are_those_of_a_regression_over_the_logarithm_of_size(read, items):
    found = read("frontier_slopes").set_index(["board", "family"])
    share = items[["Llama-2-7b-hf", "Llama-2-13b-hf", "Llama-2-70b-hf"]].mean()
    for column, values in (("slope", 100 * share), ("log_odds", logit(share))):
        expected = linregress(np.log10([7, 13, 70]), values).slope
        assert found.loc[("MMLU-Pro", "Llama-2"), column] == pytest.approx(expected)
    assert (found["slope_low"] < found["slope"]).all() and (found["slope"] < found["slope_high"]).all()


def test_the_rise_is_the_difference_of_two_slopes(read, claims_made):
    slopes = read("frontier_slopes").set_index(["board", "family"])
    for claim, column in (("kina/9_slope.llama", "slope"), ("kina/9_slope.log_odds", "log_odds")):
        one, other = (slopes.loc[("MMLU-Pro", family), column] for family in ("Llama-2", "Llama-3"))
        assert claims_made[claim].estimate == pytest.approx(other - one)


def test_an_exam_of_899_items_agrees_with_the_other_items_as_scipy_counts(read, items):
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        exam = pd.Series(rng.permutation(len(items)) < 899, items.index)
        rest = items[~exam].mean().sort_values(ascending=False).index[:10]
        kept = items[exam].mean().nlargest(10).index.intersection(rest)
        found.append((len(kept), kendalltau(items.loc[exam, rest].mean(), items.loc[~exam, rest].mean()).statistic))
    row = read("frontier_budget").set_index("items").loc[899]
    assert row["kept"] == pytest.approx(np.mean(found, axis=0)[0], abs=0.3)
    assert row["tau"] == pytest.approx(np.mean(found, axis=0)[1], abs=0.04)


def test_profiles_of_odd_and_even_items_agree_where_they_are_said_to_repeat(items, claims_made):
    table = logs.table("mmlu_pro").set_index("item")
    table = table[table["twin_of"].isna()].drop(columns=["twin_of", "DeepSeek-Coder-V2"]).dropna()
    best = table.iloc[:, 4:].mean().nlargest(10).index
    halves = [100 * table[best].iloc[start::2].groupby(table["category"].iloc[start::2]).mean() for start in (0, 1)]
    one, other = (half.sub(half.mean(axis=1), axis=0).sub(half.mean()).stack() for half in halves)
    claim = claims_made["kina/9_profiles"]
    assert claim.n == len(table) and spearmanr(one, other).statistic > 0.5
    assert claim.estimate == pytest.approx(np.corrcoef(one, other)[0, 1], abs=0.1)


def test_the_overlap_is_a_count_of_solvers_and_of_independent_draws(read):
    table = logs.table("mmlu_pro").set_index("item")
    table = table[table["twin_of"].isna()].drop(columns=["twin_of", "DeepSeek-Coder-V2"]).dropna()
    best = table[table.columns[4:]].mean().astype(float).nlargest(10).index
    rng, drawn = np.random.default_rng(0), np.zeros(11)
    rates = table[best].astype(float).groupby(table["category"]).transform("mean").to_numpy()
    for _ in range(20):
        drawn += np.bincount((rng.random(rates.shape) < rates).sum(axis=1), minlength=11)
    found = read("frontier_overlap_table").set_index("solvers")
    counted = 100 * table[best].sum(axis=1).value_counts(normalize=True).sort_index()
    assert found["items"].to_numpy() == pytest.approx(counted.to_numpy(float))
    assert found["independent"].to_numpy() == pytest.approx(100 * drawn / drawn.sum(), abs=0.3)
