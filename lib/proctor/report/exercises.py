"""Exercises with a self-check: what a cell of an exercise notebook says of the reader's answer.

    check = Checker({"uq/2": Exercise(0.4, "Mind the ties.", tolerance=0.01)})
    check("uq/2", None)        # uq/2: not answered yet
    check("uq/2", 0.9)         # uq/2: not yet: Mind the ties.
    check("uq/2", 0.4)         # uq/2: right

The exercises of all papers are in EXERCISES, below; a notebook hands its paper's to a Checker. The folded solution of
each computes the expected number from the data, and the tests hold it to what stands here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

NOT_ANSWERED, RIGHT, NOT_YET = "not answered yet", "right", "not yet"


@dataclass(frozen=True)
class Exercise:
    """One exercise. expected: the answer, a number or one of `choices`.

    hint: what is said of a wrong answer. tolerance: how far off a number may be, in `unit` ("percent", "items" ...).
    mistakes: {the number that a common mistake gives: its hint, in place of the other}.
    """

    expected: float | str
    hint: str
    tolerance: float = 0.1
    unit: str = "percent"
    choices: tuple[str, ...] = ()
    mistakes: Mapping[float, str] = field(default_factory=dict)

    def mark(self, answer: Any) -> str:
        """ "not answered yet", "right" or "not yet: <hint>"; of an answer of the wrong type the hint says what to give.

        >>> third = Exercise(33.3, "Divide by all three.")
        >>> third.mark(None), third.mark(33.33), third.mark(50)
        ('not answered yet', 'right', 'not yet: Divide by all three.')
        >>> third.mark("33"), third.mark(0.333)
        ("not yet: give a number in percent, not str '33'", 'not yet: that is a share; give it in percent')
        """
        if answer is None:
            return NOT_ANSWERED
        hint = self._of_choice(answer) if self.choices else self._of_number(answer)
        return f"{NOT_YET}: {hint}" if hint else RIGHT

    def _of_choice(self, answer: Any) -> str:
        if not isinstance(answer, str) or answer.strip() not in self.choices:
            return f"give one of {', '.join(map(repr, self.choices))}"
        return "" if answer.strip() == self.expected else self.hint

    def _of_number(self, answer: Any) -> str:
        if isinstance(answer, bool) or not isinstance(answer, Real):
            said = f" {answer!r}" if len(repr(answer)) <= 20 else ""
            return f"give a number in {self.unit}, not {type(answer).__name__}{said}"
        if not math.isfinite(answer):
            return f"give a number in {self.unit}; this is {answer}"
        if self._near(answer, float(self.expected)):
            return ""
        if self.unit == "percent" and self._near(100 * float(answer), float(self.expected)):
            return "that is a share; give it in percent"
        return next((hint for wrong, hint in self.mistakes.items() if self._near(answer, wrong)), self.hint)

    def _near(self, answer: Any, value: float) -> bool:
        return abs(float(answer) - value) <= self.tolerance + 1e-9


class Checker:
    """Says of answers to `exercises`, {name: Exercise}, whether they are right."""

    def __init__(self, exercises: Mapping[str, Exercise]):
        self.exercises = exercises

    def __call__(self, name: str, answer: Any) -> None:
        """Print "<name>: <mark>". Raises KeyError for a name that is no exercise here."""
        print(f"{name}: {self._mark(name, answer)}")

    def solution(self, name: str, answer: Any) -> None:
        """The same of an answer that the notebook's own solution computes. Raises AssertionError unless it is right."""
        mark = self._mark(name, answer)
        if mark != RIGHT:
            raise AssertionError(f"the solution of {name} gives {answer!r}: {mark}")
        print(f"{name}: {answer} is {mark}")

    def _mark(self, name: str, answer: Any) -> str:
        if name not in self.exercises:
            raise KeyError(f"{name!r} is no exercise of this notebook: {', '.join(self.exercises)}")
        return self.exercises[name].mark(answer)


def exercises(paper: str) -> dict[str, Exercise]:
    """The exercises of a paper's notebook by name, such as "uq/1"."""
    return {name: one for name, one in EXERCISES.items() if name.partition("/")[0] == paper}


