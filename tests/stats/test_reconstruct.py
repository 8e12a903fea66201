from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.reconstruct import (
    AccuracyCount,
    CountTable,
    accuracy_counts,
    agreement_counts,
    confusion_counts,
    draw_probability,
    shares_of_whole,
)
from proctor.stats.rounding import (
    ROUNDINGS,
    Span,
    as_span,
    count_limits,
    read_printed,
    rounded,
    show,
)
from statsmodels.stats.inter_rater import cohens_kappa


def printed(k, n, rounding, decimals=2):
    return show(Fraction(100 * k, n), decimals, rounding)


def decimals(text):
    return len(text.partition(".")[2])


def tables(n):
    for pos in range(n + 1):
        for tp, fp in product(range(pos + 1), range(n - pos + 1)):
            yield n, pos, tp, fp


@pytest.mark.parametrize(
    "shown",
    [
        ("66.67", "50.00", "100.00"),
        ("75.00", "66.67", "66.67"),
        ("75", "67", "67"),
        ("62.5", "50.0", "33.3"),
        ("50.00", "0.00", "0.00"),
        ("62", "50", "33"),  # 62.5, a tie
        ("91.00", "13.00", "7.00"),  # of no table
        ("70.0", "33.33", "50"),  # each with its own decimals
        (None, "50.00", "33.33"),  # one may be anything
        ("62.50", None, "33.33"),
        ("62.50", "50.00", None),
    ],
)
def test_confusion_counts_agree_with_a_search_of_every_table(shown):
    expected = {}
    for key in (key for n in range(1, 13) for key in tables(n)):
        n, pos, tp, fp = key
        if pos and tp + fp:
            parts = list(zip(shown, ((n - fp - pos + tp, n), (tp, tp + fp), (tp, pos))))
            for rounding in ROUNDINGS:
                if all(text is None or printed(k, m, rounding, decimals(text)) == text for text, (k, m) in parts):
                    expected.setdefault(key, []).append(rounding)
    found = confusion_counts(*shown, range(1, 13))
    assert {(t.n, t.positives, t.tp, t.fp): list(t.roundings) for t in found} == expected
    assert bool(expected) == ("91.00" not in shown)


def test_positives_narrow_the_search_half_way_cases_tell_the_roundings_apart_and_stated_decimals_count():
    free = confusion_counts("50.00", "50.00", "50.00", 20)
    held = confusion_counts("50.00", "50.00", "50.00", 20, positives=[4, 6])
    assert held == [t for t in free if t.positives in (4, 6)] and len(held) < len(free)
    assert accuracy_counts("0.13", 800) == [AccuracyCount(1, 800, ("half_up",))]  # 1/800 = 0.125 %
    assert accuracy_counts("0.12", 800) == [AccuracyCount(1, 800, ("half_even", "truncate"))]
    assert {c.k for c in accuracy_counts("85", 500)} == {c.k for c in accuracy_counts("85", 500, decimals=0)}
    assert [c.k for c in accuracy_counts("85", 500, decimals=2)] == [425]
    assert [c.k for c in accuracy_counts("85.00", 500)] == [425] and len(accuracy_counts("85", 500)) > 1
    table = confusion_counts("85.40", "40.00", "24.62", 500)[0]
    assert table.shares == {"accuracy": Fraction(427, 500), "precision": Fraction(2, 5), "recall": Fraction(16, 65)}
    assert (table.confusion.accuracy, table.confusion.recall) == (427 / 500, 16 / 65)


@given(st.integers(1, 2000), st.sampled_from([1, 2, 5]), st.data())
def test_accuracy_counts_agree_with_a_search_of_every_count(n, samples, data):
    k, rounding = data.draw(st.integers(0, n * samples)), data.draw(st.sampled_from(ROUNDINGS))
    shown = printed(k, n * samples, rounding)
    found = accuracy_counts(shown, [n, n + 1], samples=[1, samples], roundings=[rounding])
    near = range(max(0, k - 30), min(n * samples, k + 30) + 1)
    here = [c.k for c in found if (c.n, c.samples) == (n, samples)]
    assert here == [j for j in near if printed(j, n * samples, rounding) == shown]


def cells_of(table):
    """both, only a, only b, neither"""
    cells = table.confusion
    return cells.tp, cells.fp, cells.fn, cells.tn


