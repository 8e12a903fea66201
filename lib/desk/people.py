"""Acts on accounts: signing up, profiles, roles, badges; keys to the JSON API; what an account asks of the moderators.

A token is shown once, when it is made; the desk keeps its digest alone, and logs none. Requests wait in one queue:

    ticket = ask(ada, "reviewer", "I teach it.", expertise="lattices, order theory")
    decide_request(moderator, ticket, True, "Known in the field.")     # makes her a reviewer
"""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Prefetch, Q
from django.http import HttpRequest
from django.utils import timezone

from desk.acts import add_questions
from desk.models import Account, Kind, Question, Review, Role, Ticket, Token
from desk.resolution import SETTLED, counts, course, said_at
from desk.trail import NotAllowed, Refused, active, check, needs_reason, record

PROFILE = ("affiliation", "about", "expertise", "orcid", "source_profile", "email")
MOST_TOKENS = 20  # standing ones of an account
PREFIX = "desk_"  # of tokens: what scanners for leaked keys can look for
MOST_OPEN = 20  # undecided requests of an account
LICENCE = "CC BY-SA 4.0"  # of questions that are proposed here; the form says so


@transaction.atomic
def sign_up(username: str, password: str, **fields: str) -> Account:
    """A new reader. Raises Refused for a name that is taken, whatever its case, or a weak password."""
    if unknown := set(fields) - set(PROFILE):
        raise Refused(dict.fromkeys(unknown, "is not yours to set."))
    account = Account(username=Account.normalize_username(username), **fields)
    if Account.objects.filter(username__iexact=account.username).exists():
        raise Refused({"username": "is taken. Choose another."})
    _give_password(account, password)
    check(account)
    try:
        with transaction.atomic():
            account.save()
    except IntegrityError:
        raise Refused({"username": "is taken, or looks like one that is. Choose another."}) from None
    record(account, "sign up", account)
    return account


def _give_password(account: Account, password: str) -> None:
    try:
        validate_password(password, account)
    except ValidationError as error:
        raise Refused({"password": " ".join(error.messages)}) from None
    account.set_password(password)


@transaction.atomic
def set_password(account: Account, password: str) -> Account:
    """A new password, by the command or by its owner who gave the old one."""
    _give_password(account, password)
    account.save(update_fields=["password"])
    record(None, "set password", account)
    return account


@transaction.atomic
def set_digest(account: Account, digest: bool) -> Account:
    """Whether the account gets mail of what is new; to True by a link that was mailed to its address alone."""
    return _set(account, account, "begin digest" if digest else "end digest", digest=digest)


@transaction.atomic
def make_admin(account: Account) -> Account:
    """Open Django's admin to an account: only the command does."""
    return _set(None, account, "make admin", is_staff=True, is_superuser=True)


def _set(by: Account | None, account: Account, verb: str, reason: str = "", **fields: Any) -> Account:
    before = {name: getattr(account, name) for name in fields}
    for name, value in fields.items():
        setattr(account, name, value)
    account.save(update_fields=list(fields))
    record(by, verb, account, reason, before)
    return account


@transaction.atomic
def edit_profile(by: Account, **fields: str) -> Account:
    """Change one's own page. Another profile at the source is no longer confirmed."""
    if unknown := set(fields) - set(PROFILE):
        raise Refused(dict.fromkeys(unknown, "is not yours to set."))
    account = active(by)
    before = {name: getattr(account, name) for name, value in fields.items() if getattr(account, name) != value}
    for name in before:
        setattr(account, name, fields[name])
    if "source_profile" in before:
        account.source_confirmed = False
    if "email" in before:
        account.digest = False
    check(account)
    account.save()
    if before:
        record(account, "edit", account, before={name: old for name, old in before.items() if name != "email"})
    return account


DEEDS = {  # of a moderator: what the form says, the act, what it sets
    **{f"role {role}": (f"make {label.lower()}", "set role", dict(role=role)) for role, label in Role.choices},
    "block": ("block the account", "block", dict(is_active=False)),
    "unblock": ("unblock the account", "unblock", dict(is_active=True)),
    "confirm": ("confirm its profile at the source", "confirm profile", dict(source_confirmed=True)),
}


