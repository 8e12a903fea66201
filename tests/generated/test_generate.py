"""What `generate` promises of the questions of all families; the answers themselves are checked in the families' tests."""

import functools
import re
import statistics
from collections import Counter

import numpy as np
import pytest
from proctor.data.schemas import LETTERS
from proctor.generated.draft import DISTINCT, DOUBLED, Family
from proctor.generated.generate import COMMITTED, FAMILIES, VERSIONS, generate, questions_as_jsonl
from proctor.paths import QUESTIONS
from scipy.stats import chisquare


@functools.cache
def drawn():
    return [question for seed in range(2) for question in generate(seed=seed, per_level=3)]


def test_solutions_end_with_their_answers():
    for question in drawn():
        extra = question.extra
        assert question.rationale == extra["right"]
        assert extra["right"].endswith(f" The answer is {question.answer}.")
        assert extra["wrong"].endswith(f" The answer is {extra['wrong_answer']}.")
        assert extra["lucky"].endswith(f" The answer is {question.answer}.")
        assert extra["lucky"].split(" The answer is ")[0] == extra["wrong"].split(" The answer is ")[0]


def test_no_text_occurs_twice():
    texts = [
        text
        for q in generate(per_level=5)
        for text in (q.question, *(near["question"] for near in q.extra["neighbours"]))
    ]
    assert len(set(texts)) == len(texts) == 27 * 3 * 5 * 4


def test_neighbours_cannot_be_answered_by_copying():
    for question in drawn():
        answers = {near["answer"] for near in question.extra["neighbours"]}
        assert not answers & {question.answer, question.extra["wrong_answer"]}


def test_ids_name_family_level_and_place():
    questions = generate(per_level=2, families=["mean", "box"], levels=[3])
    assert [q.id for q in questions] == ["mean-3-01", "mean-3-02", "box-3-01", "box-3-02"]
    assert [q.source for q in questions[1:3]] == ["families-v2", "families-v3"]
    assert all(q.cluster == q.category for q in questions)


def test_asking_for_fewer_gives_a_subset():
    two = {q.id: q for q in generate(per_level=2)}
    one = generate(per_level=1)
    assert len(one) == 81 and all(two[q.id] == q for q in one)


def test_families_and_levels_do_not_disturb_each_other():
    everything = {q.id: q for q in generate(per_level=1)}
    some = generate(per_level=1, families=["tank", "mean"], levels=(3, 1))
    assert len(some) == 4 and all(everything[q.id] == q for q in some)


@pytest.mark.parametrize("version", COMMITTED)
def test_the_committed_files_are_what_the_generator_gives(version):
    questions = generate(per_level=COMMITTED[version], families=VERSIONS[version])
    assert (QUESTIONS / f"{version.replace('-', '_')}.jsonl").read_text() == questions_as_jsonl(questions)


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
    with pytest.raises(ValueError, match="'sum' is unknown: choose from invented_sign"):
        generate(families=["sum"])
    with pytest.raises(ValueError, match="different levels from 1, 2, 3"):
        generate(levels=[4])
    with pytest.raises(ValueError, match="different levels from 1, 2, 3"):
        generate(levels=[1, 1])
    with pytest.raises(ValueError, match="lower per_level"):
        generate(per_level=100, families=["angles"], levels=[1])
    with pytest.raises(ValueError, match="level 0 does not exist"):
        FAMILIES["mean"].make(0, np.random.default_rng(0))


def test_a_family_that_never_succeeds_ends():
    with pytest.raises(RuntimeError, match="widen its ranges"):
        Family(lambda level, rng: None, True, "").make(1, np.random.default_rng(0))
