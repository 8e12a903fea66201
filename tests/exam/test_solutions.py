"""Alternatives, unions, plus or minus, inequalities and mixed numbers as sets, intervals and fractions."""

import pytest
from proctor.exam.answer_match import normal, same
from proctor.exam.words import mixed, solutions, unknown


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


def test_an_inequality_knows_what_it_is_about():
    assert [unknown(normal(text)) for text in ("x > 3", "3 ≤ y", "z ∈ [0,1]", "(3, 4)")] == ["x", "y", "z", ""]
    assert same("x > 3", "y > 3") is None and same("x > 3", r"(3, \infty)") is True


def test_mixed_numbers_are_whole_and_part():
    assert [mixed(text) for text in ("2 1/2", "-2 1/3", r"1\frac{3}{4}", "2 5/2", "2 x/3")] == [
        "5/2",
        "-7/3",
        "7/4",
        "2 5/2",
        "2 x/3",
    ]
