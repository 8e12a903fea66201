"""What every act shares: its three refusals, the checks of what was sent, the lock, and the line in the audit trail.

And of a row: whose it is, of which question, who may see it, and its address.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.urls import reverse

from desk.models import Account, Act, Answer, Comment, Job, Kind, Question, Review, Round, Verdict, Written

LONGEST = {"prompt": 200_000, "text": 100_000, "conflict_text": 500, "reason": 2_000, "about": 2_000, "case": 20_000}
LONGEST_JSON = 1_000_000  # characters, as all of these


class NotAllowed(Exception):
    """This account may not do that; the message says who may."""


class Refused(ValueError):
    """What was sent can't be stored. `problems`: a sentence for each field; "" for what is no one field's."""

    def __init__(self, problems: Mapping[str, str]):
        self.problems = dict(problems)
        super().__init__("; ".join(f"{field}: {text}" if field else text for field, text in self.problems.items()))


class Stale(Exception):
    """Someone saved in between. `row` is what stands now, `fields` what was sent: nothing of either is lost."""

    def __init__(self, row: Written, fields: Mapping[str, Any]):
        self.row, self.fields = row, dict(fields)
        super().__init__(
            f"changed since you opened it (now version {row.version}): compare both texts, then save again"
        )


def record(by: Account | None, verb: str, row: models.Model, reason: str = "", before: Mapping | None = None) -> Act:
    """One line in the audit trail."""
    before = {name: jsonable(value) for name, value in (before or {}).items()}
    key = row.username if isinstance(row, Account) else row.key
    return Act.objects.create(
        actor=by, verb=verb, table=row._meta.model_name, key=key[:80], reason=reason, before=before
    )


def jsonable(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def check(row: models.Model) -> None:
    """Refuse a row whose fields, or what they say together, break the rules."""
    rules = {Review: _review_rules, Verdict: _verdict_rules}.get(type(row))
    if problems := field_problems(row) or (rules(row) if rules else {}):
        raise Refused(problems)


def field_problems(row: models.Model) -> dict[str, str]:
    """What is wrong with each field of its own; an answer of people may have no prompt."""
    free = {"prompt"} if isinstance(row, Answer) and row.system.people else set()
    skipped = {field.name for field in row._meta.fields if field.is_relation or isinstance(field, models.JSONField)}
    problems = {}
    try:
        row.clean_fields(exclude=skipped | free)
    except ValidationError as error:
        problems = {name: " ".join(messages) for name, messages in error.message_dict.items()}
    for field in row._meta.fields:
        value = getattr(row, field.attname)
        as_json, is_text = isinstance(field, models.JSONField), isinstance(value, str) and not field.is_relation
        if is_text and not as_json and not (field.blank or value.strip() or field.name in free):
            problems[field.name] = "Fill this in."
        elif (as_json or is_text) and (told := unstorable(field.name, value)):
            problems[field.name] = told
    return problems


def _review_rules(row: Review) -> dict[str, str]:
    if (row.kind == Kind.AI) != (row.system is not None):
        return {"system": "An AI review names its system, a person's review none."}
    if row.kind == Kind.HUMAN and row.reviewer_id == row.answer.submitted_by_id and not row.conflict:
        return {"conflict": "You submitted this answer: that is a conflict of interest. Declare it."}
    if row.conflict and not row.conflict_text.strip():
        return {"conflict_text": "Say in a few words what the conflict is."}
    return {}


def _verdict_rules(row: Verdict) -> dict[str, str]:
    share = row.probability is None or 0 <= row.probability <= 1
    money = 0 <= row.dollars < float("inf")
    told = {"probability": "Give a number from 0 to 1."} if not share else {}
    return told | ({} if money else {"dollars": "Give a number from 0."})


def unstorable(name: str, value: Any) -> str:
    """What keeps a text, or a value that is stored as JSON, out of the database; "" where nothing does."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return "holds half a surrogate pair or NaN, or is no JSON. Write whole letters, and plain JSON."
    if len(text) > (most := LONGEST.get(name, LONGEST_JSON)):
        return f"{len(text):,} characters, {most:,} are allowed. Shorten it."
    nul = "\x00" if isinstance(value, str) else "\\u0000"
    return "holds a NUL character, which the database can't store. Take it out." if nul in text else ""


def needs_reason(by: Account | None, reason: str) -> str:
    """The reason, which a moderator must give. Without `by` it is a command's, which needs none."""
    if told := unstorable("reason", reason):
        raise Refused({"reason": told})
    if by is not None and not reason.strip():
        raise Refused({"reason": "Say why in a sentence: it is shown in the history."})
    return reason.strip()


def active(by: Account) -> Account:
    """The account as the database has it now. Raises NotAllowed when it is blocked."""
    now = Account.objects.filter(pk=by.pk).first()
    if now is None or not now.is_active:
        raise NotAllowed("This account is blocked. Write to a moderator.")
    return now


OWNER = {Answer: "submitted_by", Review: "reviewer", Comment: "author"}


def author_of(row: Written) -> Account:
    return getattr(row, OWNER[type(row)])


def may_see(reader: Account, row: Written) -> bool:
    """Whether a reader sees the text of a row that is withdrawn: its author and moderators do."""
    return reader.is_authenticated and (reader.may_moderate() or author_of(row).pk == reader.pk)


def address(row: Question | Written | Account | Round | Job) -> str:
    """The page, and the place on it, where a row stands."""
    match row:
        case Question():
            return reverse("question", args=row.key.split("/", 1))
        case Answer():
            return reverse("answer", args=[row.key])
        case Review():
            return f"{reverse('answer', args=[row.answer.key])}#review-{row.key}"
        case Comment():
            return f"{address(row.review.answer if row.review else row.question)}#comment-{row.key}"
        case Round() | Job():
            return reverse(row._meta.model_name, args=[row.key])
    return reverse("account", args=[row.username])


def question_of(row: Question | Written) -> Question:
    if isinstance(row, Question):
        return row
    return row.answer.question if isinstance(row, Review) else row.question


def locked(row: Question | Written) -> Question | Written:
    """The row as it stands, with its question held until the transaction ends: acts on a question take turns."""
    held = Question.objects.select_for_update().get(pk=question_of(row).pk)
    if isinstance(row, Question):
        return held
    fresh = type(row).objects.get(pk=row.pk)
    if isinstance(fresh, Review):
        fresh.answer.question = held
    else:
        fresh.question = held
    return fresh
