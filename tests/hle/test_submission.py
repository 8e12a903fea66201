"""Submissions: each rule with its row, field and mend; and the difficulty check, by both rules of the paper."""

import json
from math import ceil

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.schemas import Question
from proctor.data.tabular import DataError
from proctor.hle.submission import Solving, difficulty_check, fit_difficulty, guess_passes, most_right, read_submissions
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


def write(folder, *rows):
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_good_submissions_become_questions(tmp_path):
    one, two = read_submissions(write(tmp_path, GOOD, CHOICE))
    assert (one.answer_type, two.answer_type, one.category) == ("exactMatch", "multipleChoice", "Mathematics")
    assert one.extra == dict(author="Ada", affiliation="Analytical Institute")
    assert two.options == tuple(CHOICE["options"])


def test_a_csv_holds_options_as_json(tmp_path):
    path = tmp_path / "mine.csv"
    rows = [GOOD | {"options": None}, CHOICE | {"options": json.dumps(CHOICE["options"])}]
    pd.DataFrame(rows).to_csv(path, index=False)
    assert [len(one.options) for one in read_submissions(path)] == [0, 5]


@pytest.mark.parametrize(
    "change, field, word",
    [
        *((dict([(field, "")]), field, "missing") for field in GOOD if field != "id"),
        (dict(author=7), "author", "as text"),
        (dict(autor="Ada"), "autor", "Did you mean author"),
        (dict(colour="red"), "colour", "unknown"),
        (dict(question="Explain why the sky is blue."), "question", "open-ended"),
        (dict(question="Prove that 2 is prime."), "question", "open-ended"),
        (dict(answer="word " * 30), "answer", "at most 100"),
        (dict(answer="3.14159"), "answer", "at most 3"),
        (dict(answer_type="essay"), "answer_type", "exactMatch or multipleChoice"),
        (dict(answer_type="exactMatch", options=["a"] * 5), "options", "Remove them"),
        (dict(options=["15", "21", "23", "25"], answer="C"), "options", "Give 5 to 10"),
        (dict(options=list("abcdefghijk"), answer="C"), "options", "Give 5 to 10"),
        (dict(options=["15", "21", "23", "25", " 15 "], answer="C"), "options", "alike"),
        (dict(options="15 or 21", answer="A"), "options", "Write them as"),
        (dict(options=["1", "2", "3", "4", "5"], answer="F"), "answer", "one of ABCDE"),
    ],
)
def test_each_fault_names_row_field_and_mend(tmp_path, change, field, word):
    with pytest.raises(DataError) as error:
        read_submissions(write(tmp_path, CHOICE, GOOD | change))
    assert f"mine.jsonl, row 2, column {field}: " in str(error.value) and word in str(error.value)


def test_a_question_or_id_given_twice_points_at_the_first(tmp_path):
    with pytest.raises(DataError, match="row 3, column id: stands in row 1 too"):
        read_submissions(write(tmp_path, GOOD, CHOICE, CHOICE | dict(id="q1", question="Which is even?")))
    with pytest.raises(DataError, match="row 2, column question: stands in row 1 too"):
        read_submissions(write(tmp_path, GOOD, GOOD | dict(id="q9", question=GOOD["question"].upper())))


def test_an_empty_file_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no submissions"):
        read_submissions(write(tmp_path))


# The difficulty check


@given(st.integers(1, 12), st.integers(2, 10))
def test_most_right_is_the_largest_number_that_each_rule_lets_through(models, options):
    assert most_right("exactMatch", models) == 0
    assert most_right("multipleChoice", models, options) == 1
    most = most_right("multipleChoice", models, options, "below chance")
    assert most / models < 1 / options or most == 0
    assert (most + 1) * options >= models and most == ceil(models / options) - 1


def answers(**right):
    """One row a model and question: right["q"] = "10" is model 0 right and model 1 wrong; a blank is no answer."""
    return pd.DataFrame(
        [
            dict(model=f"m{i}", question_id=name, correct=mark == "1")
            for name, marks in right.items()
            for i, mark in enumerate(marks)
            if mark != " "
        ]
    )


OPTIONS = ("a", "b", "c", "d", "e")
EXACT, PICK = (
    Question(id="e", question="?", answer="1"),
    Question(id="c", question="?", answer="A", answer_type="multipleChoice", options=OPTIONS),
)


def test_exact_match_must_stump_all_and_choice_all_but_one():
    found = difficulty_check(answers(e="0001", c="0001"), [EXACT, PICK]).set_index("question_id")
    assert found["stumped"].to_dict() == {"e": False, "c": True} and found["right"].to_dict() == {"e": 1, "c": 1}
    assert not difficulty_check(answers(c="0011"), [PICK])["stumped"].any()
    assert not difficulty_check(answers(c="0001"), [PICK], "below chance")["stumped"].any()


@pytest.mark.parametrize(
    "table, questions, rule, message",
    [
        (answers(e="00", c="0 "), [EXACT, PICK], "all but one", "question c: no answer of m1; ask it"),
        (answers(e="00"), [EXACT, PICK], "all but one", "question c: no answer of m0"),
        (answers(e="0").iloc[:0], [EXACT], "all but one", "question e: no answer of any model"),
        (pd.concat([answers(e="0"), answers(e="1")]), [EXACT], "all but one", "m0 answers e more than once"),
        (answers(e="0", x="0"), [EXACT], "all but one", "answers to x"),
        (answers(e="0").assign(correct=None), [EXACT], "all but one", "correct is None for m0 on e"),
        (answers(c="0"), [PICK], "most", "choose one of all but one, below chance"),
        (answers(c="0"), [PICK.model_copy(update=dict(options=()))], "below chance", "number of options"),
    ],
)
def test_a_table_that_does_not_show_every_attempt_is_refused(table, questions, rule, message):
    with pytest.raises(ValueError, match=message):
        difficulty_check(table, questions, rule)


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
