"""Atom feeds: what was answered, reviewed and remarked last, on the whole desk or on one question."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.feedgenerator import Atom1Feed

from desk import render
from desk.models import Answer, Comment, Question, Review
from desk.pages import address, by_key
from desk.trail import author_of

ENTRIES = 40


def feed(request: HttpRequest) -> HttpResponse:
    """The newest answers, reviews and comments of the desk."""
    return _feed(request, "Review desk: newest answers, reviews and comments", None, request.build_absolute_uri("/"))


def question_feed(request: HttpRequest, site: str, number: str) -> HttpResponse:
    """The newest answers, reviews and comments of one question."""
    row = by_key(site, number)
    return _feed(request, f"Review desk: {row.title}", row, request.build_absolute_uri(address(row)))


def newest_rows(question: Question | None = None) -> list[Answer | Review | Comment]:
    """The newest answers, reviews and comments that stand, of all questions or of one."""
    answers = Answer.objects.select_related("question", "system", "submitted_by")
    reviews = Review.objects.filter(answer__withdrawn_at=None)
    reviews = reviews.select_related("answer__question", "answer__system", "reviewer", "system")
    remarks = Comment.objects.filter(review__withdrawn_at=None, review__answer__withdrawn_at=None)
    remarks = remarks.select_related("question", "author", "review__reviewer", "review__answer__system")
    if question:
        answers, remarks = (found.filter(question=question) for found in (answers, remarks))
        reviews = reviews.filter(answer__question=question)
    standing = [
        found.filter(withdrawn_at=None).order_by("-written_at")[:ENTRIES] for found in (answers, reviews, remarks)
    ]
    rows = [row for found in standing for row in found]
    return sorted(rows, key=lambda row: row.written_at, reverse=True)[:ENTRIES]


def _feed(request: HttpRequest, title: str, of: Question | None, link: str) -> HttpResponse:
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


def title_of(row: Answer | Review | Comment) -> str:
    """A row in a line: what it is, by whom, on which question."""
    if isinstance(row, Comment):
        on = f" on {row.review.reviewer.username}'s review" if row.review else ""
        return _plain(f"Comment by {row.author.username}{on}: {row.question.title}")
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
