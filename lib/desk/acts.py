"""All that writes what people say: answers, reviews, comments, votes, verdicts; their edits and withdrawals.

An act is one transaction with one line in the audit trail, or nothing at all. Acts on one question take turns (its row
is held), so two people who save at once both count. Each raises `NotAllowed`, `Refused` (what was sent can't be stored,
by field) or `Stale` (someone saved in between). Acts on accounts are in `people`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from desk.models import Account, Act, Answer, Comment, Kind, Question, Review, System, Verdict, Vote, Written
from desk.resolution import recompute
from desk.trail import NotAllowed, Refused, Stale, active, author_of, check, locked, needs_reason, question_of, record


def system_of(organisation: str, name: str, base_model: str, people: bool = False) -> System:
    """The system of these names; made when it is new."""
    names = dict(organisation=organisation.strip(), name=name.strip(), base_model="" if people else base_model.strip())
    try:
        check(System(**names, people=people))
    except Refused as refused:
        problems = {"system" if field == "name" else field: text for field, text in refused.problems.items()}
        raise Refused(problems) from None
    if not people and not names["base_model"]:
        raise Refused({"base_model": "Name the model beneath the system, or write none."})
    return System.objects.get_or_create(**names, defaults=dict(people=people))[0]


@transaction.atomic
def submit_answer(
    by: Account,
    question: Question,
    organisation: str,
    system: str,
    base_model: str,
    prompt: str,
    text: str,
    people: bool = False,
) -> Answer:
    """A candidate answer. People's answers (`people`) need no base model and no prompt."""
    by, question = active(by), locked(question)
    whose = system_of(organisation, system, base_model, people)
    answer = Answer(question=question, system=whose, prompt=prompt, text=text, submitted_by=by)
    check(answer)
    if Answer.objects.filter(question=question, system=whose, text=text, withdrawn_at=None).exists():
        raise Refused({"text": "This system's answer stands here already, word for word."})
    answer.save()
    recompute(question)
    record(by, "submit", answer)
    return answer


@transaction.atomic
def review(
    by: Account, answer: Answer, correct: str, confidence: int, text: str, version: int | None = None, **more: Any
) -> Review:
    """A review; more: other fields of `Review`. version: that of the answer which the reviewer read; Stale when the
    answer was edited since."""
    by, answer = active(by), locked(answer)
    row = Review(answer=answer, reviewer=by, correct=correct, confidence=confidence, text=text, **more)
    human = row.kind == Kind.HUMAN
    if human and not by.may_review():
        raise NotAllowed("Only reviewers may review. Ask a moderator to make you one.")
    if answer.withdrawn_at:
        raise Refused({"": "This answer is withdrawn. There is nothing to review."})
    if version is not None and version != answer.version:
        raise Stale(answer, dict(correct=correct, confidence=confidence, text=text))
    check(row)
    if human and answer.review_of(by):
        raise Refused({"": "Your review of this answer stands already. Edit that one."})
    alike = Review.objects.filter(answer=answer, reviewer=by, kind=Kind.AI, text=text, withdrawn_at=None)
    if not human and alike.filter(system=row.system).exists():
        raise Refused({"text": "This system's review stands here already, word for word."})
    row.save()
    recompute(answer.question)
    record(by, "review", row)
    return row


@transaction.atomic
def comment(by: Account, on: Question | Review, text: str) -> Comment:
    """A comment on a question, or on a review of an answer to it."""
    by, on = active(by), locked(on)
    review = on if isinstance(on, Review) else None
    if review and review.withdrawn_at:
        raise Refused({"": "This review is withdrawn. There is nothing to discuss."})
    row = Comment(question=question_of(on), review=review, author=by, text=text)
    check(row)
    if Comment.objects.filter(question=row.question, review=review, author=by, text=text, withdrawn_at=None).exists():
        raise Refused({"text": "Your comment stands here already, word for word."})
    row.save()
    record(by, "comment", row)
    return row


@transaction.atomic
def vote(by: Account, question: Question, value: int) -> int:
    """Vote 1 or -1, or 0 to take the vote back; the question's votes after it."""
    by, question = active(by), locked(question)
    if value not in (-1, 0, 1):
        raise Refused({"value": "Vote 1, -1 or 0."})
    before = Vote.objects.filter(question=question, voter=by).first()
    if value == (before.value if before else 0):
        return question.votes
    if value:
        Vote.objects.update_or_create(question=question, voter=by, defaults=dict(value=value, cast_at=timezone.now()))
    else:
        before.delete()
    question.votes = question.ballots.aggregate(sum=Sum("value"))["sum"] or 0
    question.save(update_fields=["votes"])
    record(by, "vote", question, before=dict(value=before.value if before and before.pk else 0, to=value))
    return question.votes


@transaction.atomic
def add_verdict(answer: Answer, validator: str, outcome: str, by: Account | None = None, **more: Any) -> Verdict:
    """A validator's verdict; more: other fields of `Verdict`. It decides nothing about a question's state; the caller
    knows who may order one."""
    verdict = Verdict(answer=answer, validator=validator, outcome=outcome, ordered_by=by, **more)
    check(verdict)
    verdict.save()
    record(by, "verdict", verdict)
    return verdict


@transaction.atomic
def add_questions(by: Account | None, rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Questions with the fields of `Question`: how many are new, and how many were there and have changed."""
    there, new, changed = Question.objects.in_bulk([row["key"] for row in rows], field_name="key"), 0, 0
    for row in rows:
        question = there.get(row["key"]) or Question(key=row["key"])
        before = {name: getattr(question, name) for name, value in row.items() if getattr(question, name) != value}
        if question.pk and not before:
            continue
        for name, value in row.items():
            setattr(question, name, value)
        try:
            check(question)
        except Refused as refused:
            raise Refused({f"{row['key']}, {name}": text for name, text in refused.problems.items()}) from None
        verb, new, changed = ("change", new, changed + 1) if question.pk else ("add", new + 1, changed)
        question.save()
        record(by, verb, question, before=before if verb == "change" else {})
    return new, changed


# On a row that stands


EDITABLE = {
    Answer: ("text", "prompt"),
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
    recompute(question_of(row))
    record(by, "edit", row, before=before | dict(version=version))
    return row


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
    recompute(question_of(row))
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
