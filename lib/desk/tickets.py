"""What an account asks of the moderators, and their decision: one queue for three kinds of request.

ticket = send(ada, "reviewer", "I teach it.", expertise="lattices, order theory")
decide(moderator, ticket, True, "Known in the field.")     # makes her a reviewer
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from desk import people
from desk.acts import add_questions
from desk.models import Account, Ticket
from desk.trail import NotAllowed, Refused, active, check, needs_reason, record

MOST_OPEN = 20  # undecided ones of an account
LICENCE = "CC BY-SA 4.0"  # of questions that are proposed here; the form says so


@transaction.atomic
def send(by: Account, kind: str, text: str = "", **details: Any) -> Ticket:
    """A new ticket for the moderators. Raises Refused for a reviewer, and for one who has too many undecided."""
    by = Account.objects.select_for_update().get(pk=active(by).pk)
    undecided = by.tickets.filter(decided_at=None)
    if undecided.count() >= MOST_OPEN:
        raise Refused({"": f"{MOST_OPEN} of your requests wait for a decision. Write again when one is decided."})
    if kind == "reviewer" and by.may_review():
        raise Refused({"": "You are a reviewer already."})
    if kind == "reviewer" and undecided.filter(kind=kind).exists():
        raise Refused({"": "You have asked already: a moderator will decide."})
    ticket = Ticket(kind=kind, by=by, text=text, details=details)
    check(ticket)
    ticket.save()
    record(by, "ask", ticket)
    if kind == "reviewer":
        people.edit_profile(by, expertise=details["expertise"])
    return ticket


@transaction.atomic
def decide(by: Account, ticket: Ticket, accept: bool, reason: str) -> Ticket:
    """Accept or decline, with a reason that who asked reads. Accepting makes the reviewer, or adds the question."""
    by = active(by)
    ticket = Ticket.objects.select_for_update().get(pk=ticket.pk)
    if not by.may_moderate() or ticket.by_id == by.pk:
        raise NotAllowed("A moderator decides, and not on an own request.")
    if ticket.decided_at:
        raise Refused({"": "Another moderator has decided on this already."})
    ticket.accepted, ticket.reason = accept, needs_reason(by, reason)
    ticket.decided_by, ticket.decided_at = by, timezone.now()
    ticket.save()
    record(by, "accept" if accept else "decline", ticket, reason)
    if accept and ticket.kind == "reviewer" and not ticket.by.may_review():
        people.decide(by, ticket.by, "role reviewer", reason)
    if accept and ticket.kind == "question":
        add_questions(by, [_question_row(ticket)])
    return ticket


def _question_row(ticket: Ticket) -> Mapping[str, Any]:
    """A proposed question with the fields of `Question`."""
    details = ticket.details
    return dict(
        key=f"desk/{ticket.pk}",
        site="desk",
        category=details["category"],
        title=details["title"],
        body=details["body"],
        tags=[tag.strip() for tag in details["tags"].split(",") if tag.strip()],
        author=ticket.by.username,
        posted_by=ticket.by,
        licence=LICENCE,
        posted_at=ticket.sent_at,
    )