@transaction.atomic
def decide(by: Account | None, account: Account, deed: str, reason: str = "") -> Account:
    """One of `DEEDS` on an account, by a moderator with a reason; `by` None is the command, which needs none.

    A blocked account writes and signs in no more; what it wrote stays, and can be withdrawn.
    """
    both = Account.objects.filter(pk__in=[account.pk, (by or account).pk]).order_by("pk")
    list(both.select_for_update())  # of two moderators who demote each other the second one no longer may
    if by is not None and not active(by).may_moderate():
        raise NotAllowed("Only a moderator may do that.")
    if by is not None and by.pk == account.pk:
        raise NotAllowed("Nobody decides on his own account. Ask another moderator.")
    if deed == "confirm" and not account.source_profile:
        raise Refused({"source_profile": "This account names none."})
    reason = needs_reason(by, reason)
    _, verb, fields = DEEDS[deed]
    return _set(by, Account.objects.get(pk=account.pk), verb, reason, **fields)


def is_poster(account: Account, question: Question) -> bool:
    """Whether the account posted the question: here, or at the source as a moderator has confirmed."""
    if question.posted_by_id == account.pk:
        return True
    same = account.source_profile.rstrip("/") == question.author_link.rstrip("/")
    return bool(account.source_profile) and account.source_confirmed and same


def asked_by(account: Account):
    """The questions that an account posted: here, or at the source once a moderator has confirmed its profile."""
    profile, found = account.source_profile.rstrip("/"), Question.objects.filter(posted_by=account)
    if profile and account.source_confirmed:
        found |= Question.objects.filter(author_link__in=[profile, f"{profile}/"])
    return found


def badge(account: Account) -> dict[str, int]:
    """A verifier's badge: `reviews` that count, `settled` ones whose answer was decided at or after them, `agreed`.

    A review written after the decision earns nothing: whoever follows the others shows no skill.
    """
    own = Review.objects.filter(reviewer=account, kind=Kind.HUMAN, withdrawn_at=None, answer__withdrawn_at=None)
    every = Prefetch("answer__reviews", Review.objects.filter(withdrawn_at=None).select_related("reviewer"))
    reviews = [one for one in own.select_related("answer__system", "reviewer").prefetch_related(every) if counts(one)]
    found = dict(reviews=len(reviews), settled=0, agreed=0)
    for review in reviews:
        state, since = course(review.answer.reviews.all())
        if state in SETTLED and said_at(review) <= since:
            found["settled"] += 1
            found["agreed"] += review.correct == SETTLED[state]
    return found


# Keys to the API


@transaction.atomic
def make_token(by: Account, name: str) -> tuple[Token, str]:
    """A new token and its text, which can't be had again."""
    account = Account.objects.select_for_update().get(pk=active(by).pk)
    if account.tokens.filter(revoked_at=None).count() >= MOST_TOKENS:
        raise Refused({"name": f"You have {MOST_TOKENS} tokens. Revoke one first."})
    text = PREFIX + secrets.token_urlsafe(32)
    token = Token(account=account, name=name, digest=_digest(text))
    check(token)
    token.save()
    record(account, "make token", account, before=dict(name=name))
    return token, text


@transaction.atomic
def revoke_token(by: Account, token: Token) -> Token:
    """End a token for good: its owner, or a moderator."""
    by = active(by)
    if token.account_id != by.pk and not by.may_moderate():
        raise NotAllowed("Only its owner or a moderator may revoke a token.")
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(by, "revoke token", token.account, before=dict(name=token.name))
    token.refresh_from_db()
    return token


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def bearer(request: HttpRequest) -> str:
    """The token that a request carries in its header, "" where none; never from its address, which gets logged."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    return text.strip() if scheme.casefold() == "bearer" else ""


def account_of(text: str) -> Account | None:
    """Whose a token is; None for one that is unknown or revoked, or whose account is blocked."""
    token = Token.objects.select_related("account").filter(digest=_digest(text), revoked_at=None).first()
    if token is None or not token.account.is_active:
        return None
    lately = timezone.now() - timedelta(minutes=1)  # not a write for each request
    Token.objects.filter(Q(used_at=None) | Q(used_at__lt=lately), pk=token.pk).update(used_at=timezone.now())
    return token.account


# Requests to the moderators


@transaction.atomic
def ask(by: Account, kind: str, text: str = "", **details: Any) -> Ticket:
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
        edit_profile(by, expertise=details["expertise"])
    return ticket


@transaction.atomic
def decide_request(by: Account, ticket: Ticket, accept: bool, reason: str) -> Ticket:
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
        decide(by, ticket.by, "role reviewer", reason)
    if accept and ticket.kind == "question":
        told = {name: ticket.details[name] for name in ("category", "title", "body")}
        told["tags"] = [tag.strip() for tag in ticket.details["tags"].split(",") if tag.strip()]
        told |= dict(author=ticket.by.username, posted_by=ticket.by, licence=LICENCE, posted_at=ticket.sent_at)
        add_questions(by, [dict(key=f"desk/{ticket.pk}", site="desk", **told)])
    return ticket
