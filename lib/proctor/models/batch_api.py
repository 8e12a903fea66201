"""OpenAI's and Anthropic's batch interfaces: create a batch, find it again, look at it, read its results.

OpenAI: https://platform.openai.com/docs/api-reference/batch (a file of requests up, files of replies and errors down).
Anthropic: https://platform.claude.com/docs/en/api/creating-message-batches (requests up in one body, a stream down).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Set
from dataclasses import dataclass
from typing import Any

from proctor.models.endings import CallError, call_errors, scrub
from proctor.models.messages import Reply, Request
from proctor.models.providers import anthropic_body, client_of, openai_body, reply_from_anthropic, reply_from_openai
from proctor.models.registry import Spec

POLL = 30.0  # seconds between two looks at a batch
FAULTS = 50  # passing faults in a row, up to 20 polls apart, until a call to the interface is given up: about 8 hours
CALL, TRANSFER = 60, 1800  # seconds for one attempt; a round up or its results down may be hundreds of megabytes
SKEW = 600  # seconds by which a provider's clock may differ from ours


class Gone(CallError):
    """What is asked for is not at the provider (any more)."""


@dataclass(frozen=True)
class Ticket:
    """What of a request must outlive this process: enough to read its reply and to keep it.

    `opening` is the beginning of the reply that the request gives, "" if none.
    """

    key: str
    model: str
    prompt: str
    sample: int
    opening: str

    @classmethod
    def of(cls, request: Request) -> "Ticket":
        """What the reply to a request is read and kept by."""
        return cls(request.key, request.model, request.prompt, request.sample, request.opening)


@dataclass
class Round:
    """Requests submitted together, by key. `name` is ours, `batch` the provider's; `created` in seconds since 1970."""

    name: str
    tickets: dict[str, Ticket]
    created: float = 0.0
    batch: str | None = None


@dataclass(frozen=True)
class State:
    """A batch as it stands: requests done, ended or not, and then the files to read or why it failed as a whole."""

    done: int
    ended: bool
    files: tuple[str, ...] = ()
    failure: CallError | None = None


class _Interface:
    """What both share. `most` requests and `size` bytes fit into one batch."""

    most: int
    size: int

    def __init__(self, model: Spec):
        self.model, self._client = model, client_of(model)

    def _open(self, file: str) -> Any:
        raise NotImplementedError

    async def through(self, call, seconds: float = CALL):
        """What `call()` gives, asked again after passing faults. Raises CallError, which the session does not retry:
        the batch, if there is one, goes on, and the journal knows it."""
        for fault in range(FAULTS):
            try:
                return await self.once(call, seconds)
            except CallError as error:
                if not error.again:
                    raise
                last = error
            await asyncio.sleep(pause(fault, last))
        raise CallError(f"the batch interface failed {FAULTS} times in a row ({last}): run again later to go on")

    async def once(self, call, seconds: float = TRANSFER):
        with call_errors(*self.model.secrets):
            async with asyncio.timeout(seconds):
                try:
                    return await call()
                except Exception as error:
                    if getattr(error, "status_code", None) != 404:
                        raise
                    raise Gone(
                        scrub(
                            f"not at the provider, perhaps too old or another key's: {error}. Run again to "
                            "submit these requests anew",
                            *self.model.secrets,
                        )
                    ) from None

    async def lines(self, file: str) -> AsyncIterator[bytes]:
        """A results file, line by line: at line feeds only, since a reply may hold any other break unescaped."""
        rest = b""
        async with self._open(file) as response:
            async for part in response.iter_bytes():
                *whole, rest = (rest + part).split(b"\n")
                for line in whole:
                    yield line
        yield rest

    async def close(self) -> None:
        await self._client.close()

    def _failed(self, what: str, again: bool) -> CallError:
        return CallError(scrub(what, *self.model.secrets), again)


class OpenAIBatches(_Interface):
    most, size = 50_000, 200_000_000

    def line(self, request: Request) -> dict:
        """A request as a line of the batch."""
        return openai_line(self.model, request)

    async def upload(self, lines: list[dict]) -> str:
        """What `create` takes."""
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        return (await self._client.files.create(file=("round.jsonl", content), purpose="batch")).id

    async def create(self, round: Round, file: str) -> str:
        """The provider's name of the batch."""
        return (
            await self._client.batches.create(
                input_file_id=file,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={"proctor": round.name},
            )
        ).id

    async def find(self, round: Round, known: Set[str]) -> str | None:
        """The batch of a round whose creation was not heard of, by its name; None if there is none."""

        async def look() -> str | None:
            async for batch in self._client.batches.list(limit=100):  # the newest first
                if (batch.metadata or {}).get("proctor") == round.name:
                    return batch.id
                if batch.created_at < round.created - SKEW:
                    break
            return None

        return await self.through(look, TRANSFER)

    async def look(self, batch: str) -> State:
        found = await self._client.batches.retrieve(batch)
        counts = found.request_counts
        done = counts.completed + counts.failed if counts else 0
        files = tuple(file for file in (found.output_file_id, found.error_file_id) if file)
        failure = None
        if found.status == "failed":
            errors = (found.errors and found.errors.data) or []
            told = "; ".join(dict.fromkeys(str(error.message) for error in errors)) or "no reason given"
            full = any(error.code == "token_limit_exceeded" for error in errors)  # until earlier batches are through
            failure = CallError(
                scrub(f"batch {batch} failed: {told}", *self.model.secrets),
                full,
                20 * POLL if full else None,
                sent=False,
            )
        return State(done, found.status in ("completed", "failed", "expired", "cancelled"), files, failure)

    def _open(self, file: str):
        return self._client.files.with_streaming_response.content(file)

    def reply(self, line: dict, ticket: Ticket) -> Reply:
        """What a line of the results says. Raises CallError."""
        return openai_result(line, ticket, *self.model.secrets)


