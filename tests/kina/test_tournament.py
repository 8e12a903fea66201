"""The tournament of blind reviewers: payoffs against enumeration, the threshold, drawn games."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from proctor.kina.tournament import (
    Mechanism,
    Reviewer,
    bonuses,
    cleared,
    payoffs,
    play,
    pure_equilibria,
    settle,
    symmetric_equilibria,
    thresholds,
    win,
    with_limits,
    worst_deviation,
)
from scipy.stats import norm

PAIR = Reviewer(costs=(1, 2), quality=((0.45, 0.35, 0.15, 0.05), (0.05, 0.15, 0.45, 0.35)))
BAR = 2


@st.composite
def reviewers(draw, levels=4):
    """Random costs that rise, and qualities that rise with effort; the diligent are likelier to clear the bar."""
    haste, more = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    grid = st.lists(st.integers(1, 98), min_size=levels - 1, max_size=levels - 1)
    table = np.sort(np.sort([draw(grid), draw(grid)], axis=1), axis=0)[::-1] / 100  # rises by level, falls by effort
    assume(table[0, BAR - 1] > table[1, BAR - 1])
    cdf = np.hstack([np.zeros((2, 1)), table, np.ones((2, 1))])
    return Reviewer((haste / 10, (haste + more) / 10), np.diff(cdf, axis=1).tolist())


def enumerated(mechanism, own, other, e, f):
    """The own payoff from every outcome of qualities, audit and defect: the rules read once more."""
    m, mean = mechanism, 0.0
    for (q, p), (r, s) in product(enumerate(own.quality[e]), enumerate(other.quality[f])):
        for audited, defect in product((True, False), (True, False)):
            chance = p * s * (m.audit if audited else 1 - m.audit) * (m.defects if defect else 1 - m.defects)
            if m.kind == "tournament" and audited and q >= m.bar and q >= r:
                mean += chance * m.bonus / (2 if q == r else 1)
            if m.kind == "each" and audited and q >= m.bar:
                mean += chance * m.bonus
            if m.kind == "agreement" and ("bad" if defect and q >= m.bar else "good") == (
                "bad" if defect and r >= m.bar else "good"
            ):
                mean += chance * m.bonus
    hour = max(1.0, m.pay / own.costs[0]) if m.kind == "per_item" else 1.0
    return mean + m.pay - hour * own.costs[e]


MECHANISMS = [
    Mechanism("flat", pay=3),
    Mechanism("per_item", pay=0.5),
    Mechanism("per_item", pay=7),
    Mechanism("each", 2.5, bar=2, audit=0.3),
    Mechanism("tournament", 4, bar=2, audit=0.7, pay=1),
    Mechanism("tournament", 4, bar=1),
    Mechanism("tournament", 4, bar=3, audit=0),
    Mechanism("agreement", 3, bar=2, defects=0.35),
]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@settings(max_examples=8)
@given(own=reviewers(), other=reviewers())
def test_payoffs_are_those_of_enumerating_every_outcome(mechanism, own, other):
    for reviewer in (own, other):
        assume((np.diff(reviewer.chances[:, mechanism.bar :].sum(axis=1)) > 1e-9).all())
    got = payoffs(mechanism, own, other)
    for e, f in np.ndindex(2, 2):
        assert got[e, f] == pytest.approx(enumerated(mechanism, own, other, e, f))


@given(reviewers(), reviewers())
def test_one_of_two_wins_exactly_when_the_released_review_clears_the_bar(own, other):
    both = win(own, other, bar=BAR) + win(other, own, bar=BAR).T
    assert both == pytest.approx(1 - np.outer(1 - own.clears(BAR), 1 - other.clears(BAR)))
    assert cleared(own, bar=BAR) == pytest.approx(win(own, bar=BAR) + win(own, bar=BAR).T)


@given(reviewers(), reviewers(), st.floats(0.05, 1))
def test_diligence_is_strictly_dominant_above_the_threshold_and_not_just_below(own, other, audit):
    each = thresholds(own, other, bar=BAR) / audit
    assume(np.isfinite(each).all())
    above, below = (
        payoffs(Mechanism("tournament", factor * each.max(), bar=BAR, audit=audit), own, other)
        for factor in (1.0001, 0.9999)
    )
    assert (above[1] > above[0]).all()  # against each effort, so against every mixture of them
    assert (below[0] > below[1])[each.argmax()]


@given(reviewers())
def test_for_like_reviewers_the_diligent_opponent_makes_the_threshold(reviewer):
    chance = win(reviewer, bar=BAR)
    lazy, diligent = chance[1] - chance[0]
    assert lazy - diligent == pytest.approx(np.diff(reviewer.clears(BAR))[0] ** 2 / 2)  # the notebook's lemma
    each = thresholds(reviewer, bar=BAR)
    assert each[0] <= each[1] and each.max() == each[1]


def test_an_opponent_who_is_always_best_leaves_no_bonus_that_is_enough():
    perfect = Reviewer((1, 2), ((0.5, 0, 0.5), (0, 0, 1)))
    novice = Reviewer((1, 2), ((0.9, 0.1, 0), (0.1, 0.9, 0)))
    assert thresholds(novice, perfect, bar=1).tolist() == [pytest.approx(1 / 0.4), np.inf]


@given(reviewers(), st.floats(0.2, 3))
def test_equilibria_are_the_profiles_that_no_deviation_betters(reviewer, factor):
    mechanism = Mechanism("tournament", factor * thresholds(reviewer, bar=BAR).max(), bar=BAR)
    gain = payoffs(mechanism, reviewer)
    assume((np.abs(gain[1] - gain[0]) > 1e-9).all())  # at a threshold itself rounding decides
    stable = [(e, f) for e, f in np.ndindex(2, 2) if gain[e, f] >= gain[1 - e, f] and gain[f, e] >= gain[1 - f, e]]
    assert pure_equilibria(mechanism, reviewer) == stable
    (x,) = symmetric_equilibria(mechanism, reviewer)  # one, for effort pays less the more diligent the other is
    values = gain @ [1 - x, x]
    assert [1 - x, x] @ values >= values.max() - 1e-9


def test_agreement_has_a_lazy_equilibrium_at_any_bonus_and_a_diligent_one_only_at_a_high_one():
    found = [symmetric_equilibria(Mechanism("agreement", bonus, bar=BAR), PAIR) for bonus in (1, 13.8, 14, 1000)]
    assert found[:2] == [[0.0], [0.0]] and [len(x) for x in found[2:]] == [3, 3]  # 1 / (0.2 * 0.6 * 0.6) = 13.9
    assert all(x[0] == 0 and x[2] == 1 for x in found[2:])
    assert pure_equilibria(Mechanism("agreement", 14, bar=BAR), PAIR) == [(0, 0), (1, 1)]


EVEN, UNEVEN = (0.5, 0.5), (0.2, 0.8)


@pytest.mark.parametrize(
    "make, what",
    [
        (lambda: Reviewer((-1, 2), (EVEN, UNEVEN)), r"costs are \[-1.0, 2.0\]"),
        (lambda: Reviewer((2, 2), (EVEN, UNEVEN)), "rise with effort"),
        (lambda: Reviewer((1, float("nan")), (EVEN, UNEVEN)), "finite numbers"),
        (lambda: Reviewer((1,), (EVEN,)), "give two efforts"),
        (lambda: Reviewer((1, 2), (EVEN,)), "give two efforts"),
        (lambda: Reviewer((1, 2), ((0.5, 0.4), UNEVEN)), "adds up to 1"),
        (lambda: Reviewer((1, 2), ((1.5, -0.5), UNEVEN)), "not negative"),
        (lambda: Reviewer((1, 2), (UNEVEN, EVEN)), "no level or better less likely"),
        (lambda: Mechanism("tournament"), "bonus is 0"),
        (lambda: Mechanism("each", bonus=-1), "bonus is -1"),
        (lambda: Mechanism("agreement", bonus=float("inf")), "bonus is inf"),
        (lambda: Mechanism("tournament", bonus=1, audit=1.2), "audit is 1.2"),
        (lambda: Mechanism("tournament", bonus=1, audit=-0.1), "audit is -0.1"),
        (lambda: Mechanism("agreement", bonus=1, defects=2), "defects is 2"),
        (lambda: Mechanism("flat", pay=-1), "pay is -1"),
        (lambda: Mechanism("contest", bonus=4), "kind is 'contest': must be one of flat"),
        (lambda: thresholds(PAIR, bar=4), "bar is 4: must be one of the levels 1 to 3"),
        (
            lambda: win(Reviewer((1, 2), ((0.8, 0, 0.2), (0.1, 0.7, 0.2))), bar=2),
            "hasty review clears bar 2 with chance 0.2, a diligent one with 0.2: .* must rise",
        ),
        (lambda: payoffs(Mechanism("per_item", pay=1), Reviewer((0, 1), PAIR.quality)), r"costs\[0\] is 0"),
    ],
)
def test_what_makes_no_sense_or_does_not_fit_together_is_refused(make, what):
    with pytest.raises(ValueError, match=what):
        make()


def test_settled_pairs_are_paid_what_the_expected_bonus_is_the_mean_of():
    mechanism = Mechanism("tournament", bonus=4, bar=2, audit=0.6, pay=1)
    reviewer = Reviewer(costs=(1, 2), quality=((0.5, 0.3, 0.1, 0.1), (0.1, 0.1, 0.3, 0.5)))
    own, other = reviewer.chances[1], reviewer.chances[0]
    pairs = list(product(range(4), repeat=2))
    audited = sum(own[a] * other[b] * settle(mechanism, (a, b))[0] for a, b in pairs)
    expected = 0.6 * audited + 0.4 * settle(mechanism, None)[0]
    assert expected == pytest.approx(1 + bonuses(mechanism, reviewer)[1, 0])


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_drawn_games_agree_with_the_exact_payoffs_and_released_quality(mechanism):
    rng, n = np.random.default_rng(20260101), 20_000
    exact = payoffs(mechanism, PAIR)
    for e, f in np.ndindex(2, 2):
        gain, level = play(mechanism, PAIR, np.full(n, e), np.full(n, f), rng)
        assert abs(gain.mean() - exact[e, f]) <= 4 * gain.std(ddof=1) / n**0.5 + 1e-9
        cdf = PAIR.cdf[e] * PAIR.cdf[f]  # of the better of two reviews
        counted = np.bincount(level, minlength=4).cumsum() / n
        assert np.abs(counted - cdf).max() < 4 * 0.5 / n**0.5


def test_the_worst_deviation_is_that_of_the_row_farthest_from_its_exact_value_with_limits_for_all_rows():
    table = pd.DataFrame(dict(drawn=[1.0, 2.0, 3.0, 4.0], error=0.1, exact=[1.0, 2.05, 2.7, 4.1]))
    limits = with_limits(table)
    assert (limits["high"] - limits["drawn"]).tolist() == pytest.approx([0.1 * norm.isf(0.00625)] * 4)
    assert (with_limits(table, degrees=11)["high"] > limits["high"]).all()
    found = worst_deviation(table, 50, "games", unit="hours")
    assert (found.estimate, found.low) == pytest.approx((0.3, limits["low"][2] - 2.7))
    assert (found.family, found.n, found.level) == (4, 50, 1 - 0.05 / 4)
