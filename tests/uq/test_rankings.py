"""Ranks by acceptance: when they are those of the truth, and what correlated validators change."""

import numpy as np
import pandas as pd
import pytest
from proctor.uq import bias, rankings

ASSUMED = [0.20, 0.165, 0.13, 0.095, 0.06]


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="module")
def six():
    rows = bias.published_validators(np.random.default_rng(0), 50)
    return rows.set_index(["judges", "strategy"]).loc[rankings.SIX]


def verdicts(tables):
    """A frame of judged answers from {validator: (authors, questions) array}."""
    rows = [
        dict(judge="j", validator=name, author=f"a{i}", question_id=f"q{q}", answer_id=f"a{i}-{q}", accept=bool(value))
        for name, table in tables.items()
        for i, row in enumerate(table)
        for q, value in enumerate(row)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("correlation", [0.0, 0.9, 1.0])
def test_simulated_acceptances_have_the_rates_of_the_validators(rng, six, correlation):
    right, accepted = rankings.simulate_acceptances(
        ASSUMED,
        six["recall"],
        six["specificity"],
        200,
        400,
        rng,
        preference=[0, 0.05, 0, 0, 0],
        correlation=correlation,
    )
    assert right.shape == (400, 5) and accepted.shape == (400, 6, 5)
    recall, wrong = six["recall"].to_numpy(), 1 - six["specificity"].to_numpy()
    expected = np.multiply.outer(recall, ASSUMED) + np.multiply.outer(wrong, 1 - np.array(ASSUMED))
    expected[:, 1] += 0.05
    expected = np.minimum(expected, 1)
    assert accepted.mean(axis=0) / 200 == pytest.approx(expected, abs=0.02)


def test_correlation_is_that_of_the_acceptances(rng):
    """At 1 a looser validator accepts all that a stricter one does; at 0 counts of equal validators are unrelated."""
    loose, strict = dict(recall=[0.9, 0.6], specificity=[0.4, 0.8]), dict(recall=[0.6, 0.6], specificity=[0.7, 0.7])
    _, nested = rankings.simulate_acceptances([0.3], **loose, n=50, trials=300, rng=rng, correlation=1.0)
    assert (nested[:, 0] >= nested[:, 1]).all()
    _, equal = rankings.simulate_acceptances([0.3], **strict, n=50, trials=300, rng=rng, correlation=1.0)
    assert (equal[:, 0] == equal[:, 1]).all()
    seen = []
    for rho in (0.0, 0.5, 0.9):
        _, both = rankings.simulate_acceptances([1.0], [0.5, 0.5], [0.5, 0.5], 50, 4000, rng, correlation=rho)
        seen.append(np.corrcoef(both[:, 0, 0], both[:, 1, 0])[0, 1])
    assert seen == pytest.approx([0, 2 / np.pi * np.arcsin(0.5), 2 / np.pi * np.arcsin(0.9)], abs=0.05)


def test_order_and_first_places_of_counts_that_are_known():
    right = np.array([[9, 5, 1]])
    accepted = np.array([[[3, 2, 1], [1, 2, 3], [2, 2, 2]]])
    assert rankings.keeps_order(right, accepted).tolist() == [[True, False, True]]
    assert rankings.models_first(accepted[:, :2]).tolist() == [2] and rankings.models_first(accepted).tolist() == [3]


def test_more_answers_bring_the_true_order_and_preference_does_not_average_out(rng):
    found = rankings.order_chances(bias.published_validators(rng, 50), ASSUMED, 0.01, 200, rng)
    assert np.allclose(found["tipping"], 0.035 * found["youden"])
    informed = found[found["youden"] > 0.15]
    assert (informed["order_100000"] > 0.9).all() and (informed["order_500"] < 0.4).all()
    assert (found[found["tipping"] < 0.006]["order_preferred"] < 0.2).all()


def test_correlated_validators_put_fewer_models_first_by_chance(rng, six):
    """Issue 13: .63 and .34 of studies for independent validators fall to .25 and .12 at a correlation of .9."""
    found = rankings.first_places(six, ASSUMED, [100, 500], [0.0, 0.9], 1500, rng)
    chance = found.set_index(["n", "correlation"])["four_or_more"]
    assert chance[100, 0.0] == pytest.approx(0.63, abs=0.05) and chance[500, 0.0] == pytest.approx(0.31, abs=0.05)
    assert chance[100, 0.9] == pytest.approx(0.27, abs=0.05) and chance[500, 0.9] == pytest.approx(0.125, abs=0.04)
    assert ((found["four_or_more_low"] <= found["four_or_more"]) & (found["mean_first"] >= 1)).all()
