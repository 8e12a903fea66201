"""The checker of the exercises: each kind of answer has its mark, and a wrong solution stops the notebook."""

from fractions import Fraction

import numpy as np
import pytest
from proctor.report.exercises import Checker, Exercise

NUMBER = Exercise(40.0, "Look again.", tolerance=0.5, mistakes={60.0: "That is the other one."})
COUNT = Exercise(10, "Look again.", unit="items")
CHOICE = Exercise("majority", "Enumerate.", choices=("majority", "unanimity"))


@pytest.mark.parametrize(
    ("exercise", "answer", "mark"),
    [
        (CHOICE, None, "not answered yet"),
        (NUMBER, 40.4, "right"),
        (NUMBER, np.float64(39.6), "right"),
        (COUNT, Fraction(10), "right"),
        (CHOICE, " majority ", "right"),
        (COUNT, 11, "not yet: Look again."),
        (NUMBER, 60.2, "not yet: That is the other one."),
        (CHOICE, "unanimity", "not yet: Enumerate."),
        (NUMBER, True, "not yet: give a number in percent, not bool True"),
        (NUMBER, np.arange(40.0), "not yet: give a number in percent, not ndarray"),
        (NUMBER, float("nan"), "not yet: give a number in percent; this is nan"),
        (COUNT, [10], "not yet: give a number in items, not list [10]"),
        (CHOICE, 1, "not yet: give one of 'majority', 'unanimity'"),
        (CHOICE, "most", "not yet: give one of 'majority', 'unanimity'"),
    ],
)
def test_each_kind_of_answer_has_its_mark(exercise, answer, mark):
    assert exercise.mark(answer) == mark


def test_the_checker_prints_the_mark(capsys):
    check = Checker({"uq/1": NUMBER})
    check("uq/1", None)
    check.solution("uq/1", 40.0)
    assert capsys.readouterr().out == "uq/1: not answered yet\nuq/1: 40.0 is right\n"


@pytest.mark.parametrize("answer", [None, 41, "40"])
def test_a_solution_that_is_not_right_stops_the_notebook(answer):
    with pytest.raises(AssertionError, match="the solution of uq/1 gives"):
        Checker({"uq/1": NUMBER}).solution("uq/1", answer)
