"""Every answer is worked out again from the text of the question, by another route than the builder's."""

import ast
import datetime
import functools
import operator
import re
import statistics
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proctor.data.schemas import LETTERS
from proctor.generated.draft import DISTINCT, DOUBLED
from proctor.generated.families import Family
from proctor.generated.generate import FAMILIES, PATH, VERSION, generate, questions_as_jsonl
from scipy.stats import chisquare

DRAWS = [(name, level) for name in FAMILIES for level in (1, 2, 3)]


@functools.cache
def drawn():
    return [question for seed in range(8) for question in generate(seed=seed)]


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def calculate(expression):
    """Exact value of an expression of whole numbers with + - * /, by Python's own parser."""
    signs = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: Fraction}

    def value(node):
        if isinstance(node, ast.Constant):
            return node.value
        return signs[type(node.op)](value(node.left), value(node.right))

    return value(ast.parse(expression, mode="eval").body)


def solve_sums(text):
    return calculate(re.fullmatch(r"What is ([\d +]+)\?", text)[1])


def solve_products(text):
    a, b = map(int, re.fullmatch(r"What is (\d+) times (\d+)\?", text).groups())
    return sum(a for _ in range(b))


def solve_sequences(text):
    terms = np.array(numbers(text))
    if len(terms) == 8:
        assert len(set(np.diff(terms[0::2]))) == len(set(np.diff(terms[1::2]))) == 1
        terms = terms[0::2]
    # Interpolation: a polynomial of degree at most 2 through all the terms, evaluated one further on.
    curve = np.polynomial.Polynomial.fit(range(len(terms)), terms, 2)
    assert np.allclose(curve(np.arange(len(terms))), terms)
    return round(curve(len(terms)))


def solve_comparing(text):
    listed = text[text.index(":") + 2 : -1].split(", ")
    by_value = {Fraction(*map(int, x.split("/"))) if "/" in x else Decimal(x): x for x in listed}
    assert len(by_value) == len(listed)
    return by_value[sorted(by_value)[-1]]


def solve_letters(text):
    quoted = re.findall(r"'([a-z ]+)'", text)
    if text.startswith("How many"):
        return quoted[1].count(quoted[0])
    if text.startswith("Write"):
        return "".join(quoted[0][int(n) - 1] for n in re.findall(r"(\d+)(?:st|nd|rd|th)\b", text))
    return "".join(reversed([c for c in quoted[1] if c != quoted[0]]))


def solve_weekdays(text):
    day = datetime.date(2024, 1, 1)
    while day.strftime("%A") != re.match(r"Today is (\w+)\.", text)[1]:
        day += datetime.timedelta(days=1)
    days = datetime.timedelta(days=numbers(text)[0])
    return (day - days if "days ago" in text else day + days).strftime("%A")


def solve_perimeter(text):
    given_numbers = numbers(text)
    if text.startswith("A rectangle has"):
        around, more = given_numbers
        (length,) = [n for n in range(more, around) if 2 * n + 2 * (n - more) == around]
        return length
    length, width, *cut = given_numbers
    # Count the unit edges between a square inside the shape and a square outside it.
    cells = {(i, j) for i in range(length) for j in range(width)}
    if cut:
        cells -= {(i, j) for i in range(cut[0]) for j in range(cut[1])}
        assert {(i, j) in cells for i, j in ((length - 1, 0), (0, width - 1))} == {True}
    return sum((i + di, j + dj) not in cells for i, j in cells for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)))


def solve_average(text):
    found = numbers(text)
    if text.startswith("What"):
        return statistics.mean(found)
    if text.startswith("Five"):
        target, *known = found
        (missing,) = [n for n in range(1, 500) if statistics.mean([*known, n]) == target]
        return missing
    n, first, m, second, everyone = found
    assert n + m == everyone
    return statistics.mean([first] * n + [second] * m)


def solve_operation(text):
    rules = [rule.strip() for rule in re.findall(r"\d?a [+-] \d?b", text)]

    def apply(a, b):
        rule = rules[0] if len(rules) == 1 or a > b else rules[1]
        return calculate(re.sub(r"(?<=\d)(?=[ab])", "*", rule).replace("a", str(a)).replace("b", str(b)))

    x, y, *z = numbers(text[text.index("What is") :])
    return apply(apply(x, y), z[0]) if z else apply(x, y)


