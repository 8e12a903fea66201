"""Large runs through the providers' batch interfaces: half the price, answers within a day.

A batch provider is asked like any other, one `send` a request. What it is asked waits, and once no new request has come
for QUIET seconds, all that waits is a round: one batch (more where a provider takes no such large one), looked at every
POLL seconds, whose replies go to the cache and then to those who wait for them. So a validator's early exit makes the
rounds by itself: each reply asks the next vote of its answer. A journal in the cache's file knows the batches that are
not read yet: a run that was stopped or killed waits for these when it is run again, and submits nothing twice.

OpenAI: https://platform.openai.com/docs/api-reference/batch (a file of requests up, files of replies and errors down).
Anthropic: https://platform.claude.com/docs/en/api/creating-message-batches (requests up in one body, a stream down).
"""

import asyncio
import json
import time
import uuid
import warnings
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

from proctor.models.cache import Cache, Journal, StoreError
from proctor.models.endings import CallError, call_errors, scrub
from proctor.models.messages import Reply, Request
from proctor.models.providers import anthropic_body, client_of, openai_body, reply_from_anthropic, reply_from_openai
from proctor.models.registry import Spec

QUIET = 2.0  # seconds without a new request, after which those that wait are a round
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
        return cls(request.key, request.model, request.prompt, request.sample, request.opening)


@dataclass(eq=False)
class Round:
    """Requests submitted together, by key. `name` is ours, `batch` the provider's; `created` in seconds since 1970.

    `lines` is what is to be submitted, `size` its bytes, `last` when the last one came; `task` sees the round through.
    """

    name: str
    tickets: dict[str, Ticket]
    created: float = 0.0
    batch: str | None = None
    lines: dict[str, dict] = field(default_factory=dict)
    size: int = 0
    last: float = 0.0
    task: asyncio.Task = field(init=False)


@dataclass(frozen=True)
class State:
    """A batch as it stands: requests done, ended or not, and then the files to read or why it failed as a whole."""

    done: int
    ended: bool
    files: tuple[str, ...] = ()
    failure: CallError | None = None


