"""What every answer of the desk carries and refuses, the pages for what went wrong, and limits on tries.

No page has a script or a style in it, so the policy allows none; files are not taken; an error page reads no database.
How often an account or an address may do something is counted in the database, so all workers count together. Stored
are digests that only this desk can make, and only until their window is over:

    security.spend("sign_in", address(request), f"name {username}")   # raises Problem
"""

import hashlib
import hmac
import ipaddress
import math
import os
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from django.conf import settings
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from desk.models import Use
from desk.trail import NotAllowed, Refused, Stale

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
        match error:
            case Problem():
                return told(request, error.status, error.heading, str(error), error.problems, **error.headers)
            case NotAllowed() if not for_program(request):
                page = dict(heading="You may not do that", sentence=str(error), sent=sent_by(request))
                return render(request, "desk/error.html", page, status=403)
            case NotAllowed():
                return told(request, 403, "not allowed", str(error))
            case Refused():
                return told(request, 422, "refused", "Some fields can't be taken as they are.", error.problems)
            case Stale():
                mend = {"version": f"It is {error.row.version} now. Read it again."}
                return told(request, 409, "stale", str(error), mend)
        return not_found(request) if "\0" in request.path else None  # PostgreSQL will not even look for it


class Problem(Exception):
    """What the desk refuses: a status, a heading, a sentence, problems by field, more headers."""

    def __init__(self, status: int, heading: str, sentence: str, problems: Mapping[str, str] = {}, **headers: str):
        super().__init__(sentence)
        self.status, self.heading, self.problems, self.headers = status, heading, problems, headers


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


def for_program(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def told(
    request: HttpRequest, status: int, heading: str, sentence: str, problems: Mapping[str, str] = {}, **headers: str
) -> HttpResponse:
    """What went wrong, as JSON for a program, else as a page. Made without the database, the session or the account:
    any of them may be what failed."""
    response: HttpResponse
    if for_program(request):
        fields = [dict(field=field, mend=mend) for field, mend in problems.items()]
        response = JsonResponse(dict(error=heading, message=sentence, problems=fields), status=status, headers=headers)
    else:
        page = dict(heading=heading, sentence=sentence, sent=sent_by(request))
        response = HttpResponse(render_to_string("desk/error.html", page), status=status, headers=headers)
    for name, value in HEADERS.items():  # here too: an error may come from outside the guard
        response.setdefault(name, value)
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    sentence = "Files are not taken: paste the text into the form. Else go back and try again."
    return told(request, 400, "This could not be read", sentence)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return told(request, 403, "You may not see that", str(exception or "") or "Sign in with another account.")


def not_from_here(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without this site's token: sent by another site, or from a page that was open for too long."""
    sentence = (
        "The form did not come from this site, or its page was open for too long. Go back, load the page again, "
        "and send it once more. Nothing was saved."
    )
    return told(request, 403, "This form was not accepted", sentence)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if for_program(request):
        return told(request, 404, "not found", "There is no such thing here, or it was withdrawn.")
    return told(request, 404, "There is no such page", "Check the address, or look for the question in the list.")


def failed(request: HttpRequest) -> HttpResponse:
    """500; 503 where the database is away or its disk is full. What was sent stands on the page, so it is not lost."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        why = "The disk is full" if "full" in str(error) else "The database does not answer"
        heading, wait = "The desk cannot save or read just now", {"Retry-After": "60"}
        return told(request, 503, heading, f"{why}. Try again in a minute.", **wait)
    return told(request, 500, "Something failed here", "It is not your fault. Nothing was saved by this request.")


# Limits on tries


LIMITS = {  # times, seconds
    "sign_in": (20, 600),
    "sign_in_to_one_name": (200, 600),  # more than one address may: nobody locks out another alone
    "sign_up": (10, 3600),
    "mail": (5, 3600),  # mails that a stranger can cause
    "write": (120, 60),  # a person's reviews, comments, votes, edits
    "submit": (3000, 3600),  # a program's answers, AI reviews and verdicts
    "token": (60, 600),  # tries of a token that is none
}


def spend(action: str, *who: str) -> None:
    """Count one more for each of `who`. Raises Problem when one of them is over the limit."""
    (times, length), now = LIMITS[action], time.time()
    window = int(now // length)
    ends = (window + 1) * length
    if any(_count(f"{action} {window} {_digest(one)}", ends) > times for one in who):
        seconds = max(1, math.ceil(ends - now))
        sentence = f"Too many tries ({action.replace('_', ' ')}). Wait {seconds} seconds, then try again."
        raise Problem(429, "That was too often", sentence, **{"Retry-After": str(seconds)})


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