SOLVERS = {name: globals()[f"solve_{name}"] for name in FAMILIES}


def of(name, level):
    return [q for q in drawn() if q.category == name and q.level == level]


@pytest.mark.parametrize("name, level", DRAWS)
def test_answers_agree_with_an_independent_solution(name, level):
    for question in of(name, level):
        asked = [(question.question, question.answer)]
        asked += [(near["question"], near["answer"]) for near in question.extra["neighbours"]]
        for text, answer in asked:
            assert answer == str(SOLVERS[name](text)), text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(DRAWS), st.integers(0, 2**32))
def test_any_seed_gives_a_right_answer_and_another_wrong_one(draw, seed):
    draft = FAMILIES[draw[0]].make(draw[1], np.random.default_rng(seed))
    assert draft.answer == str(SOLVERS[draw[0]](draft.question)) != draft.wrong_answer
    assert len(set(draft.options)) == 10
    assert draft.options[0].startswith(draft.answer) and draft.options[1].startswith(draft.wrong_answer)


# Each wrong answer, again by another route, from the question and the name of the misconception.


def place_sums(text):
    total, width = 0, max(map(len, re.findall(r"\d+", text)))
    for place in range(width):
        column = sum(int(n[-1 - place]) for n in re.findall(r"\d+", text) if len(n) > place)
        total += 10**place * (column if place == width - 1 else int(str(column)[-1]))
    return total


def digits_multiplied(text):
    a, b = re.findall(r"\d+", text)
    return int(a) * sum(map(int, b))


def like_parts_multiplied(text):
    a, b = re.findall(r"\d+", text)
    return int(a[0]) * int(b[0]) * 10 ** len(b) + int(a[1:]) * int(b[1:])


def first_rule(text):
    p = numbers(text)[0]
    x, y, z = numbers(text[text.index("What is") :])
    return p * (p * x - y) - z


def plain_rule(text):
    p, q = numbers(text)[:2]
    return (lambda a, b: p * a + q * b), numbers(text[text.index("What is") :])


def swapped(text):
    apply, (x, y) = plain_rule(text)
    return apply(y, x)


def moved(text):
    apply, (x, y, z) = plain_rule(text)
    return apply(x, apply(y, z))


def quoted(text):
    return re.findall(r"'([a-z ]+)'", text)


def halves(text):
    kept = quoted(text)[1].replace(quoted(text)[0], "")
    cut = len(kept) // 2
    return "".join(reversed(kept[:cut])) + "".join(reversed(kept[cut:]))


def one_day_short(text):
    return solve_weekdays(re.sub(r"\d+", lambda found: str(int(found[0]) - 1), text))


MISTAKES = {
    "carries dropped": place_sums,
    "place value lost": digits_multiplied,
    "no cross terms": like_parts_multiplied,
    "step counted as the numbers between": lambda t: numbers(t)[-1] + len(range(*numbers(t)[-2:])) - 1,
    "last step repeated": lambda t: 2 * numbers(t)[-1] - numbers(t)[-2],
    "longer decimal taken for larger": lambda t: max(re.findall(r"\d\.\d+", t), key=lambda x: int(x[2:])),
    "numerators compared": lambda t: max(re.findall(r"\d+/\d+", t), key=lambda x: int(x[: x.index("/")])),
    "double letters counted once": lambda t: len(re.findall(f"{quoted(t)[0]}+", quoted(t)[1])),
    "counted from zero": lambda t: "".join(quoted(t)[0][int(n)] for n in re.findall(r"(\d+)(?:st|nd|rd|th)\b", t)),
    "halves turned round apart": halves,
    "today counted as the first day": one_day_short,
    "area for perimeter": lambda t: numbers(t)[0] * numbers(t)[1],
    "cut piece's perimeter subtracted": lambda t: 2 * sum(numbers(t)[:2]) - 2 * sum(numbers(t)[2:]),
    "perimeter not halved": lambda t: sum(numbers(t)) // 2,
    "median for mean": lambda t: statistics.median(numbers(t)),
    "gap of the means added once": lambda t: 2 * numbers(t)[0] - statistics.mean(numbers(t)[1:]),
    "mean of the means": lambda t: (numbers(t)[1] + numbers(t)[3]) // 2,
    "operands swapped": swapped,
    "brackets moved": moved,
    "first rule for every case": first_rule,
}


