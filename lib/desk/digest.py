"""A mail of what is new on the desk since an account's last one, for accounts that asked for it.

python -m proctor platform digest      # once a day or a week, by cron
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import timezone

from desk.account_pages import mail_link
from desk.feeds import ENTRIES, newest_rows, title_of
from desk.models import Account, Question, Ticket
from desk.pages import address
from desk.trail import author_of

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
