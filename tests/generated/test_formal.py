"""Questions that a program can test: keys by another route, and what the program gets of them."""

import re

import numpy as np
import pytest
from proctor.data.schemas import Answer
from proctor.generated.formal import HIDDEN, VISIBLE, formal_questions
from proctor.uq.programs import run_program, run_tests

ASKED = formal_questions()
QUANTITIES, EQUATIONS, CODE = (
    [formal for formal in ASKED if formal.question.category == kind] for kind in ("units", "equation", "code")
)
RULES = {  # template: value from the numbers of the question, in their order
    "mean_speed": lambda way, time: way / time,
    "density": lambda mass, volume: mass / volume,
    "pressure": lambda force, area: force / (area * 1e-4),
    "work": lambda way, force: way * force,
    "power": lambda energy, minutes: energy / minutes / 60,
    "flow": lambda volume, minutes: volume / minutes / 60,
    "charge": lambda current, minutes: current * minutes * 60,
    "kinetic_energy": lambda mass, speed: 0.5 * mass * speed * speed,
}


def test_twenty_four_templates_give_five_different_questions_each():
    templates = [formal.question.cluster for formal in ASKED]
    assert {template: templates.count(template) for template in templates} == dict.fromkeys(templates, 5)
    assert len(set(templates)) == 24 and len({formal.question.question for formal in ASKED}) == 120


@pytest.mark.parametrize("formal", QUANTITIES, ids=lambda formal: formal.question.id)
def test_a_quantity_is_that_of_its_formula(formal):
    numbers = [int(n) for n in re.findall(r"(?<![\w^])\d+", formal.question.question)]
    assert formal.value == pytest.approx(RULES[formal.question.cluster](*numbers))


@pytest.mark.parametrize("formal", EQUATIONS, ids=lambda formal: formal.question.id)
def test_solutions_are_all_zeros_of_the_equation(formal):
    text = formal.question.extra["equation"].replace("^", "**")
    left, right = re.sub(r"(?<=\d)(?=[x(])", "*", text).split("=")
    degree = 3 if "**3" in text else 2 if "**2" in text else 1
    x = np.linspace(-2, 2, degree + 1) + 0.137  # enough points for the polynomial, after the quotient is cleared
    scale = eval(left.split("/")[1], {"x": x}) if "/" in left else 1
    gap = (eval(left, {"x": x}) - eval(right, {"x": x})) * scale
    assert sorted(np.roots(np.polyfit(x, gap, degree)).real) == pytest.approx(formal.solutions, abs=1e-4)


def test_the_program_gets_the_first_tests_of_a_function_and_no_key():
    for formal in CODE:
        every = formal.all_tests.splitlines()
        assert len(set(every)) == HIDDEN and formal.question.extra["tests"].splitlines() == every[:VISIBLE]
        assert formal.question.answer is None


@pytest.mark.parametrize("formal", [*QUANTITIES, *EQUATIONS], ids=lambda formal: formal.question.id)
def test_the_program_accepts_the_key(formal):
    name = {"units": "units", "equation": "substitution"}[formal.question.category]
    answer = Answer(id="a", question_id=formal.question.id, text=formal.question.answer)
    assert run_program(name, formal.question, answer).accept


def test_all_tests_reject_a_function_that_holds_on_the_first_three():
    """The rest of the tests is what decides: a table of the three visible answers passes these alone."""
    formal = next(one for one in CODE if one.question.cluster == "digit_sum")
    known = dict(re.findall(r"f\((\d+)\) == (\d+)", formal.question.extra["tests"]))
    cheat = f"def f(n):\n    return {{{', '.join(f'{n}: {value}' for n, value in known.items())}}}.get(n)"
    assert run_tests(cheat, formal.question.extra["tests"])[0] is True
    assert run_tests(cheat, formal.all_tests)[0] is False


def test_more_questions_than_a_template_has_are_refused():
    with pytest.raises(ValueError, match="only .* different questions"):
        formal_questions(per_template=40)
