"""The five metrics against their definitions, ties being broken in every possible order; sign flips and errors of few
rollouts against enumeration."""

from itertools import combinations, permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.cbu.ranking_metrics import (
    cautious_interval,
    expected_error,
    metrics,
    order_chance,
    sign_flip_interval,
    sign_flip_p,
    top_chance,
)

QUESTION = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=6)


def orders(score):
    """Every order by falling score: all ways to break the ties, each as likely as the others."""
    return [
        order
        for order in permutations(range(len(score)))
        if all(score[a] >= score[b] for a, b in zip(order, order[1:]))
    ]


@given(QUESTION, st.integers(1, 6))
def test_metrics_are_their_definitions_over_every_way_to_break_the_ties(pairs, k):
    score, correct = np.array(pairs).T
    right, wrong = score[correct == 1], score[correct == 0]
    human = np.eye(len(score))[np.argmax(correct)] * correct.any()
    found = metrics(score, correct, human, k)
    if not len(right) or not len(wrong):
        assert set(found.values()) == {None}
        return
    every = orders(score)
    assert found["Acc@1"] == pytest.approx(np.mean([correct[order[0]] for order in every]))
    recall = np.mean([correct[list(order[:k])].sum() / correct.sum() for order in every])
    assert found[f"Recall@{k}"] == pytest.approx(recall)
    assert found["AUC"] == pytest.approx(np.mean([(r > w) + (r == w) / 2 for r in right for w in wrong]))
    a, b = right.sum() * len(wrong), wrong.sum() * len(right)  # in whole numbers: no rounding
    assert found["MeanWin"] == (a > b) + (a == b) / 2
    assert metrics(score, correct, tie=0)["MeanWin"] == (a > b)
    a, b = right[0] * len(wrong), wrong.sum()
    assert found["HumanWin"] == (a > b) + (a == b) / 2


def test_top_chance_takes_many_questions_at_once_and_adds_up_to_the_places():
    score = np.random.default_rng(0).integers(0, 4, (30, 10))
    assert np.allclose(top_chance(score, 5).sum(axis=-1), 5)
    assert np.array_equal(top_chance(score, 5)[7], top_chance(score[7], 5))
    assert top_chance([3.0, 1.0], 5).tolist() == [1, 1]


def test_equal_means_tie_although_their_sums_round():
    assert metrics([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], [1, 0, 0, 0, 0, 0, 0])["MeanWin"] == 0.5
    assert metrics([1e-300, 0, 0], [1, 0, 0])["MeanWin"] == 1  # small is not equal
    assert metrics([3, 1], [1, 0])["HumanWin"] is None


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: metrics([1, 2], [1]), "lengths differ"),
        (lambda: metrics([1, np.nan], [1, 0]), r"score\[1\] is nan"),
        (lambda: metrics([1, 2], [1, 0], k=0), "k is 0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# few paired differences

WHOLE = st.lists(st.integers(-8, 8), min_size=2, max_size=8).filter(lambda x: len(set(x)) > 1)


def brute_p(differences):
    differences = np.asarray(differences, float)
    observed = abs(differences.sum())
    signs = np.array(list(product([-1, 1], repeat=len(differences))))
    sums = (signs * differences).sum(axis=1)
    return min(1.0, 2 * min((sums >= observed - 1e-9).mean(), 1.0))


@given(WHOLE)
def test_p_is_the_share_of_sign_patterns_as_extreme(differences):
    assert sign_flip_p(differences) == pytest.approx(brute_p(differences))


@given(WHOLE, st.sampled_from([0.5, 0.8, 0.9]))
def test_interval_holds_exactly_what_the_test_does_not_reject(differences, level):
    found = sign_flip_interval(differences, level, bounds=(-9, 9))
    for d in np.linspace(-8.3, 8.3, 12):
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


def test_many_units_are_sampled_and_agree_with_the_normal_interval():
    x = np.random.default_rng(1).normal(0.2, 1, 60)
    found, half = sign_flip_interval(x, 0.95, (-9, 9)), 2.0 * x.std(ddof=1) / np.sqrt(60)
    assert (found.low, found.high) == pytest.approx((x.mean() - half, x.mean() + half), abs=0.03)


def test_a_few_differences_among_many_zeros_prove_nothing():
    few = np.r_[np.full(5, -0.1), np.zeros(13)]
    assert sign_flip_p(few) == pytest.approx(2 / 32)
    assert sign_flip_interval(few, 1 - 0.05 / 15).high == 0  # the artefact
    assert cautious_interval(few, 1 - 0.05 / 15).high > 0


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=9).filter(lambda x: np.ptp(x) > 0.01), st.floats(0.5, 0.9))
def test_cautious_interval_holds_the_sign_flip_interval(differences, level):
    inner, outer = sign_flip_interval(differences, level), cautious_interval(differences, level)
    assert -1 <= outer.low <= inner.low <= inner.high <= outer.high <= 1


def test_a_limit_at_which_many_subset_means_tie_is_moved_outwards():
    tied = np.r_[np.full(9, -0.25), np.full(3, 0.25), np.zeros(6)]
    inner = sign_flip_interval(tied, 0.9)
    assert inner.high == 0 and sign_flip_p(tied) > 0.1  # 0 is not rejected, 0.0001 would be
    assert cautious_interval(tied, 0.9).high > 0


# few rollouts


@pytest.mark.parametrize("k, pool, n", [(0, 6, 3), (1, 6, 2), (3, 7, 3), (5, 6, 6), (6, 6, 1), (2, 5, 4)])
def test_exact_errors_are_means_over_every_subsample_or_with_replacement_over_every_draw(k, pool, n):
    outcomes = np.arange(pool) < k
    for replace, every in ((False, combinations(range(pool), n)), (True, product(range(pool), repeat=n))):
        errors = [abs(outcomes[list(taken)].mean() - k / pool) for taken in every]
        assert expected_error(k, pool, n, replace) == pytest.approx(np.mean(errors))
    assert expected_error(np.arange(65), 64, 64) == pytest.approx(0)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.integers(1, 7))
def test_chance_of_the_right_order_is_that_of_two_binomials(r, w, n):
    right, wrong = ([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)] for p in (r, w))
    pairs = product(enumerate(right), enumerate(wrong))
    every = sum(p * q * ((a > b) + (a == b) / 2) for (a, p), (b, q) in pairs)
    assert order_chance(r, w, n) == pytest.approx(every)
