"""A call to a provider that failed: whether it may pass, what it may have cost, and its message without a key."""

import asyncio
import email.utils
import json
import re
import time

LONGEST_WAIT = 600  # seconds: who is told to wait longer had better run again later


class CallError(RuntimeError):
    """A call that failed. `again` says whether it may go through later, `wait` after how many seconds.

    `sent`: it may have cost something; not so where it was refused with a 429 or found no server. `unreadable`: a
    reply came and was none, which asking often does not mend.
    """

    def __init__(
        self,
        message: str,
        again: bool = False,
        wait: float | None = None,
        *,
        sent: bool = True,
        unreadable: bool = False,
    ):
        super().__init__(message)
        self.again, self.wait, self.sent, self.unreadable = again, wait, sent, unreadable


class call_errors:
    """Turn what the SDKs raise into a CallError that holds no key."""

    def __init__(self, *secrets: str):
        self.secrets = secrets

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None or isinstance(error, (CallError, asyncio.CancelledError)) or not isinstance(error, Exception):
            return False
        if isinstance(error.__cause__, CallError):  # ours, of a reply that is too long
            raise error.__cause__ from None
        status = getattr(error, "status_code", None)
        sdks = {cls.__name__ for cls in type(error).__mro__}  # both SDKs name their errors alike
        if (
            status is None
            and not sdks & {"APIConnectionError", "APIResponseValidationError", "ClientError", "HTTPError"}
            and not isinstance(error, TimeoutError | ConnectionError | json.JSONDecodeError)
        ):
            return False
        again = status in (408, 409, 429) or status >= 500 if status else True
        text = "no reply in time" if isinstance(error, TimeoutError) else f"{type(error).__name__}: {error}"
        wait = retry_after(error)
        if wait is not None and wait > LONGEST_WAIT:
            text, again = f"asked to wait {wait:.0f} s. {text}", False
        sent = status != 429 and not _never_connected(error)
        raise CallError(scrub(text, *self.secrets), again, wait, sent=sent) from None


def _never_connected(error: BaseException | None) -> bool:
    """Whether no connection came about: refused, no such host, no route."""
    while error is not None:
        if isinstance(error, ConnectionRefusedError) or type(error).__name__.startswith("ClientConnector"):
            return True
        error = error.__cause__ or error.__context__
    return False


ECHO = 6  # characters of a secret, one after the other, that may not be repeated


def scrub(text: str, *secrets: str) -> str:
    """`text` on one line, cut at 300 characters, without secrets, pieces of them, or what looks like a key."""
    text = " ".join(text[:10_000].split())
    for secret in secrets:
        if len(secret) > 4:
            text = text.replace(secret, "<key>")
        else:  # a short one as a word of its own: it may stand in any other word
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "<key>", text)
        pieces = {secret[i : i + ECHO] for i in range(len(secret) - ECHO + 1)}
        hidden = [False] * len(text)
        for i in range(len(text) - ECHO + 1):
            if text[i : i + ECHO] in pieces:
                hidden[i : i + ECHO] = [True] * ECHO
        text = re.sub("\0+", "<key>", "".join("\0" if hide else letter for letter, hide in zip(text, hidden)))
    return re.sub(r"\b(sk|key)-[\w*.…-]{4,}", "<key>", text)[:300]


def retry_after(error) -> float | None:
    response = getattr(error, "response", None)
    value = response.headers.get("retry-after") if response is not None else None
    if not value:
        return None
    if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,9})?", value):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None  # neither seconds nor a date
