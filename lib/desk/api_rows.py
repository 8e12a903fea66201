"""Rows of the store as the JSON API gives them (`api_schema.REPLIES`)."""

from datetime import datetime

from django.db.models import Prefetch, QuerySet
from django.urls import reverse

from desk.models import Answer, Comment, Kind, Question, Review, Verdict
from desk.resolution import counts, state_of


def question(row: Question) -> dict:
    plain = "key site category title body tags comments score views link author author_link licence release diamond votes state"  # fmt: skip  # noqa: E501
    told = {name: getattr(row, name) for name in plain.split()}
    return told | dict(url=f"{reverse('api')}questions/{row.key}/", posted_at=_time(row.posted_at))


def whole_question(row: Question) -> dict:
    remarks = row.remarks.filter(withdrawn_at=None).select_related("author", "review").order_by("pk")
    return question(row) | dict(
        answers=[answer(one, traces=False) for one in with_all(row.answers)],
        remarks=[comment(one) for one in remarks],
    )


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
    reviews = list(row.reviews.all())
    for one in reviews:
        one.answer = row
    return dict(
        key=row.key,
        url=f"{reverse('api')}answers/{row.key}/",
        question=row.question.key,
        organisation=row.system.organisation,
        system=row.system.name,
        base_model=row.system.base_model,
        people=row.system.people,
        prompt=row.prompt,
        text=row.text,
        submitted_by=row.submitted_by.username,
        written_at=_time(row.written_at),
        edited_at=_time(row.edited_at),
        version=row.version,
        state=state_of(reviews),
        verdicts=[verdict(one, traces) for one in row.verdicts.all()],
        human_reviews=[review(one) for one in reviews if one.kind == Kind.HUMAN],
        ai_reviews=[review(one) for one in reviews if one.kind == Kind.AI],
    )


def review(row: Review) -> dict:
    """counts: whether it counts toward a resolution."""
    system = row.system
    return dict(
        key=row.key,
        reviewer=row.reviewer.username,
        organisation=system.organisation if system else "",
        system=system.name if system else "",
        base_model=system.base_model if system else "",
        correct=row.correct,
        confidence=row.confidence,
        text=row.text,
        conflict=row.conflict,
        counts=counts(row),
        written_at=_time(row.written_at),
        edited_at=_time(row.edited_at),
        version=row.version,
    )


def verdict(row: Verdict, trace: bool = True) -> dict:
    plain = "key validator judges outcome probability calls dollars".split()
    told = {name: getattr(row, name) for name in plain}
    return told | dict(trace=row.trace if trace else [], decided_at=_time(row.decided_at))


def comment(row: Comment) -> dict:
    told = dict(key=row.key, author=row.author.username, review=row.review.key if row.review else "", text=row.text)
    return told | dict(written_at=_time(row.written_at), edited_at=_time(row.edited_at))


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
