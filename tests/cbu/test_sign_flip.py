from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.cbu.ranking_metrics import cautious_interval, sign_flip_interval, sign_flip_p

whole = st.lists(st.integers(-8, 8), min_size=2, max_size=8).filter(lambda x: len(set(x)) > 1)


def brute_p(differences):
    differences = np.asarray(differences, float)
    observed = abs(differences.sum())
    signs = np.array(list(product([-1, 1], repeat=len(differences))))
    sums = (signs * differences).sum(axis=1)
    return min(1.0, 2 * min((sums >= observed - 1e-9).mean(), 1.0))


@given(whole)
def test_p_is_the_share_of_sign_patterns_as_extreme(differences):
    assert sign_flip_p(differences) == pytest.approx(brute_p(differences))


@given(whole, st.sampled_from([0.5, 0.8, 0.9]))
def test_interval_holds_exactly_what_the_test_does_not_reject(differences, level):
    found = sign_flip_interval(differences, level, bounds=(-9, 9))
    for d in np.linspace(-8.3, 8.3, 23):
        inside = found.low <= d <= found.high
        p = brute_p(np.asarray(differences) - d)
        assert inside == (p > 1 - level + 1e-12) or abs(d - found.low) < 1e-9 or abs(d - found.high) < 1e-9


def test_too_few_units_for_the_level_give_the_bounds():
    nine = np.arange(1, 10) / 10  # nine families of one sign: p is 2 / 512, above 0.05 / 15
    assert sign_flip_p(nine) == pytest.approx(2 / 512) and sign_flip_p(nine) > 0.05 / 15
    found = sign_flip_interval(nine, 1 - 0.05 / 15)
    assert (found.low, found.high, found.method) == (-1, 1, "range")


def test_equal_differences_are_not_taken_for_certain():
    found = sign_flip_interval([0.2] * 18)
    assert found.low < 0.2 < found.high and found.method == "exact"


def test_intervals_of_eighteen_questions_hold_the_mean_as_often_as_stated():
    rng = np.random.default_rng(0)
    held = [
        (found := sign_flip_interval(rng.laplace(0.1, 0.3, 10), 0.9, (-9, 9))).low <= 0.1 <= found.high
        for _ in range(2000)
    ]
    assert 0.88 < np.mean(held) < 0.92


def test_many_units_are_sampled_and_agree_with_the_normal_interval():
    x = np.random.default_rng(1).normal(0.2, 1, 60)
    found, half = sign_flip_interval(x, 0.95, (-9, 9)), 2.0 * x.std(ddof=1) / np.sqrt(60)
    assert (found.low, found.high) == pytest.approx((x.mean() - half, x.mean() + half), abs=0.03)


def test_a_few_differences_among_many_zeros_prove_nothing():
    few = np.r_[np.full(5, -0.1), np.zeros(13)]
    assert sign_flip_p(few) == pytest.approx(2 / 32)
    assert sign_flip_interval(few, 1 - 0.05 / 15).high == 0  # the artefact
    assert cautious_interval(few, 1 - 0.05 / 15).high > 0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=9).filter(lambda x: np.ptp(x) > 0.01), st.floats(0.5, 0.9))
def test_cautious_interval_holds_the_sign_flip_interval(differences, level):
    inner, outer = sign_flip_interval(differences, level), cautious_interval(differences, level)
    assert -1 <= outer.low <= inner.low <= inner.high <= outer.high <= 1


def test_a_limit_at_which_many_subset_means_tie_is_moved_outwards():
    tied = np.r_[np.full(9, -0.25), np.full(3, 0.25), np.zeros(6)]
    inner = sign_flip_interval(tied, 0.9)
    assert inner.high == 0 and sign_flip_p(tied) > 0.1  # 0 is not rejected, 0.0001 would be
    assert cautious_interval(tied, 0.9).high > 0
