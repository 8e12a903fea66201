import functools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.generated.generate import FAMILIES, SEED, generate
from proctor.kina.generated_items import SLIPS, STEPS, off, plain_items, pseudo_items, set_options
from proctor.kina.items import statements


@functools.cache
def plain():
    return plain_items(per_level=3)


@functools.cache
def pseudo(antichain):
    return pseudo_items(27, antichain=antichain)


def test_a_seed_gives_the_same_items_and_more_items_leave_the_first_as_they_were():
    assert plain_items(per_level=3) == plain() and plain_items(seed=5, per_level=1) != plain_items(seed=6, per_level=1)
    assert pseudo_items(9) == pseudo(True)[:9]


def test_the_right_option_is_the_questions_answer_and_the_misconception_is_among_the_wrong():
    questions = {q.id: q for q in generate(per_level=3)}
    assert len(plain()) == len(questions) == 3 * 3 * len(FAMILIES)
    for item in plain():
        question = questions[item.extra["exact_id"]]
        assert question.answer in (item.right.answer, item.right.answer.split(",")[0])
        assert item.right.explanation == question.rationale and item.right.source
        misled = next(option for option in item.wrong if option.answer == item.extra["misled"])
        assert misled.explanation == f"{question.extra['wrong_method']}."


@pytest.mark.parametrize("seed", [SEED, 6], ids=["committed", "right_2_misled_0"])
def test_every_wrong_number_is_what_its_explanation_says(seed):
    methods = {q.id: (q.extra["wrong_method"], q.extra["wrong_answer"]) for q in generate(seed, per_level=3)}
    for item in plain_items(seed, per_level=3):
        method, misled = methods[item.extra["exact_id"]]
        for option in item.wrong:
            steps = option.explanation.removesuffix(".").split(", and then ")
            value = int(misled) if steps[0] == method else int(item.right.answer)
            for slip in steps[steps[0] == method :]:
                value = SLIPS[slip](value)
            assert value == int(option.answer) != int(item.right.answer)


def test_a_step_can_be_undone():
    for there, back in zip(STEPS[::2], STEPS[1::2]):
        assert all(SLIPS[back](SLIPS[there](n)) == n for n in range(200))


def test_each_letter_is_right_equally_often_in_every_ten_items():
    for items in (plain(), pseudo(True)):
        for start in range(0, len(items) - 9, 10):
            assert len({item.correct_answer for item in items[start : start + 10]}) == 10


def test_right_numbers_have_no_favourite_rank_among_the_options():
    ranks = Counter(
        sorted(int(option.answer) for option in item.options).index(int(item.right.answer))
        for item in plain_items(per_level=8)
        if item.right.answer.isdigit()
    )
    assert max(ranks.values()) < 0.2 * sum(ranks.values()) and len(ranks) == 10


@pytest.mark.parametrize("antichain", [True, False])
def test_statements_are_true_as_the_right_set_says(antichain):
    answers = {q.id: (q.answer, q.extra["wrong_answer"]) for q in generate(per_level=9)}
    for item in pseudo(antichain):
        right = item.sets[item.options.index(item.right)]
        for number, (text, exact) in enumerate(zip(statements(item.question), item.extra["exact_ids"]), 1):
            assert text.endswith(f" has the answer {answers[exact][number not in right]}.")


def test_the_explanation_of_a_set_says_what_is_off():
    assert off(frozenset({1, 2}), frozenset({2, 3})) == "takes 1 for true and leaves out 3."
    assert off(frozenset({1, 2, 3}), frozenset({2, 3})) == "takes 1 for true."


@settings(max_examples=40, deadline=None)
@given(st.integers(6, 8), st.integers(2, 4), st.booleans(), st.integers(0, 10**6))
def test_sets_keep_the_rules_whatever_is_right(n, size, antichain, seed):
    rng = np.random.default_rng(seed)
    right = frozenset(int(i) + 1 for i in rng.permutation(n)[:size])
    ten = set_options(right, n, rng, antichain=antichain)
    sizes = Counter(map(len, ten))
    assert ten[0] == right and len(set(ten)) == 10 and not any(chosen < right for chosen in ten)
    assert max(sizes.values()) <= 5 and max(sizes) - min(sizes) <= 2 and sizes[size] > 1
    if antichain:
        assert not any(a < b for a in ten for b in ten)


def test_too_few_statements_or_questions_are_errors():
    with pytest.raises(ValueError, match="at least four"):
        set_options(frozenset({1}), 3, np.random.default_rng(0))
    with pytest.raises(ValueError, match="not all"):
        set_options(frozenset(range(1, 7)), 6, np.random.default_rng(0))
    with pytest.raises(ValueError, match="no ten sets fit"):
        set_options(frozenset({1, 2}), 4, np.random.default_rng(0))
    with pytest.raises(ValueError, match="at least one of each"):
        pseudo_items(3, families=[])
    with pytest.raises(ValueError, match="unknown"):
        plain_items(families=["alchemy"])
