from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.cbu.adaptive_rollouts import (
    fisher,
    halving,
    limits,
    race_against_base,
    race_to_best,
    replay_rollouts,
    run_trials,
    simulate,
    uniform,
    violates_guarantee,
)
from proctor.cbu.utility import utilities
from scipy.stats import binom, binomtest, fisher_exact

RATES = np.array([0.9, 0.7, 0.5, 0.3, 0.3, 0.2, 0.1, 0.1, 0.05, 0.0])


def rng(seed=0):
    return np.random.default_rng(seed)


def test_limits_fail_as_seldom_as_they_say_and_are_scipy_s():
    low, high = limits(16, 0.001)[5]
    exact = binomtest(5, 16).proportion_ci(0.998, "exact")
    assert (low, high) == pytest.approx((exact.low, exact.high))
    for rate in np.linspace(0, 1, 41):
        chance = binom.pmf(np.arange(17), 16, rate)
        assert chance[limits(16, 0.001)[:, 0] > rate].sum() <= 0.001 >= chance[limits(16, 0.001)[:, 1] < rate].sum()


def test_p_values_are_scipy_s_and_fail_as_seldom_as_they_say():
    for j, k in ((0, 0), (3, 1), (8, 2), (8, 6)):
        table = [[j, 8 - j], [k, 6 - k]]
        assert fisher(8, 6)[j, k] == pytest.approx(fisher_exact(table, alternative="greater").pvalue)
    for rate in np.linspace(0, 1, 21):
        chance = np.outer(binom.pmf(np.arange(9), 8, rate), binom.pmf(np.arange(9), 8, rate))
        assert all(chance[fisher(8, 8) <= alpha].sum() <= alpha for alpha in (0.001, 0.01, 0.1))


def test_tests_and_limits_hold_for_neighbours_of_unequal_difficulty():
    """The number of successes is then the sum of two binomials; its distribution by convolution."""

    def sums(mean, gap):
        return np.convolve(*(binom.pmf(np.arange(9), 8, np.clip(mean + side * gap, 0, 1)) for side in (-1, 1)))

    for mean in np.linspace(0.05, 0.95, 10):
        gaps = np.linspace(0, min(mean, 1 - mean), 4)
        for gap in gaps:
            wrong = (limits(16, 0.005)[:, 0] > mean + 1e-12) | (limits(16, 0.005)[:, 1] < mean - 1e-12)
            assert sums(mean, gap)[wrong].sum() <= 0.01
            chances = [np.outer(sums(mean, gap), sums(mean, other)) for other in gaps]
            assert max(chance[fisher(16, 16) <= 0.005].sum() for chance in chances) <= 0.005


def test_uniform_is_the_mean_of_the_recorded_rollouts():
    outcomes = simulate(RATES, 64, rng())
    found = uniform(replay_rollouts(outcomes), 10, 64)
    assert found.estimate == pytest.approx(outcomes.mean(axis=1)) and (found.calls == 64).all() and found.kept.all()


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 12), st.integers(0, 700), st.integers(1, 64), st.integers(0, 99))
def test_halving_stays_within_its_budget_and_halves(candidates, more, most, seed):
    budget = max(int(np.ceil(np.log2(candidates))), 1) * candidates + more
    found = halving(
        replay_rollouts(simulate(rng(seed).random(candidates), 64, rng(seed))), candidates, budget, rng(seed), most
    )
    assert found.calls.sum() <= budget and 1 <= found.calls.min() and found.calls.max() <= most
    left = [candidates]
    while left[-1] > 1:
        left.append(int(np.ceil(left[-1] / 2)))
    assert found.kept.sum() == 1
    assert [int((found.stage >= stage).sum()) for stage in range(len(left))] == left


def test_halving_spends_what_it_may_where_the_rest_is_not_capped():
    found = halving(replay_rollouts(simulate(RATES, 400, rng())), 10, 160, rng(), most=400)
    assert 155 <= found.calls.sum() <= 160 and found.calls.argmax() == found.score.argmax()


def test_candidates_that_stayed_in_longer_rank_first():
    found = halving(replay_rollouts(simulate(RATES, 64, rng(3))), 10, 160, rng())
    order = np.argsort(-found.score)
    assert (np.diff(found.stage[order]) <= 0).all() and found.kept[order[0]]


def test_racing_keeps_its_stated_error_and_saves_calls():
    trials, wrong, calls = 200, 0, []
    for seed in range(trials):
        found = race_to_best(replay_rollouts(simulate(RATES[::-1], 64, rng(seed))), 10, delta=0.2)
        wrong, calls = wrong + (not found.kept[-1]), [*calls, found.calls.sum()]
    assert binomtest(wrong, trials, 0.2, "greater").pvalue > 1e-4 and np.mean(calls) < 0.5 * 640


def test_within_the_margin_racing_stops_early_and_its_first_is_seldom_worse():
    rates, trials, wrong, early = np.array([0.8] * 3 + [0.75] * 2 + [0.35] * 5), 200, 0, 0
    for seed in range(trials):
        found = race_to_best(replay_rollouts(simulate(rates[::-1], 64, rng(seed))), 10, delta=0.2, margin=0.4)
        stopped = found.calls.max() < 64
        early, wrong = early + stopped, wrong + (stopped and rates[::-1][found.score.argmax()] < 0.5)
    assert early > trials / 4 and binomtest(wrong, trials, 0.2, "greater").pvalue > 1e-4
    ties = race_to_best(replay_rollouts(np.zeros((10, 64), int)), 10, margin=0.25)
    assert ties.kept.all() and (ties.calls == 32).all()


