"""Rows of the store as the JSON API gives them (`api_schema`)."""

from typing import Any

from django.db.models import Model, Prefetch, QuerySet
from django.urls import reverse

from desk.api_schema import REPLIES
from desk.models import Answer, Comment, Kind, Question, Review, Verdict
from desk.resolution import counts, state_of
from desk.trail import jsonable


def _reply(name: str, row: Model, **more: Any) -> dict:
    """A row with the fields of its schema; `more`: those that are not the row's own."""
    return {one: more[one] if one in more else jsonable(getattr(row, one)) for one in REPLIES[name]["properties"]}


def question(row: Question) -> dict:
    return _reply("Question", row, url=_url(row))


def whole_question(row: Question) -> dict:
    remarks = row.remarks.filter(withdrawn_at=None).select_related("author", "review").order_by("pk")
    answers = [answer(one, traces=False) for one in with_all(row.answers)]
    remarks = [comment(one) for one in remarks]
    return _reply("WholeQuestion", row, url=_url(row), answers=answers, remarks=remarks)


def _url(row: Question) -> str:
    return f"{reverse('api')}questions/{row.key}/"


def with_all(answers: QuerySet) -> QuerySet:
    """Standing answers with all that `answer` reads, in few queries."""
    reviews = Review.objects.filter(withdrawn_at=None).select_related("reviewer", "system").order_by("pk")
    return (
        answers.filter(withdrawn_at=None)
        .select_related("question", "system", "submitted_by")
        .prefetch_related(Prefetch("reviews", reviews), Prefetch("verdicts", Verdict.objects.order_by("pk")))
        .order_by("pk")
    )


def answer(row: Answer, traces: bool = True) -> dict:
    """traces: with the validators' traces, which may be long."""
    reviews, system = list(row.reviews.all()), row.system
    for one in reviews:
        one.answer = row
    told = dict(url=f"{reverse('api')}answers/{row.key}/", question=row.question.key, state=state_of(reviews))
    told |= dict(organisation=system.organisation, system=system.name, base_model=system.base_model)
    told |= dict(people=system.people, submitted_by=row.submitted_by.username)
    told |= dict(verdicts=[verdict(one, traces) for one in row.verdicts.all()])
    for kind in Kind.values:
        told[f"{kind}_reviews"] = [review(one) for one in reviews if one.kind == kind]
    return _reply("Answer", row, **told)


def review(row: Review) -> dict:
    system = dict(organisation="", system="", base_model="")
    if one := row.system:
        system = dict(organisation=one.organisation, system=one.name, base_model=one.base_model)
    return _reply("Review", row, reviewer=row.reviewer.username, counts=counts(row), **system)


def verdict(row: Verdict, trace: bool = True) -> dict:
    return _reply("Verdict", row, trace=row.trace if trace else [])


def comment(row: Comment) -> dict:
    return _reply("Comment", row, author=row.author.username, review=row.review.key if row.review else "")
