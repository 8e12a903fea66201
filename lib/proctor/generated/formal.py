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

SEED = 20260101
VISIBLE, HIDDEN = 3, 25  # tests of a function: that the program gets, and in all


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
    for kind, templates in (("units", QUANTITIES), ("equation", EQUATIONS), ("code", FUNCTIONS)):
        for place, template in enumerate(templates):
            rng = np.random.default_rng([SEED, len(kind), place])  # the kinds differ in length
            own: dict[str, Formal] = {}
            for _ in range(100 * per_template):
                formal = MAKERS[kind](template, f"formal-{template.__name__}-{len(own) + 1}", rng)
                own.setdefault(formal.question.question, formal)
                if len(own) == per_template:
                    break
            else:
                raise ValueError(f"{template.__name__} has only {len(own)} different questions: ask for fewer")
            found += own.values()
    return found


def whole(rng: Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


# quantities: (question, value, unit)


def mean_speed(rng: Generator):
    speed, hours = whole(rng, 11, 89), whole(rng, 2, 9)
    return f"A train covers {speed * hours} km in {hours} hours. What is its mean speed in km/h?", speed, "km/h"


def density(rng: Generator):
    grams, volume = whole(rng, 2, 19), whole(rng, 3, 40)
    words = f"A block of {grams * volume} g has a volume of {volume} cm^3. What is its density in g/cm^3?"
    return words, grams, "g/cm^3"


def pressure(rng: Generator):
    force, area = whole(rng, 12, 90), whole(rng, 2, 9)
    words = f"A force of {force} N presses evenly on an area of {area} cm^2. What is the pressure in Pa?"
    return words, force / area * 10_000, "Pa"


def work(rng: Generator):
    force, way = whole(rng, 12, 90), whole(rng, 3, 30)
    words = f"A cart is pulled over {way} m by a force of {force} N along its way. What work is done, in J?"
    return words, force * way, "J"


def power(rng: Generator):
    watts, minutes = whole(rng, 20, 400), whole(rng, 2, 9)
    words = f"A heater uses {watts * minutes * 60:,} J in {minutes} minutes. What is its power in W?"
    return words.replace(",", ""), watts, "W"


def flow(rng: Generator):
    rate, minutes = whole(rng, 2, 30), whole(rng, 2, 9)
    words = f"A pump moves {rate * minutes * 60} L of water in {minutes} minutes. What is its rate in L/s?"
    return words, rate, "L/s"


def charge(rng: Generator):
    current, minutes = whole(rng, 2, 15), whole(rng, 2, 20)
    words = f"A current of {current} A flows for {minutes} minutes. What charge has passed, in C?"
    return words, current * minutes * 60, "C"


def kinetic_energy(rng: Generator):
    mass, speed = 2 * whole(rng, 1, 40), whole(rng, 3, 20)
    words = f"A body of {mass} kg moves at {speed} m/s. What is its kinetic energy in J?"
    return words, mass * speed**2 / 2, "J"


# equations: (equation, solutions)


def linear(rng: Generator):
    a, x, b = whole(rng, 2, 9), whole(rng, -12, 12), whole(rng, 1, 30)
    return f"{a}x + {b} = {a * x + b}", (x,)


def both_sides(rng: Generator):
    a, c, x, b = whole(rng, 6, 12), whole(rng, 2, 5), whole(rng, -9, 9), whole(rng, 1, 20)
    return f"{a}x + {b} = {c}x {_signed((a - c) * x + b)}", (x,)


def brackets(rng: Generator):
    a, b, c, x = whole(rng, 5, 9), whole(rng, 1, 9), whole(rng, 2, 4), whole(rng, -9, 9)
    return f"{a}(x + {b}) - {c}(x - {b}) = {a * (x + b) - c * (x - b)}", (x,)


def quotient(rng: Generator):
    b, x, c = whole(rng, 1, 9), whole(rng, 1, 12), whole(rng, 2, 9)
    return f"{c * (x + b)}/(x + {b}) = {c}", (x,)


def square(rng: Generator):
    a, b = whole(rng, 1, 9), whole(rng, 2, 9)
    return f"(x - {a})^2 = {b * b}", (a - b, a + b)


def quadratic(rng: Generator):
    one, two = sorted(map(int, rng.choice(np.setdiff1d(np.arange(-9, 9), [0]), 2, replace=False)))
    two += one == -two  # no term of 0x
    return f"x^2 {_signed(-(one + two), 'x')} {_signed(one * two)} = 0", (one, two)


def half_root(rng: Generator):
    odd, two = 2 * whole(rng, 0, 4) + 1, whole(rng, 5, 9)  # (2x - odd)(x - two)
    return f"2x^2 {_signed(-(odd + 2 * two), 'x')} {_signed(odd * two)} = 0", (odd / 2, two)


def cubic(rng: Generator):
    a, b, c = sorted(map(int, rng.choice(np.arange(1, 6), 3, replace=False)))
    middle, last = _signed(a * b + a * c + b * c, "x"), _signed(-a * b * c)
    return f"x^3 {_signed(-(a + b + c), 'x^2')} {middle} {last} = 0", (a, b, c)


def _signed(number: int, letter: str = "") -> str:
    """A term with its sign in front: -5, "x" -> "- 5x"; a factor of 1 is not written."""
    factor = "" if letter and abs(number) == 1 else str(abs(number))
    return f"{'-' if number < 0 else '+'} {factor}{letter}"


# functions: (what `f` returns, the function, arguments of a test)


def divisible_sum(rng: Generator):
    k, m = whole(rng, 3, 5), whole(rng, 6, 9)
    words = f"the sum of the whole numbers from 1 to n (inclusive) that are divisible by {k} but not by {m}"
    return "n", words, lambda n: sum(i for i in range(1, n + 1) if i % k == 0 and i % m), lambda g: (whole(g, 0, 90),)


def largest_distinct(rng: Generator):
    k = whole(rng, 2, 6)
    words = f"the number in place {k} when the different numbers of the list xs stand from the largest down, or None "
    words += f"where xs has fewer than {k} different numbers"

    def right(xs):
        return next(iter(sorted(set(xs), reverse=True)[k - 1 : k]), None)

    return "xs", words, right, _numbers


def long_runs(rng: Generator):
    k = whole(rng, 2, 6)
    words = f"how many runs of at least {k} equal letters in a row the text s has (a run ends where the letter changes)"
    return "s", words, lambda s: sum(len(list(run)) >= k for _, run in itertools.groupby(s)), _letters


def digit_sum(rng: Generator):
    base = whole(rng, 3, 9)
    words = f"the sum of the digits of the whole number n >= 0 written in base {base}"

    def right(n):
        return n % base + right(n // base) if n else 0

    return "n", words, right, lambda g: (whole(g, 0, 5000),)


def rotated(rng: Generator):
    k = whole(rng, 2, 6)
    words = f"the list xs rotated to the right by {k} places, as a new list; the empty list stays empty"
    return (
        "xs",
        words,
        lambda xs: xs[-(k % len(xs)) :] + xs[: -(k % len(xs))] if xs and k % len(xs) else [*xs],
        _numbers,
    )


def pairs_of_sum(rng: Generator):
    total = whole(rng, 4, 10)
    words = f"the number of pairs of places i < j in the list xs with xs[i] + xs[j] == {total}"
    return "xs", words, lambda xs: sum(a + b == total for a, b in itertools.combinations(xs, 2)), _numbers


def upper_words(rng: Generator):
    k = whole(rng, 1, 5)
    words = f"the text s with every word of exactly {k} letters in capitals; words are separated by single spaces"

    def right(s):
        return " ".join(word.upper() if len(word) == k else word for word in s.split(" "))

    return "s", words, right, lambda g: (" ".join("abcdef"[: whole(g, 1, 5)] for _ in range(whole(g, 0, 5))),)


def trimmed_mean(rng: Generator):
    k = whole(rng, 1, 5)
    words = f"the mean of the list xs without its {k} smallest and its {k} largest numbers (equal ones are dropped one "
    words += f"by one), or 0 where xs has {2 * k} numbers or fewer"

    def right(xs):
        kept = sorted(xs)[k : len(xs) - k] if len(xs) > 2 * k else []
        return sum(kept) / len(kept) if kept else 0

    return "xs", words, right, _numbers


def _numbers(rng: Generator) -> tuple:
    return ([whole(rng, -3, 9) for _ in range(whole(rng, 0, 12))],)


def _letters(rng: Generator) -> tuple:
    return ("".join("ab"[whole(rng, 0, 1)] * whole(rng, 1, 4) for _ in range(whole(rng, 0, 6))),)


QUANTITIES = (mean_speed, density, pressure, work, power, flow, charge, kinetic_energy)
EQUATIONS = (linear, both_sides, brackets, quotient, square, quadratic, half_root, cubic)
FUNCTIONS = (
    divisible_sum,
    largest_distinct,
    long_runs,
    digit_sum,
    rotated,
    pairs_of_sum,
    upper_words,
    trimmed_mean,
)


def _quantity(template: Callable, id: str, rng: Generator) -> Formal:
    words, value, unit = template(rng)
    return Formal(_asked(template, id, words, "units", f"{value:g} {unit}", unit=unit), value=float(value))


def _equation(template: Callable, id: str, rng: Generator) -> Formal:
    equation, solutions = template(rng)
    words = f"Solve {equation} for x. Give every solution."
    key = " or ".join(f"x = {one:g}" for one in solutions)
    return Formal(
        _asked(template, id, words, "equation", key, equation=equation), solutions=tuple(map(float, solutions))
    )


def _function(template: Callable, id: str, rng: Generator) -> Formal:
    argument, words, right, draw = template(rng)
    tests: list[str] = []
    while len(tests) < HIDDEN:
        tests += {_test(right, draw(rng))} - {*tests}
    asked = f"Write a Python function f({argument}) that returns {words}."
    visible, every = "\n".join(tests[:VISIBLE]), "\n".join(tests)
    return Formal(_asked(template, id, asked, "code", None, tests=visible), all_tests=every)


def _test(right: Callable, given: tuple) -> str:
    value = right(*given)
    call = f"f({', '.join(map(repr, given))})"
    if isinstance(value, float):
        return f"assert abs({call} - {value!r}) < 1e-9"
    return f"assert {call} == {value!r}"


def _asked(template: Callable, id: str, words: str, kind: str, key: str | None, **extra: str) -> Question:
    return Question(
        id=id, question=words, answer=key, category=kind, cluster=template.__name__, source="generated", extra=extra
    )


MAKERS = {"units": _quantity, "equation": _equation, "code": _function}
