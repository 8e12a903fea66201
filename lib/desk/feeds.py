"""What is new: Atom feeds of the desk and of each question, and a mail to the accounts that asked for one.

python -m proctor platform digest      # once a day or a week, by cron
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed

from desk import render
from desk.account_pages import mail_link
from desk.api import by_key
from desk.models import Account, Answer, Comment, Question, Review, Ticket
from desk.trail import address, author_of

ENTRIES = 40


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


def feed(request: HttpRequest, site: str = "", number: str = "") -> HttpResponse:
    """The newest answers, reviews and comments of the desk, or of one question."""
    of = by_key(site, number) if site else None
    title = of.title if of else "newest answers, reviews and comments"
    here = request.build_absolute_uri
    made = Atom1Feed(
        title=_plain(f"Review desk: {title}"),
        link=here(address(of) if of else "/"),
        description="",
        feed_url=here(),
        language="en",
    )
    for row in newest_rows(of):
        link = here(address(row))
        made.add_item(
            title=title_of(row),
            link=link,
            description=render.markdown(row.text[:4000]),
            author_name=_plain(author_of(row).username),
            pubdate=row.written_at,
            updateddate=row.edited_at or row.written_at,
            unique_id=link,
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


# The digest

FIRST = timedelta(days=7)  # what the first digest reaches back


def send_digests() -> int:
    """Mail each account its digest, and remember when; how many mails. Nothing new: no mail. Raises OSError."""
    sent, now = 0, timezone.now()
    for account in Account.objects.filter(digest=True, is_active=True).exclude(email=""):
        if lines := digest_lines(account, account.digested_at or now - FIRST):
            out = mail_link(account, False)
            text = "\n".join([*lines, "", f"To get no more of these: {out}", ""])
            headers = {"List-Unsubscribe": f"<{out}>"}
            EmailMessage("New on the review desk", text, None, [account.email], headers=headers).send()
            sent += 1
        Account.objects.filter(pk=account.pk).update(digested_at=now)
    return sent


def digest_lines(account: Account, since: datetime) -> list[str]:
    """A line for each question, answer, review and comment of others since then; first what waits for a moderator."""
    questions = Question.objects.filter(added_at__gt=since).exclude(posted_by=account).order_by("-pk")[:ENTRIES]
    rows = [row for row in newest_rows() if row.written_at > since and author_of(row) != account]
    lines = [f"Question: {row.title}\n  {settings.HOME}{address(row)}" for row in questions]
    lines += [f"{title_of(row)}\n  {settings.HOME}{address(row)}" for row in rows]
    waiting = Ticket.objects.filter(decided_at=None).count() if account.may_moderate() else 0
    first = [f"Waiting for a moderator: {waiting}. {settings.HOME}/moderation/queue/"] if waiting else []
    return first + lines
