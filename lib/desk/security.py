"""What every answer of the desk carries and refuses, the pages for what went wrong, and limits on tries.

No page has a script or a style in it, so the policy allows none; files are not taken; an error page reads no database.
How often an account or an address may do something is counted in the database, so all workers count together. Stored
are digests that only this desk can make, and only until their window is over:

    security.spend("sign_in", address(request), f"name {username}")   # raises TooMany
"""

import hashlib
import hmac
import ipaddress
import math
import os
import sys
import time
from datetime import UTC, datetime
from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import BadRequest
from django.core.files.uploadhandler import FileUploadHandler
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from desk.models import Use
from desk.trail import NotAllowed

POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect")),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}
SHOWN_BACK = 200_000  # characters of what was sent and could not be saved


class Guard:
    """Headers on every answer; a page for an act that this account may not do."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.setdefault(name, value)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, NotAllowed):
            told = dict(heading="You may not do that", sentence=str(error), sent=sent_by(request))
            return render(request, "desk/error.html", told, status=403)
        if isinstance(error, TooMany):
            response = _page(request, 429, "That was too often", str(error))
            response["Retry-After"] = str(error.seconds)
            return response
        return not_found(request) if is_unnamable(request) else None


def is_unnamable(request: HttpRequest) -> bool:
    """Whether its address names what no row can be called: PostgreSQL will not even look for it."""
    return "\0" in request.path


class NoUploads(FileUploadHandler):
    """The desk takes no files."""

    def new_file(self, *args, **kwargs):
        raise BadRequest("Files are not taken. Paste the text into the form.")


def is_secret(name: str) -> bool:
    """Whether a form's field must never be shown again."""
    return "password" in name or name == "csrfmiddlewaretoken"


def sent_by(request: HttpRequest) -> list[tuple[str, str]]:
    """What a form held, so that an error page gives it back; passwords and the page's own fields left out."""
    try:
        fields = request.POST.items()
    except Exception:  # the form itself is what could not be read
        return []
    hidden = ("version", "next", "draft")
    kept = [(name, value) for name, value in fields if name not in hidden and not is_secret(name)]
    return [(name, value[:SHOWN_BACK]) for name, value in kept if len(value) > 20]


def _page(request: HttpRequest, status: int, heading: str, sentence: str) -> HttpResponse:
    """A page made without the database, the session or the account: any of them may be what failed."""
    told = dict(heading=heading, sentence=sentence, sent=sent_by(request))
    response = HttpResponse(render_to_string("desk/error.html", told), status=status)
    for name, value in HEADERS.items():  # here too: an error may come from outside the guard
        response.setdefault(name, value)
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    files = isinstance(exception, BadRequest)
    return _page(request, 400, "This could not be read", str(exception) if files else "Go back and try again.")


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 403, "You may not see that", str(exception or "") or "Sign in with another account.")


def not_from_here(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without this site's token: sent by another site, or from a page that was open for too long."""
    sentence = (
        "The form did not come from this site, or its page was open for too long. Go back, load the page again, "
        "and send it once more. Nothing was saved."
    )
    return _page(request, 403, "This form was not accepted", sentence)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 404, "There is no such page", "Check the address, or look for the question in the list.")


def failed(request: HttpRequest) -> HttpResponse:
    """500; 503 where the database is away or its disk is full. What was sent stands on the page, so it is not lost."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        why = "The disk is full" if "full" in str(error) else "The database does not answer"
        response = _page(request, 503, "The desk cannot save or read just now", f"{why}. Try again in a minute.")
        response["Retry-After"] = "60"
        return response
    return _page(request, 500, "Something failed here", "It is not your fault. Nothing was saved by this request.")


# Limits on tries


class Limit(NamedTuple):
    times: int
    seconds: int


LIMITS = {
    "sign_in": Limit(20, 600),
    "sign_in_to_one_name": Limit(200, 600),  # more than one address may: nobody locks out another alone
    "sign_up": Limit(10, 3600),
    "mail": Limit(5, 3600),  # mails that a stranger can cause
    "write": Limit(120, 60),  # a person's reviews, comments, votes, edits
    "submit": Limit(3000, 3600),  # a program's answers, AI reviews and verdicts
    "token": Limit(60, 600),  # tries of a token that is none
}


class TooMany(Exception):
    """Too often. `seconds`: how long to wait."""

    def __init__(self, action: str, seconds: int):
        self.seconds = seconds
        super().__init__(f"Too many tries ({action.replace('_', ' ')}). Wait {seconds} seconds, then try again.")


def spend(action: str, *who: str) -> None:
    """Count one more for each of `who`. Raises TooMany when one of them is over the limit."""
    limit, now = LIMITS[action], time.time()
    window = int(now // limit.seconds)
    ends = (window + 1) * limit.seconds
    if any(_count(f"{action} {window} {_digest(one)}", ends) > limit.times for one in who):
        raise TooMany(action, max(1, math.ceil(ends - now)))


def _count(key: str, ends: float) -> int:
    mine = Use.objects.filter(who=key)
    if not mine.update(count=F("count") + 1):
        Use.objects.filter(until__lt=datetime.now(UTC)).delete()
        try:
            with transaction.atomic():
                Use.objects.create(who=key, count=1, until=datetime.fromtimestamp(ends, UTC))
        except IntegrityError:  # another worker began the window
            mine.update(count=F("count") + 1)
    return mine.values_list("count", flat=True).first() or 1


def _digest(who: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), who.casefold().encode(), hashlib.sha256).hexdigest()[:32]


def address(request: HttpRequest) -> str:
    """Where a request comes from, as the proxy in front says it (PROCTOR_DESK_HTTPS=1); of IPv6 the network."""
    given = request.META.get("REMOTE_ADDR", "")
    if os.environ.get("PROCTOR_DESK_HTTPS") == "1":
        given = request.META.get("HTTP_X_FORWARDED_FOR", given).rsplit(",", 1)[-1].strip()
    try:
        found = ipaddress.ip_address(given)
    except ValueError:
        return f"address {given[:60]}"
    return f"address {ipaddress.ip_network((found, 64), strict=False) if found.version == 6 else found}"
