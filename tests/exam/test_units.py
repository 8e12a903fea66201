"""Quantities of a closed list of units, and how units relate."""

from fractions import Fraction

import pytest
from proctor.exam.units import COUNTED, UNITS, factor, quantity, unit_name


@pytest.mark.parametrize(
    "text, unit",
    [
        ("5 km", "kilometer"),
        ("9.8 m/s^{2}", "meter/second^2"),
        ("5 miles per hour", "mile/hour"),
        (r"5 \mu m", "micrometer"),
        ("90°", "degree"),
        ("42 apples", "apples"),
        ("$5", "dollar"),
        ("5 Meters", "meter"),
    ],
)
def test_a_quantity_is_read(text, unit):
    assert quantity(text).unit == unit and not quantity(text).loose


@pytest.mark.parametrize(
    "text", ["2 n", "3 squared", "2 thirds", "7 billions", "44 BC", "2 g h", "x m", "5 KM", "m", "", "3A)", "3 A(V"]
)
def test_a_word_that_is_no_unit_makes_no_quantity(text):
    assert quantity(text) is None


@pytest.mark.parametrize("text", ["2m", "5 K", "5 C", "2m^2"])
def test_a_letter_that_may_be_something_else_is_loose(text):
    assert quantity(text).loose


def test_units_relate_as_pint_says():
    assert factor("kilometer", "meter") == 1000 and factor("meter", "second") == 0
    assert factor("second^-1", "hertz") == 1 and factor("cent_piece", "dollar") == Fraction(1, 100)
    assert factor("degree_Celsius", "kelvin") is factor("apples", "oranges") is None


def test_each_unit_of_the_list_is_known_to_pint():
    for unit in sorted(set(UNITS.values()) - {"degree_Celsius", "degree_Fahrenheit"}):
        assert factor(f"{unit}*meter", "kelvin*candela") == 0, unit
    assert not COUNTED & set(UNITS) and unit_name("squared") is None
