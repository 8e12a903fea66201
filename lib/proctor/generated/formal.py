"""Questions whose answers a program can test: quantities with units, equations, and functions in Python (UQ, I.1).

Twenty-four templates, eight of each kind. The question carries what the programs of `uq/programs.py` read (`extra`:
unit, equation or tests). What decides whether an answer is right is more than that: the number and the unit, all
solutions of the equation, and `Formal.all_tests`, of which the program gets the first three.

    for formal in formal_questions(per_template=5): print(formal.question.question, formal.question.answer)
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from proctor.data.schemas import Question
from proctor.generated.worked import draw_integer

SEED = 20260101
VISIBLE, HIDDEN = 3, 25  # tests of a function: that the program gets, and in all
Draw = Callable[[Generator], list[int]]


@dataclass(frozen=True)
class Formal:
    """A question and what its answer is checked by. value: of a quantity, in the unit asked for. solutions: of an
    equation, all of them. all_tests: Python with asserts."""

    question: Question
    value: float | None = None
    solutions: tuple[float, ...] = ()
    all_tests: str = ""


def formal_questions(per_template: int = 5) -> list[Formal]:
    """`per_template` different questions of each template; category: units, equation or code; cluster: the template.

    Raises ValueError where a template has not so many (all have five)."""
    found: list[Formal] = []
    for kind, (templates, make) in KINDS.items():
        for place, (name, template) in enumerate(templates.items()):
            rng = np.random.default_rng([SEED, len(kind), place])  # the kinds differ in length
            own: dict[str, Formal] = {}
            for _ in range(100 * per_template):
                words, key, extra, checks = make(rng, *template)
                at = dict(id=f"formal-{name}-{len(own) + 1}", category=kind, cluster=name, source="generated")
                own.setdefault(words, Formal(Question(question=words, answer=key, extra=extra, **at), **checks))
                if len(own) == per_template:
                    break
            else:
                raise ValueError(f"{name} has only {len(own)} different questions: ask for fewer")
            found += own.values()
    return found


def between(*limits: tuple[int, int]) -> Draw:
    """Draws a whole number within each of these limits."""
    return lambda rng: [draw_integer(rng, low, high) for low, high in limits]


def different(n: int, *pool: int) -> Draw:
    """Draws n different numbers of the pool, in rising order."""
    return lambda rng: sorted(map(int, rng.choice(pool, n, replace=False)))


QUANTITIES = {  # numbers drawn; of these: question, value, unit
    "mean_speed": (between((11, 89), (2, 9)), lambda speed, hours: (
        f"A train covers {speed * hours} km in {hours} hours. What is its mean speed in km/h?", speed, "km/h")),
    "density": (between((2, 19), (3, 40)), lambda grams, volume: (
        f"A block of {grams * volume} g has a volume of {volume} cm^3. What is its density in g/cm^3?",
        grams, "g/cm^3")),
    "pressure": (between((12, 90), (2, 9)), lambda force, area: (
        f"A force of {force} N presses evenly on an area of {area} cm^2. What is the pressure in Pa?",
        force / area * 10_000, "Pa")),
    "work": (between((12, 90), (3, 30)), lambda force, way: (
        f"A cart is pulled over {way} m by a force of {force} N along its way. What work is done, in J?",
        force * way, "J")),
    "power": (between((20, 400), (2, 9)), lambda watts, minutes: (
        f"A heater uses {watts * minutes * 60} J in {minutes} minutes. What is its power in W?", watts, "W")),
    "flow": (between((2, 30), (2, 9)), lambda rate, minutes: (
        f"A pump moves {rate * minutes * 60} L of water in {minutes} minutes. What is its rate in L/s?", rate, "L/s")),
    "charge": (between((2, 15), (2, 20)), lambda current, minutes: (
        f"A current of {current} A flows for {minutes} minutes. What charge has passed, in C?",
        current * minutes * 60, "C")),
    "kinetic_energy": (between((1, 40), (3, 20)), lambda half, speed: (
        f"A body of {2 * half} kg moves at {speed} m/s. What is its kinetic energy in J?", half * speed**2, "J")),
}  # fmt: skip


def with_zeros(*zeros: float, factor: int = 1) -> tuple[str, tuple[float, ...]]:
    """The equation of the polynomial with these zeros, multiplied out, and the zeros.

    >>> with_zeros(1.5, 5, factor=2)
    ('2x^2 - 13x + 15 = 0', (1.5, 5))
    """
    powers = [*(f"x^{n}" for n in range(len(zeros), 1, -1)), "x", ""]
    terms = map(_signed, np.rint(factor * np.poly(zeros)).astype(int), powers)
    return f"{' '.join(terms).removeprefix('+ ')} = 0", zeros


def _signed(number: int, power: str = "") -> str:
    """A term with its sign in front: -5, "x" -> "- 5x"; a factor of 1 is not written."""
    factor = "" if power and abs(number) == 1 else str(abs(number))
    return f"{'-' if number < 0 else '+'} {factor}{power}"


EQUATIONS = {  # numbers drawn; of these: equation, solutions
    "linear": (between((2, 9), (-12, 12), (1, 30)), lambda a, x, b: (f"{a}x + {b} = {a * x + b}", (x,))),
    "both_sides": (between((6, 12), (2, 5), (-9, 9), (1, 20)), lambda a, c, x, b: (
        f"{a}x + {b} = {c}x {_signed((a - c) * x + b)}", (x,))),
    "brackets": (between((5, 9), (1, 9), (2, 4), (-9, 9)), lambda a, b, c, x: (
        f"{a}(x + {b}) - {c}(x - {b}) = {a * (x + b) - c * (x - b)}", (x,))),
    "quotient": (between((1, 9), (1, 12), (2, 9)), lambda b, x, c: (f"{c * (x + b)}/(x + {b}) = {c}", (x,))),
    "square": (between((1, 9), (2, 9)), lambda a, b: (f"(x - {a})^2 = {b * b}", (a - b, a + b))),
    "quadratic": (different(2, *range(-9, 0), *range(1, 9)),
                  lambda one, two: with_zeros(one, two + (one == -two))),  # no term of 0x
    "half_root": (between((0, 4), (5, 9)), lambda one, two: with_zeros(one + 0.5, two, factor=2)),
    "cubic": (different(3, *range(1, 6)), with_zeros),
}  # fmt: skip


def _numbers(rng: Generator) -> list[int]:
    return [draw_integer(rng, -3, 9) for _ in range(draw_integer(rng, 0, 12))]


def _letters(rng: Generator) -> str:
    return "".join("ab"[draw_integer(rng, 0, 1)] * draw_integer(rng, 1, 4) for _ in range(draw_integer(rng, 0, 6)))


def _words(rng: Generator) -> str:
    return " ".join("abcdef"[: draw_integer(rng, 1, 5)] for _ in range(draw_integer(rng, 0, 5)))


FUNCTIONS = {  # numbers drawn; the argument of `f`, and how one of a test is drawn; what `f` returns, in words; `f`
    "divisible_sum": (between((3, 5), (6, 9)), "n", lambda rng: draw_integer(rng, 0, 90), lambda k, m:
        f"the sum of the whole numbers from 1 to n (inclusive) that are divisible by {k} but not by {m}",
        lambda n, k, m: sum(i for i in range(1, n + 1) if i % k == 0 and i % m)),
    "largest_distinct": (between((2, 6)), "xs", _numbers, lambda k:
        f"the number in place {k} when the different numbers of the list xs stand from the largest down, or None "
        f"where xs has fewer than {k} different numbers",
        lambda xs, k: next(iter(sorted(set(xs), reverse=True)[k - 1 : k]), None)),
    "long_runs": (between((2, 6)), "s", _letters, lambda k:
        f"how many runs of at least {k} equal letters in a row the text s has (a run ends where the letter changes)",
        lambda s, k: sum(len(list(run)) >= k for _, run in itertools.groupby(s))),
    "digit_sum": (between((3, 9)), "n", lambda rng: draw_integer(rng, 0, 5000), lambda base:
        f"the sum of the digits of the whole number n >= 0 written in base {base}",
        lambda n, base: sum(map(int, np.base_repr(n, base)))),
    "rotated": (between((2, 6)), "xs", _numbers, lambda k:
        f"the list xs rotated to the right by {k} places, as a new list; the empty list stays empty",
        lambda xs, k: xs[-(k % len(xs)) :] + xs[: -(k % len(xs))] if xs else []),
    "pairs_of_sum": (between((4, 10)), "xs", _numbers, lambda total:
        f"the number of pairs of places i < j in the list xs with xs[i] + xs[j] == {total}",
        lambda xs, total: sum(a + b == total for a, b in itertools.combinations(xs, 2))),
    "upper_words": (between((1, 5)), "s", _words, lambda k:
        f"the text s with every word of exactly {k} letters in capitals; words are separated by single spaces",
        lambda s, k: " ".join(word.upper() if len(word) == k else word for word in s.split(" "))),
    "trimmed_mean": (between((1, 5)), "xs", _numbers, lambda k:
        f"the mean of the list xs without its {k} smallest and its {k} largest numbers (equal ones are dropped one "
        f"by one), or 0 where xs has {2 * k} numbers or fewer",
        lambda xs, k: sum(sorted(xs)[k:-k]) / (len(xs) - 2 * k) if len(xs) > 2 * k else 0),
}  # fmt: skip

# A maker of questions gives: question, key, `extra` of the question, and the fields of Formal.
Asked = tuple[str, str | None, dict[str, str], dict]


def _quantity(rng: Generator, draw: Draw, of: Callable) -> Asked:
    words, value, unit = of(*draw(rng))
    return words, f"{value:g} {unit}", dict(unit=unit), dict(value=float(value))


def _equation(rng: Generator, draw: Draw, of: Callable) -> Asked:
    equation, solutions = of(*draw(rng))
    key = " or ".join(f"x = {one:g}" for one in solutions)
    checks = dict(solutions=tuple(map(float, solutions)))
    return f"Solve {equation} for x. Give every solution.", key, dict(equation=equation), checks


def _function(
    rng: Generator, draw: Draw, argument: str, draw_argument: Callable, words: Callable, f: Callable
) -> Asked:
    numbers, tests = draw(rng), list[str]()
    while len(tests) < HIDDEN:
        given = draw_argument(rng)
        value = f(given, *numbers)
        same = f"abs(f({given!r}) - {value!r}) < 1e-9" if isinstance(value, float) else f"f({given!r}) == {value!r}"
        tests += {f"assert {same}"} - {*tests}
    asked = f"Write a Python function f({argument}) that returns {words(*numbers)}."
    return asked, None, dict(tests="\n".join(tests[:VISIBLE])), dict(all_tests="\n".join(tests))


KINDS = {"units": (QUANTITIES, _quantity), "equation": (EQUATIONS, _equation), "code": (FUNCTIONS, _function)}
