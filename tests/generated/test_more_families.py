"""families-v3: each answer is computed again from the question's text, by another route than its steps."""

import functools
import itertools
import math
import re
from datetime import datetime
from fractions import Fraction

import numpy as np
import pytest
from proctor.generated.generate import VERSIONS, generate
from proctor.generated.more_families import MORE_FAMILIES, STAY, more_families
from proctor.generated.worked import EQUATION
from proctor.generated.worked_families import WORKED_FAMILIES


@functools.cache
def questions():
    return generate(1, per_level=2, families=MORE_FAMILIES)


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def only(values):
    (value,) = values
    return value


def speed(text):
    first, second, third = numbers(text)
    if "steady" in text:
        return Fraction(first * third, second)
    if "cyclists" in text:
        return Fraction(first * second, second + third)
    return only(third * t for t in range(1, 5_000) if first * (second + t) == third * t)


def painters(text):
    given = numbers(text)
    if "hours a day" in text:
        n, hours, days, m, other = given
        return Fraction(n * hours * days, m * other)
    if "join" not in text:
        n, days, m = given
        return Fraction(n * days, m)
    n, days, early, more = given
    left, took = n * days - n * early, 0
    while left > 0:
        left, took = left - n - more, took + 1
    return took if left == 0 else None


def clock(text):
    begin, end = (datetime.strptime(time, "%H:%M") for time in re.findall(r"\d+:\d+", text))
    minutes, *rest = (end - begin).seconds // 60, *numbers(re.sub(r"\d+:\d+", "", text))
    return (minutes - sum(rest[:1])) * (rest[1] if len(rest) > 1 else 1)


def ratio(text):
    a, b, *rest = numbers(text)
    unit = Fraction(rest[-1], a - b)
    return unit * (a if "does the first get" in text else a + b + sum(rest[:-1]))


def two_kinds(text):
    if "hens" in text.lower():
        heads, legs = numbers(text)
        return only(r for r in range(heads + 1) if 4 * r + 2 * (heads - r) == legs)
    child, adult, *rest = numbers(text)
    paid, tickets = rest if "Seats" not in text else rest[::-1]
    found = only(n for n in range(tickets + 1) if n * adult + (tickets - n) * child == paid)
    return found * adult if "Seats" in text else found


def fence(text):
    if "trees" in text:
        trees, length, first, second = numbers(text)
        places = [Fraction(length * i, trees - 1) for i in range(trees)]
        return places[second - 1] - places[first - 1]
    length, gap = numbers(text)
    return len(range(0, length + 1, gap)) * (2 if "both sides" in text else 1)


def handshakes(text):
    n, *m = numbers(text)
    pairs = list(itertools.combinations(range(n + sum(m)) if "team" in text else range(n), 2))
    if "team" in text:
        return sum(one < n for one, _ in pairs)
    return sum(not m or other >= m[0] for _, other in pairs)


def box(text):
    a, b, c = numbers(text)
    if "wire" in text:
        return sum([a, b, c] * 4)
    return 2 * (a * b + b * c + a * c) - (a * b if "lid" in text else 0)


def angles(text):
    n, *other = numbers(text)
    total = 180 * n - 360
    if "equal" in text:
        return Fraction(total - 2 * other[0], n - 2)
    return total - sum(other)


def series(text):
    if "multiples" in text:
        times, _, last = numbers(text)
        return sum(range(times, last + 1, times))
    first, last = numbers(text)
    return sum(range(first, last + 1))


def divisor(text):
    return math.gcd(*numbers(text))


def percent(text):
    if "before" in text:
        up, new = numbers(text)
        return Fraction(100 * new, 100 + up)
    price, up, *down = numbers(text)
    return price * Fraction(100 + up, 100) * Fraction(100 - sum(down), 100)


def base(text):
    radix, digits = numbers(text)
    return int(str(digits), radix)


def choices(text):
    n, *rest = numbers(text)
    if "menu" in text:
        return n * rest[0] * rest[1]
    return math.perm(n, 3) - (rest[0] * math.perm(n - 1, 2) if rest else 0)


def ledger(text):
    moves = re.findall(r"(sells|receives) (\d+)", text)
    return numbers(text)[0] + sum(int(n) * (1 if what == "receives" else -1) for what, n in moves)


def machine(text):
    found = numbers(text)[0]
    for what, number in re.findall(r"(multiply by|add|subtract) (\d+)", text):
        found = eval(f"{found} {dict(multiply='*', add='+', subtract='-')[what.split()[0]]} {number}")
    return found


def letter_values(text):
    count, word = int(re.search(r"first (\d+)", text)[1]), re.search(r"of '(\w+)'", text)[1]
    return sum("abcdefghijklmnopqrstuvwxyz".index(letter) + 1 for letter in word[:count])


def word_lengths(text):
    more, less = (sum(map(str.isalpha, words)) for words in re.findall(r"'(.+?)'", text))
    return more - less


@pytest.mark.parametrize("name", MORE_FAMILIES)
def test_answers_are_those_of_an_independent_solver(name):
    mine = [question for question in questions() if question.category == name]
    assert len(mine) == 6
    for question in mine:
        assert int(question.answer) == globals()[name](question.question), question.question
        for near in question.extra["neighbours"]:
            assert int(near["answer"]) == globals()[name](near["question"]), near


def test_solutions_hold_one_operation_a_step_and_their_slips_differ():
    for question in questions():
        right = EQUATION.findall(question.extra["right"])
        assert EQUATION.findall(question.extra["right_again"]) == right and right[-1][3] == question.answer
        assert question.extra["right_again"] not in question.extra["right"]
        assert len({question.answer, *(wrong["answer"] for wrong in question.extra["wrongs"])}) == 4


def test_four_of_eighteen_families_hold_nothing_that_carries_over():
    assert len(MORE_FAMILIES) == 18
    assert tuple(name for name, family in MORE_FAMILIES.items() if not family.transfers) == STAY


def test_no_two_of_27_families_share_a_template_or_the_order_of_their_operations():
    """A template is the text without its numbers and quoted words; the order is the operators and their operands."""
    texts, orders = {}, {}
    for question in (*generate(1, per_level=2, families=WORKED_FAMILIES), *questions()):
        text = re.sub(r"'.*?'|\d+", "#", question.question)
        assert texts.setdefault(re.sub(r"# ([-+x,] )?(?=#)", "", text), question.category) == question.category
        kind = tuple(line[1] for line in EQUATION.findall(question.extra["right"]))
        orders.setdefault(question.category, set()).add((question.level, kind))
    assert len(orders) == 27
    alike = [(a, b) for a, b in itertools.combinations(orders, 2) if orders[a] == orders[b]]
    assert not alike


def test_words_that_would_give_a_negative_difference_are_drawn_again():
    rng = np.random.default_rng(5)
    answers = [int(MORE_FAMILIES["word_lengths"].make(3, rng).answer) for _ in range(60)]
    assert min(answers) >= 0


def test_a_larger_size_makes_larger_numbers_and_leaves_size_one_as_it_is():
    def largest(size):
        found, rng = more_families(size), np.random.default_rng(1)
        return {name: max(numbers(found[name].make(3, rng).answer)) for name in ("series", "handshakes", "ledger")}

    small, large = largest(1), largest(1000)
    assert all(large[name] > 20 * small[name] for name in small)
    with pytest.raises(ValueError, match="size 0"):
        more_families(0)
    assert {name: family.why for name, family in more_families().items()} == {
        name: family.why for name, family in VERSIONS["families-v3"].items()
    }