@pytest.mark.parametrize("name, level", DRAWS)
def test_wrong_answers_follow_from_the_named_misconception(name, level):
    for question in of(name, level):
        extra = question.extra
        assert extra["wrong_answer"] == str(MISTAKES[extra["wrong_method"]](question.question)), question.question
        assert extra["wrong_answer"] != question.answer


def test_every_misconception_occurs():
    assert {q.extra["wrong_method"] for q in drawn()} == set(MISTAKES)


def test_every_equation_in_a_solution_holds():
    # The wrong solutions err in method: their arithmetic is as sound as that of the right ones.
    found = 0
    for question in drawn():
        for key in ("right", "wrong"):
            for left, right in re.findall(r"(\d[\d +x/-]*) = (\d+)", question.extra[key]):
                found += 1
                assert calculate(left.replace("x", "*")) == int(right), (question.id, left, right)
    assert found > 1000


def test_solutions_end_with_their_answers():
    for question in drawn():
        extra = question.extra
        assert question.rationale == extra["right"]
        assert extra["right"].endswith(f" The answer is {question.answer}.")
        assert extra["wrong"].endswith(f" The answer is {extra['wrong_answer']}.")
        assert extra["lucky"].endswith(f" The answer is {question.answer}.")
        assert extra["lucky"].split(" The answer is ")[0] == extra["wrong"].split(" The answer is ")[0]


def test_right_and_wrong_solutions_look_alike_in_length():
    for question in drawn():
        ratio = len(question.extra["wrong"]) / len(question.extra["right"])
        assert 0.6 < ratio < 1.6, (question.id, ratio)
        assert all(2 <= len(re.findall(r"\.(?:\s|$)", question.extra[key])) <= 5 for key in ("right", "wrong"))


def test_no_text_occurs_twice():
    texts = [
        text
        for q in generate(per_level=12)
        for text in (q.question, *(near["question"] for near in q.extra["neighbours"]))
    ]
    assert len(set(texts)) == len(texts) == 9 * 3 * 12 * 4


def test_neighbours_cannot_be_answered_by_copying():
    for question in drawn():
        answers = {near["answer"] for near in question.extra["neighbours"]}
        assert not answers & {question.answer, question.extra["wrong_answer"]}


def test_ids_name_family_level_and_place():
    ids = [q.id for q in generate(per_level=2, families=["sums", "letters"], levels=[3])]
    assert ids == ["sums-3-01", "sums-3-02", "letters-3-01", "letters-3-02"]
    assert {(q.source, q.cluster == q.category) for q in drawn()} == {(VERSION, True)}


def test_asking_for_fewer_gives_a_subset():
    six = {q.id: q for q in generate(per_level=6)}
    three = generate(per_level=3)
    assert len(three) == 81 and all(six[q.id] == q for q in three)


def test_families_and_levels_do_not_disturb_each_other():
    everything = {q.id: q for q in generate(per_level=2)}
    some = generate(per_level=2, families=["weekdays", "sums"], levels=(3, 1))
    assert len(some) == 8 and all(everything[q.id] == q for q in some)


def test_committed_file_is_what_the_generator_gives():
    assert PATH.read_text() == questions_as_jsonl(generate())


def test_ten_options_are_distinct_and_the_letter_is_right():
    for question in drawn():
        options, extra = question.extra["options"], question.extra
        assert len(options) == len(set(options)) == 10
        chosen, misled = (options[LETTERS.index(extra[name])] for name in ("letter", "wrong_letter"))
        if question.category == "weekdays":
            days = numbers(question.question)[0]
            assert chosen == f"{question.answer}, {days // 7} full week{'s' if days > 13 else ''}"
            assert misled.startswith(extra["wrong_answer"] + ",")
        else:
            assert (chosen, misled) == (question.answer, extra["wrong_answer"])


def test_comparing_has_its_answer_largest_among_all_ten():
    for question in drawn():
        if question.category == "comparing":
            values = {Fraction(text): text for text in question.extra["options"]}
            assert len(values) == 10 and values[max(values)] == question.answer


def test_number_options_are_whole_numbers_of_like_size():
    for question in drawn():
        if question.category in ("sums", "products", "sequences", "perimeter", "average", "operation"):
            values = [int(text) for text in question.extra["options"]]
            assert min(values) >= 0
            assert max(values) < 10 * max(int(question.answer), int(question.extra["wrong_answer"]), 2)


