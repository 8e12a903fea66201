"""Submissions by the rules of hle/1_collection, each with its row, field and mend; the difficulty check in one equation."""

import json
import re
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.schemas import LETTERS, Question
from proctor.data.tabular import DataError, problem, read_rows, summary
from proctor.exam.answer_match import plain_text
from proctor.hle.review import Solving, fit_difficulty, guess_passes, most_right
from scipy import integrate

GOOD = dict(
    id="q1",
    question="How many groups of order 16 are there?",
    answer="14",
    rationale="By classification ...",
    subject="Mathematics",
    author="Ada",
    affiliation="Analytical Institute",
)
CHOICE = GOOD | dict(id="q2", question="Which of these is prime?", answer="C", options=["15", "21", "23", "25", "27"])


@pytest.fixture(scope="module")
def collection(defined):
    named = dict(
        json=json, re=re, Path=Path, np=np, pd=pd, LETTERS=LETTERS, plain_text=plain_text, most_right=most_right
    )
    files = dict(DataError=DataError, problem=problem, read_rows=read_rows, summary=summary)
    return defined("hle/1_collection", **named, **files)


def write(folder, *rows):
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_good_submissions_are_read_options_of_a_csv_as_json(collection, tmp_path):
    assert len(collection.read_submissions(write(tmp_path, GOOD, CHOICE))) == 2
    rows = [GOOD | {"options": None}, CHOICE | {"options": json.dumps(CHOICE["options"])}]
    pd.DataFrame(rows).to_csv(tmp_path / "mine.csv", index=False)
    assert len(collection.read_submissions(tmp_path / "mine.csv")) == 2
    with pytest.raises(DataError, match="no submissions"):
        collection.read_submissions(write(tmp_path))


@pytest.mark.parametrize(
    "change, field, word",
    [
        (dict(rationale=""), "rationale", "missing"),
        (dict(author=7), "author", "as text"),
        (dict(autor="Ada"), "autor", "unknown field. Remove it; known are id"),
        (dict(question="Explain why the sky is blue."), "question", "open-ended"),
        (dict(answer="word " * 30), "answer", "at most 100"),
        (dict(answer="3.14159"), "answer", "at most 3"),
        (dict(options=["15", "21", "23", "25"], answer="C"), "options", "Give 5 to 10"),
        (dict(options=["15", "21", "23", "25", " 15 "], answer="C"), "options", "alike"),
        (dict(options="15 or 21", answer="A"), "options", "Write them as"),
        (dict(options=["1", "2", "3", "4", "5"], answer="F"), "answer", "one of ABCDE"),
        (dict(question=CHOICE["question"].upper()), "question", "given twice"),
    ],
)
def test_each_fault_names_row_field_and_mend(collection, tmp_path, change, field, word):
    with pytest.raises(DataError) as error:
        collection.read_submissions(write(tmp_path, CHOICE, GOOD | change))
    assert f"mine.jsonl, row 2, column {field}: " in str(error.value) and word in str(error.value)


# The difficulty check


@given(st.integers(1, 12), st.integers(2, 10))
def test_most_right_is_the_largest_number_that_each_rule_lets_through(models, options):
    assert most_right("exactMatch", models) == 0
    assert most_right("multipleChoice", models, options) == 1
    most = most_right("multipleChoice", models, options, "below chance")
    assert most / models < 1 / options or most == 0
    assert (most + 1) * options >= models and most == ceil(models / options) - 1


def test_exact_match_must_stump_all_and_choice_all_but_one(collection):
    exact = Question(id="e", question="?", answer="1")
    pick = Question(id="c", question="?", answer="A", answer_type="multipleChoice", options=tuple("abcde"))
    tries = [
        dict(model=f"m{i}", question_id=q, correct=i in right)
        for q, right in (("e", [3]), ("c", [3]))
        for i in range(4)
    ]
    found = collection.difficulty_check(pd.DataFrame(tries), [exact, pick]).set_index("question_id")["stumped"]
    assert found.to_dict() == {"e": False, "c": True}
    assert not collection.difficulty_check(pd.DataFrame(tries), [pick], "below chance")["stumped"].any()
    with pytest.raises(ValueError, match="one model has not tried"):
        collection.difficulty_check(pd.DataFrame(tries[1:]), [exact])


# The check in one equation, against quadrature and all patterns counted


@given(st.floats(0.3, 5), st.floats(0.3, 5), st.integers(1, 6))
def test_shares_equal_the_integrals_over_all_chances(a, b, models):
    def mean(f):
        return integrate.quad(f, 0, 1, weight="alg", wvar=(a - 1, b - 1))[0]

    whole, passing = mean(lambda p: 1), mean(lambda p: (1 - p) ** models)
    one = Solving(a, b)
    assert one.passes(models) == pytest.approx(passing / whole)
    assert one.before == pytest.approx(mean(lambda p: p) / whole)
    assert one.retest_accuracy(models) == pytest.approx(mean(lambda p: p * (1 - p) ** models) / passing)


@given(st.floats(0.01, 0.95), st.floats(0.01, 0.6), st.integers(1, 8))
def test_fit_difficulty_finds_the_chances_or_says_why_there_are_none(passes, again, models):
    if passes >= (1 - again) ** models:
        with pytest.raises(ValueError, match="all alike"):
            fit_difficulty(passes, again, models)
    elif passes < 0.99 * (1 - again) ** models:
        found = fit_difficulty(passes, again, models)
        assert found.passes(models) == pytest.approx(passes) and found.retest_accuracy(models) == pytest.approx(again)


def test_chance_that_a_guessed_question_passes_equals_all_patterns_counted():
    for models, options in ((4, 5), (6, 5), (4, 10)):
        none, one = (1 - 1 / options) ** models, models / options * (1 - 1 / options) ** (models - 1)
        assert guess_passes(models, options, "all but one") == pytest.approx(none + one)
    assert guess_passes(4, 5, "below chance") == pytest.approx(0.8**4)
