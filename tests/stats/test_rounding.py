from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.rounding import ROUNDINGS, Range, count_limits, count_pairs, known, read_printed, show

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


@given(st.integers(1, 60), st.integers(0, 1000), rounding)
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


def test_nine_decimals_of_a_million_items_do_not_overflow():
    first, last = count_limits(read_printed("99.999900000", "figure").range("half_up"), np.array([10**6]))
    assert (first[0], last[0]) == (999_999, 999_999)


def test_ranges_meet_only_where_a_number_belongs_to_both():
    low, high = Range(Fraction(0), Fraction(1), True, True), Range(Fraction(1), Fraction(2), True, True)
    open_high = Range(Fraction(1), Fraction(2), False, True)
    assert low.meets(high) and high.meets(low)
    assert not low.meets(open_high) and not open_high.meets(low)
    assert open_high.meets(high) and not low.meets(Range(Fraction(3), Fraction(4), True, True))


def test_a_range_cut_at_its_limits_keeps_them():
    zero = read_printed("0.0", "figure").range("half_up").within(0, 100)
    assert (zero.low, zero.low_closed, zero.high, zero.high_closed) == (0, True, Fraction(1, 20), False)


@pytest.mark.parametrize("text, decimals", [("85.40", 2), ("85.4", 1), ("85", 0), ("-0.468", 3), ("1e1", 0)])
def test_decimals_are_those_of_the_text(text, decimals):
    assert read_printed(text, "figure", least=-1).decimals == decimals


def test_what_is_no_printed_figure_is_refused_by_name():
    with pytest.raises(TypeError, match="recall is 0.5"):
        read_printed(0.5, "recall")
    for text, message in (
        ("abc", "not a number"),
        ("Infinity", "not a number"),
        ("100.01", "from 0 to 100"),
        ("0.0000000001", "0 to 9"),
    ):
        with pytest.raises(ValueError, match=message):
            read_printed(text, "recall")
    with pytest.raises(ValueError, match="more than the 1 decimals"):
        read_printed("85.45", "recall", 1)


@pytest.mark.parametrize("roundings", ["half_up", [], ["up"]])
def test_roundings_must_be_a_list_of_known_names(roundings):
    with pytest.raises(ValueError, match="roundings"):
        known(roundings)
