"""The one door to any model: recording, then cache, then the provider; with a plan before and a budget during."""

import asyncio
import contextlib
import random
import shutil
import sys
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from aiolimiter import AsyncLimiter
from tqdm import tqdm

from proctor import paths
from proctor.models.batch import INTERFACES
from proctor.models.cache import Cache, StoreError, read_recording, recording_path
from proctor.models.endings import CallError, CallsFailed, MissingReply, all_home
from proctor.models.messages import Reply, Request
from proctor.models.providers import KINDS, Served, refusal
from proctor.models.registry import ModelError, key_of, spec, weights_file
from proctor.models.settings import LOCAL_TIMEOUT, PROVIDER_TIMEOUT, Settings
from proctor.models.spending import Account, Budget, Plan, Spent, narrower

MODES = ("replay", "auto", "live")
FREE_BYTES = 50_000_000  # below this no call is sent: its reply might not fit on the disk
UNREADABLE = 2  # times that a call is tried again after a reply that could not be read, which is paid for
LOOK = 0.2  # seconds between two looks at what another process is asking


class Session:
    """Ask models through recordings, cache and providers.

    Modes: `replay` takes a reply from the recording or the cache and fails otherwise; `auto` then asks
    the model; `live` asks again, even where a reply is kept, and keeps the new one (replies that came
    after `since`, seconds since 1970, count as new, so that a killed live run can go on).
    Models that cost, or whose price is not known, are asked with a `budget` alone (models/spending.py): a Budget,
    dollars, "500 calls", or "none" for no limit; what the environment holds bounds it further.
    Several sessions, in several processes too, may share a cache: what one is asking the others wait for.
    Each key is tried with one free call, the provider's list of models, before anything is sent with it.
    A session that is stopped (Ctrl-C, or `kill`) waits for the calls in flight, since they are paid for, and keeps
    their replies; stopped again it does not.
    `settings` say how models are asked (models/settings.py): what is asked with this session takes them, unless it is
    given its own.
    `concurrency` calls to providers are in flight at most. `timeout` is seconds for one attempt, where a request says
    nothing (600 for providers' models, 120 for those served here); `retries` how often
    a call is tried again after a passing fault: 8 take two minutes, longer than the window of a rate limit.
    `batch` sends calls to providers through their batch interfaces (models/batch.py): half the price, hours instead of
    seconds. Neither `concurrency` nor `timeout` bounds these, since all must be able to wait at once; plans and budgets
    hold with the full price, so that they are upper bounds. Models served here are asked as ever.
    """

    rehearsing = False  # whether studies are only tried, to plan their calls (models/studies.py),
    stand_ins = 0  # and how many replies were then stand-ins

    def __init__(
        self,
        mode: str = "replay",
        *,
        concurrency: int = 8,
        timeout: float | None = None,
        retries: int = 8,
        budget: Budget | float | str | None = None,
        since: float | None = None,
        progress: bool = True,
        cache: Path | None = None,
        recorded: Path | None = paths.RECORDED,
        batch: bool = False,
        settings: Settings | Mapping[str, Any] | None = None,
    ):
        if mode not in MODES:
            raise ValueError(f"mode {mode!r}: use one of {', '.join(MODES)}")
        self.mode, self.timeout, self.retries = mode, timeout, retries
        self.batch, self.concurrency = batch, sys.maxsize if batch else concurrency
        self.settings = Settings.of(settings)
        self.progress = progress
        self.since = time.time() if since is None else since
        self.cache = Cache(cache or paths.REPLIES or paths.CACHE / "replies.sqlite")
        self.account = Account(narrower(Budget.of(budget), Budget.here()), self.cache)
        self._folder = recorded
        self.recordings: dict[str, dict] = {}  # model: {key: reply as JSON}
        # Requests that were answered, by model and key; a defaultdict to note them.
        self.used: dict[str, dict[str, Request]] | None = None
        self._providers: dict[str, Any] = {}  # by model, what sends its requests
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def spent(self) -> Spent:
        """What was asked with this session, and its cost."""
        return self.account.spent

    async def ask(self, request: Request) -> Reply:
        """One reply, without a progress bar. Raises what `ask_many` raises."""
        [reply] = await self.ask_many([request], "")
        return reply

    async def ask_many(self, requests, what: str = "calls") -> list[Reply]:
        """Replies in the order of `requests`; equal requests are asked once. `what` names the bar; "": none.

        Raises MissingReply (replay), ModelError, BudgetError or StoreError before or between calls, and
        CallsFailed at the end if some calls failed for good. Whatever had arrived is kept in all cases.
        """
        requests = list(requests)
        different = {request.key: request for request in requests}
        replies = {key: self._kept(request) for key, request in different.items()}
        if missing := [request for key, request in different.items() if replies[key] is None]:
            await self._check(missing)
            replies |= await self._fetch(missing, what)
        if self.used is not None:
            for request in requests:
                self.used[request.model][request.key] = request
        return [replies[request.key] for request in requests]  # type: ignore[misc]

    def plan(self, requests) -> Plan:
        """What `ask_many(requests)` would take; sends nothing."""
        different = {request.key: request for request in requests}.values()
        kept = [(request, self._kept(request)) for request in different]
        return Plan.of([(request, reply.source if reply else "missing") for request, reply in kept])

    @contextlib.contextmanager
    def as_recorded(self) -> Iterator[None]:
        """What is asked within is taken from recording and cache in mode live, too: for what a study rests on and does
        not measure."""
        mode, self.mode = self.mode, "auto" if self.mode == "live" else self.mode
        try:
            yield
        finally:
            self.mode = mode

    async def close(self) -> None:
        """Close connections and let the embedded server go. The session can be used again."""
        self._here()
        if self._flights:  # of a run that was stopped: their connections are still needed
            await asyncio.wait(self._flights)
        for provider in self._providers.values():
            await provider.close()
        self._providers = {}

    async def __aenter__(self) -> "Session":
        return self

    async def __aexit__(self, *_) -> None:
        await self.close()

    # what is kept

    def _recording(self, model: str) -> dict:
        if model not in self.recordings:
            path = recording_path(self._folder, model) if self._folder else None
            self.recordings[model] = read_recording(path)[1] if path and path.is_file() else {}
        return self.recordings[model]

    def _kept(self, request: Request) -> Reply | None:
        if self.mode == "live":
            return self.cache.get(request.key, self.since)
        line = self._recording(request.model).get(request.key)
        if line is None:
            return self.cache.get(request.key)
        try:
            return Reply.from_json(line, "recording")
        except (ValueError, TypeError, RecursionError) as error:
            path = recording_path(self._folder, request.model) if self._folder else request.model
            raise StoreError(
                f"{path}, key {request.key[:12]}: not a reply ({error}). Take the file from the repository again"
            ) from None

    # what is asked

    async def _check(self, missing: list[Request]) -> None:
        """Everything that can be known to fail, before the first call is sent."""
        if self.mode == "replay":
            raise MissingReply(missing)
        await self.ready(request.model for request in missing)
        if shutil.disk_usage(self.cache.path.parent).free < FREE_BYTES:
            raise StoreError(
                f"less than {FREE_BYTES // 10**6} MB are free at {self.cache.path.parent}: "
                "free some, so that replies can be kept"
            )

    async def ready(self, models: Iterable[str]) -> None:
        """Raises ModelError for a model without weights or key, one that costs where there is no budget, one without a
        price where the budget is in dollars, and a key that its provider refuses, which one free call tries once."""
        self._here()
        asked = [spec(name) for name in sorted(set(models))]
        for model in asked:
            if model.local:
                weights_file(model)
            else:
                key_of(model)
        self.account.allows([model.name for model in asked])
        for model in asked:
            if model.kind not in INTERFACES or not model.key_env:
                continue
            place = model.kind, model.base_url, model.key_env
            if place not in self._tried:
                self._tried[place] = asyncio.create_task(refusal(model))
            if why := await asyncio.shield(self._tried[place]):
                self._tried.pop(place, None)
                raise ModelError(
                    f"{model.name}: the provider refuses the key in the environment variable {model.key_env} ({why}). "
                    "Nothing was sent: set the right key and run again, or use mode replay"
                )

    def _here(self) -> None:
        """Connections, locks and calls in flight belong to the event loop that they began in: begin anew in another."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            for provider in self._providers.values():
                if isinstance(provider, Served):
                    provider.stop()
            self._loop, self._providers = loop, {}
            self._slots, self._serving = asyncio.Semaphore(self.concurrency), asyncio.Lock()
            self.account.begin()
            self._pace: dict[str, list[tuple[AsyncLimiter, bool]]] = {}  # by model; whether tokens are what is counted
            self._flights: set[asyncio.Task] = set()
            self._tried: dict[tuple, asyncio.Task[str]] = {}  # by provider and key, why the key is refused
            self._waits = False  # whether we have said that we wait for another run

    def _provider(self, name: str) -> Any:
        if name not in self._providers:
            model = spec(name)
            if self.batch and model.kind in INTERFACES:
                since = self.since if self.mode == "live" else 0.0
                self._providers[name] = INTERFACES[model.kind](model, self.cache, since, self.progress)
            else:
                timeout = self.timeout or (LOCAL_TIMEOUT if model.local else PROVIDER_TIMEOUT)
                self._providers[name] = KINDS[model.kind](model, timeout)
        return self._providers[name]

    async def _fetch(self, requests: list[Request], what: str) -> dict[str, Reply | None]:
        """Ask all, each kept as soon as it is there. A served model gets one call at a time, by model and prefix."""
        replies: dict[str, Reply | None] = {}
        errors: dict[str, str] = {}
        with tqdm(total=len(requests), desc=what, disable=not (self.progress and what), mininterval=1.0) as bar:

            async def ask(request: Request) -> None:
                try:
                    replies[request.key] = await self._one(request)
                except CallError as error:
                    errors[request.key] = f"{request.model}: {error}"
                bar.set_postfix_str(str(self.spent), refresh=False)
                bar.update()

            await all_home(*map(ask, sorted(requests, key=_place)))
        if errors:
            some = "; ".join(list(dict.fromkeys(errors.values()))[:3])
            kept = "The other replies are kept: run again to ask only these"
            raise CallsFailed(f"{len(errors)} of {len(requests)} calls failed ({some}). {kept}", errors)
        return replies

    async def _one(self, request: Request) -> Reply:
        """Ask in turn and keep the reply, unless somebody else did or does: another call, session or process."""
        async with self._serving if spec(request.model).local else self._slots:
            while holder := self.cache.lease(request.key):
                self._tell(holder)
                await asyncio.sleep(LOOK)
            try:  # what came while this call waited for its turn is taken
                return self._kept(request) or await self._paid(request)
            finally:
                self.cache.release(request.key)

    def _tell(self, holder: str) -> None:
        if self.progress and holder == "another" and not self._waits:
            self._waits = True
            tqdm.write("waiting for replies that another run is asking for", file=sys.stderr)

    async def _paid(self, request: Request) -> Reply:
        """Send within the budget, keep the reply, and send again after passing faults: not before the server allows
        it, and twice as late each time."""
        attempt = unreadable = 0
        while True:
            try:
                await self._keep_pace(request)
                call = await self.account.reserve(request)
                return await self._come_home(self._sent(request, call))  # what is cancelled above was not sent
            except CallError as error:
                unreadable += error.unreadable
                if not error.again or attempt == self.retries or unreadable > UNREADABLE:
                    raise
                delay = max(error.wait or 0.0, min(60.0, 0.5 * 2**attempt) * (0.5 + random.random()))
            await asyncio.sleep(delay)
            attempt += 1

    async def _sent(self, request: Request, call: str) -> Reply:
        with self.account.attempt(request, call) as came:
            came.append(await self._provider(request.model).send(request))
            self.cache.put(request, came[0], self.since if self.mode == "live" else 0.0)
            return came[0]

    async def _come_home(self, call: Coroutine[Any, Any, Reply]) -> Reply:
        """What `call` gives. When this is cancelled, the call in flight is waited for first: it is paid for."""
        task = asyncio.create_task(call)
        self._flights.add(task)
        task.add_done_callback(self._flights.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if self.batch:
                task.cancel()  # its batch goes on at the provider
            await asyncio.wait([task])
            if not task.cancelled() and isinstance(error := task.exception(), StoreError):
                raise error from None
            raise

    async def _keep_pace(self, request: Request) -> None:
        """Wait until the model's limits a minute allow one more call of that size."""
        if request.model not in self._pace:
            model = spec(request.model)
            calls, words = model.requests_per_minute, model.tokens_per_minute
            self._pace[request.model] = [
                *([(AsyncLimiter(1, 60 / calls), False)] if calls else []),
                *([(AsyncLimiter(words / 6, 10), True)] if words else []),  # bursts of ten seconds
            ]
        tokens = request.most_tokens // 4 + request.max_tokens
        for limiter, counts_tokens in self._pace[request.model]:
            await limiter.acquire(min(tokens, limiter.max_rate) if counts_tokens else 1)


def _place(request: Request) -> tuple[str, str]:
    """Where a request stands in the order of calls: to models served here by model and prompt, to others as given."""
    return (request.model, request.prompt) if spec(request.model).local else ("", "")
