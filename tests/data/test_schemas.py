import pytest
from proctor.data.schemas import LETTERS, Answer, Question
from pydantic import ValidationError


def test_unknown_fields_are_errors():
    with pytest.raises(ValidationError, match="anwser"):
        Question(id="1", question="?", anwser="4")


def test_records_are_frozen():
    with pytest.raises(ValidationError):
        Answer(id="1", question_id="1", text="x").text = "y"


def test_more_options_than_letters_are_refused():
    with pytest.raises(ValidationError, match="at most 10"):
        Question(id="1", question="?", answer_type="multipleChoice", options=tuple(map(str, range(len(LETTERS) + 1))))
