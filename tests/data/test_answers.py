"""Candidate answers of one's own: kinds of files, names of columns, made ids, and what is refused."""

import json

import pytest
from proctor.data import answers
from proctor.data.answers import load_answers
from proctor.data.tabular import DataError


def jsonl(path, *rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_csv_and_jsonl_are_the_same(tmp_path):
    (tmp_path / "a.csv").write_text("question_id,text,correct,author\n1,four,yes,m\n2,five,,m\n")
    one = load_answers(tmp_path / "a.csv")
    rows = [dict(question_id=1, text="four", correct=True, author="m"), dict(question_id=2, text="five", author="m")]
    assert one == load_answers(jsonl(tmp_path / "a.jsonl", *rows))
    assert [answer.correct for answer in one] == [True, None] and len({answer.id for answer in one}) == 2


def test_columns_of_other_names_are_named(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", dict(item="q", response=4, by="m", id=7))
    found = load_answers(path, columns={"question_id": "item", "text": "response", "author": "by"})[0]
    assert (found.id, found.question_id, found.text, found.author) == ("7", "q", "4", "m")


@pytest.mark.parametrize(
    "row, columns, wrong",
    [
        (dict(question_id="q", text="a", corect=True), {}, "column corect: unknown column. Did you mean correct?"),
        (dict(question_id="q", text="a", correct="maybe"), {}, "row 2, column correct: 'maybe' is neither"),
        (dict(question_id="q", text=""), {}, "row 2, column text: empty"),
        (dict(question_id="q", text="b", id="x"), {}, "'x' is the id of row 1 too"),
        (dict(question_id="q", text="b", id="y"), {"text": "reply"}, "column reply: no such column"),
        (dict(question_id="q", text="b", id="y"), {"txt": "text"}, "no field 'txt'"),
        (dict(question_id="q", text="b", id="y", sample="one"), {}, "row 2, column sample"),
    ],
)
def test_what_is_wrong_is_named_with_its_row_and_mend(tmp_path, row, columns, wrong):
    with pytest.raises(DataError, match="a.jsonl") as told:
        load_answers(jsonl(tmp_path / "a.jsonl", dict(question_id="q", text="a", id="x"), row), columns)
    assert wrong in str(told.value)


def test_an_empty_file_and_equal_rows_without_ids_are_told(tmp_path):
    (tmp_path / "e.jsonl").write_text("")
    with pytest.raises(DataError, match="no answers in it"):
        load_answers(tmp_path / "e.jsonl")
    row = dict(question_id="q", text="a")
    with pytest.raises(DataError, match="is the id of row 1 too"):
        load_answers(jsonl(tmp_path / "a.jsonl", row, row))


def test_questions_may_stand_beside_the_answers(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("question,text,key,author\nWhat is 1?,1,1,a\nWhat is 1?,2,1,b\nWhat is 2?,2,,a\n")
    questions, found = answers.load_asked(file)
    assert [question.answer for question in questions] == ["1", None] and len(found) == 3
    assert [answer.question_id for answer in found] == [questions[0].id, questions[0].id, questions[1].id]
    file.write_text("question_id,question,text\nq,What?,1\nq,Why?,2\n")
    with pytest.raises(DataError, match="row 3, column question_id: 'q' has another question above"):
        answers.load_asked(file)
    file.write_text("question_id,text\nq,1\n")
    with pytest.raises(DataError, match="no column question"):
        answers.load_asked(file)
    (tmp_path / "q.csv").write_text("id,question\np,What?\n")
    with pytest.raises(DataError, match="to question 'q', which .*q.csv does not have"):
        answers.load_asked(file, tmp_path / "q.csv")
