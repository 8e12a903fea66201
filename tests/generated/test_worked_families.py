"""families-v2: each answer is computed again from the text of the question, by another route than its steps."""

import functools
import itertools
import re
from collections import Counter
from fractions import Fraction

import pytest
from proctor.generated.generate import generate
from proctor.generated.worked import EQUATION, SLIPS
from proctor.generated.worked_families import WORKED_FAMILIES


@functools.cache
def questions():
    return generate(2, per_level=5, families=WORKED_FAMILIES)


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def only(values):
    (value,) = values
    return value


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


@pytest.mark.parametrize("name", WORKED_FAMILIES)
def test_answers_are_those_of_an_independent_solver(name):
    mine = [question for question in questions() if question.category == name]
    assert len(mine) == 15
    for question in mine:
        assert int(question.answer) == globals()[name](question.question), question.question
        for near in question.extra["neighbours"]:
            assert int(near["answer"]) == globals()[name](near["question"]), near


def test_right_solutions_hold_one_operation_a_step_and_end_in_the_answer():
    for question in questions():
        steps = question.extra["right"].removesuffix(f" The answer is {question.answer}.")
        sentences = re.findall(r"[^.]+\.", steps)
        equations = [EQUATION.findall(sentence) for sentence in sentences]
        assert all(len(found) == 1 for found in equations), steps
        assert equations[-1][0][3] == question.answer
        assert EQUATION.findall(question.extra["right_again"]) == list(itertools.chain(*equations))
        assert question.extra["right_again"] != steps


def test_wrong_solutions_are_of_several_kinds_and_answers():
    for question in questions():
        wrongs = question.extra["wrongs"]
        assert len({question.answer, *(wrong["answer"] for wrong in wrongs)}) == len(wrongs) + 1 == 4
    kinds = Counter(wrong["slip"] for question in questions() for wrong in question.extra["wrongs"])
    assert set(kinds) == set(SLIPS) and min(kinds.values()) > 50
