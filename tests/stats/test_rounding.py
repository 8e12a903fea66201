from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.rounding import (
    ROUNDINGS,
    Span,
    about,
    as_span,
    bound,
    count_limits,
    count_pairs,
    exact,
    read_printed,
    rounded,
    show,
    total,
)

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


@given(st.integers(1, 30), st.integers(0, 1000), rounding)
def test_count_pairs_agree_with_a_search_of_every_count(most, units, rule):
    figure = read_printed(str(Decimal(units).scaleb(-1)), "figure", 1)
    k, m = count_pairs(figure.range(rule), np.arange(1, most + 1))
    expected = [
        (j, n)
        for n in range(1, most + 1)
        for j in range(n + 1)
        if show(Fraction(100 * j, n), 1, rule) == show(Fraction(units, 10), 1, rule)
    ]
    assert list(zip(k.tolist(), m.tolist())) == expected


def test_count_limits_cross_where_no_count_fits():
    first, last = count_limits(read_printed("33.33", "figure").range("half_up"), np.array([2, 3, 10**6]))
    assert first[0] > last[0] and (first[1], last[1]) == (1, 1)
    assert (first[2], last[2]) == (333_250, 333_349)
    first, last = count_limits(read_printed("99.999900000", "figure").range("half_up"), np.array([10**6]))
    assert (first[0], last[0]) == (999_999, 999_999)  # nine decimals of a million do not overflow


@pytest.mark.parametrize("text, decimals", [("85.40", 2), ("85.4", 1), ("85", 0), ("-0.468", 3), ("1e1", 0)])
def test_decimals_are_those_of_the_text(text, decimals):
    assert read_printed(text, "figure", least=-1).decimals == decimals


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
    assert about(text) == Span(Fraction(str(low)), Fraction(str(high)))


def test_ranges_meet_when_one_number_fits_both_arithmetic_is_exact_and_a_bound_leaves_one_side_open():
    assert (rounded("48.2") - rounded("40.42")).meets(rounded("7.78"))
    assert not (rounded("48.2") - rounded("40.42")).meets(rounded("7.58"))
    assert total([rounded("33.3")] * 3).meets(100) and not total([rounded("33.3")] * 2).meets(100)
    assert rounded("48.2") - rounded("40.42") == Span(Fraction("7.725"), Fraction("7.835"))
    assert rounded("0.1") + rounded("0.2") == Span(Fraction("0.2"), Fraction("0.4"))
    assert exact("33,916") == as_span(33916)
    assert str(exact("33,916")) == "33916"
    assert bound("7,000", ">") == Span(7000, inf) and bound("40", "<=") == Span(-inf, 40)
    assert bound("7,000", ">").meets(exact("7,685")) and not bound("40", "<=").meets(rounded("41"))
    assert bound("7,000", ">").middle == 7000
    assert (100 * exact("5") / bound("10", ">")).high == 50
