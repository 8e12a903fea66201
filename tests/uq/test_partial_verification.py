"""Bounds under partial checking: every way in which the unchecked answers can have turned out lies inside."""

from itertools import product

import pytest
from proctor.uq import partial_verification
from proctor.uq.partial_verification import Checked

CASES = [Checked(n, p, v, r) for n in range(1, 7) for p in range(n + 1) for v in range(p + 1) for r in range(v + 1)]


@pytest.mark.parametrize("case", CASES[::9])
def test_bounds_are_the_extremes_over_all_truths(case):
    unchecked, rejected = case.passed - case.verified, case.n - case.passed
    worlds = [
        (case.right + sum(a), sum(b))
        for a in product((0, 1), repeat=unchecked)
        for b in product((0, 1), repeat=rejected)
    ]
    shares = [passed / case.n for passed, _ in worlds]
    assert case.passed_and_right == (min(shares), max(shares))
    everything = [(passed + lost) / case.n for passed, lost in worlds]
    assert case.right_of_all == (min(everything), max(everything))


@pytest.mark.parametrize("case", [Checked(20, 10, 6, 2), Checked(9, 4, 4, 1), Checked(12, 7, 3, 3)])
def test_bounds_at_a_recall_hold_every_truth_with_such_a_recall(case):
    unchecked, rejected = case.passed - case.verified, case.n - case.passed
    low, high = 0.25, 0.8
    bounds = case.right_at_recall(low, high)
    for passed in range(case.right, case.right + unchecked + 1):
        for lost in range(rejected + 1):
            if low <= passed / (passed + lost) <= high:
                assert bounds[0] <= (passed + lost) / case.n <= bounds[1]


def test_what_is_no_part_and_no_range_of_shares_is_an_error():
    for counts in ((10, 11, 1, 1), (10, 5, 6, 1), (10, 5, 3, 4), (10, 5, 3, -1)):
        with pytest.raises(ValueError, match="each must be a part of the next"):
            Checked(*counts)
    for recall in ((0.0, 0.5), (0.6, 0.5), (0.5, 1.5)):
        with pytest.raises(ValueError, match="give two shares above 0"):
            Checked(10, 5, 3, 1).right_at_recall(*recall)


def test_difference_of_precisions_is_newcombes():
    """Newcombe 1998, table II, example (a): 56 of 70 against 48 of 80 is .2 [.0524, .3339]."""
    found = partial_verification.precision_difference(56, 70, 48, 80)
    assert (found.estimate, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
