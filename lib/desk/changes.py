"""Acts on a row that stands: edits that keep what was, withdrawals, and their undoing."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from desk.models import Account, Act, Answer, Comment, Kind, Review, Written
from desk.resolution import recompute
from desk.trail import NotAllowed, Refused, Stale, active, author_of, check, locked, needs_reason, question_of, record

EDITABLE = {
    Answer: ("prompt", "text"),
    Review: ("correct", "confidence", "text", "conflict", "conflict_text"),
    Comment: ("text",),
}


@transaction.atomic
def edit(by: Account, row: Written, version: int, **fields: Any) -> Written:
    """Change fields of one's own row; what stood there stays in the trail. Raises Stale unless it has `version`."""
    by, row = active(by), locked(row)
    if author_of(row) != by:
        raise NotAllowed("Only its author may edit this. A moderator can withdraw it.")
    if unknown := set(fields) - set(EDITABLE[type(row)]):
        raise Refused(dict.fromkeys(unknown, "can't be edited."))
    if row.withdrawn_at:
        raise Refused({"": "This is withdrawn. Restore it first."})
    if row.version != version:
        raise Stale(row, fields)
    before = {name: getattr(row, name) for name, value in fields.items() if getattr(row, name) != value}
    if not before:
        return row
    if isinstance(row, Answer) and row.reviews.filter(withdrawn_at=None).exclude(reviewer=by).exists():
        raise Refused({"": "Others have reviewed this answer as it is. Submit a new one, and withdraw this."})
    for name in before:
        setattr(row, name, fields[name])
    check(row)
    row.version, row.edited_at = version + 1, timezone.now()
    row.save()
    _after(row)
    record(by, "edit", row, before=before | dict(version=version))
    return row


def _after(row: Written) -> None:
    """A question's state depends on its answers and reviews."""
    if not isinstance(row, Comment):
        recompute(question_of(row))


@transaction.atomic
def withdraw(by: Account, row: Written, reason: str = "") -> Written:
    """Take one's own row back; a moderator any row, with a reason. It stays in the store and its history."""
    by, row = active(by), locked(row)
    own = author_of(row) == by
    if not own and not by.may_moderate():
        raise NotAllowed("Only its author or a moderator may withdraw this.")
    reason = needs_reason(None if own else by, reason)
    if row.withdrawn_at:
        raise Refused({"": "This is withdrawn already."})
    return _set_withdrawn(by, row, timezone.now(), "withdraw", reason)


def _set_withdrawn(by: Account, row: Written, when: datetime | None, verb: str, reason: str) -> Written:
    row.withdrawn_at = when
    row.save(update_fields=["withdrawn_at"])
    _after(row)
    record(by, verb, row, reason)
    return row


@transaction.atomic
def restore(by: Account, row: Written, reason: str = "") -> Written:
    """Undo a withdrawal: its author his own one, a moderator any, with a reason."""
    by, row = active(by), locked(row)
    last = Act.objects.filter(verb="withdraw", table=row._meta.model_name, key=row.key).order_by("-pk").first()
    own = author_of(row) == by and (last is None or last.actor_id == by.pk)
    if not own and not by.may_moderate():
        raise NotAllowed("A moderator withdrew this, or it is not yours: only a moderator may restore it.")
    reason = needs_reason(None if own else by, reason)
    if not row.withdrawn_at:
        raise Refused({"": "This is not withdrawn."})
    if isinstance(row, Review) and row.kind == Kind.HUMAN and row.answer.review_of(row.reviewer):
        raise Refused({"": "A later review of this reviewer stands. Withdraw that one first."})
    return _set_withdrawn(by, row, None, "restore", reason)
