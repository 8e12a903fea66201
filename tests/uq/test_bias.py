"""Bias and preference: what they are on judges whose habits are known."""

import numpy as np
import pandas as pd
import pytest
from proctor.uq import bias
from scipy.stats import multivariate_normal, norm


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


def test_published_validators_have_the_bias_of_their_counts(rng):
    rows = bias.published_validators(rng, 200)
    accepted, right = rows["tp"] + rows["fp"], rows["tp"] + rows["fn"]
    assert len(rows) == 33 and (right == rows["positives"]).all()
    assert rows["bias"].to_numpy() == pytest.approx(((accepted - right) / rows["n"]).to_numpy())
    assert rows["youden"].to_numpy() == pytest.approx((rows["recall"] + rows["specificity"] - 1).to_numpy())
    assert rows["bias"].is_monotonic_decreasing
    for column in ("bias", "balanced_accuracy", "youden"):
        assert ((rows[f"{column}_low"] <= rows[column]) & (rows[column] <= rows[f"{column}_high"])).all()


def test_accepting_by_lot_as_often_as_answers_are_right_has_no_bias():
    row = pd.Series(dict(tp=13 * 13, fp=13 * 87, fn=87 * 13, tn=87 * 87))  # 13 % right, 13 % accepted
    assert bias.bias_of_counts(row, np.random.default_rng(0)).estimate == 0
    assert bias.precision_of_counts(row).estimate == pytest.approx(0.13)


def test_more_comparisons_widen_the_interval_of_a_bias(rng):
    row = pd.Series(dict(tp=20, fp=60, fn=10, tn=110))
    one, ten = (bias.bias_of_counts(row, np.random.default_rng(1), 20_000, family=family) for family in (1, 10))
    assert ten.level == pytest.approx(0.995) and ten.low < one.low < one.estimate < one.high < ten.high
    sd = np.sqrt((70 - 50**2 / 200) / 200**2)  # of the mean of +1, -1 and 0
    assert one.high - one.low == pytest.approx(2 * 1.96 * sd, rel=0.05)


def test_power_agrees_with_the_formula_and_grows(rng):
    power = bias.preference_power(0.2, [0.5], [50, 200], 300, rng)
    assert power["seen"].is_monotonic_increasing
    assert power["seen"].to_numpy() == pytest.approx(power["formula"].to_numpy(), abs=0.09)
    assert ((power["low"] <= power["seen"]) & (power["seen"] <= power["high"])).all()


@pytest.mark.parametrize("share, correlation", [(0.8, 0.0), (0.4, 0.5), (0.9, 0.9)])
def test_all_accept_is_the_orthant_of_a_normal_with_that_correlation(share, correlation):
    cov = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    exact = multivariate_normal(np.zeros(3), cov).cdf(np.full(3, norm.ppf(share)))
    assert bias.all_accept(share, 3, correlation) == pytest.approx(float(exact), abs=2e-4)


def test_unanimity_can_widen_a_preference_and_correlated_votes_change_it_less():
    found = bias.preference_under_unanimity([(0.9, 0.8), (0.5, 0.4)], [1, 3], [0.0, 0.9])
    gain = found.set_index(["own", "correlation", "votes"])["difference"]
    assert gain[0.9, 0.0, 3] == pytest.approx(0.9**3 - 0.8**3) and gain[0.5, 0.0, 3] == pytest.approx(0.5**3 - 0.4**3)
    assert 0.1 < gain[0.9, 0.9, 3] < gain[0.9, 0.0, 3] and gain[0.5, 0.0, 3] < gain[0.5, 0.9, 3] < 0.1
    assert (found["ratio"] >= found["own"] / found["others"] - 1e-9).all()