class Batches:
    """A provider whose `send` takes part in a batch. `since`: replies kept before it do not count."""

    most: int  # requests of one batch,
    size: int  # and bytes
    # The provider's own:
    line: Any  # (request) a line of the batch
    upload: Any  # (lines) puts them there; what `create` takes
    create: Any  # (round, uploaded) the provider's name of the batch
    find: Any  # (round) the name of its batch, whose creation was not heard of; None if there is none
    look: Any  # (batch) its State
    content: Any  # (file) of results, as a stream
    reply: Any  # (line, ticket) what a line of the results says; raises CallError

    def __init__(self, model: Spec, cache: Cache, since: float = 0.0, progress: bool = True):
        self.model, self.progress, self._client = model, progress, client_of(model)
        self._cache, self._journal, self._since = cache, Journal(cache), since
        self._rounds: dict[str, Round] = {}  # by key of a request, the round under way that it is in
        self._room: Round | None = None  # the round that takes further requests
        self._to_resume = True

    async def send(self, request: Request) -> Reply:
        """The reply, once its batch has ended. Raises CallError."""
        key = request.key
        if self._to_resume:
            self._resume()
        if reply := self._cache.get(key, self._since):  # came with a batch since somebody last looked
            return reply
        round = self._rounds.get(key) or self._enter(request)
        try:
            outcome = (await asyncio.shield(round.task))[key]
        except asyncio.CancelledError:
            if round is self._room:
                for entered in (round.lines, round.tickets, self._rounds):
                    entered.pop(key, None)
            raise
        if isinstance(outcome, CallError):  # a new one: nothing that led to it, and might hold the key, goes along
            raise CallError(str(outcome), outcome.again, outcome.wait, sent=outcome.sent)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> None:
        """Stop waiting. Batches at the provider go on; the journal knows them."""
        tasks = {round.task for round in (*self._rounds.values(), self._room) if round}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.close()

    def _resume(self) -> None:
        """Go on with the rounds that the journal holds and that are not under way here."""
        self._to_resume, here = False, {round.name for round in self._rounds.values()}
        for name, created, batch, tickets in self._journal.unread(self.model.name, self._since):
            if name not in here:
                tickets = [Ticket(key, self.model.name, *rest) for key, *rest in tickets]
                self._begin(Round(name, {ticket.key: ticket for ticket in tickets}, created, batch))

    def _enter(self, request: Request) -> Round:
        """The round that the request is now in: a new one where there is none, or the provider takes no more in it."""
        line, room = self.line(request), self._room
        size = len(json.dumps(line)) + 1
        if room is None or room.lines and (len(room.lines) == self.most or room.size + size > self.size):
            room = self._room = self._begin(Round(uuid.uuid4().hex, {}))
        room.lines[request.key], room.tickets[request.key] = line, Ticket.of(request)
        room.size, room.last = room.size + size, time.monotonic()
        self._rounds[request.key] = room
        return room

    def _begin(self, round: Round) -> Round:
        self._rounds |= dict.fromkeys(round.tickets, round)
        round.task = asyncio.create_task(self._run(round))
        return round

    async def _run(self, round: Round) -> dict[str, Reply | Exception]:
        """See a round through. By key, the reply or what became of it."""
        try:
            while self._room is round and (wait := round.last + QUIET - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            if self._room is round:
                self._room = None
            return await self._outcomes(round) if round.tickets else {}
        except asyncio.CancelledError:
            if round.created:  # else nothing has left this machine but perhaps a file
                warnings.warn(
                    f"a batch of {len(round.tickets)} requests to {self.model.name} goes on at the provider: "
                    "run again, in batch mode and with the same cache, to wait for it and read its replies",
                    stacklevel=2,
                )
            raise
        except Exception as error:  # handed to all who wait for a reply of this batch
            self._to_resume = True
            return dict.fromkeys(round.tickets, error)
        finally:
            self._room = None if self._room is round else self._room
            for key in round.tickets:
                self._rounds.pop(key, None)

    async def _outcomes(self, round: Round) -> dict[str, Any]:
        """Submit a round, or find one of an earlier run, and read its batch."""
        try:
            if round.batch is None:
                round.batch = await (self._submitted(round) if round.lines else self._recovered(round))
                self._note(round)
            return await self._collect(round)
        except Gone:
            self._journal.close(round.name)
            raise

    async def _submitted(self, round: Round) -> str:
        """Note the round and create the batch. After a fault, first look whether it is there all the same."""
        lines, round.lines = list(round.lines.values()), {}
        uploaded = await self._through(lambda: self.upload(lines), TRANSFER)
        round.created = time.time()
        self._note(round)
        for fault in range(FAULTS):
            try:
                return await self._once(lambda: self.create(round, uploaded))
            except CallError as error:
                if not error.again:
                    self._journal.close(round.name)
                    raise
                await asyncio.sleep(pause(fault, error))
                if batch := await self._found(round):
                    return batch
        raise CallError(f"a batch of {len(lines)} requests could not be created in {FAULTS} attempts: run again later")

    async def _recovered(self, round: Round) -> str:
        """The batch of a run that was killed before it noted the id; one just sent gets a moment to appear."""
        while (batch := await self._found(round)) is None:
            if time.time() - round.created > POLL:
                self._journal.close(round.name)  # so that its requests go into the next round
                raise CallError("the batch was never created", again=True, sent=False)
            await asyncio.sleep(POLL)
        return batch

    async def _found(self, round: Round) -> str | None:
        return await self._through(lambda: self.find(round), TRANSFER)

    def _note(self, round: Round) -> None:
        tickets = [(t.key, t.prompt, t.sample, t.opening) for t in round.tickets.values()]
        self._journal.write(round.name, self.model.name, round.created, round.batch, tickets)

    async def _collect(self, round: Round) -> dict[str, Reply | CallError]:
        """Wait for the batch's end, read it and keep its replies."""
        batch = str(round.batch)
        with tqdm(total=len(round.tickets), desc=f"batch {batch[-8:]}", leave=False, disable=not self.progress) as bar:
            while not (state := await self._through(lambda: self.look(batch))).ended:
                bar.n = state.done
                bar.refresh()
                await asyncio.sleep(POLL)
        if state.failure:
            self._journal.close(round.name)
            raise state.failure
        outcomes, kept = await self._through(lambda: self._read(round, state.files), TRANSFER)
        for key in round.tickets.keys() - outcomes.keys():
            outcomes[key] = CallError(f"batch {round.batch} holds no readable line for request {key[:12]}", again=True)
        if kept:
            self._journal.close(round.name)
        return outcomes

    async def _read(self, round: Round, files: tuple[str, ...]) -> tuple[dict[str, Reply | CallError], bool]:
        """Each line's outcome, and whether all replies could be kept: those that could not go on to who keeps them."""
        outcomes: dict[str, Reply | CallError] = {}
        kept = True
        for file in files:
            async for raw in self._lines(file):
                if (key := custom_id(raw)) not in round.tickets:
                    continue  # empty, cut off or not ours; a request without a line is told in the end
                try:
                    reply = self.reply(json.loads(raw), round.tickets[key])
                    outcomes[key] = reply
                    self._cache.put(round.tickets[key], reply, self._since)
                except CallError as error:
                    outcomes[key] = error
                except StoreError:
                    kept = False
                except (KeyError, TypeError, AttributeError) as error:
                    outcomes[key] = CallError(f"batch {round.batch}: a line that is no reply ({error!r})", again=True)
        return outcomes, kept

    async def _through(self, call, seconds: float = CALL):
        """What `call()` gives, asked again after passing faults. Raises CallError, which the session does not retry:
        the batch, if there is one, goes on, and the journal knows it."""
        for fault in range(FAULTS):
            try:
                return await self._once(call, seconds)
            except CallError as error:
                if not error.again:
                    raise
                last = error
            await asyncio.sleep(pause(fault, last))
        raise CallError(f"the batch interface failed {FAULTS} times in a row ({last}): run again later to go on")

    async def _once(self, call, seconds: float = TRANSFER):
        with call_errors(*self.model.secrets):
            async with asyncio.timeout(seconds):
                try:
                    return await call()
                except Exception as error:
                    if getattr(error, "status_code", None) != 404:
                        raise
                    told = f"not at the provider, perhaps too old or another key's: {error}. "
                    told += "Run again to submit these requests anew"
                    raise Gone(scrub(told, *self.model.secrets)) from None

    async def _lines(self, file: str) -> AsyncIterator[bytes]:
        """A results file, line by line: at line feeds only, since a reply may hold any other break unescaped."""
        rest = b""
        async with self.content(file) as response:
            async for part in response.iter_bytes():
                *whole, rest = (rest + part).split(b"\n")
                for line in whole:
                    yield line
        yield rest


class OpenAIBatches(Batches):
    most, size = 50_000, 200_000_000

    def line(self, request: Request) -> dict:
        return openai_line(self.model, request)

    async def upload(self, lines: list[dict]) -> str:
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        return (await self._client.files.create(file=("round.jsonl", content), purpose="batch")).id

    async def create(self, round: Round, file: str) -> str:
        how = dict(endpoint="/v1/chat/completions", completion_window="24h", metadata={"proctor": round.name})
        return (await self._client.batches.create(input_file_id=file, **how)).id

    async def find(self, round: Round) -> str | None:
        async for batch in self._client.batches.list(limit=100):  # the newest first
            if (batch.metadata or {}).get("proctor") == round.name:
                return batch.id
            if batch.created_at < round.created - SKEW:
                break
        return None

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
            told = scrub(f"batch {batch} failed: {told}", *self.model.secrets)
            failure = CallError(told, full, 20 * POLL if full else None, sent=False)
        return State(done, found.status in ("completed", "failed", "expired", "cancelled"), files, failure)

    def content(self, file: str):
        return self._client.files.with_streaming_response.content(file)

    def reply(self, line: dict, ticket: Ticket) -> Reply:
        return openai_result(line, ticket, *self.model.secrets)


class AnthropicBatches(Batches):
    most, size = 100_000, 256_000_000

    def line(self, request: Request) -> dict:
        return {"custom_id": request.key, "params": anthropic_body(self.model, request)}

    async def upload(self, lines: list[dict]) -> list[dict]:
        return lines  # this interface takes them with the creation

    async def create(self, round: Round, lines: list[dict]) -> str:
        return (await self._client.messages.batches.create(requests=lines)).id

    async def find(self, round: Round) -> str | None:
        """A batch bears no name of ours here: it is one as large, not older, not in the journal, whose results are to
        our requests. Results can be read only when it has ended, so one that may be it is waited for."""
        running, known = True, self._journal.batches()
        while running:
            running = False
            async for batch in self._client.messages.batches.list(limit=100):  # the newest first
                if batch.created_at.timestamp() < round.created - SKEW:
                    break
                if sum(vars(batch.request_counts).values()) != len(round.tickets) or batch.id in known:
                    continue
                running = running or batch.processing_status != "ended"
                if batch.results_url:
                    keys = {custom_id(raw) async for raw in self._lines(batch.id)} - {None}
                    if keys and keys <= round.tickets.keys():
                        return batch.id
            await asyncio.sleep(POLL if running else 0)
        return None

    async def look(self, batch: str) -> State:
        found = await self._client.messages.batches.retrieve(batch)
        counts, ended = vars(found.request_counts), found.processing_status == "ended"
        if ended and not found.results_url:
            raise Gone(f"the results of batch {batch} are not there any more: run again to submit its requests anew")
        return State(sum(counts.values()) - counts["processing"], ended, (batch,))

    def content(self, batch: str):
        return self._client.messages.batches.with_streaming_response.results(batch)

    def reply(self, line: dict, ticket: Ticket) -> Reply:
        result = line["result"]
        if result["type"] == "succeeded":
            return reply_from_anthropic(result["message"], ticket.opening)
        if result["type"] == "errored":
            error = result["error"]["error"]
            told = scrub(f"{error['type']}: {error['message']}", *self.model.secrets)
            raise CallError(
                told, error["type"] in ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")
            )
        raise CallError(f"{scrub(result['type'])} before it was answered", again=result["type"] != "canceled")


INTERFACES: dict[str, type[Batches]] = {"openai": OpenAIBatches, "anthropic": AnthropicBatches}


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
