"""Bounds under partial checking: every way in which the unchecked answers can have turned out lies inside."""

from itertools import product

import pytest
from proctor.stats.compare import mcnemar
from proctor.uq import partial_verification
from proctor.uq.partial_verification import Checked
from scipy.stats import binom

CASES = [Checked(n, p, v, r) for n in range(1, 7) for p in range(n + 1) for v in range(p + 1) for r in range(v + 1)]


@pytest.mark.parametrize("case", CASES[::3])
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
    if case.passed:
        precision = [passed / case.passed for passed, _ in worlds]
        assert case.right_among_passed == (min(precision), max(precision))


@pytest.mark.parametrize("case", [Checked(20, 10, 6, 2), Checked(9, 4, 4, 1), Checked(12, 7, 3, 3)])
def test_bounds_at_a_recall_hold_every_truth_with_such_a_recall(case):
    unchecked, rejected = case.passed - case.verified, case.n - case.passed
    low, high = 0.25, 0.8
    bounds = case.right_at_recall(low, high)
    for passed in range(case.right, case.right + unchecked + 1):
        for lost in range(rejected + 1):
            if low <= passed / (passed + lost) <= high:
                assert bounds[0] <= (passed + lost) / case.n <= bounds[1]


def test_everything_checked_leaves_no_range():
    case = Checked(500, 40, 40, 12)
    assert case.passed_and_right == (12 / 500, 12 / 500) and case.right_among_passed == (0.3, 0.3)
    assert case.right_if_wrong_is_found_first() == (0.3, 0.3)


def test_nothing_passed_leaves_the_precision_open():
    assert Checked(500, 0, 0, 0).right_among_passed == (0.0, 1.0)
    with pytest.raises(ValueError, match="nothing was verified"):
        Checked(500, 3, 0, 0).right_if_wrong_is_found_first()


@pytest.mark.parametrize("counts", [(10, 11, 1, 1), (10, 5, 6, 1), (10, 5, 3, 4), (10, 5, 3, -1)])
def test_parts_larger_than_their_whole_are_an_error(counts):
    with pytest.raises(ValueError, match="each must be a part of the next"):
        Checked(*counts)


@pytest.mark.parametrize("recall", [(0.0, 0.5), (0.6, 0.5), (0.5, 1.5)])
def test_a_recall_that_is_no_range_of_shares_is_an_error(recall):
    with pytest.raises(ValueError, match="give two shares above 0"):
        Checked(10, 5, 3, 1).right_at_recall(*recall)


@pytest.fixture(scope="module")
def table_s3():
    return partial_verification.full_set(partial_verification.pass_rates())


def test_pass_rates_name_the_two_percentages_that_their_counts_do_not_give():
    table = partial_verification.pass_rates()
    odd = table[table["differs"]]
    assert odd[["answer_model", "questions_of", "printed_percent"]].to_numpy().tolist() == [
        ["o3-pro", "diamond subset", "4.0"],
        ["o3", "diamond subset", "2.0"],
    ]
    known = table[table["human_verified"] > 0]
    assert (known["verified_right"] == known["human_passed"] / known["human_verified"]).all()
    assert table["verified_right"].isna().sum() == 1  # nobody checked an answer of GPT-4o


def test_models_overlap_on_questions(table_s3):
    models, every = table_s3
    assert models.index[0] == "o3-pro" and models["passed"].is_monotonic_decreasing
    found = partial_verification.overlap(models, every)
    assert found.loc["passed"].tolist() == [193, 144, 49] and found.loc["human_passed"].tolist() == [11, 10, 1]


@pytest.mark.parametrize("k_a, k_b", [(44, 25), (75, 44), (6, 0), (11, 7)])
def test_difference_at_any_overlap_is_wide_enough_for_all_overlaps(k_a, k_b):
    wide = partial_verification.difference_at_any_overlap(k_a, k_b, 500)
    assert wide.estimate == pytest.approx((k_a - k_b) / 500)
    for shared in range(k_b + 1):
        one = partial_verification.difference_at_any_overlap(k_a, k_b, 500, shared=shared)
        assert wide.low <= one.low + 1e-12 and one.high <= wide.high + 1e-12
        p = mcnemar([1] * k_a + [0] * k_b, [1] * shared + [0] * (k_a - shared) + [1] * (k_b - shared) + [0] * shared).p
        assert (one.low > 0) == (p < 0.05)  # the interval is that of the exact test


def test_difference_at_any_overlap_needs_room_to_share_nothing():
    with pytest.raises(ValueError, match="can't share 0"):
        partial_verification.difference_at_any_overlap(300, 250, 500)


def test_only_the_first_neighbours_differ_whatever_they_share(table_s3):
    found = partial_verification.neighbours(table_s3[0], 500)
    sure = found[found["p_max"] < 0.05 / len(found)]
    assert len(found) == 7 and sure["higher"].tolist() == ["o3-pro"] == found[found["low"] > 0]["higher"].tolist()


def test_smallest_gap_is_that_of_the_closest_pair(table_s3):
    found, family = partial_verification.smallest_gap(
        table_s3[0], ["o3", "Gemini 2.5 Pro"], ["Claude Sonnet 3.7 (16K)", "GPT-4o"], 500
    )
    assert found.estimate == pytest.approx((25 - 6) / 500) and family == 4 and found.level == pytest.approx(0.9875)


def test_solve_rates_and_precision_are_bounds_from_the_counts(table_s3):
    models, every = table_s3
    hle = partial_verification.validator_on_hle("o3", "(CC x3|U) => (FLC x3|U) => (C x3|U)")
    assert (hle.tp, hle.fp, hle.fn) == (22, 49, 42)
    row = partial_verification.solve_rate_bounds(models, every, (0.2, 0.5)).set_index("answer_model").loc["o3-pro"]
    assert row["passed_and_right_most"] == pytest.approx(33 / 500) and row["right_most"] == pytest.approx(
        33 / 500 / 0.2
    )
    answers = partial_verification.all_answers(models, 500)
    assert (answers.passed, answers.verified, answers.right) == (193, 106, 11)
    carried = partial_verification.carried_precision(hle, answers, Checked(500, 144, 91, 10)).set_index("among")
    assert carried.loc["UQ, checked answers", ["least", "most"]].tolist() == pytest.approx([11 / 193, 98 / 193])
    high = carried.loc["UQ, checked questions", "high"]
    assert binom.cdf(10, 91, high) == pytest.approx(0.025, abs=1e-6)


def test_difference_of_precisions_is_newcombes():
    """Newcombe 1998, table II, example (a): 56 of 70 against 48 of 80 is .2 [.0524, .3339]."""
    found = partial_verification.precision_difference(56, 70, 48, 80)
    assert (found.estimate, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_checking_ratio_is_that_of_the_two_rates():
    answers = Checked(1000, 200, 100, 10)  # at a precision of 0.25: 10 of 50 right ones checked, 90 of 150 wrong ones
    assert partial_verification.checking_ratio(answers, 0.25) == pytest.approx((10 / 50) / (90 / 150))
    with pytest.raises(ValueError, match="precision"):
        partial_verification.checking_ratio(answers, 25)
