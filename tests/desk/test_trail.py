import pytest
from desk import trail
from desk.models import Act, Comment
from django.utils import timezone


def test_a_line_of_the_trail_names_the_row_and_what_stood_there(reviewer, question):
    now = timezone.now()
    trail.record(reviewer, "edit", question, "typo", dict(title="Old", at=now))
    act = Act.objects.get()
    assert (act.table, act.key, act.before) == ("question", "math/1", dict(title="Old", at=now.isoformat()))


@pytest.mark.parametrize("value", [float("nan"), {"a": "\ud800"}, ["\x00"], object(), ["x" * 1_000_001]])
def test_json_that_no_database_holds_is_told(value):
    assert trail.bad_json(value)


def test_refusals_read_as_sentences():
    refused = trail.Refused({"text": "Fill this in.", "": "Sign in."})
    assert str(refused) == "text: Fill this in.; Sign in."


def test_a_row_is_read_anew_with_its_question(question, reviewer):
    row = Comment.objects.create(question=question, author=reviewer, text="a")
    Comment.objects.filter(pk=row.pk).update(text="b")
    fresh = trail.locked(row)
    assert fresh.text == "b" and fresh.question == question
