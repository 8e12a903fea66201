"""Exercises with a self-check: what a cell of an exercise notebook says of the reader's answer.

    check = Checker({"uq/2": Exercise(lambda: 0.4, "Mind the ties.", tolerance=0.01)})
    check("uq/2", None)        # uq/2: not answered yet
    check("uq/2", 0.9)         # uq/2: not yet: Mind the ties.
    check("uq/2", 0.4)         # uq/2: right

An exercise holds the function that computes the answer, never the answer. The exercises of a paper are in
`lib/proctor/<paper>/exercises.py`; the notebook hands them to a Checker.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

NOT_ANSWERED, RIGHT, NOT_YET = "not answered yet", "right", "not yet"


@dataclass(frozen=True)
class Exercise:
    """One exercise. expected: computes the answer, a number or one of `choices`.

    hint: what is said of a wrong answer. tolerance: how far off a number may be, in `unit` ("percent", "items" ...).
    mistakes: {hint: function that computes the number which a common mistake gives}; it has that hint in place of
    the other.
    """

    expected: Callable[[], float | str]
    hint: str
    tolerance: float = 0.0
    unit: str = ""
    choices: tuple[str, ...] = ()
    mistakes: Mapping[str, Callable[[], float]] = field(default_factory=dict)

    def mark(self, answer: Any) -> str:
        """ "not answered yet", "right" or "not yet: <hint>"; of an answer of the wrong type the hint says what to give.

        >>> third = Exercise(lambda: 33.3, "Divide by all three.", tolerance=0.1, unit="percent")
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
        listed = ", ".join(repr(choice) for choice in self.choices)
        if not isinstance(answer, str) or answer.strip() not in self.choices:
            return f"give one of {listed}"
        return "" if answer.strip() == self.expected() else self.hint

    def _of_number(self, answer: Any) -> str:
        kind = f"a number in {self.unit}" if self.unit else "a number"
        if isinstance(answer, bool) or not isinstance(answer, Real):
            said = repr(answer)
            return f"give {kind}, not {type(answer).__name__}" + (f" {said}" if len(said) <= 20 else "")
        if not math.isfinite(answer):
            return f"give {kind}; this is {answer}"
        expected = float(self.expected())
        if self._near(answer, expected):
            return ""
        if self.unit == "percent" and self._near(100 * float(answer), expected):
            return "that is a share; give it in percent"
        for hint, wrong in self.mistakes.items():
            if self._near(answer, float(wrong())):
                return hint
        return self.hint

    def _near(self, answer: Any, value: float) -> bool:
        return abs(float(answer) - value) <= self.tolerance + 1e-9


class Checker:
    """Says of answers to `exercises`, {name: Exercise}, whether they are right."""

    def __init__(self, exercises: Mapping[str, Exercise]):
        self.exercises = exercises

    def __call__(self, name: str, answer: Any) -> None:
        """Print "<name>: <mark>". Raises KeyError for a name that is no exercise here."""
        print(f"{name}: {self._exercise(name).mark(answer)}")

    def solution(self, name: str, answer: Any) -> None:
        """The same of an answer that the notebook's own solution computes. Raises AssertionError unless it is right."""
        mark = self._exercise(name).mark(answer)
        if mark != RIGHT:
            raise AssertionError(f"the solution of {name} gives {answer!r}: {mark}")
        print(f"{name}: {answer} is {mark}")

    def _exercise(self, name: str) -> Exercise:
        if name not in self.exercises:
            raise KeyError(f"{name!r} is no exercise of this notebook: {', '.join(self.exercises)}")
        return self.exercises[name]