def two_by_two(n):
    return [(a, b, c, n - a - b - c) for a, b, c in product(range(n + 1), repeat=3) if a + b + c <= n]


@given(st.lists(st.integers(0, 60), min_size=4, max_size=4).filter(lambda cells: sum(cells) > 0))
def test_kappa_agrees_with_statsmodels(cells):
    both, only_a, only_b, neither = cells
    kappa = CountTable(sum(cells), both + only_b, both, only_a, ()).share("kappa")
    assert (kappa is None) == (max(both, neither) == sum(cells))
    if kappa is not None:
        expected = cohens_kappa(np.array([[both, only_a], [only_b, neither]]), return_results=False)
        assert float(kappa) == pytest.approx(float(expected), abs=1e-12)


@given(st.integers(1, 9), st.sampled_from(ROUNDINGS), st.lists(st.booleans(), min_size=4, max_size=4), st.data())
def test_agreement_counts_agree_with_a_search_of_every_table(n, rounding, hidden, data):
    def shown(cells):
        both, only_a, only_b, neither = cells
        figures = [printed(k, n, rounding, 1) for k in (both + only_a, both + only_b, both + neither)]
        kappa = CountTable(n, both + only_b, both, only_a, ()).share("kappa")
        return figures + [None if kappa is None else show(kappa, 2, rounding)]

    true = data.draw(st.sampled_from(two_by_two(n)))
    want = shown(true)
    expected = [
        cells for cells in two_by_two(n) if all(a == b for a, b, hide in zip(shown(cells), want, hidden) if not hide)
    ]
    a, b, same, kappa = [None if hide else figure or "-" for figure, hide in zip(want, hidden)]
    found = agreement_counts(a, b, same, n, kappa, roundings=[rounding])
    assert sorted(map(cells_of, found)) == sorted(expected)
    assert true in expected


def test_a_negative_kappa_is_read():
    found = agreement_counts("50", "50", None, 4, kappa="-1.00")
    assert [cells_of(t) for t in found] == [(0, 2, 2, 0)]


@given(
    st.lists(st.integers(0, 8), min_size=1, max_size=4).filter(lambda counts: sum(counts) > 0),
    st.sampled_from(ROUNDINGS),
    st.integers(0, 1),
)
def test_shares_agree_with_a_search_of_every_assignment(counts, rounding, decimals):
    n = sum(counts)
    shown = [printed(k, n, rounding, decimals) for k in counts]
    fits = [[k for k in range(n + 1) if printed(k, n, rounding, decimals) == text] for text in shown]
    every = [ks for ks in product(*fits) if sum(ks) == n]
    (found,) = shares_of_whole(shown, n, roundings=[rounding])
    assert found.assignments == len(every) and tuple(counts) in every


def test_wide_parts_are_counted_by_all_their_assignments_and_impossible_ones_have_none():
    fits = [k for k in range(1001) if printed(k, 1000, "half_up", 0) == "33"]
    every = [(a, b, 1000 - a - b) for a in fits for b in fits if 1000 - a - b in fits]
    (found,) = shares_of_whole(["33", "33", "33"], 1000, roundings=["half_up"])
    assert found.assignments == len(every)
    assert shares_of_whole(["50.0", "49.0"], 1000) == []
    assert shares_of_whole(["33.3", "66.6"], 2) == []  # the sum could make a whole, two items cannot
    assert draw_probability(5, 6, 20, 7) == draw_probability(5, -1, 20, 7) == draw_probability(19, 2, 20, 7) == 0


# printed figures as ranges


DECIMAL_ROUNDING = dict(zip(ROUNDINGS, (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN)))
rounding = st.sampled_from(ROUNDINGS)


def quantized(value, decimals, rule):
    """`value`, a Fraction with a finite expansion, as Python's Decimal rounds it."""
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        return exact.quantize(Decimal(1).scaleb(-decimals), rounding=DECIMAL_ROUNDING[rule])


@given(st.integers(-(10**6), 10**6), st.integers(0, 8), st.integers(0, 4), rounding)
def test_show_prints_as_decimal_does_ties_included(k, power, decimals, rule):
    value = Fraction(k, 2**power)  # halves and eighths are ties at many decimals
    text = show(value, decimals, rule)
    assert Decimal(text) == quantized(value, decimals, rule)
    assert len(text.partition(".")[2]) == decimals and text.startswith("-") == (Decimal(text) < 0)


