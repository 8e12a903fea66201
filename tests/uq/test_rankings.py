"""Ranks by acceptance: when they are those of the truth, and what correlated validators change."""

import numpy as np
import pytest
from proctor.uq import rankings

ASSUMED = [0.20, 0.165, 0.13, 0.095, 0.06]


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


RECALL, SPECIFICITY = np.array([0.95, 0.6, 0.3]), np.array([0.2, 0.7, 0.95])


@pytest.mark.parametrize("correlation", [0.0, 0.9, 1.0])
def test_simulated_acceptances_have_the_rates_of_the_validators(rng, correlation):
    right, accepted = rankings.simulate_acceptances(
        ASSUMED,
        RECALL,
        SPECIFICITY,
        200,
        400,
        rng,
        preference=[0, 0.05, 0, 0, 0],
        correlation=correlation,
    )
    assert right.shape == (400, 5) and accepted.shape == (400, 3, 5)
    expected = np.multiply.outer(RECALL, ASSUMED) + np.multiply.outer(1 - SPECIFICITY, 1 - np.array(ASSUMED))
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
