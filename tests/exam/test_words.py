"""Exact comparison of answers in words and numbers, what the case of letters says, and solutions as sets."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.exam.answer_match import normal, same
from proctor.exam.words import affirms, mixed, same_answer, same_compound, same_era, solutions, unknown

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=3)


@given(NUMBERS, NUMBERS)
def test_numbers_are_the_same_when_their_values_are(one, two):
    assert same_answer(f"{one:,}", str(two)) == (one == two)
    assert same_answer(f"{one:.3f}".replace("-", "−"), f"{one:.5f}")


@pytest.mark.parametrize(
    "given, right",
    [
        ("1,234", "1234.0"),
        ("the Pacific", "Pacific"),
        ("Pacific.", "the pacific"),
        ("42 km", "42"),
        ("42", "42 apples"),
        ("50%", "50"),
        ("$5", "5"),
        ("-$5", "-5"),
        (".5", "0.50"),
        ("+3", "3"),
        ("90°", "90"),
        ("\u200bcafe\u0301", "Café"),
        ("“one” and two", "“One”  and Two"),
        ("*", "*"),
        ("William\u00a0Tell", "William Tell"),
    ],
)
def test_same_answers(given, right):
    assert same_answer(given, right)


@pytest.mark.parametrize(
    "given, right",
    [
        (None, "7"),
        ("", "7"),
        ("1,2", "12"),
        ("5 million", "5"),
        ("2x", "2"),
        ("2 x", "2"),
        ("3i", "3"),
        ("42 km", "42 m"),
        ("2²", "22"),
        ("n!", "n"),
        ("!", "?"),
        ("7 8", "78"),
        ("1/2", "12"),
        ("--5", "5"),
        ("1e5", "1"),
        ("12", "twelve"),
        ("Pacific", "Atlantic"),
        ("12,34", "1234"),
    ],
)
def test_different_answers(given, right):
    assert not same_answer(given, right)


@pytest.mark.parametrize(
    "one, two", [("Co", "CO"), ("5 mW", "5 MW"), ("AABB", "aabb"), (r"\Delta", r"\delta"), ("Rho", "rho"), ("n", "N")]
)
def test_case_counts_in_symbols_and_not_in_words(one, two):
    assert not same_answer(one, two) and same_answer("NATO", "nato") and same_answer("The Red Sea", "red sea")


@pytest.mark.parametrize(
    "one, two", [("x'", "x"), ("C*", "C"), ("5'", "5"), ("2 n", "2"), ("44 BC", "44"), ("$5", "€5")]
)
def test_a_mark_or_a_word_that_is_no_unit_is_a_difference(one, two):
    assert not same_answer(one, two)


def test_years_with_an_era_compounds_and_yes_are_compared_and_others_are_not():
    assert same_era("44 BC", "44 B.C.E") is True and same_era("44 BC", "44 AD") is False
    assert same_era("AD 79", "79 CE") is True and same_era("44 BC", "44") is None
    assert same_compound("H_2O", "H2O") is True and same_compound("CO2", "C2O") is False
    assert same_compound("OH_2", "H_2O") is None and same_compound("CO", "Co") is None
    assert affirms("Yes.") is affirms("true") is True and affirms("No, it is not.") is False
    assert affirms("Yes, but only for n > 2") is None and affirms("Not true") is None and affirms("Yesterday") is None
    assert not same_answer(str(Decimal(2**60)), str(Decimal(2**60 + 1)))


# Alternatives, unions, plus or minus, inequalities and mixed numbers


@pytest.mark.parametrize(
    "text, found",
    [
        ("x=-1 or x=1", "⦃-1,1⦄"),
        (r"\pm 2", "⦃2,-(2)⦄"),
        ("0 < x ≤ 1", "(0,1]"),
        ("3 > x", r"(-\infty ,3)"),
        ("x ≥ 2", r"[2,\infty )"),
        ("]0,1[", "(0,1)"),
        ("x ∈ {1,2}", "⦃1,2⦄"),
        ("x + 1", "x+1"),
    ],
)
def test_solutions_become_sets_and_intervals(text, found):
    assert solutions(normal(text)).replace(" ", "") == found.replace(" ", "")


def test_an_inequality_knows_what_it_is_about_and_mixed_numbers_are_whole_and_part():
    assert [unknown(normal(text)) for text in ("x > 3", "3 ≤ y", "z ∈ [0,1]", "(3, 4)")] == ["x", "y", "z", ""]
    assert same("x > 3", "y > 3") is None and same("x > 3", r"(3, \infty)") is True
    assert [mixed(text) for text in ("2 1/2", "-2 1/3", r"1\frac{3}{4}", "2 5/2", "2 x/3")] == [
        "5/2",
        "-7/3",
        "7/4",
        "2 5/2",
        "2 x/3",
    ]
