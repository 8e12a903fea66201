"""Drawn games and crowds of imitators, against the exact payoffs and equilibria."""

import numpy as np
import pandas as pd
import pytest
from proctor.kina.tournament import Mechanism, Reviewer, payoffs, released, symmetric_equilibria
from proctor.kina.tournament_simulation import learn, play, stable_equilibria, with_limits, worst_deviation
from scipy.stats import norm

PAIR = Reviewer(costs=(1, 2), quality=((0.45, 0.35, 0.15, 0.05), (0.05, 0.15, 0.45, 0.35)))
BAR = 2
KINDS = [
    Mechanism("flat", bar=BAR, pay=2),
    Mechanism("per_item", bar=BAR, pay=2),
    Mechanism("each", 2, bar=BAR, audit=0.4),
    Mechanism("tournament", 3, bar=BAR, audit=0.7),
    Mechanism("agreement", 5, bar=BAR, defects=0.3),
]


@pytest.mark.parametrize("mechanism", KINDS, ids=lambda m: m.kind)
def test_drawn_games_agree_with_the_exact_payoffs_and_released_quality(mechanism):
    rng, n = np.random.default_rng(20260101), 20_000
    other = Reviewer((1, 3), ((0.3, 0.3, 0.3, 0.1), (0.1, 0.1, 0.3, 0.5)))
    exact = payoffs(mechanism, PAIR, other)
    for e, f in np.ndindex(2, 2):
        gain, level = play(mechanism, PAIR, np.full(n, e), np.full(n, f), rng, other)
        assert abs(gain.mean() - exact[e, f]) <= 4 * gain.std(ddof=1) / n**0.5 + 1e-9
        cdf = released(PAIR, np.eye(2)[e], other, np.eye(2)[f])
        counted = np.bincount(level, minlength=4).cumsum() / n
        assert np.abs(counted - cdf).max() < 4 * 0.5 / n**0.5


@pytest.mark.parametrize("bonus, near", [(1.2, 0.0), (2.2, 0.56), (4.0, 1.0)])
def test_a_crowd_that_imitates_comes_to_rest_near_the_equilibrium(bonus, near):
    mechanism = Mechanism("tournament", bonus, bar=BAR)
    found = learn(mechanism, PAIR, np.random.default_rng(20260101), crowds=10, reviewers=500, rounds=300)
    (exact,), (equilibrium,) = stable_equilibria(mechanism, PAIR), symmetric_equilibria(mechanism, PAIR)
    assert found.shape == (10,) and found.std() > 0
    assert abs(found.mean() - exact) <= 4 * found.std(ddof=1) / 10**0.5
    assert abs(equilibrium - near) < 0.01 and abs(exact - equilibrium) < 0.05


def test_without_mutation_to_speak_of_a_crowd_rests_at_the_equilibrium():
    for bonus in (1.2, 2.2, 4.0):
        mechanism = Mechanism("tournament", bonus, bar=BAR)
        assert stable_equilibria(mechanism, PAIR, mutation_rate=1e-7) == pytest.approx(
            symmetric_equilibria(mechanism, PAIR), abs=1e-4
        )


def test_a_crowd_under_a_rich_agreement_bonus_goes_where_it_started():
    mechanism = Mechanism("agreement", 100, bar=BAR)
    assert len(stable_equilibria(mechanism, PAIR, mutation_rate=0.001)) == 2
    low, high = (
        learn(mechanism, PAIR, np.random.default_rng(1), crowds=2, reviewers=200, rounds=200, start=start)
        for start in (0.2, 0.9)
    )
    assert low.max() < 0.1 and high.min() > 0.9


def test_the_same_seed_gives_the_same_crowd():
    first, second = (learn(KINDS[3], PAIR, np.random.default_rng(5), crowds=2, reviewers=50, rounds=9) for _ in "12")
    assert first.tolist() == second.tolist()


def test_what_crowds_cannot_learn_is_refused():
    three = Reviewer((1, 2, 3), ((0.8, 0.2), (0.5, 0.5), (0.1, 0.9)))
    with pytest.raises(ValueError, match="3 efforts"):
        stable_equilibria(Mechanism("flat"), three)
    with pytest.raises(ValueError, match="mutation_rate is 0"):
        stable_equilibria(Mechanism("flat"), PAIR, mutation_rate=0)


def test_limits_are_as_wide_as_all_rows_need_and_students_are_wider():
    table = pd.DataFrame(dict(drawn=[1.0, 2.0, 3.0, 4.0], error=0.1, exact=[1.0, 2.05, 2.7, 4.1]))
    limits = with_limits(table)
    assert (limits["high"] - limits["drawn"]).tolist() == pytest.approx([0.1 * norm.isf(0.00625)] * 4)
    assert (with_limits(table, degrees=11)["high"] > limits["high"]).all()


def test_the_worst_deviation_is_that_of_the_row_farthest_from_its_exact_value():
    table = pd.DataFrame(dict(drawn=[1.0, 2.0, 3.0], error=0.1, exact=[1.0, 2.05, 2.7]))
    found = worst_deviation(table, 50, "games", unit="hours")
    assert found.estimate == pytest.approx(0.3) and found.family == 3 and found.n == 50
    assert (found.low + found.high) / 2 == pytest.approx(0.3) and found.level == pytest.approx(1 - 0.05 / 3)
