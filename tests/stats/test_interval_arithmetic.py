"""Printed figures as ranges: every number that prints as the figure lies inside, and arithmetic keeps it inside."""

from decimal import Decimal
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.rounding import Span, about, as_span, bound, exact, rounded, total

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


def test_arithmetic_is_exact():
    assert rounded("48.2") - rounded("40.42") == Span(Fraction("7.725"), Fraction("7.835"))
    assert rounded("0.1") + rounded("0.2") == Span(Fraction("0.2"), Fraction("0.4"))


def test_a_count_is_only_itself():
    assert exact("33,916") == as_span(33916)
    assert str(exact("33,916")) == "33916"


@pytest.mark.parametrize(
    "text, low, high",
    [("3,000", 2500, 3500), ("65", 64.5, 65.5), ("7.6", 7.55, 7.65), ("0.50", 0.45, 0.55), ("120", 115, 125)],
)
def test_about_rounds_at_the_last_digit_that_is_not_zero(text, low, high):
    assert about(text) == Span(Fraction(str(low)), Fraction(str(high)))


def test_a_bound_leaves_one_side_open():
    assert bound("7,000", ">") == Span(7000, inf) and bound("40", "<=") == Span(-inf, 40)
    assert bound("7,000", ">").meets(exact("7,685")) and not bound("40", "<=").meets(rounded("41"))
    assert bound("7,000", ">").middle == 7000
    assert (100 * exact("5") / bound("10", ">")).high == 50


def test_ranges_meet_when_one_number_fits_both():
    assert (rounded("48.2") - rounded("40.42")).meets(rounded("7.78"))
    assert not (rounded("48.2") - rounded("40.42")).meets(rounded("7.58"))
    assert total([rounded("33.3")] * 3).meets(100) and not total([rounded("33.3")] * 2).meets(100)


def test_division_by_what_may_be_zero_is_an_error():
    with pytest.raises(ZeroDivisionError, match="may be zero"):
        exact("1") / rounded("0.0")