@given(st.integers(-2000, 2000), st.integers(0, 2), rounding, st.fractions(-30, 30, max_denominator=4000))
def test_a_figures_range_holds_exactly_what_prints_as_it(units, decimals, rule, other):
    figure = read_printed(str(Decimal(units).scaleb(-decimals)), "figure", decimals, -(10**4), 10**4)
    held, text = figure.range(rule), show(Fraction(units, 10**decimals), decimals, rule)
    middle = (held.low + held.high) / 2
    assert show(middle, decimals, rule) == text and middle in held
    for value in (held.low, held.high, other):  # the ends are where the rules differ
        assert (value in held) == (show(value, decimals, rule) == text)


def test_count_limits_cross_where_no_count_fits():
    first, last = count_limits(read_printed("33.33", "figure").range("half_up"), np.array([2, 3, 10**6]))
    texts = {"85.40": 2, "85.4": 1, "85": 0, "-0.468": 3, "1e1": 0}
    assert {text: read_printed(text, "figure", least=-1).decimals for text in texts} == texts
    assert first[0] > last[0] and (first[1], last[1]) == (1, 1)
    assert (first[2], last[2]) == (333_250, 333_349)
    first, last = count_limits(read_printed("99.999900000", "figure").range("half_up"), np.array([10**6]))
    assert (first[0], last[0]) == (999_999, 999_999)  # nine decimals of a million do not overflow


# Spans: every number that prints as the figure lies inside, and arithmetic keeps it inside

NUMBERS = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)
RANGES = st.tuples(NUMBERS, NUMBERS, st.fractions(0, 1)).map(
    lambda t: (Span(min(t[:2]), max(t[:2])), min(t[:2]) + t[2] * abs(t[0] - t[1]))
)  # a range and a number inside it


@given(NUMBERS, st.integers(0, 4))
def test_a_number_lies_in_the_range_of_its_printed_form(number, decimals):
    text = f"{Decimal(number.numerator) / Decimal(number.denominator):,.{decimals}f}"
    found = rounded(text)
    assert found.low <= number <= found.high
    assert found.high - found.low == Fraction(1, 10**decimals)


@given(RANGES, RANGES)
def test_arithmetic_keeps_the_true_result_inside(one, two):
    (a, x), (b, y) = one, two
    results = [(a + b, x + y), (a - b, x - y), (a * b, x * y), (-a, -x), (1 - a, 1 - x), (3 * a, 3 * x)]
    if not b.low <= 0 <= b.high:
        results.append((a / b, x / y))
    for found, truth in results:
        assert found.low <= truth <= found.high


@pytest.mark.parametrize(
    "text, low, high",
    [("3,000", 2500, 3500), ("65", 64.5, 65.5), ("7.6", 7.55, 7.65), ("0.50", 0.45, 0.55), ("120", 115, 125)],
)
def test_about_rounds_at_the_last_digit_that_is_not_zero(text, low, high):
    assert rounded(text, "~") == Span(Fraction(str(low)), Fraction(str(high)))


def test_ranges_meet_when_one_number_fits_both_arithmetic_is_exact_and_a_bound_leaves_one_side_open():
    assert (rounded("48.2") - rounded("40.42")).meets(rounded("7.78"))
    assert not (rounded("48.2") - rounded("40.42")).meets(rounded("7.58"))
    assert sum([rounded("33.3")] * 3).meets(100) and not sum([rounded("33.3")] * 2).meets(100)
    assert rounded("48.2") - rounded("40.42") == Span(Fraction("7.725"), Fraction("7.835"))
    assert rounded("0.1") + rounded("0.2") == Span(Fraction("0.2"), Fraction("0.4"))
    assert rounded("7,000", ">") == Span(7000, inf) and rounded("40", "<=") == Span(-inf, 40)
    assert rounded("7,000", ">").meets(7685) and not rounded("40", "<=").meets(rounded("41"))
    assert rounded("7,000", ">").middle == 7000
    assert (100 * as_span(5) / rounded("10", ">")).high == 50 and str(as_span(33916)) == "33916"
