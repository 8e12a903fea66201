"""Keys to the JSON API. A token is shown once, when it is made; the desk keeps its digest alone, and logs none."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from desk.models import Account, Token
from desk.trail import NotAllowed, Refused, active, check, record

MOST = 20  # standing tokens of an account
PREFIX = "desk_"  # what scanners for leaked keys can look for


@transaction.atomic
def make(by: Account, name: str) -> tuple[Token, str]:
    """A new token and its text, which can't be had again."""
    account = Account.objects.select_for_update().get(pk=active(by).pk)
    if account.tokens.filter(revoked_at=None).count() >= MOST:
        raise Refused({"name": f"You have {MOST} tokens. Revoke one first."})
    text = PREFIX + secrets.token_urlsafe(32)
    token = Token(account=account, name=name, digest=digest(text))
    check(token)
    token.save()
    record(account, "make token", account, before=dict(name=name))
    return token, text


@transaction.atomic
def revoke(by: Account, token: Token) -> Token:
    """End a token for good: its owner, or a moderator."""
    by = active(by)
    if token.account_id != by.pk and not by.may_moderate():
        raise NotAllowed("Only its owner or a moderator may revoke a token.")
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(by, "revoke token", token.account, before=dict(name=token.name))
    token.refresh_from_db()
    return token


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def bearer(request: HttpRequest) -> str:
    """The token that a request carries in its header, "" where none; never from its address, which gets logged."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    return text.strip() if scheme.casefold() == "bearer" else ""


def account_of(text: str) -> Account | None:
    """Whose a token is; None for one that is unknown or revoked, or whose account is blocked."""
    token = Token.objects.select_related("account").filter(digest=digest(text), revoked_at=None).first()
    if token is None or not token.account.is_active:
        return None
    lately = timezone.now() - timedelta(minutes=1)  # not a write for each request
    Token.objects.filter(Q(used_at=None) | Q(used_at__lt=lately), pk=token.pk).update(used_at=timezone.now())
    return token.account