def test_racing_between_equals_drops_all_of_the_best_never_and_none_wrongly_often():
    """With all candidates equal, whoever is dropped was dropped by a failed limit."""
    dropped = sum(
        not race_to_best(replay_rollouts(simulate(np.full(4, 0.5), 64, rng(seed))), 4, 0.1).kept.all()
        for seed in range(300)
    )
    assert binomtest(dropped, 300, 0.1, "greater").pvalue > 1e-4


def test_racing_stops_as_soon_as_one_is_left():
    found = race_to_best(replay_rollouts(np.array([[1] * 64, [0] * 64, [0] * 64])), 3)
    assert found.kept.tolist() == [True, False, False] and (found.calls == found.calls[0]).all()
    n, before = int(found.calls[0]), int(found.calls[0]) // 2  # the looks double
    assert fisher(n, n)[n, 0] <= 0.05 / 10 < fisher(before, before)[before, 0]
    assert race_to_best(replay_rollouts(np.ones((1, 64), int)), 1).calls.tolist() == [4]


def test_verdicts_against_the_base_are_seldom_wrong_on_a_question():
    rates, base, trials, wrong = np.array([0.02, 0.3, 0.3, 0.35, 0.8, 0.95]), 0.3, 200, 0
    true = np.sign(rates - base)
    for seed in range(trials):
        draw = rng(seed)
        found = race_against_base(
            replay_rollouts(simulate(rates, 64, draw)), 6, (int(draw.binomial(64, base)), 64), delta=0.1
        )
        wrong += bool(((found.verdict != 0) & (found.verdict != true)).any())
    assert binomtest(wrong, trials, 0.1, "greater").pvalue > 1e-4
    assert found.verdict[[0, -1]].tolist() == [-1, 1] and found.calls[-1] < 64 == found.calls[1]


def test_stopping_early_biases_the_estimates_of_winner_and_losers():
    rates = np.array([0.6] + [0.4] * 5)
    found = [halving(replay_rollouts(simulate(rates, 64, rng(seed))), 6, 60, rng(seed)) for seed in range(300)]
    gap = np.array([one.estimate - rates for one in found])
    kept = np.array([one.kept for one in found])
    assert gap[kept].mean() > 0.03 and gap[~kept].mean() < -0.01
    plain = np.array(
        [uniform(replay_rollouts(simulate(rates, 64, rng(seed))), 6, 10).estimate - rates for seed in range(300)]
    )
    assert abs(plain.mean()) < 4 * plain.std() / np.sqrt(plain.size)


def test_trials_tell_calls_regret_and_broken_words():
    def blind(draw, candidates):  # keeps the last candidate, whatever it sees
        found = uniform(draw, candidates, 2)
        return replace(found, stage=np.arange(candidates))

    rates = np.array([[1.0, 0.5, 0.0]] * 3)
    found = run_trials({"all": lambda draw, c: uniform(draw, c, 4), "blind": blind}, rates, [1, 0, 0], rng(), 4)
    one, other = (found[found["scheme"] == name] for name in ("all", "blind"))
    assert (one["calls"] == 12).all() and not one["early"].any() and not violates_guarantee(one, 0).any()
    assert (other[["acc1", "regret", "short"]] == [0, 1, 1]).all(axis=None) and violates_guarantee(other, 0.9).all()
    assert (other["bias_first"] == 0).all() and other["early"].all()


def rollouts(rates, times, seed):
    """A table of rollouts as `cbu.utility` has it; rates (candidates, neighbours)."""
    outcomes = rng(seed).random((*rates.shape, times)) < rates[:, :, None]
    index = pd.MultiIndex.from_product([range(n) for n in outcomes.shape], names=["candidate", "neighbour", "sample"])
    table = pd.Series(outcomes.ravel(), index, name="correct").reset_index()
    table["neighbour"] += 1
    return table.assign(model="m", question_id="q", category="", level=1, kind="right")


def test_utility_is_unbiased_and_its_interval_covers_for_these_neighbours():
    rates = np.tile([0.2, 0.7], (600, 1))
    found = utilities(rollouts(rates, 8, seed=4))
    assert abs(found["utility"].mean() - 0.45) < 4 * found["utility"].std() / np.sqrt(600)
    held = ((found["low"] <= 0.45) & (0.45 <= found["high"])).sum()
    assert binomtest(int(held), 600, 0.95, "less").pvalue > 1e-4


def test_neighbours_are_dealt_in_turns():
    assert simulate([[0.0, 1.0]], 5, rng()).tolist() == [[0, 1, 0, 1, 0]]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda draw: race_to_best(draw, 2, looks=(4, 128)), "candidate 0 has 64 rollouts, 128 are wanted"),
        (lambda draw: race_to_best(draw, 2, looks=(8, 8)), "rising numbers"),
        (lambda draw: race_to_best(draw, 2, delta=5), "delta is 5"),
        (lambda draw: race_to_best(draw, 2, margin=20), "margin is 20"),
        (lambda draw: race_against_base(draw, 2, (5, 4)), r"base is \(5, 4\)"),
        (lambda draw: halving(draw, 2, 1, rng()), "budget 1 is too small: 1 rounds of 2 candidates need 2"),
        (lambda draw: uniform(draw, 0), "candidates is 0"),
        (lambda draw: replay_rollouts([[0, 2]]), "0 and 1"),
        (lambda draw: simulate([1.5], 3, rng()), r"rates\[0\] is 1.5"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call(replay_rollouts(simulate([0.2, 0.8], 64, rng())))
