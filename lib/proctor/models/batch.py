"""Large runs through the batch interfaces of OpenAI and Anthropic: half the price, answers within a day.

A batch provider is asked like any other, one `send` a request. What it is asked waits, and once no new request has come
for QUIET seconds, all that waits is a round: the lines that an export writes (models/studies.py) are handed in as one
batch, or more where the provider takes no such large one. It is read as an import reads it; the replies go to the cache
and then to those who wait for them. So a validator's early exit makes the rounds by itself: each reply asks the next
vote of its answer. The cache's file knows the batches that are not read yet: a run that was stopped or killed waits for
these when it is run again, and submits nothing twice.

OpenAI: https://platform.openai.com/docs/api-reference/batch (a file of requests up, files of replies and errors down).
Anthropic: https://platform.claude.com/docs/en/api/creating-message-batches (requests up in one body, a stream down).
"""

import asyncio
import json
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

from proctor.models.cache import Cache
from proctor.models.endings import CallError, call_errors, may_pass, scrub
from proctor.models.messages import Reply, Request
from proctor.models.providers import KINDS, reply_from_anthropic, reply_from_openai, sdk_client
from proctor.models.registry import Spec, key_of

QUIET = 2.0  # seconds without a new request, after which those that wait are a round
POLL = 30.0  # seconds between two looks at a batch
FAULTS = 50  # passing faults in a row, up to 20 polls apart, until a call to the interface is given up: about 8 hours
PATIENCE = 1800  # seconds for one attempt: a round up or its results down may be hundreds of megabytes
SKEW = 600  # seconds by which a provider's clock may differ from ours
PASSING = ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")  # Anthropic's, of a single request


# lines of requests and of results, which exports and imports share


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
        return cls(request.key, request.model, request.prompt, request.sample, request.opening)


def batch_line(model: Spec, request: Request) -> dict:
    """A request as a line of its provider's batch form, its key as `custom_id`."""
    body = KINDS[model.kind].body(model, request)
    if model.kind == "anthropic":
        return {"custom_id": request.key, "params": body}
    return {"custom_id": request.key, "method": "POST", "url": "/v1/chat/completions", "body": body}


def read_json(raw: bytes) -> dict:
    """A line of results, which names its request as `custom_id`; {} where it can't be read."""
    try:
        return dict(json.loads(raw))
    except (ValueError, TypeError, RecursionError):
        return {}


def read_lines(
    lines: Iterable[bytes], tickets: dict[str, Ticket], *secrets: str
) -> tuple[dict[str, Reply | CallError], int]:
    """What lines of either form hold, by key: the reply, or what was said instead. And how many are to no request of
    ours."""
    found: dict[str, Reply | CallError] = {}
    unknown = 0
    for line in map(read_json, filter(bytes.strip, lines)):
        ticket = tickets.get(str(line.get("custom_id")))
        if ticket is None:
            unknown += 1
            continue
        try:
            found[ticket.key] = _reply(line, ticket, secrets)
        except CallError as error:
            found.setdefault(ticket.key, error)
        except (TypeError, AttributeError) as error:
            found.setdefault(ticket.key, CallError(f"a line that is no reply ({error!r})", again=True))
    return found, unknown


def _reply(line: dict, ticket: Ticket, secrets: tuple[str, ...]) -> Reply:
    if isinstance(result := line.get("result"), dict):
        if result.get("type") == "succeeded":
            return reply_from_anthropic(result.get("message") or {}, ticket.opening)
        error = (result.get("error") or {}).get("error") or {}
        told = f"{result.get('type')}{error and f': {_said(error)}'}"
        raise CallError(scrub(told, *secrets), result.get("type") == "expired" or error.get("type") in PASSING)
    response, error = line.get("response"), line.get("error")
    if error or not isinstance(response, dict):
        cancelled = isinstance(error, dict) and error.get("code") == "batch_cancelled"
        raise CallError(scrub(_said(error) or "no response", *secrets), not cancelled)
    body, status = response.get("body") or {}, response.get("status_code", 200)
    if status != 200:
        raise CallError(scrub(f"{status}: {_said(body.get('error'))}", *secrets), may_pass(status))
    return reply_from_openai(body, ticket.opening)


def _said(error: object) -> str:
    return str(error.get("message") if isinstance(error, dict) else error or "")


# the interfaces


class NoReplies(CallError):
    """A batch that gives no replies: never created, failed as a whole, or not at the provider any more."""


@dataclass
class Round:
    """Requests submitted together, by key. `name` is ours, `batch` the provider's, None as long as it is not known.

    `created` in seconds since 1970, 0 before it is asked for; `lines` are what is to be submitted, of `size` bytes.
    """

    name: str
    created: float = 0.0
    batch: str | None = None
    tickets: dict[str, Ticket] = field(default_factory=dict)
    lines: list[dict] = field(default_factory=list)
    size: int = 0
    task: asyncio.Task = field(init=False)


