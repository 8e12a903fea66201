"""Formulas against Python's own arithmetic, and what is not decided."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.exam.formula import Undecided, constant, parse_formula, values

NUMBERS = st.integers(0, 50)


@given(NUMBERS, NUMBERS, st.integers(1, 9), st.sampled_from("+-*"))
def test_arithmetic_is_exact(a, b, c, sign):
    assert constant(parse_formula(f"({a} {sign} {b}) / {c}")) == Fraction(eval(f"{a} {sign} {b}"), c)


@pytest.mark.parametrize(
    "text, value",
    [
        (r"\frac{3}{4}", Fraction(3, 4)),
        ("2^{10}", Fraction(1024)),
        ("5!", Fraction(120)),
        (r"\binom{5}{2}", Fraction(10)),
    ],
)
def test_latex_is_read(text, value):
    assert constant(parse_formula(text)) == value


@pytest.mark.parametrize("text", ["1/2x", "CO2", "a b c, d", "", "(1", "\\unknown{3}", "2^^3", "(" * 10_000])
def test_what_has_no_or_two_readings_is_undecided(text):
    with pytest.raises(Undecided):
        parse_formula(text)


def test_equal_formulas_have_equal_values_and_others_do_not():
    same = values(parse_formula("(x+1)^2"), parse_formula("x^2 + 2x + 1"))
    assert all(math.isclose(float(abs(a - b)), 0, abs_tol=1e-6 * (1 + float(abs(a)))) for a, b in same)
    other = values(parse_formula("(x+1)^2"), parse_formula("x^2 + 1"))
    assert any(float(abs(a - b)) > 1e-3 for a, b in other)
