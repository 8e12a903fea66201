"""How calls end without a reply: not kept, failed for good, or stopped while they are in flight (`all_home`).

`CallError` is a call to a provider that failed: whether it may pass, what it may have cost, its message without a key.
"""

import asyncio
import contextlib
import email.utils
import json
import re
import signal
import threading
import time
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any

from proctor.models.cache import StoreError
from proctor.models.messages import Request


class MissingReply(LookupError):
    """Mode replay, and `requests` (one or more) that neither recording nor cache holds."""

    def __init__(self, requests: Iterable[Request]):
        self.requests = list({request.key: request for request in requests}.values())
        first = self.requests[0]
        super().__init__(
            f"{len(self.requests)} request(s) are neither recorded nor cached; the first is to {first.model}, prompt "
            f"{first.prompt or 'of your own'}, sample {first.sample}, key {first.key[:12]}, ending in "
            f"{first.messages[-1]['content'][-60:]!r}. Use mode auto to ask the model"
        )


class CallsFailed(RuntimeError):
    """Some calls failed for good; `errors` holds them by key. All other replies are kept."""

    def __init__(self, message: str, errors: dict[str, str]):
        super().__init__(message)
        self.errors = errors


class Termination:
    """SIGTERM, as `kill` sends it, while calls are in flight: they come home first, and then it ends the process. Sent
    again it ends it at once. Where somebody else handles the signal it is left alone."""

    def __init__(self) -> None:
        self.waiting: set[asyncio.Task] = set()
        self.ours = self.came = False  # whether we handle the signal, and whether it came

    @contextlib.contextmanager
    def delayed(self) -> Iterator[None]:
        """While a task of the main thread waits for its calls."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        if task is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        if not self.waiting and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            loop.add_signal_handler(signal.SIGTERM, self._stop, loop)
            self.ours = True
        if self.came:
            task.cancel()
        self.waiting.add(task)
        try:
            yield
        finally:
            self.waiting.discard(task)
            if not self.waiting and self.ours:
                self.ours = False
                loop.remove_signal_handler(signal.SIGTERM)
                if self.came:
                    signal.raise_signal(signal.SIGTERM)

    def _stop(self, loop: asyncio.AbstractEventLoop) -> None:
        self.came = loop.remove_signal_handler(signal.SIGTERM)
        for task in self.waiting:
            task.cancel()


TERMINATION = Termination()


async def all_home(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    """What each gives, all at once. Where one raises, or this is cancelled, the others are cancelled: they send nothing
    more, and end when their calls in flight are home. Cancelled again, it waits no longer.

    Raises what was raised, or one StoreError with every reply that could not be kept, where there are any; one
    MissingReply holds the requests of all, so that an export has them in one round."""
    tasks = [asyncio.ensure_future(one) for one in work]
    with TERMINATION.delayed():
        try:
            if tasks:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            if unkept := [error for error in ended if isinstance(error, StoreError)]:
                replies = {key: reply for error in unkept for key, reply in error.replies.items()}
                raise StoreError(str(unkept[0]), replies) from None  # paid for and not kept: handed over
    errors = [error for error in ended if isinstance(error, BaseException)]
    if other := [error for error in errors if not isinstance(error, MissingReply | asyncio.CancelledError)]:
        raise other[0]
    if missing := [request for error in errors if isinstance(error, MissingReply) for request in error.requests]:
        raise MissingReply(missing)
    if errors:
        raise errors[0]
    return ended


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


@contextlib.contextmanager
def call_errors(*secrets: str) -> Iterator[None]:
    """Turn what the SDKs raise into a CallError that holds no key."""
    try:
        yield
    except CallError:
        raise
    except Exception as error:
        if isinstance(error.__cause__, CallError):  # ours, of a reply that is too long
            raise error.__cause__ from None
        status = getattr(error, "status_code", None)
        sdks = {cls.__name__ for cls in type(error).__mro__}  # both SDKs name their errors alike
        if (
            status is None
            and not sdks & {"APIConnectionError", "APIResponseValidationError", "ClientError", "HTTPError"}
            and not isinstance(error, TimeoutError | ConnectionError | json.JSONDecodeError)
        ):
            raise
        again = may_pass(status) if status else True
        text = "no reply in time" if isinstance(error, TimeoutError) else f"{type(error).__name__}: {error}"
        wait = retry_after(error)
        if wait is not None and wait > LONGEST_WAIT:
            text, again = f"asked to wait {wait:.0f} s. {text}", False
        sent = status != 429 and not _never_connected(error)
        raise CallError(scrub(text, *secrets), again, wait, sent=sent) from None


def may_pass(status: int) -> bool:
    """Whether a call that failed with this HTTP status may go through later."""
    return status in (408, 409, 429) or status >= 500


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
        if pieces := "|".join(re.escape(secret[i : i + ECHO]) for i in range(len(secret) - ECHO + 1)):
            text = re.sub(rf"(?:(?={pieces}).)+.{{{ECHO - 1}}}", "<key>", text)  # where pieces begin, to the last's end
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
