"""From the first version forwards: what was written then is there now, and models and migrations agree."""

import pytest
from desk import search
from desk.models import Account, Act, Answer, Comment, Question, Review, Token, Verdict, Vote
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

NOW = timezone.now()


def fill(first) -> None:
    """A row of each table of the first version, by its own models."""
    new = {name: first.get_model("desk", name).objects.create for name in
           ("Account", "Question", "System", "Answer", "Review", "Comment", "Vote", "Verdict", "Token", "Act")}  # fmt: skip
    who = new["Account"](username="ada", role="reviewer", source_profile="https://math.example/users/7", password="!x")
    question = new["Question"](key="math/1", site="math", title="Prime twins", body="B", licence="CC BY-SA 2.5", state="claimed", votes=1, tags=["a"])  # fmt: skip
    system = new["System"](organisation="Lab", name="A", base_model="b")
    answer = new["Answer"](key="a1", question=question, system=system, prompt="p", text="t", submitted_by=who)
    new["Review"](
        key="r1", answer=answer, reviewer=who, correct="yes", confidence=4, text="ok", edited_at=NOW, version=2
    )
    new["Comment"](key="c1", question=question, author=who, text="hm", withdrawn_at=NOW)
    new["Vote"](question=question, voter=who, value=1)
    new["Verdict"](key="v1", answer=answer, validator="C", outcome="accept", trace=[{"reply": "yes"}])
    new["Token"](account=who, name="runs", digest="0" * 64)
    new["Act"](actor=who, verb="review", table="review", key="r1", before={"text": "old"})


@pytest.mark.django_db(transaction=True)
def test_rows_of_the_first_version_survive_every_migration():
    try:
        call_command("migrate", "desk", "0001", verbosity=0)
        fill(MigrationExecutor(connection).loader.project_state([("desk", "0001_first")]).apps)
    finally:
        call_command("migrate", verbosity=0)
    ada, question = Account.objects.get(), Question.objects.get()
    review = Review.objects.select_related("answer", "reviewer").get()
    assert (ada.role, ada.source_profile, ada.source_confirmed) == ("reviewer", "https://math.example/users/7", False)
    assert (question.state, question.votes, question.tags) == ("claimed", 1, ["a"])
    assert (review.key, review.answer.key, review.reviewer) == ("r1", "a1", ada)
    assert (review.version, review.edited_at, Comment.objects.get().withdrawn_at) == (2, NOW, NOW)
    assert Verdict.objects.get().trace == [{"reply": "yes"}] and Token.objects.get().account == ada
    assert Act.objects.get().before == {"text": "old"} and Answer.objects.get().question == question
    assert Vote.objects.get().value == 1
    assert search.find("primes") == [question.pk]  # the index is made for what was there before it


def test_models_and_migrations_agree(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
