"""Worked solutions: carried out, checked and spoiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.generated.worked import (
    EQUATION,
    SLIPS,
    Problem,
    Step,
    carry_out,
    first_error,
    spoil,
    written,
)
from proctor.generated.worked_families import WORKED_FAMILIES


def step(name, left, operator, right):
    return Step(name, left, operator, right, name.capitalize(), f"Then {name}")


PENS = Problem(
    "You buy 6 pens at 35 cents and pay with 250 cents. How many cents do you get back?",
    {"n": 6, "price": 35, "paid": 250},
    (step("pens", "n", "x", "price"), step("back", "paid", "-", "pens")),
)


def test_steps_are_carried_out_in_order():
    assert written(carry_out(PENS.steps, PENS.given)) == "Pens: 6 x 35 = 210. Back: 250 - 210 = 40."
    assert PENS.answer == 40


@pytest.mark.parametrize(
    "steps, message",
    [
        ((step("back", "n", "-", "paid"),), "6 - 250 is negative"),
        ((step("part", "paid", "/", "n"),), "250 / 6 is no whole number"),
        ((step("part", "paid", "/", 0),), "250 / 0 is no whole number"),
        ((step("back", "paid", "-", "pens"),), "'back' reads 'pens', which nothing before it gives"),
    ],
)
def test_a_step_that_can_not_be_carried_out_is_named(steps, message):
    with pytest.raises(ValueError, match=message):
        carry_out(steps, PENS.given)


@pytest.mark.parametrize(
    "text, number",
    [
        ("Pens: 6 x 35 = 210. Back: 250 - 210 = 40.", None),
        ("35 x 6 = 210 cents, and 250 - 210 = 40", None),  # factors may stand in either order
        ("Pens: 6 x 35 = 200. Back: 250 - 200 = 50.", 1),
        ("Pens: 6 x 35 = 210. Back: 210 - 250 = 40.", 2),  # a difference may not
        ("Pens: 6 x 35 = 210.", 2),
        ("Pens: 6 x 35 = 210. Back: 250 - 210 = 40. 40 + 1 = 41.", 3),
        ("no equation at all", 1),
    ],
)
def test_the_first_wrong_step_is_found(text, number):
    assert first_error(PENS, text) == number


def test_each_kind_of_slip_can_be_planted():
    kinds = {slip.kind for seed in range(60) for slip in spoil(PENS, np.random.default_rng(seed))}
    assert kinds == set(SLIPS)


@given(st.sampled_from(sorted(WORKED_FAMILIES)), st.integers(1, 3), st.integers(0, 2**32))
def test_wrong_solutions_are_wrong_at_one_place_and_share_no_answer(name, level, seed):
    rng = np.random.default_rng(seed)
    problem = None
    while problem is None:
        problem = WORKED_FAMILIES[name].build.args[0](level, rng)
    slips = spoil(problem, rng)
    answers = [problem.answer, *(slip.answer for slip in slips)]
    assert len(set(answers)) == len(answers)
    for slip in slips:
        text = written(slip.lines)
        assert first_error(problem, text) == slip.at
        # All other equations are true: only the planted result may be wrong, and only in that kind of slip.
        false = [e for e in EQUATION.findall(text) if eval("".join(e[:3]).replace("x", "*")) != int(e[3])]
        assert len(false) == (slip.kind == "wrong result")
