"""Candidate answers of one's own: kinds of files, names of columns, made ids, and what is refused."""

import json

import pytest
from proctor.data import answers
from proctor.data.answers import load_answers, load_pairs
from proctor.data.tabular import DataError
from proctor.paths import ROOT


def jsonl(path, *rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_csv_and_jsonl_are_the_same_columns_of_other_names_are_named_and_equal_rows_without_ids_told(tmp_path):
    (tmp_path / "a.csv").write_text("question_id,text,correct,author\n1,four,yes,m\n2,five,,m\n")
    one = load_answers(tmp_path / "a.csv")
    rows = [dict(question_id=1, text="four", correct=True, author="m"), dict(question_id=2, text="five", author="m")]
    assert one == load_answers(jsonl(tmp_path / "a.jsonl", *rows))
    assert [answer.correct for answer in one] == [True, None] and len({answer.id for answer in one}) == 2
    path = jsonl(tmp_path / "a.jsonl", dict(item="q", response=4, by="m", id=7))
    found = load_answers(path, columns={"question_id": "item", "text": "response", "author": "by"})[0]
    assert (found.id, found.question_id, found.text, found.author) == ("7", "q", "4", "m")
    (tmp_path / "e.jsonl").write_text("")
    with pytest.raises(DataError, match="no answers in it"):
        load_answers(tmp_path / "e.jsonl")
    row = dict(question_id="q", text="a")
    with pytest.raises(DataError, match="is the id of row 1 too"):
        load_answers(jsonl(tmp_path / "a.jsonl", row, row))


@pytest.mark.parametrize(
    "row, columns, wrong",
    [
        (dict(question_id="q", text="a", corect=True), {}, "column corect: unknown column. Did you mean correct?"),
        (
            dict(question_id="q", response="b"),
            {},
            "column response: unknown column. Remove it, or name its field: --column",
        ),
        (dict(question_id="q", text="a", correct="maybe"), {}, "row 2, column correct: 'maybe' is neither"),
        (dict(question_id="q", text=""), {}, "row 2, column text: empty"),
        (dict(question_id="q", text="b", id="x"), {}, "'x' is the id of row 1 too"),
        (dict(question_id="q", text="b", id="y"), {"txt": "text"}, "no field 'txt'"),
        (dict(question_id="q", text="b", id="y", sample="one"), {}, "row 2, column sample"),
    ],
)
def test_what_is_wrong_is_named_with_its_row_and_mend(tmp_path, row, columns, wrong):
    with pytest.raises(DataError, match="a.jsonl") as told:
        load_answers(jsonl(tmp_path / "a.jsonl", dict(question_id="q", text="a", id="x"), row), columns)
    assert wrong in str(told.value)


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


# pairs of answers, as JudgeBench has them

PAIR = dict(
    pair_id="p1",
    source="logic",
    question="Is it?",
    response_model="m",
    response_A="Yes.",
    response_B="No.",
    label="B>A",
)
SHARED = ROOT.parent / "shared/data/judgebench"


def test_a_pair_is_a_question_and_two_labelled_answers_and_every_file_of_a_folder_is_read(tmp_path):
    (question,), answers = load_pairs(jsonl(tmp_path / "pairs.jsonl", PAIR))
    assert (question.id, question.question, question.source) == ("p1", "Is it?", "logic")
    assert [(a.id, a.text, a.author, a.correct) for a in answers] == [
        ("p1-A", "Yes.", "m", False),
        ("p1-B", "No.", "m", True),
    ]
    jsonl(tmp_path / "pairs.jsonl", PAIR)
    jsonl(tmp_path / "more.jsonl", PAIR | dict(pair_id="p2", label="A>B"))
    questions, answers = load_pairs(tmp_path)
    assert {question.id for question in questions} == {"p1", "p2"} and sum(answer.correct for answer in answers) == 2
    jsonl(tmp_path / "more.jsonl", PAIR)
    with pytest.raises(DataError, match="pairs.jsonl, row 1, column pair_id: p1 stands in more.jsonl too. Keep one"):
        load_pairs(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no .jsonl file in it"):
        load_pairs(tmp_path / "empty")


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(label="A=B"), "row 2, column label: it should be 'A>B' or 'B>A', found 'A=B'"),
        (dict(response_B=" "), "row 2, column response_B: empty or missing"),
        (dict(pair_id="p1"), "row 2, column pair_id: 'p1' is the pair_id of row 1 too. Keep one"),
    ],
)
def test_a_faulty_pair_is_named(tmp_path, change, message):
    with pytest.raises(DataError) as error:
        load_pairs(jsonl(tmp_path / "pairs.jsonl", PAIR, PAIR | dict(pair_id="p2") | change))
    assert message in str(error.value)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real pairs are not at hand")
def test_the_real_pairs_load_as_labelled_answers():
    questions, answers = load_pairs(SHARED)
    assert len(questions) == 620 and len(answers) == 1240 and sum(answer.correct for answer in answers) == 620
    assert len({answer.id for answer in answers}) == 1240
