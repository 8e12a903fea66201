from dataclasses import replace

import pytest
from desk import seed
from desk.models import Account, Act, Answer, Ballot, Comment, Question, Review, System, Verdict, Vote
from django.utils import timezone


@pytest.fixture(scope="module")
def communities():
    return seed.invented(0), seed.invented(0), seed.invented(1)


def test_the_same_number_gives_the_same_community(communities):
    one, again, other = communities
    assert one.answers.equals(again.answers) and one.reviews.equals(again.reviews)
    assert not one.answers.equals(other.answers)


def test_sizes_are_those_of_a_small_community(communities):
    one = communities[0]
    assert len(one.questions) == 40 and one.questions["site"].nunique() == 5
    assert 100 <= len(one.answers) <= 140 and one.answers["system"].nunique() == 7  # six systems, and people


@pytest.mark.django_db
def test_the_store_is_filled_by_acts():
    counts = seed.seed(0, replace(seed.SETTING, questions=10, reviews=120))
    assert counts["question"] == 10 and counts["review"] > 40 and counts["verdict"] == 2 * counts["answer"]
    assert counts["round"] == 4 and Ballot.objects.exists()
    assert System.objects.filter(people=True).count() == 1 and Comment.objects.exists() and Vote.objects.exists()
    assert {"resolved", "answered"} <= set(Question.objects.values_list("state", flat=True))
    assert Act.objects.filter(verb="review").count() == Review.objects.count()
    assert not any(account.has_usable_password() for account in Account.objects.all())
    times = (Answer.objects.values_list("written_at", flat=True), Verdict.objects.values_list("decided_at", flat=True))
    assert max(max(column) for column in times) < timezone.now()
    assert not Question.objects.exclude(link="").exists()  # nobody asked them: there is nothing to link to