def test_right_letters_are_spread_evenly():
    counts = Counter(q.extra["letter"] for q in drawn())
    assert set(counts) == set(LETTERS) and chisquare(list(counts.values())).pvalue > 0.001
    committed = Counter(q.extra["letter"] for q in generate())
    assert set(committed) == set(LETTERS) and chisquare(list(committed.values())).pvalue > 0.01


def test_rank_of_the_right_number_gives_little_away():
    # Always naming the option of one rank must not do much better than one in ten.
    ranks = Counter(
        sorted(map(int, q.extra["options"])).index(int(q.answer))
        for q in drawn()
        if q.category in ("sums", "products", "sequences", "perimeter", "average", "operation")
    )
    assert set(ranks) == set(range(10)) and max(ranks.values()) / sum(ranks.values()) < 0.16


def test_voting_over_the_options_stays_below_a_third():
    # The limit that the datasheet states: the option that shares most characters, place by place, with the others.
    expected = []
    for question in drawn():
        if question.category not in ("weekdays", "comparing"):
            texts = [text[::-1] for text in question.extra["options"]]
            votes = [sum(a == b for other in texts for a, b in zip(text, other)) for text in texts]
            best = [LETTERS[i] for i, vote in enumerate(votes) if vote == max(votes)]
            expected.append((question.extra["letter"] in best) / len(best))
    assert 0.1 < statistics.mean(expected) < 1 / 3


def test_levels_take_more_steps_or_larger_numbers():
    def mean_of(measure, name):
        return [statistics.mean(map(measure, of(name, level))) for level in (1, 2, 3)]

    def biggest(question):
        return max(numbers(question.question))

    def size(question):
        return int(question.answer)

    def given_count(question):
        return len(numbers(question.question))

    def signs_and_cases(question):
        return question.question.count("#") + question.question.count("when")

    rising = {"sums": size, "products": size, "weekdays": biggest, "comparing": given_count}
    for name, measure in rising.items():
        first, second, third = mean_of(measure, name)
        assert first < second < third, name
    assert mean_of(signs_and_cases, "operation") == [2, 3, 5]
    assert {given_count(q) for q in of("sums", 1)} == {3} and {given_count(q) for q in of("sums", 3)} == {6}
    assert {given_count(q) for q in of("sequences", 3)} == {8}
    for name in ("perimeter", "average", "sequences"):
        easy, hard = ({q.extra["wrong_method"] for q in of(name, level)} for level in (1, 3))
        assert easy.isdisjoint(hard), name
    equations = mean_of(lambda q: q.extra["right"].count(" = "), "perimeter")
    assert equations[0] < equations[2]


def test_both_kinds_of_transfer_exist_by_design():
    kinds = {name: family.transfers for name, family in FAMILIES.items()}
    assert len(kinds) == 9
    assert all(kinds[name] for name in ("perimeter", "average", "operation", "sequences"))
    assert not kinds["weekdays"] and not kinds["letters"]
    assert all(family.why.endswith(".") for family in FAMILIES.values())


def test_words_have_the_letters_that_their_lists_promise():
    assert all(len(set(word)) == len(word) and 7 <= len(word) <= 10 for word in DISTINCT)
    assert all(re.search(r"(.)\1", word) for word in DOUBLED)
    assert len(set(DISTINCT)) == len(DISTINCT) and len(set(DOUBLED)) == len(DOUBLED)


def test_bad_requests_say_what_to_choose():
    with pytest.raises(ValueError, match="'sum' is unknown: choose from sums"):
        generate(families=["sum"])
    with pytest.raises(ValueError, match="different levels from 1, 2, 3"):
        generate(levels=[4])
    with pytest.raises(ValueError, match="different levels from 1, 2, 3"):
        generate(levels=[1, 1])
    with pytest.raises(ValueError, match="lower per_level"):
        generate(per_level=100, families=["weekdays"], levels=[1])
    with pytest.raises(ValueError, match="level 0 does not exist"):
        FAMILIES["sums"].make(0, np.random.default_rng(0))


def test_a_family_that_never_succeeds_ends():
    with pytest.raises(RuntimeError, match="widen its ranges"):
        Family(lambda level, rng: None, True, "").make(1, np.random.default_rng(0))
