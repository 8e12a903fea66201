"""Atom feeds: what was answered and reviewed last, on the whole desk or on one question."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.feedgenerator import Atom1Feed

from desk import render
from desk.models import Answer, Review
from desk.pages import address, by_key

ENTRIES = 40


def feed(request: HttpRequest) -> HttpResponse:
    """The newest answers and reviews of the desk."""
    return _feed(request, "Review desk: newest answers and reviews", {}, request.build_absolute_uri("/"))


def question_feed(request: HttpRequest, site: str, number: str) -> HttpResponse:
    """The newest answers and reviews of one question."""
    row = by_key(site, number)
    return _feed(request, f"Review desk: {row.title}", dict(key=row.key), request.build_absolute_uri(address(row)))


def _feed(request: HttpRequest, title: str, of: dict[str, str], link: str) -> HttpResponse:
    answers = Answer.objects.filter(withdrawn_at=None, **{f"question__{name}": value for name, value in of.items()})
    reviews = Review.objects.filter(withdrawn_at=None, answer__withdrawn_at=None)
    reviews = reviews.filter(**{f"answer__question__{name}": value for name, value in of.items()})
    answers = answers.select_related("question", "system", "submitted_by")
    reviews = reviews.select_related("answer__question", "answer__system", "reviewer", "system")
    rows = [row for found in (answers, reviews) for row in found.order_by("-written_at")[:ENTRIES]]
    rows = sorted(rows, key=lambda row: row.written_at, reverse=True)[:ENTRIES]
    made = Atom1Feed(
        title=_plain(title), link=link, description="", feed_url=request.build_absolute_uri(), language="en"
    )
    for row in rows:
        here = request.build_absolute_uri(address(row))
        about = row.question if isinstance(row, Answer) else row.answer.question
        made.add_item(
            title=_plain(f"{_what(row)}: {about.title}"),
            link=here,
            description=render.markdown(row.text[:4000]),
            author_name=_plain(row.submitted_by.username if isinstance(row, Answer) else row.reviewer.username),
            pubdate=row.written_at,
            updateddate=row.edited_at or row.written_at,
            unique_id=here,
        )
    return HttpResponse(made.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def _what(row: Answer | Review) -> str:
    if isinstance(row, Answer):
        return f"Answer by {row.system.name}"
    who = row.system.name if row.system else "a person"
    return f"Review by {who} ({row.get_correct_display().lower()}) of {row.answer.system.name}'s answer"


def _plain(text: str) -> str:
    return "".join(c for c in text if c >= " ")


feed_urls = [
    path("feed.atom", feed, name="feed"),
    path("q/<str:site>/<str:number>/feed.atom", question_feed, name="question_feed"),
]
