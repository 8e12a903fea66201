import pytest
from desk.models import Review
from django.db import IntegrityError
from django.db.models import ProtectedError


def review(answer, reviewer, **fields):
    return Review.objects.create(
        **dict(answer=answer, reviewer=reviewer, correct="yes", confidence=4, text="ok") | fields
    )


def test_a_reviewer_has_one_standing_review_of_an_answer(answer, reviewer):
    review(answer, reviewer)
    with pytest.raises(IntegrityError):
        review(answer, reviewer)


def test_confidence_outside_one_to_five_is_refused_by_the_database(answer, reviewer):
    with pytest.raises(IntegrityError):
        review(answer, reviewer, confidence=6)


def test_what_others_refer_to_cannot_be_deleted(answer):
    with pytest.raises(ProtectedError):
        answer.question.delete()
