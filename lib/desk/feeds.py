"""Atom feeds: what was answered and reviewed last, on the whole desk or on one question."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.feedgenerator import Atom1Feed

from desk import render
from desk.models import Answer, Review
from desk.pages import address, author_of, by_key

ENTRIES = 40


def feed(request: HttpRequest) -> HttpResponse:
    """The newest answers and reviews of the desk."""
    return _feed(request, "Review desk: newest answers and reviews", {}, request.build_absolute_uri("/"))


def question_feed(request: HttpRequest, site: str, number: str) -> HttpResponse:
    """The newest answers and reviews of one question."""
    row = by_key(site, number)
    return _feed(request, f"Review desk: {row.title}", dict(key=row.key), request.build_absolute_uri(address(row)))


def newest_rows(of: dict[str, str] | None = None) -> list[Answer | Review]:
    """The newest answers and reviews that stand, of all questions or of those with these fields."""
    of = of or {}
    answers = Answer.objects.filter(withdrawn_at=None, **{f"question__{name}": value for name, value in of.items()})
    reviews = Review.objects.filter(withdrawn_at=None, answer__withdrawn_at=None)
    reviews = reviews.filter(**{f"answer__question__{name}": value for name, value in of.items()})
    answers = answers.select_related("question", "system", "submitted_by")
    reviews = reviews.select_related("answer__question", "answer__system", "reviewer", "system")
    rows = [row for found in (answers, reviews) for row in found.order_by("-written_at")[:ENTRIES]]
    return sorted(rows, key=lambda row: row.written_at, reverse=True)[:ENTRIES]


def _feed(request: HttpRequest, title: str, of: dict[str, str], link: str) -> HttpResponse:
    made = Atom1Feed(
        title=_plain(title), link=link, description="", feed_url=request.build_absolute_uri(), language="en"
    )
    for row in newest_rows(of):
        here = request.build_absolute_uri(address(row))
        made.add_item(
            title=title_of(row),
            link=here,
            description=render.markdown(row.text[:4000]),
            author_name=_plain(author_of(row).username),
            pubdate=row.written_at,
            updateddate=row.edited_at or row.written_at,
            unique_id=here,
        )
    return HttpResponse(made.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def title_of(row: Answer | Review) -> str:
    """A row in a line: what it is, by whom, on which question."""
    if isinstance(row, Answer):
        return _plain(f"Answer by {row.system.name}: {row.question.title}")
    who = row.system.name if row.system else "a person"
    what = f"Review by {who} ({row.get_correct_display().lower()}) of {row.answer.system.name}'s answer"
    return _plain(f"{what}: {row.answer.question.title}")


def _plain(text: str) -> str:
    return "".join(c for c in text if c >= " ")


feed_urls = [
    path("feed.atom", feed, name="feed"),
    path("q/<str:site>/<str:number>/feed.atom", question_feed, name="question_feed"),
]
