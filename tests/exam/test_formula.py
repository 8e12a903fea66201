"""Formulas against Python's own arithmetic, and what is not decided."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.exam.formula import Undecided, constant, parse_formula

NUMBERS = st.integers(0, 50)


@given(NUMBERS, NUMBERS, st.integers(1, 9), st.sampled_from("+-*"))
def test_arithmetic_is_exact(a, b, c, sign):
    assert constant(parse_formula(f"({a} {sign} {b}) / {c}")) == Fraction(eval(f"{a} {sign} {b}"), c)


@pytest.mark.parametrize("text", ["1/2x", "CO2", "a b c, d", "", "(1", "\\unknown{3}", "2^^3", "(" * 10_000])
def test_what_has_no_or_two_readings_is_undecided(text):
    with pytest.raises(Undecided):
        parse_formula(text)
