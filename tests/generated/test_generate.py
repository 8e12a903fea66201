"""What `generate` promises of the questions of all families; the answers themselves are checked in the families' tests."""

import functools
import re
import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.questions import load_families
from proctor.data.schemas import LETTERS
from proctor.generated.generate import COMMITTED, FAMILIES, VERSIONS, generate, questions_as_jsonl
from proctor.generated.worked import (
    DISTINCT,
    DOUBLED,
    EQUATION,
    Step,
    carry_out,
    spoil,
    written,
)
from proctor.paths import QUESTIONS
from scipy.stats import chisquare


@functools.cache
def drawn():
    return [question for version in COMMITTED for question in load_families(version=version)]


@pytest.mark.parametrize("version", COMMITTED)
def test_the_committed_files_are_what_the_generator_gives(version):
    questions = generate(per_level=COMMITTED[version], families=VERSIONS[version])
    assert (QUESTIONS / f"{version.replace('-', '_')}.jsonl").read_text() == questions_as_jsonl(questions)


def test_fewer_questions_families_and_levels_are_a_part_of_all():
    everything = {question.id: question for question in drawn()}
    few = generate(per_level=2, families=["mean", "box"], levels=(3, 1))
    assert [question.id for question in few[1:6]] == ["mean-3-02", "mean-1-01", "mean-1-02", "box-3-01", "box-3-02"]
    assert all(everything[question.id] == question and question.cluster == question.category for question in few)
    assert [question.source for question in few[3:5]] == ["families-v2", "families-v3"]


def test_solutions_end_with_their_answers_and_no_text_occurs_twice():
    texts = []
    for question in drawn():
        extra = question.extra
        assert question.rationale == extra["right"]
        assert extra["right"].endswith(f" The answer is {question.answer}.")
        assert extra["wrong"].endswith(f" The answer is {extra['wrong_answer']}.")
        assert extra["lucky"].endswith(f" The answer is {question.answer}.")
        assert extra["lucky"].split(" The answer is ")[0] == extra["wrong"].split(" The answer is ")[0]
        texts += [question.question, *(near["question"] for near in extra["neighbours"])]
        answers = {near["answer"] for near in extra["neighbours"]}
        assert not answers & {question.answer, extra["wrong_answer"]}  # none can be solved by copying
    assert len(set(texts)) == len(texts) == (324 + 486) * 4


def test_ten_options_are_distinct_numbers_of_like_size_and_the_letters_are_right():
    for question in drawn():
        options, extra = question.extra["options"], question.extra
        assert len(options) == len(set(options)) == 10
        chosen, misled = (options[LETTERS.index(extra[name])] for name in ("letter", "wrong_letter"))
        assert (chosen, misled) == (question.answer, extra["wrong_answer"])
        values = [int(text) for text in options]
        assert min(values) >= 0
        assert max(values) < 10 * max(int(question.answer), int(extra["wrong_answer"]), 2)


def test_right_letters_are_spread_evenly():
    counts = Counter(q.extra["letter"] for q in drawn())
    assert set(counts) == set(LETTERS) and chisquare(list(counts.values())).pvalue > 0.001


def test_rank_of_the_right_number_gives_little_away():
    # Always naming the option of one rank must not do much better than one in ten.
    ranks = Counter(sorted(map(int, q.extra["options"])).index(int(q.answer)) for q in drawn())
    assert set(ranks) == set(range(10)) and max(ranks.values()) / sum(ranks.values()) < 0.16


def test_voting_over_the_options_stays_below_a_third():
    # The limit that the datasheet states: the option that shares most characters, place by place, with the others.
    expected = []
    for question in drawn():
        texts = [text[::-1] for text in question.extra["options"]]
        votes = [sum(a == b for other in texts for a, b in zip(text, other)) for text in texts]
        best = [LETTERS[i] for i, vote in enumerate(votes) if vote == max(votes)]
        expected.append((question.extra["letter"] in best) / len(best))
    assert 0.1 < statistics.mean(expected) < 1 / 3


def test_words_have_the_letters_that_their_lists_promise():
    assert all(len(set(word)) == len(word) and 7 <= len(word) <= 10 for word in DISTINCT)
    assert all(re.search(r"(.)\1", word) for word in DOUBLED)
    assert len(set(DISTINCT)) == len(DISTINCT) and len(set(DOUBLED)) == len(DOUBLED)


def test_bad_requests_say_what_to_choose():
    for asked, message in (
        (dict(families=["sum"]), "'sum' is unknown: choose from invented_sign"),
        (dict(levels=[4]), "different levels from 1, 2, 3"),
        (dict(levels=[1, 1]), "different levels from 1, 2, 3"),
        (dict(per_level=100, families=["angles"], levels=[1]), "lower per_level"),
    ):
        with pytest.raises(ValueError, match=message):
            generate(**asked)


# worked solutions: carried out, checked and spoiled


@pytest.mark.parametrize("left, operator, right", [("n", "-", "paid"), ("paid", "/", "n"), ("paid", "/", 0)])
def test_a_step_that_gives_no_whole_number_is_named(left, operator, right):
    with pytest.raises(ValueError, match="'part': (6 - 250|250 / [06]) is no whole number of at least 0"):
        carry_out((Step("part", left, operator, right, "Next"),), {"n": 6, "paid": 250})


def equations(text):
    """Of each step its operator, numbers and result; two factors or summands may stand in either order."""
    return [(sign, sorted((one, two)) if sign in "+x" else [one, two], value)
            for one, sign, two, value in EQUATION.findall(text)]  # fmt: skip


@given(st.sampled_from(sorted(FAMILIES)), st.integers(1, 3), st.integers(0, 2**32))
def test_wrong_solutions_are_wrong_at_one_place_and_share_no_answer(name, level, seed):
    rng = np.random.default_rng(seed)
    problem = None
    while problem is None:
        problem = FAMILIES[name](level, rng)
    slips = spoil(problem, rng)
    answers = [problem.answer, *(slip.answer for slip in slips)]
    assert len(set(answers)) == len(answers)
    right = equations(written(problem.lines))
    for slip in slips:
        text, at = written(slip.lines), slip.at - 1
        made = equations(text)
        assert made[:at] == right[:at] and made[at : at + 1] != right[at : at + 1]
        # All other equations are true: only the planted result may be wrong, and only in that kind of slip.
        false = [e for e in EQUATION.findall(text) if eval("".join(e[:3]).replace("x", "*")) != int(e[3])]
        assert len(false) == (slip.kind == "wrong result")