class Batches:
    """A provider whose `send` takes part in a batch. `since`: replies kept before it do not count."""

    most: int  # requests of one batch,
    size: int  # and bytes
    # The provider's own:
    create: Any  # (round) hands its lines in; the provider's name of the batch
    find: Any  # (round) the name of its batch, whose creation was not heard of; None if there is none
    results: Any  # (batch) the lines of its results; None as long as it runs

    def __init__(self, model: Spec, cache: Cache, since: float = 0.0, progress: bool = True):
        self.model, self.cache, self.since, self.progress = model, cache, since, progress
        self._client = sdk_client(model.kind, model.base_url, key_of(model))
        self._gathered: dict[str, tuple[Ticket, dict]] = {}  # what is in no round yet: ticket and line, by key
        self._last = 0.0  # when the last one came
        self._gathering: asyncio.Task | None = None
        self._rounds: dict[str, Round] = {}  # under way, by name

    async def send(self, request: Request) -> Reply:
        """The reply, once its batch has ended. Raises CallError."""
        key = request.key
        found: Any = next((round for round in self._rounds.values() if key in round.tickets), None)
        if found is None:
            self._gathered[key], self._last = (Ticket.of(request), batch_line(self.model, request)), time.monotonic()
            self._gathering = self._gathering or asyncio.create_task(self._gather())
            try:
                found = (await asyncio.shield(self._gathering))[key]
            except asyncio.CancelledError:
                self._gathered.pop(key, None)
                raise
        came = (await asyncio.shield(found.task))[key] if isinstance(found, Round) else found
        if isinstance(came, CallError):  # a new one: nothing that led to it, and might hold the key, goes along
            raise CallError(str(came), came.again, came.wait, sent=came.sent)
        if isinstance(came, Exception):
            raise came
        return came

    async def close(self) -> None:
        """Stop waiting. Batches at the provider go on; the cache knows them."""
        tasks = [*(round.task for round in self._rounds.values()), *filter(None, [self._gathering])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.close()

    async def _gather(self) -> dict[str, "Round | Reply"]:
        """Wait for the end of a round and begin it, in as many batches as the provider wants; where each request is."""
        while (wait := self._last + QUIET - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        gathered, self._gathered, self._gathering = self._gathered, {}, None
        for name, created, batch, tickets in self.cache.batches(self.model.name):  # other runs' and processes'
            known = {key: Ticket(key, self.model.name, *rest) for key, *rest in tickets or ()}
            if name not in self._rounds and created >= self.since and known.keys() & gathered.keys():
                self._begin(Round(name, created, batch, known))
        found: dict[str, Round | Reply] = {key: round for round in self._rounds.values() for key in round.tickets}
        rounds: list[Round] = []
        for key, (ticket, line) in gathered.items():
            size = len(json.dumps(line)) + 1
            if key in found:
                continue
            if reply := self.cache.get(key, self.since):  # of a batch that another process read meanwhile
                found[key] = reply
                continue
            if not rounds or len(rounds[-1].lines) == self.most or rounds[-1].size + size > self.size:
                rounds.append(Round(uuid.uuid4().hex))
            found[key] = rounds[-1]
            rounds[-1].tickets[key] = ticket
            rounds[-1].lines.append(line)
            rounds[-1].size += size
        for round in rounds:
            self._begin(round)
        return found

    def _begin(self, round: Round) -> None:
        self._rounds[round.name] = round
        round.task = asyncio.create_task(self._run(round))

    async def _run(self, round: Round) -> dict[str, Any]:
        """See a round through: submit it, or find the batch of an earlier run, wait for its end and read it. By key, a
        Reply or an Exception."""
        try:
            if round.batch is None:
                round.batch = await self._patiently(self._created, round)
                self._note(round)
            round.lines = []
            if self.progress:
                told = f"{len(round.tickets):,} requests to {self.model.name} wait for batch {round.batch}"
                tqdm.write(told, file=sys.stderr)
            while (lines := await self._patiently(self.results, round.batch)) is None:
                await asyncio.sleep(POLL)
            outcomes = self._read(round, lines)
            self._note(round, read=True)
            return outcomes
        except asyncio.CancelledError:
            if round.created:  # else nothing has left this machine
                told = f"a batch of {len(round.tickets)} requests to {self.model.name} goes on at the provider: "
                warnings.warn(
                    f"{told}run again, with the same cache, to wait for it and read its replies", stacklevel=2
                )
            raise
        except Exception as error:  # handed to all who wait for a reply of this batch
            if isinstance(error, NoReplies):
                self._note(round, read=True)
            return dict.fromkeys(round.tickets, error)
        finally:
            del self._rounds[round.name]

    async def _created(self, round: Round) -> str:
        """The name of the round's batch. It is noted before it is asked for; from then on it may be there already."""
        if not round.created:
            round.created = time.time()
            self._note(round)
            try:
                return await self.create(round)
            except Exception as error:
                if not may_pass(getattr(error, "status_code", None) or 500):
                    self._note(round, read=True)  # refused: nobody has to look for it
                raise
        if not round.lines:  # of a run that was killed: what it just sent gets a moment to appear
            await asyncio.sleep(min(POLL, round.created + POLL - time.time()))
        if batch := await self.find(round):
            return batch
        if not round.lines:  # its requests go into the next round
            raise NoReplies("the batch was never created", again=True, sent=False)
        return await self.create(round)

    def _note(self, round: Round, read: bool = False) -> None:
        tickets = None if read else [(t.key, t.prompt, t.sample, t.opening) for t in round.tickets.values()]
        self.cache.note_batch(round.name, self.model.name, round.created, round.batch, tickets)

    def _read(self, round: Round, lines: list[bytes]) -> dict[str, Reply | CallError]:
        """What became of each request. The replies are kept."""
        found, _ = read_lines(lines, round.tickets, *self.model.secrets)
        for key, ticket in round.tickets.items():
            came = found.setdefault(
                key, CallError(f"batch {round.batch} holds no readable line for request {key[:12]}", again=True)
            )
            if isinstance(came, Reply):
                self.cache.put(ticket, came, self.since)
        return found

    async def _patiently(self, call: Callable, argument: Any) -> Any:
        """What the call gives, tried again after passing faults. Raises CallError, which the session does not retry:
        the batch, if there is one, goes on, and the cache knows it."""
        for fault in range(FAULTS):
            try:
                with call_errors(*self.model.secrets):
                    async with asyncio.timeout(PATIENCE):
                        return await call(argument)
            except CallError as error:
                if str(error).startswith("NotFoundError"):
                    told = f"not at the provider, perhaps too old or another key's: {error}. "
                    raise NoReplies(f"{told}Run again to submit these requests anew") from None
                if isinstance(error, NoReplies) or not error.again:
                    raise
                last = error
            await asyncio.sleep(max(last.wait or 0.0, min(POLL * 2**fault, 20 * POLL)))
        raise CallError(f"the batch interface failed {FAULTS} times in a row ({last}): run again later to go on")


class OpenAIBatches(Batches):
    most, size = 50_000, 200_000_000

    async def create(self, round: Round) -> str:
        content = "".join(json.dumps(line) + "\n" for line in round.lines).encode()
        file = await self._client.files.create(file=("round.jsonl", content), purpose="batch")
        how = dict(endpoint="/v1/chat/completions", completion_window="24h", metadata={"proctor": round.name})
        return (await self._client.batches.create(input_file_id=file.id, **how)).id

    async def find(self, round: Round) -> str | None:
        async for batch in self._client.batches.list(limit=100):  # the newest first
            if (batch.metadata or {}).get("proctor") == round.name:
                return batch.id
            if batch.created_at < round.created - SKEW:
                break
        return None

    async def results(self, batch: str) -> list[bytes] | None:
        found = await self._client.batches.retrieve(batch)
        if found.status == "failed":
            errors = (found.errors and found.errors.data) or []
            told = "; ".join(dict.fromkeys(str(error.message) for error in errors)) or "no reason given"
            full = any(error.code == "token_limit_exceeded" for error in errors)  # until earlier batches are through
            told = scrub(f"batch {batch} failed: {told}", *self.model.secrets)
            raise NoReplies(told, full, 20 * POLL if full else None, sent=False)
        if found.status not in ("completed", "expired", "cancelled"):
            return None
        files = [file for file in (found.output_file_id, found.error_file_id) if file]
        return [line for file in files for line in (await self._client.files.content(file)).content.split(b"\n")]


class AnthropicBatches(Batches):
    most, size = 100_000, 256_000_000

    async def create(self, round: Round) -> str:
        return (await self._client.messages.batches.create(requests=round.lines)).id

    async def find(self, round: Round) -> str | None:
        """A batch bears no name of ours here: it is one as large, not older, not known to the cache, whose results are
        to our requests. Results can be read only when it has ended, so one that may be it is waited for."""
        known = {batch for _, _, batch, _ in self.cache.batches(self.model.name)}
        async for batch in self._client.messages.batches.list(limit=100):  # the newest first
            if batch.created_at.timestamp() < round.created - SKEW:
                break
            if batch.id in known or sum(vars(batch.request_counts).values()) != len(round.tickets):
                continue
            while (lines := await self.results(batch.id)) is None:
                await asyncio.sleep(POLL)
            keys = {read_json(line).get("custom_id") for line in lines} - {None}
            if keys and keys <= round.tickets.keys():
                return batch.id
        return None

    async def results(self, batch: str) -> list[bytes] | None:
        found = await self._client.messages.batches.retrieve(batch)
        if found.processing_status != "ended":
            return None
        if not found.results_url:
            raise NoReplies(f"the results of batch {batch} are not there any more: run again to submit them anew")
        async with self._client.messages.batches.with_streaming_response.results(batch) as response:
            return (await response.read()).split(b"\n")


INTERFACES: dict[str, type[Batches]] = {"openai": OpenAIBatches, "anthropic": AnthropicBatches}
