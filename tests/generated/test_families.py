"""families-v2 and -v3: each committed answer is computed again from the text of the question, by another route."""

import functools
import itertools
import math
import re
from collections import Counter, defaultdict
from datetime import datetime
from fractions import Fraction

import pytest
from proctor.data.questions import load_families
from proctor.generated.generate import FAMILIES, VERSIONS
from proctor.generated.more_families import MORE_FAMILIES
from proctor.generated.worked import EQUATION, SLIPS


@functools.cache
def questions():
    return [question for version in VERSIONS for question in load_families(version=version)]


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


def invented_sign(text):
    rule, asked = re.fullmatch(r"Let a # b mean (.+?)\. What is (.+)\?", text).groups()
    body = re.sub(r"(\d)([ab])", r"\1*\2", rule.replace("ab", "a*b"))

    def apply(a, b):
        return eval(body, {"a": a, "b": b})

    if asked.startswith("("):
        x, y, z = numbers(asked)
        return apply(apply(x, y), z)
    return apply(*numbers(asked))


def rectangle(text):
    first, second = numbers(text)
    if "What is its width" in text:
        return only(w for w in range(1, first) if 2 * (w + second) == first)
    width = only(w for w in range(1, first) if 2 * (w + w + second) == first)
    return width + second if "length" in text.split(".")[1] else width * (width + second)


def mean(text):
    if "group" in text:
        n, first, m, second = numbers(text)
        return Fraction(n * first + m * second, n + m)
    if "missing" in text or "fourth" in text:
        average, *known = numbers(text)
        return only(x for x in range(1, 10_000) if sum(known) + x == 4 * average)
    return Fraction(sum(numbers(text)), 4)


def sequence(text):
    if "equal steps" in text:
        *terms, place = numbers(text)
        while len(terms) < place:
            terms.append(terms[-1] + terms[-1] - terms[-2])
        return terms[place - 1]
    terms = numbers(text)
    for _ in range(2):  # third differences are zero
        terms.append(3 * terms[-1] - 3 * terms[-2] + terms[-3])
    return terms[5 if "after the next" in text else 4]


def change(text):
    if "percent" in text:
        price, other, n, m, percent = numbers(text)
        return Fraction((n * price + m * other) * (100 - percent), 100)
    if "pads" in text:
        price, other, n, m, paid = numbers(text)
        return paid - sum([price] * n + [other] * m)
    price, n, paid = numbers(text)
    return paid - sum([price] * n)


def tank(text):
    given = numbers(text)
    a, b = given[:2]
    leak = given[2] if "leak" in text else 0
    alone = given[2] if "alone" in text else 0
    level, minutes = 0, 0
    while level < given[-1]:
        minutes += 1
        level += a + (b if minutes > alone else 0) - leak
    assert level == given[-1]
    return minutes


def ages(text):
    if "older than Ben" in text:
        more, together = numbers(text)
        return only(a for a in range(together + 1) if a + (a - more) == together)
    if "Together" in text:
        times, together = numbers(text)
        return only(a for a in range(together + 1) if a * (times + 1) == together * times)
    ben, years, times = numbers(text)
    return only(a for a in range(1_000) if a + years == times * (ben + years))


def long_sum(text):
    return sum(numbers(text))


def letter_count(text):
    letter, words = re.fullmatch(r"How many times does the letter '(.)' occur in '(.+)'\?", text).groups()
    return Counter(words)[letter]


@pytest.mark.parametrize("name", FAMILIES)
def test_answers_are_those_of_an_independent_solver(name):
    mine = [question for question in questions() if question.category == name]
    assert len(mine) == (27 if name in MORE_FAMILIES else 36)
    for question in mine:
        assert int(question.answer) == globals()[name](question.question), question.question
        for near in question.extra["neighbours"]:
            assert int(near["answer"]) == globals()[name](near["question"]), near


def test_solutions_hold_one_operation_a_step_and_their_slips_differ():
    kinds = Counter()
    for question in questions():
        extra, wrongs = question.extra, question.extra["wrongs"]
        sentences = re.findall(r"[^.]+\.", extra["right"].removesuffix(f" The answer is {question.answer}."))
        equations = [EQUATION.findall(sentence) for sentence in sentences]
        assert {len(found) for found in equations[question.category == "letter_values" :]} == {1}
        right = list(itertools.chain(*equations))
        assert right[-1][3] == question.answer and EQUATION.findall(extra["right_again"]) == right
        assert extra["right_again"] not in extra["right"]
        assert len({question.answer, *(wrong["answer"] for wrong in wrongs)}) == len(wrongs) + 1 == 4
        kinds.update(wrong["slip"] for wrong in wrongs)
    assert set(kinds) == set(SLIPS) and min(kinds.values()) > 50


def test_no_two_of_27_families_share_a_template_or_the_order_of_their_operations():
    """A template is the text without its numbers and quoted words; the order is the operators and their operands."""
    texts, orders = {}, defaultdict(set)
    for question in questions():
        text = re.sub(r"'.*?'|\d+", "#", question.question)
        assert texts.setdefault(re.sub(r"# ([-+x,] )?(?=#)", "", text), question.category) == question.category
        kind = tuple(line[1] for line in EQUATION.findall(question.extra["right"]))
        orders[question.category].add((question.level, kind))
    assert len(orders) == 27
    assert not [pair for pair in itertools.combinations(orders, 2) if orders[pair[0]] == orders[pair[1]]]
