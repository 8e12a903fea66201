"""Readings of a pass rate, against answers of known truth and by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.proportions import Confusion, wilson
from proctor.synthesis import true_rate
from proctor.uq.partial_verification import Checked

O3_PRO, ELSEWHERE = Checked(500, 75, 46, 4), Confusion(tp=22, fp=49, fn=42, tn=383)


def test_the_readings_of_o3_pro():
    table = true_rate.readings(O3_PRO, ELSEWHERE, np.random.default_rng(1)).set_index("reading")
    assert tuple(table.loc[true_rate.PASS_RATE, ["low", "high"]]) == wilson(75, 500)
    assert tuple(table.loc[true_rate.NOTHING, ["low", "high"]]) == (4 / 500, (500 - 42) / 500)
    assert table.loc[true_rate.RANDOM, "estimate"] == pytest.approx(0.15 * 4 / 46 * 64 / 22)
    assert table.loc[true_rate.HLE, "estimate"] == pytest.approx((0.15 - 49 / 432) / (22 / 64 - 49 / 432))
    wider = table["high"] - table["low"]
    assert wider[true_rate.RANDOM] < wider[true_rate.HARDER] < wider[true_rate.RECALL] < wider[true_rate.NOTHING]


def test_limits_under_random_checking_hold_the_truth_as_often_as_they_say():
    rng, held = np.random.default_rng(2), 0
    for _ in range(150):
        right = rng.random(500) < 0.2
        passed = rng.random(500) < np.where(right, 0.5, 0.1)
        read = rng.permutation(np.flatnonzero(passed))[:40]
        found = Checked(500, int(passed.sum()), len(read), int(right[read].sum()))
        tp = int(rng.binomial(200, 0.5))
        table = true_rate.readings(found, Confusion(tp, 20, 200 - tp, 180), rng, draws=1_000).set_index("reading")
        held += table.loc[true_rate.RANDOM, "low"] <= 0.2 <= table.loc[true_rate.RANDOM, "high"]
    assert held >= 0.9 * 150


@given(st.integers(1, 20), st.integers(0, 40), st.integers(0, 40), st.floats(1, 1e6))
def test_the_bound_solves_the_odds_ratio(right, wrong, unchecked, odds):
    found = Checked(200, right + wrong + unchecked, right + wrong, right)
    more = true_rate.right_passed(found, odds) - right
    assert 0 <= more <= unchecked + 1e-9
    assert more * wrong == pytest.approx(odds * right * (unchecked - more), abs=1e-5 * odds * right * (1 + unchecked))


def test_infinite_odds_or_none_seen_right_leave_all_unread_answers():
    assert true_rate.right_passed(O3_PRO, np.inf) == 4 + 29
    assert true_rate.right_passed(Checked(500, 10, 4, 0), 2) == 6
    with pytest.raises(ValueError, match="at least 1"):
        true_rate.right_passed(O3_PRO, 0.5)


def test_all_answers_checked_by_outcome_give_limits_around_the_rate():
    right = np.array([[1, 0, 1, 0, 0, 0, 1, 0]], bool)
    passed = np.array([[1, 1, 1, 1, 0, 0, 0, 0]], bool)
    low, high = true_rate.by_outcome(right, passed, 8)
    halves = [wilson(2, 4), wilson(1, 4)]
    below = np.hypot(0.5 * (0.5 - halves[0][0]), 0.5 * (0.25 - halves[1][0]))
    above = np.hypot(0.5 * (halves[0][1] - 0.5), 0.5 * (halves[1][1] - 0.25))
    assert (low[0], high[0]) == pytest.approx((0.375 - below, 0.375 + above))


def test_every_design_keeps_its_level_and_narrows_with_checks():
    found = true_rate.designs(0.2, ELSEWHERE, 300, [50, 150], 400, np.random.default_rng(3))
    assert (found["coverage"] > 0.92).all()
    half = found.pivot(index="design", columns="checked", values="half_width")
    assert (half[150] < half[50]).all() and set(half.index) == set(true_rate.DESIGNS)


def answers(judge, right, passed):
    outcome = ["accept" if one else "reject" for one in passed]
    return pd.DataFrame(dict(judge=judge, check="C", correct=right, outcome=outcome))


def test_a_judge_that_errs_alike_is_corrected_and_one_that_does_not_misses():
    rng = np.random.default_rng(4)
    right = rng.random(2_000) < 0.5
    alike = rng.random(2_000) < np.where(right, 0.8, 0.2)
    other = rng.random(2_000) < np.where(right, 0.99, 0.6)
    known = pd.concat(
        [answers("a", right, alike), answers("b", right, alike), answers("c", right, rng.random(2_000) < 0.5)]
    )
    target = pd.concat([answers("a", right, alike), answers("b", right, other), answers("d", right, other)])
    told = true_rate.transport(known, target, rng).set_index("judge")["told"]
    assert told.to_dict() == {"a": "holds", "b": "misses"}
    coin = true_rate.transport(answers("c", right, ~right), answers("c", right, alike), rng)
    assert coin["told"].tolist() == ["cannot be corrected"]
