"""How often an account or an address may do something. Counted in the database, so all workers count together.

    rate_limits.spend("sign_in", address(request), f"name {username}")   # raises TooMany

Stored are digests that only this desk can make, and only until their window is over.
"""

import hashlib
import hmac
import ipaddress
import math
import os
import time
from datetime import UTC, datetime
from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest

from desk.models import Use


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
