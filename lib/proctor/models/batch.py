"""Large runs through the providers' batch interfaces: half the price, answers within a day.

A batch provider is asked like any other, one `send` a request. What it is asked waits, and once no new request has come
for QUIET seconds, all that waits is a round: one batch (more where a provider takes no such large one), looked at every
POLL seconds, whose replies go to the cache and then to those who wait for them. So a validator's early exit makes the
rounds by itself: each reply asks the next vote of its answer. A journal in the cache's file knows the batches that are
not read yet: a run that was stopped or killed waits for these when it is run again, and submits nothing twice.
"""

import asyncio
import json
import time
import uuid
import warnings

from tqdm import tqdm

from proctor.models import batch_api
from proctor.models.batch_api import INTERFACES, Gone, Round, Ticket
from proctor.models.cache import Cache, Journal, StoreError
from proctor.models.endings import CallError
from proctor.models.messages import Reply, Request
from proctor.models.registry import Spec

QUIET = 2.0  # seconds without a new request, after which those that wait are a round


class Batches:
    """A provider whose `send` takes part in a batch. `since`: replies kept before it do not count."""

    def __init__(self, model: Spec, cache: Cache, since: float = 0.0, progress: bool = True):
        self.model, self.progress = model, progress
        self._interface = INTERFACES[model.kind](model)
        self._cache, self._journal, self._since = cache, Journal(cache), since
        self._room: dict[str, Request] = {}  # those that wait to be submitted
        self._awaited: dict[str, asyncio.Future] = {}  # those whose reply somebody waits for
        self._out: set[str] = set()  # keys of the rounds under way
        self._rounds: dict[asyncio.Task, Round] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._to_resume = True

    async def send(self, request: Request) -> Reply:
        """The reply, once its batch has ended. Raises CallError."""
        if self._to_resume:
            self._resume()
        if reply := self._cache.get(request.key, self._since):  # came with a batch since somebody last looked
            return reply
        loop, key = asyncio.get_running_loop(), request.key
        self._awaited[key] = loop.create_future()
        if key not in self._out:
            self._room[key] = request
            if self._timer:
                self._timer.cancel()
            self._timer = loop.call_later(QUIET, self._close_room)
        try:
            return await self._awaited[key]
        finally:
            del self._awaited[key]
            self._room.pop(key, None)

    async def close(self) -> None:
        """Stop waiting. Batches at the provider go on; the journal knows them."""
        if self._timer:
            self._timer.cancel()
        for task in self._rounds:
            task.cancel()
        await asyncio.gather(*self._rounds, return_exceptions=True)
        await self._interface.close()

    def _resume(self) -> None:
        """Go on with the rounds that the journal holds and that are not under way here."""
        self._to_resume, here = False, {round.name for round in self._rounds.values()}
        for name, created, batch, tickets in self._journal.unread(self.model.name, self._since):
            if name not in here:
                tickets = [Ticket(key, self.model.name, *rest) for key, *rest in tickets]
                self._begin(Round(name, {ticket.key: ticket for ticket in tickets}, created, batch))

    def _close_room(self) -> None:
        """All that waits is a round, cut where the provider takes no more."""
        room, self._room = list(self._room.values()), {}
        lines: list[dict] = []
        tickets: dict[str, Ticket] = {}
        size = 0
        for request in room:
            line = self._interface.line(request)
            length = len(json.dumps(line)) + 1
            if lines and (len(lines) == self._interface.most or size + length > self._interface.size):
                self._begin(Round(uuid.uuid4().hex, tickets), lines)
                lines, size, tickets = [], 0, {}
            tickets[request.key] = Ticket.of(request)
            lines.append(line)
            size += length
        if lines:
            self._begin(Round(uuid.uuid4().hex, tickets), lines)

    def _begin(self, round: Round, lines: list[dict] | None = None) -> None:
        self._out |= round.tickets.keys()
        task = asyncio.create_task(self._run(round, lines))
        self._rounds[task] = round
        task.add_done_callback(self._rounds.pop)

    async def _run(self, round: Round, lines: list[dict] | None) -> None:
        """See a round through and hand out what comes of it."""
        try:
            outcomes = await self._outcomes(round, lines)
        except asyncio.CancelledError:
            if round.created:  # else nothing has left this machine but perhaps a file
                warnings.warn(
                    f"a batch of {len(round.tickets)} requests to {self.model.name} goes on at the provider: "
                    "run again, in batch mode and with the same cache, to wait for it and read its replies",
                    stacklevel=2,
                )
            raise
        except Exception as error:  # handed to all who wait for a reply of this batch
            outcomes, self._to_resume = {key: error for key in round.tickets}, True
        self._out -= round.tickets.keys()
        for key, outcome in outcomes.items():
            waiting = self._awaited.get(key)
            if waiting is None or waiting.done():
                continue
            if isinstance(outcome, CallError):  # a new one: nothing that led to it, and might hold the key, goes along
                waiting.set_exception(CallError(str(outcome), outcome.again, outcome.wait, sent=outcome.sent))
            elif isinstance(outcome, Exception):
                waiting.set_exception(outcome)
            else:
                waiting.set_result(outcome)

    async def _outcomes(self, round: Round, lines: list[dict] | None) -> dict[str, Reply | CallError]:
        """Submit a round, or find one of an earlier run, and collect it. By key, the reply or what became of it."""
        try:
            if lines:
                await self._submit(round, lines)
            elif round.batch is None:
                await self._recover(round)
            return await self._collect(round)
        except Gone:
            self._journal.close(round.name)
            raise

    async def _submit(self, round: Round, lines: list[dict]) -> None:
        """Note the round, create the batch, note its id. After a fault, first look whether it is there all the same."""
        content = await self._interface.through(lambda: self._interface.upload(lines), batch_api.TRANSFER)
        round.created = time.time()
        self._write(round)
        for fault in range(batch_api.FAULTS):
            try:
                round.batch = await self._interface.once(lambda: self._interface.create(round, content))
            except CallError as error:
                if not error.again:
                    self._journal.close(round.name)
                    raise
                await asyncio.sleep(batch_api.pause(fault, error))
                round.batch = await self._interface.find(round, self._journal.batches())
            if round.batch:
                return self._write(round)
        raise CallError(
            f"a batch of {len(lines)} requests could not be created in {batch_api.FAULTS} attempts: run again later"
        )

    async def _recover(self, round: Round) -> None:
        """The batch of a run that was killed before it noted the id; one just sent gets a moment to appear."""
        while (batch := await self._interface.find(round, self._journal.batches())) is None:
            if time.time() - round.created > batch_api.POLL:
                self._journal.close(round.name)
                raise CallError(
                    "the batch was never created", again=True, sent=False
                )  # so these go into the next round
            await asyncio.sleep(batch_api.POLL)
        round.batch = batch
        self._write(round)

    def _write(self, round: Round) -> None:
        tickets = [(t.key, t.prompt, t.sample, t.opening) for t in round.tickets.values()]
        self._journal.write(round.name, self.model.name, round.created, round.batch, tickets)

    async def _collect(self, round: Round) -> dict[str, Reply | CallError]:
        """Wait for the batch's end, read it and keep its replies."""
        batch = str(round.batch)
        with tqdm(total=len(round.tickets), desc=f"batch {batch[-8:]}", leave=False, disable=not self.progress) as bar:
            while not (state := await self._interface.through(lambda: self._interface.look(batch))).ended:
                bar.n = state.done
                bar.refresh()
                await asyncio.sleep(batch_api.POLL)
        if state.failure:
            self._journal.close(round.name)
            raise state.failure
        outcomes, kept = await self._interface.through(lambda: self._read(round, state.files), batch_api.TRANSFER)
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
            async for raw in self._interface.lines(file):
                if (key := batch_api.custom_id(raw)) not in round.tickets:
                    continue  # empty, cut off or not ours; a request without a line is told in the end
                try:
                    reply = self._interface.reply(json.loads(raw), round.tickets[key])
                    outcomes[key] = reply
                    self._cache.put(round.tickets[key], reply, self._since)
                except CallError as error:
                    outcomes[key] = error
                except StoreError:
                    kept = False
                except (KeyError, TypeError, AttributeError) as error:
                    outcomes[key] = CallError(f"batch {round.batch}: a line that is no reply ({error!r})", again=True)
        return outcomes, kept