EXERCISES = {
    "uq/1": Exercise(
        32.95,
        "Move the slider until both accuracies are equal. Accuracy is p * recall + (1 - p) * specificity.",
        tolerance=0.5,
        mistakes={67.05: "That is the share of wrong answers. Which class does recall speak of?"},
    ),
    "uq/2": Exercise(
        "majority",
        "Compute the chance of acceptance of a right and of a wrong answer, and take the mean of recall and "
        "specificity.",
        choices=("majority", "unanimity"),
    ),
    "uq/3": Exercise(
        584.2,
        "First find how many accepted answers the interval of the precision needs. Then: how many of them are right, "
        "and of how many right ones are they a quarter?",
        tolerance=16,  # ten accepted answers, the step in which 40 % and a quarter are whole numbers
        unit="right answers",
        mistakes={365.1: "That many must be accepted. Of how many right answers do they come?"},
    ),
    "uq/4": Exercise(
        35.16,
        "Group the labelled answers by `accept` and take the mean of `correct`; weigh both means by the shares of "
        "accepted and rejected among all 81 answers.",
        mistakes={
            76.54: "That is what the judge accepts, right or wrong.",
            33.33: "That is the share right among the labelled answers. The verdicts on the other 27 say more.",
            32.23: "These are the right ones among the accepted answers. Some of the rejected ones are right too.",
        },
    ),
    "hle/1": Exercise(
        11,
        "A question is lost if two or more of the six guess it. Start at two options and count upwards.",
        unit="options",
        mistakes={58: "One model may be right under this rule; only a second one rejects the question."},
    ),
    "hle/2": Exercise(
        82.26,
        "Square the calibration error as a share, not in percent, and take the accuracy off.",
        mistakes={89.2: "That is error less accuracy. The bound has the square of the error."},
    ),
    "hle/3": Exercise(
        12.5,
        "Keep the rows whose stated confidence is 90 % or more, and take the mean of `correct` over these.",
        mistakes={12.35: "That is the accuracy of all answers."},
    ),
    "hle/4": Exercise(
        50,
        "Take the rows of model-a: the mean of `right` minus the mean of `before`, times 100.",
        unit="points",
        mistakes={
            -50: "That is by equal text. `mark` compares what is meant: 2^{10} is 1024.",
            100: "That is model-a's accuracy now. What was it before?",
        },
    ),
    "hle_verified/1": Exercise(
        40,
        "With letters a wrong answer meets a wrong key with chance 1/4, which gives back a part of what is lost.",
        tolerance=0.5,
        mistakes={16.67: "That is the share for free answers."},
    ),
    "hle_verified/2": Exercise(
        39.39,
        "The error is the root of the mean squared gap: square the gap of each half first, then take the mean.",
        unit="points",
        mistakes={
            40: "That is the gain in accuracy. The two are equal only if confidence is the same on all items.",
        },
    ),
    "hle_verified/3": Exercise(
        39.07,
        "Find the share that the judge passes when 40 % are right, take Wilson's interval of it, and correct both "
        "limits.",
        tolerance=0.5,
        unit="points",
        mistakes={
            3.91: "That is the interval of the share that passed. The correction divides it by "
            "sensitivity + specificity - 1.",
        },
    ),
    "hle_verified/4": Exercise(
        88.89,
        "Take the first 15 rows of `suspects`, count those whose decision is repaired or excluded, and divide by all "
        "wrong keys.",
        tolerance=0.5,
        mistakes={
            53.33: "That is the share of the reviewed keys that are wrong. Of how many wrong keys are these?",
        },
    ),
    "kina/1": Exercise(
        4.04,
        "Effort must pay against a hasty and against a diligent other: the larger of the two thresholds counts.",
        tolerance=0.02,
        unit="hours",
        mistakes={
            3.42: "That is the threshold against a hasty other alone.",
            2.67: "That is the threshold with the bar at 2.",
        },
    ),
    "kina/2": Exercise(
        20_760,
        "The gap is a share (1.37 points are 0.0137), and `sd` is that of the difference: sqrt(differ - gap^2).",
        tolerance=25,
        unit="items",
        mistakes={12_540: "That is enough for a power of 80 %."},
    ),
    "kina/3": Exercise(
        83.33,
        "Greedy takes the item with the most new topics at each step. Compare with the best of all pairs of items.",
        mistakes={71.43: "That is greedy's share of all topics. Divide by what the best pair covers."},
    ),
    "cbu/1": Exercise(
        15,
        "Count upwards until `order_chance` reaches 0.95. A tie counts half.",
        unit="rollouts",
        mistakes={18: "So many it takes if a tie counts as a wrong order; here it counts half."},
    ),
    "cbu/2": Exercise(
        10,
        "With n families the least p is 2 / 2^n, when all differences have one sign. It must reach 0.05 / 15.",
        unit="families",
        mistakes={6: "That is enough for one comparison; here it is one of 15."},
    ),
    "cbu/3": Exercise(
        80,
        "One candidate far below all others pulls the mean down. How many wrong ones can then be above it?",
        mistakes={100: "Not all five: the one that pulls the mean down is below it."},
    ),
}
