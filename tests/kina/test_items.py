import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.questions import load_questions
from proctor.data.tabular import DataError
from proctor.kina.items import (
    Item,
    Option,
    join_stem,
    load_items,
    selected,
    split_stem,
    statements,
)


def row(**changes) -> dict:
    options = [{"key": key, "answer": f"answer {key}"} for key in "ABCDEFGHIJ"]
    return dict(index=7, discipline="optics", question="Which?", options=options, correct_answer="C") | changes


@pytest.fixture
def file(tmp_path):
    def write(*rows):
        path = tmp_path / "items.json"
        path.write_text(json.dumps(rows))
        return path

    return write


def test_reads_the_official_columns_with_optional_texts_missing_null_or_given(file):
    options = [{"key": "A", "answer": "4", "explanation": "2 + 2", "source": None}, {"key": "B", "answer": "5"}]
    one, two = load_items(
        file(
            row(options=options, correct_answer="A", question_material=None),
            row(index="x", question_source="a book", question_material="a text", year=2026),
        )
    )
    assert (one.index, one.right.explanation, one.right.source, one.question_material) == ("7", "2 + 2", "", "")
    assert [option.key for option in one.wrong] == ["B"]
    assert (two.question_source, two.question_material, two.extra) == ("a book", "a text", {"year": 2026})


TWO = [{"key": "A", "answer": "1"}, {"key": "C", "answer": "2"}]


@pytest.mark.parametrize(
    "changes, place, fix",
    [
        (dict(question=""), "row 1, column question: empty or missing", "Fill it in"),
        (dict(correct_answer=None), "row 1, column correct_answer: empty or missing", "Fill it in"),
        (dict(options="A, B"), "row 1, column options", "list of {key, answer}"),
        (dict(options=[TWO[0], "B"]), "row 1, column options 2", "list of {key, answer}"),
        (dict(options=[TWO[0], {"key": "C"}]), "row 1, column options 2 answer", "Fill it in"),
        (dict(options=[{"key": "A", "answer": 1}, TWO[1]]), "options 1 answer", "between quotes"),
        (dict(options=[TWO[0], TWO[1] | {"why": "so"}]), "options 2 why", "Remove it"),
        (dict(options=[TWO[1], TWO[1]]), "the keys are C, C", "Correct the options"),
        (dict(options=TWO[:1], correct_answer="A"), "1 options: nothing to choose from", "Correct the options"),
        (dict(correct_answer="K"), "'K' is none of the keys", "Correct the options or the letter"),
        (dict(question=5), "row 1, column question", "between quotes"),
    ],
)
def test_errors_name_file_row_column_and_fix(file, changes, place, fix):
    path = file(row(**changes))
    with pytest.raises(DataError) as error:
        load_items(path)
    assert str(error.value).startswith(f"{path}, row 1") and place in str(error.value) and fix in str(error.value)


def test_a_doubled_index_names_both_rows_and_all_problems_are_told_together(file):
    with pytest.raises(DataError, match=r"(?s)2 problems.*row 2.*row 1 too.*row 3, column question"):
        load_items(file(row(), row(), row(index=9, question="")))


def test_an_empty_file_is_an_error(file):
    with pytest.raises(DataError, match="no items"):
        load_items(file())


def test_the_number_of_options_is_not_the_loaders_business(file):
    assert len(load_items(file(row(options=row()["options"][:3])))[0].options) == 3


def test_the_exam_reads_the_same_question_from_the_same_file(file):
    path = file(row(question_source="a book"))
    mine, theirs = load_items(path)[0], load_questions(path)[0]
    assert (mine.index, mine.question, mine.correct_answer) == (theirs.id, theirs.question, theirs.answer)
    assert tuple(option.answer for option in mine.options) == theirs.options


# sets of statements

lines = st.text("abc xyz", min_size=1, max_size=10).map(str.strip).filter(bool)


@given(lines, st.lists(lines, min_size=2, max_size=12))
def test_a_stem_is_taken_apart_and_joined_again(lead, listed):
    assert split_stem(join_stem(lead, listed)) == (lead, listed)


@pytest.mark.parametrize(
    "stem, found",
    [
        ("Which hold?\n(1) one\n(2) two", ["one", "two"]),
        ("Which hold? (1) one (2) two", ["one", "two"]),
        ("Which hold?\n1) one\n2) has 1. in it\n3) three", ["one", "has 1. in it", "three"]),
        ("What is 3. 5 times 2?", []),
        ("Only one:\n1. one", []),
        ("Starts at two:\n2. b\n3. c", []),
    ],
)
def test_statements_are_numbered_from_one_in_turn(stem, found):
    assert statements(stem) == found


@given(st.frozensets(st.integers(1, 20), min_size=1), st.sampled_from([", ", " and ", "; ", ",", " & "]))
def test_a_set_is_read_however_it_is_joined(numbers, joint):
    assert selected(joint.join(map(str, sorted(numbers)))) == numbers


@pytest.mark.parametrize("text", ["1,234", "3/4", "12 metres", "1 or 2", "none", "-3", "1.5", "A, B", ""])
def test_what_is_no_set_is_none(text):
    assert selected(text) is None


def test_options_are_sets_only_where_the_stem_lists_statements():
    options = tuple(Option(key=key, answer=text) for key, text in zip("ABC", ("1, 2", "2", "Only 1 and 3")))
    item = Item(index="1", discipline="d", question="Pick.\n1. a\n2. b\n3. c", options=options, correct_answer="A")
    assert item.sets == [frozenset({1, 2}), frozenset({2}), frozenset({1, 3})]
    assert item.model_copy(update={"question": "How many apples are left?"}).sets == []
