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


@given(st.integers(1, 20), st.integers(1, 40), st.integers(0, 40), st.floats(1, 1e6))
def test_the_bound_solves_the_ratio_of_the_shares_checked(right, wrong, unchecked, times):
    found = Checked(200, right + wrong + unchecked, right + wrong, right)
    more = true_rate.right_passed(found, times) - right
    assert 0 <= more <= unchecked + 1e-9
    ratio = wrong / (wrong + unchecked - more) * (right + more) / right
    assert ratio == pytest.approx(times) if more < unchecked - 1e-9 else ratio <= times * (1 + 1e-9)


def test_five_times_as_often_leaves_24_of_75_and_more_than_eight_times_all_unread_answers():
    assert true_rate.right_passed(O3_PRO, 5) == pytest.approx(24.19, abs=0.01)
    assert true_rate.right_passed(O3_PRO, 8.25) == pytest.approx(33) == true_rate.right_passed(O3_PRO, 20)
    assert true_rate.right_passed(O3_PRO, np.inf) == 4 + 29
    assert true_rate.right_passed(Checked(500, 10, 4, 0), 2) == 6
    with pytest.raises(ValueError, match="at least 1"):
        true_rate.right_passed(O3_PRO, 0.5)


def test_few_of_many_drawn_give_wilsons_limits_and_all_drawn_the_share_itself():
    some, every = np.array([4, 0]), np.array([40, 0])
    low, high = true_rate.wilson_of_some(some, every, np.array([10**9, 10**9]))
    assert (low[0], high[0]) == pytest.approx(wilson(4, 40)) and (low[1], high[1]) == (0, 1)
    low, high = true_rate.wilson_of_some(np.array([4]), np.array([40]), np.array([40]))
    assert low[0] == high[0] == 0.1


def test_all_answers_checked_leave_no_width_in_any_design():
    right = np.array([[1, 0, 1, 0, 0, 0, 1, 0]], bool)
    passed = np.array([[1, 1, 1, 1, 0, 0, 0, 0]], bool)
    assert [each[0] for each in true_rate.by_outcome(right, passed, 8)] == pytest.approx([3 / 8] * 3)
    halves = [true_rate.wilson_of_some(np.array([k]), np.array([2]), np.array([4])) for k in (1, 0)]
    estimate, low, high = true_rate.by_outcome(right, passed, 4)
    assert estimate[0] == 0.25 and high[0] == pytest.approx(
        0.25 + np.hypot(0.5 * (halves[0][1][0] - 0.5), 0.5 * halves[1][1][0])
    )


@pytest.mark.parametrize("size", [50, 250])
def test_every_design_keeps_its_level_also_where_half_of_the_answers_are_checked(size):
    rng = np.random.default_rng(3)
    right = rng.random((1_500, 400)) < 0.2
    passed = rng.random(right.shape) < np.where(right, 22 / 64, 49 / 432)
    for _, low, high in true_rate.limits_by_design(right, passed, size).values():
        held = np.mean((low <= right.mean(axis=1)) & (right.mean(axis=1) <= high))
        assert 0.93 < held < 0.975


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
