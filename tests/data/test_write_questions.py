"""What is written as a public file reads back equal."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proctor.data.questions import load_questions
from proctor.data.schemas import Question
from proctor.data.tabular import DataError
from proctor.data.write_questions import write_questions

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)
ROWS = {
    "hle": st.fixed_dictionaries(
        dict(id=TEXT, question=TEXT, answer=TEXT, answer_type=st.just("exactMatch")),
        optional=dict(category=TEXT, rationale=TEXT, canary=TEXT, raw_subject=TEXT, author_name=TEXT),
    ),
    "uq": st.fixed_dictionaries(
        dict(question_id=TEXT, title=TEXT, body=TEXT), optional=dict(site=TEXT, category=TEXT, score=st.integers())
    ),
    "hle_verified": st.fixed_dictionaries(
        dict(id=TEXT, question=TEXT, answer=TEXT, Verified_Classes=st.sampled_from(["Gold subset", "Revision subset"])),
        optional=dict(category=TEXT, problem_is_valid=st.sampled_from([0, 1, "uncertain"])),
    ),
}


@pytest.mark.parametrize("format", ROWS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_public_file_reads_back_equal(tmp_path, format, data):
    key = "question_id" if format == "uq" else "id"
    rows = data.draw(st.lists(ROWS[format], min_size=1, max_size=4, unique_by=lambda row: row[key]))
    first = tmp_path / "first.jsonl"
    first.write_text("\n".join(map(json.dumps, rows)))
    questions = load_questions(first, format)
    write_questions(tmp_path / "second.jsonl", questions, format)
    assert load_questions(tmp_path / "second.jsonl", format) == questions


def test_own_questions_read_back_equal(tmp_path):
    asked = [
        Question(id="1", question="Which?", answer="B", answer_type="multipleChoice", options=("x", "y"), level=2),
        Question(id="2", question="Why?", extra={"hint": [1, 2]}, cluster="c"),
    ]
    write_questions(tmp_path / "q.jsonl", asked)
    assert load_questions(tmp_path / "q.jsonl") == asked


def test_what_a_format_can_not_hold_is_told_and_nothing_is_written(tmp_path):
    choice = Question(id="1", question="Which?", answer="B", answer_type="multipleChoice", options=("x", "y"))
    for question, format, wrong in ((choice, "hle", "can't hold its options"), (choice, "uq", "no 'title'")):
        with pytest.raises(DataError, match=wrong):
            write_questions(tmp_path / "q.jsonl", [question], format)
    with pytest.raises(DataError, match="write a .jsonl"):
        write_questions(tmp_path / "q.csv", [choice])
    assert not list(tmp_path.iterdir())