class AnthropicBatches(_Interface):
    """As OpenAIBatches; the methods do the same."""

    most, size = 100_000, 256_000_000

    def line(self, request: Request) -> dict:
        return {"custom_id": request.key, "params": anthropic_body(self.model, request)}

    async def upload(self, lines: list[dict]) -> list[dict]:
        return lines  # this interface takes them with the creation

    async def create(self, round: Round, lines: list[dict]) -> str:
        return (await self._client.messages.batches.create(requests=lines)).id

    async def find(self, round: Round, known: Set[str]) -> str | None:
        """A batch bears no name of ours here: it is one as large, not older, none of the `known`, whose results are
        to our requests. Results can be read only when it has ended, so one that may be it is waited for."""

        async def look() -> tuple[str | None, bool]:
            running = False
            async for batch in self._client.messages.batches.list(limit=100):  # the newest first
                if batch.created_at.timestamp() < round.created - SKEW:
                    break
                if sum(vars(batch.request_counts).values()) != len(round.tickets) or batch.id in known:
                    continue
                running = running or batch.processing_status != "ended"
                if batch.results_url:
                    keys = {custom_id(raw) async for raw in self.lines(batch.id)} - {None}
                    if keys and keys <= round.tickets.keys():
                        return batch.id, False
            return None, running

        while True:
            batch, running = await self.through(look, TRANSFER)
            if batch or not running:
                return batch
            await asyncio.sleep(POLL)

    async def look(self, batch: str) -> State:
        found = await self._client.messages.batches.retrieve(batch)
        counts, ended = vars(found.request_counts), found.processing_status == "ended"
        if ended and not found.results_url:
            raise Gone(f"the results of batch {batch} are not there any more: run again to submit its requests anew")
        return State(sum(counts.values()) - counts["processing"], ended, (batch,))

    def _open(self, batch: str):
        return self._client.messages.batches.with_streaming_response.results(batch)

    def reply(self, line: dict, ticket: Ticket) -> Reply:
        result = line["result"]
        if result["type"] == "succeeded":
            return reply_from_anthropic(result["message"], ticket.opening)
        if result["type"] == "errored":
            error = result["error"]["error"]
            passing = ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")
            raise self._failed(f"{error['type']}: {error['message']}", error["type"] in passing)
        raise self._failed(f"{result['type']} before it was answered", again=result["type"] != "canceled")


INTERFACES: dict[str, type[OpenAIBatches] | type[AnthropicBatches]] = {
    "openai": OpenAIBatches,
    "anthropic": AnthropicBatches,
}


def openai_line(model: Spec, request: Request) -> dict:
    """A request as a line of OpenAI's batch form, its key as `custom_id`."""
    body = openai_body(model, request)
    return {"custom_id": request.key, "method": "POST", "url": "/v1/chat/completions", "body": body}


def openai_result(line: dict, ticket: Ticket, *secrets: str) -> Reply:
    """The reply in a line of results in OpenAI's form. Raises CallError, with what the server said."""
    response, error = line.get("response"), line.get("error")
    if error or not isinstance(response, dict):
        cancelled = isinstance(error, dict) and error.get("code") == "batch_cancelled"
        raise CallError(scrub(_said(error) or "no response", *secrets), not cancelled)
    body, status = response.get("body") or {}, response.get("status_code", 200)
    if status != 200:
        told = scrub(f"{status}: {_said(body.get('error'))}", *secrets)
        raise CallError(told, status in (408, 409, 429) or status >= 500)
    return reply_from_openai(body, ticket.opening)


def _said(error: object) -> str:
    return str(error.get("message") if isinstance(error, dict) else error or "")


def custom_id(raw: bytes) -> str | None:
    """The key of the request that a line of results is to; None where the line can't be read."""
    try:
        return str(json.loads(raw)["custom_id"])
    except (ValueError, KeyError, TypeError):
        return None


def pause(fault: int, error: CallError) -> float:
    return max(error.wait or 0.0, min(POLL * 2**fault, 20 * POLL))
