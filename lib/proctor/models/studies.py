"""Plan all that some studies ask, then ask it: what every notebook and command does that asks models.

    answers, scores = await ask_all(study(run_exam, models, questions), study(ask_judges, models, questions, found),
                                    mode="auto", budget=5.0, settings={"effort": "high"})

A study is an async function of a session (`study` gives one its other arguments). Before the first call each
is rehearsed: it runs on the replies that are kept, and on a stand-in for each that is missing, as long as the request
allows. So a plan counts later calls that depend on earlier replies, at their longest; a protocol that asks less where a
reply allows it asks all behind a stand-in. A plan is an upper bound of calls, tokens and dollars.

Elsewhere: write what a study has to ask as batch lines, read the replies back into the cache.

    asked = await export(session, study, "requests.jsonl")     # study: an async function of a session
    # there: vllm run-batch -i requests.jsonl -o replies.jsonl --model <model>, or the provider's batch interface
    found = import_replies(["replies.jsonl"], "requests.jsonl", session.cache)

A study that asks again after it has read a reply needs a round for each step: export, run, import, until `export` finds
nothing to ask. `<name>.tickets.json`, beside the requests, says what replies are kept by.
"""

import hashlib
import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.files import write_atomic
from proctor.models.batch import INTERFACES, Ticket, batch_line, read_lines
from proctor.models.cache import Cache
from proctor.models.endings import MissingReply
from proctor.models.messages import REHEARSED, Reply, Request
from proctor.models.registry import is_free, old_prices, price, spec
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError, Plan, dollars_at_most, in_dollars, narrower

if TYPE_CHECKING:
    import pandas

Study = Callable[[Session], Awaitable[Any]]
PILOT = 5  # calls after which the expected cost is known, where no kept replies tell it
GOES_ON = 7 * 86_400.0  # seconds after its beginning in which a live run that was stopped goes on
TOLD = "plan: "  # before each line of a plan
BYTES = 4  # of a reply's token, where it is sent again: as many tokens at most, whoever counts them

_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_FORMS = {  # a reply that leads a study on, where the last line alone does not
    "hle/answer_exact": "Exact Answer: {long}",
    "hle/answer_choice": "Answer: {long}",
    "hle/answer_steps": "Explanation: so.\nExact Answer: {long}",
    "cbu/solve": "{long}\nExact Answer: 7",
    "cbu/rollout": "{long}\nExact Answer: 7",
    "cbu/solve_steps": "{long}\nExact Answer: 7",
    "cbu/rollout_steps": "{long}\nExact Answer: 7",
    "hle_verified/repair": "Problem: {long}\nSolution: so\nAnswer: 7",
    "hle_verified/adjudicate": "{long}\nChoice: [[A]]",
    "kina/audit": "Why: {long}\nWhere: question\nIssue: stem",
    "kina/answer_calculator": "Calculate: 2 x 3",
    "kina/answer_calculator_steps": "What this step finds: 2 x 3 =",
    "kina/refine": "Change: question\nText: {long}",
}


class OnlyPlanned(RuntimeError):
    """The plan was wanted alone (PROCTOR_PLAN); nothing was asked."""


async def ask_all(
    *studies: Study,
    mode: str = "replay",
    budget: Budget | float | str | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
) -> list[Any]:
    """What each study gives. In modes auto and live the plan of all of them is shown before the first call. A live run
    that was stopped before its end goes on, within a week: what it asked already is not asked again.

    Raises ModelError, before any call, where models that cost are to be asked and there is no `budget` (dollars,
    "500 calls" or "none"; what the environment holds bounds it further, see models/spending.py); BudgetError where they
    may need more than it; and what `Session.ask` raises. PROCTOR_PLAN in the environment is a file: the plan goes there
    and OnlyPlanned is raised in place of the first call.
    """
    async with Session(mode, budget=budget, settings=settings, progress=mode != "replay") as session:
        if mode == "replay":
            print("replay: recorded and kept replies, nothing is asked")
            return [await study(session) for study in studies]
        rehearsal = await rehearsed(session, *studies)
        began, run = session.since, _live_run(session, rehearsal.asked) if mode == "live" else ""
        if session.since != began:
            rehearsal = await rehearsed(session, *studies)
        if file := os.environ.get("PROCTOR_PLAN"):
            await _leave_plan(session, rehearsal, file)
        rehearsal.show()
        await session.ready(rehearsal.missing)
        refuse_over_budget(rehearsal.plan_so_far, session.account.budget or Budget(), session.cache.paid())
        if run:
            session.cache.note_live_run(run, session.since)
        await pilot(session, rehearsal, *studies)
        found = [await study(session) for study in studies]
        if run:
            session.cache.note_live_run(run, None)
        return found


async def ask_table(
    session: Session,
    calls: Iterable[tuple[Mapping, Request]],
    what: str,
    read: Callable[[Mapping, Request, Reply], Mapping],
    columns: Sequence[str] | None = None,
) -> "pandas.DataFrame":
    """One row per call: what is known of it before, as given with its request, and what `read` finds in the reply.

    what: names the bar. columns: those of a table that may have no rows."""
    import pandas  # not by who only lists the commands

    calls = list(calls)
    replies = await session.ask_many([request for _, request in calls], what)
    rows = [{**row, **read(row, request, reply)} for (row, request), reply in zip(calls, replies)]
    return pandas.DataFrame(rows, columns=columns)


def _live_run(session: Session, asked: Iterable[str]) -> str:
    """The name of a live run: a digest of all that it asks. Where one of that name was stopped, the session takes over
    its beginning, so that the replies since then count."""
    name = hashlib.sha256("".join(sorted(asked)).encode()).hexdigest()
    began = session.cache.live_run(name)
    if began and session.since - began < GOES_ON:
        session.since = began
        print(f"live: goes on with the run that began on {time.strftime('%Y-%m-%d at %H:%M', time.localtime(began))}")
    return name


async def shown_plan(session: Session, *studies: Study) -> "Rehearsal":
    """Show the plan of all studies. Sends nothing."""
    rehearsal = await rehearsed(session, *studies)
    rehearsal.show()
    return rehearsal


async def pilot(session: Session, rehearsal: "Rehearsal", *studies: Study) -> None:
    """Where no kept reply says how long replies are: ask the first PILOT calls of the studies, and print what all are
    expected to cost. They are ordinary calls, counted and kept, so that the studies find them when they are run."""
    plan, budget, progress = rehearsal.plan_so_far, session.account.budget, session.progress
    if plan.expected is not None or not plan.dollars or plan.to_ask <= 2 * PILOT:
        return
    session.account.budget, session.progress = narrower(budget, Budget(calls=session.spent.calls + PILOT)), False
    try:
        for study in studies:
            await study(session)
    except BudgetError:
        pass  # its end
    finally:
        session.account.budget, session.progress = budget, progress
    rest = await rehearsed(session, *studies)
    if about := rest.expected(others=True):
        left_out = rest.plan_so_far.to_ask - len(about)
        told = (
            f"expected about {in_dollars(session.spent.dollars + sum(about.values()))}, from the first {PILOT} replies"
        )
        print(TOLD + told + (f", without {left_out:,} later calls" if left_out else ""), flush=True)


async def _leave_plan(session: Session, rehearsal: "Rehearsal", file: str) -> None:
    """Write {"plan": in words, "to_ask": {key of a call: dollars at most, None without a price}, "expected": {key:
    dollars}}, and raise OnlyPlanned. Raises ModelError for a key that is missing or refused; a plan needs no budget."""
    session.account.budget = session.account.budget or Budget()
    await session.ready(rehearsal.missing)
    to_ask = {key: dollars_at_most(request) for key, request in rehearsal.to_ask.items()}
    plan = dict(plan=str(rehearsal.plan_so_far), to_ask=to_ask, expected=rehearsal.expected())
    write_atomic(file, json.dumps(plan))
    raise OnlyPlanned(f"the plan is in {file}; nothing was asked")


async def rehearsed(session: Session, *studies: Study) -> "Rehearsal":
    """A rehearsal of all studies with the session's mode, settings and kept replies. Sends nothing."""
    rehearsal = Rehearsal(session)
    for study in studies:
        await study(rehearsal)
    about, rehearsal.plan_so_far = rehearsal.expected(), Plan.of(rehearsal.asked.values())
    if len(about) == rehearsal.plan_so_far.to_ask:
        kinds = {(call.model, call.prompt) for call in rehearsal.to_ask.values() if not is_free(call.model)}
        replies = sum(len(rehearsal.lengths[kind]) for kind in kinds)
        rehearsal.plan_so_far = replace(rehearsal.plan_so_far, expected=sum(about.values()), replies=replies)
    return rehearsal


def refuse_over_budget(plan: Plan, budget: Budget, paid: float = 0.0) -> None:
    """Raises BudgetError, with what would be needed, where a plan may pass the budget. paid: dollars of all runs."""
    needed = []
    if budget.calls is not None and plan.to_ask > budget.calls:
        needed.append(f"up to {plan.to_ask:,} calls, and the budget is {budget.calls:,}")
    if budget.dollars is not None and plan.dollars is not None and plan.dollars > budget.dollars:
        needed.append(f"up to {in_dollars(plan.dollars)}, and the budget is {in_dollars(budget.dollars)}")
    if budget.total is not None and plan.dollars and paid + plan.dollars > budget.total:
        left = f"{in_dollars(max(budget.total - paid, 0.0))} are left of {in_dollars(budget.total)} over all runs"
        needed.append(f"up to {in_dollars(plan.dollars)}, and {left}")
    if needed:
        raise BudgetError(
            f"nothing was asked: this may need {'; '.join(needed)}. Raise the budget, ask less, or lower max_tokens "
            "in the settings, which bounds each reply"
        )


class Rehearsal(Session):
    """A session that sends nothing. `asked` holds, by key, each request and where its reply is: recording, cache or
    missing; `plan_so_far` the plan of all, once they are through."""

    rehearsing = True

    def __init__(self, session: Session):
        vars(self).update(vars(session))
        self.progress, self.used = False, None
        self.asked: dict[str, tuple[Request, str]] = {}
        self.plan_so_far = Plan.of([])
        self.lengths: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)  # of kept replies, in and out

    async def ask_many(self, requests, what: str = "calls") -> list[Reply]:
        replies = []
        for request in requests:
            reply = self._kept(request)
            if request.key not in self.asked and reply and reply.source == "recording":
                if reply.prompt_tokens and reply.completion_tokens:
                    self.lengths[request.model, request.prompt].append((reply.prompt_tokens, reply.completion_tokens))
            self.asked[request.key] = request, reply.source if reply else "missing"
            self.stand_ins += reply is None
            replies.append(reply or stand_in(request))
        return replies

    @property
    def to_ask(self) -> dict[str, Request]:
        """The calls that are to be made, by key."""
        return {key: request for key, (request, where) in self.asked.items() if where == "missing"}

    @property
    def missing(self) -> list[str]:
        """The models whose replies are not all kept."""
        return sorted({request.model for request in self.to_ask.values()})

    def show(self) -> None:
        """Print the plan, how old its prices are, and what the models do not take of the settings, each line with TOLD
        before it, which the workflow hands to the terminal."""
        month = old_prices(self.missing)
        old = [f"prices as known in {month}: compare params/prices.yaml with your provider's list"] if month else []
        for line in (str(self.plan_so_far), *old, *self.settings.left_out(self.missing)):
            print(TOLD + line, flush=True)

    def expected(self, others: bool = False) -> dict[str, float]:
        """{key of a call that is to be made: dollars}, with a reply as long as the mean of the kept ones to the same
        prompt. others: where there are none, of the model's other replies. Calls of unknown length are left out."""
        about: dict[tuple[str, str], float] = {}
        for model, prompt in {(request.model, request.prompt) for request in self.to_ask.values()}:
            known = self.lengths[model, prompt] or self.cache.lengths(model, prompt)
            self.lengths[model, prompt] = known = known or (self.cache.lengths(model) if others else [])
            if is_free(model):
                about[model, prompt] = 0.0
            elif (cost := price(model)) and known:
                sent, received = (sum(part) / len(known) for part in zip(*known))
                about[model, prompt] = sent * cost[0] + received * cost[1]
        kinds = {key: (request.model, request.prompt) for key, request in self.to_ask.items()}
        return {key: about[kind] for key, kind in kinds.items() if kind in about}

    async def close(self) -> None:
        """Nothing: the connections are those of the session."""


def stand_in(request: Request) -> Reply:
    """A reply as long as the request allows, other than all others, that leads the study on."""
    name = re.sub("/(free|paper)/", "/", request.prompt.rpartition(" ")[2].partition("@")[0])
    name_of_its_own = request.key.translate(_LETTERS)  # without digits, which may be somebody's answer
    long = name_of_its_own.ljust(BYTES * request.max_tokens, "x")
    text = _FORMS.get(name, "{long}\nAccepted: [[Y]]").format(long=long)
    return Reply(request.opening + text, source=REHEARSED)


def study(function: Callable[..., Awaitable[Any]], *rest: Any, **more: Any) -> Study:
    """The study that calls `function` with a session and the other arguments."""
    return lambda session: function(session, *rest, **more)


# elsewhere


class OfflineError(ValueError):
    """Requests that can't be exported, or files that do not fit each other; the message says what to mend."""


@dataclass
class Imported:
    """What became of the requests of an export: kept, failed (by key: why), unknown lines, and still missing."""

    kept: int
    failed: dict[str, str]
    unknown: int
    missing: int

    @property
    def complete(self) -> bool:
        return not self.failed and not self.missing

    def __str__(self) -> str:
        reasons = "; ".join(list(dict.fromkeys(self.failed.values()))[:3])
        return (
            f"{self.kept:,} replies kept, {len(self.failed):,} failed{f' ({reasons})' if reasons else ''}, "
            f"{self.missing:,} missing, {self.unknown:,} lines to no request of ours"
        )


async def to_ask(session: Session, study: Study) -> list[Request]:
    """The requests at which `study` stops, since neither recording nor cache holds their replies; [] if none."""
    if session.mode != "replay":
        raise OfflineError(f"the session is in mode {session.mode}: what is asked elsewhere is found in mode replay")
    try:
        await study(session)
    except MissingReply as missing:
        return missing.requests
    return []


async def export(session: Session, study: Study, path: str | Path) -> int:
    """Write what `study` has to ask next; how many requests that are (0: nothing, and no file is written).

    Raises BudgetError where these may cost more than the session's budget."""
    requests = await to_ask(session, study)
    refuse_over_budget(session.plan(requests), session.account.budget or Budget(), session.cache.paid())
    if requests:
        write_requests(requests, path)
    return len(requests)


def write_requests(requests: Iterable[Request], path: str | Path) -> None:
    """Requests as lines of OpenAI's or Anthropic's batch form, their key as `custom_id`, and the tickets beside them.

    Raises OfflineError for models that are asked through neither interface: their keys mean another way."""
    path, lines, tickets = Path(path), [], []
    for request in requests:
        model = spec(request.model)
        if model.kind not in INTERFACES:
            raise OfflineError(
                f"{request.model} is not asked through OpenAI's interface or Anthropic's: give the model as "
                "openai/<name>@<address>"
            )
        lines.append(batch_line(model, request))
        tickets.append(astuple(Ticket.of(request)))
    write_atomic(tickets_path(path), json.dumps(tickets))
    write_atomic(path, "".join(json.dumps(line) + "\n" for line in lines))


def tickets_path(requests: str | Path) -> Path:
    """Where the tickets of a file of requests lie."""
    return Path(requests).with_suffix(".tickets.json")


def import_replies(replies: Iterable[str | Path], requests: str | Path, cache: Cache) -> Imported:
    """Keep the replies of some files of results (one run may write several), in whatever order they come.

    A line that is no reply is counted with its reason; its request can be exported again. Raises OfflineError where the
    tickets are missing or a file is not there."""
    tickets = _tickets(requests)
    try:
        lines = [line for path in replies for line in Path(path).read_bytes().split(b"\n")]
    except OSError as error:
        raise OfflineError(f"{error.filename}: can't be read ({error.strerror}). Name the file of replies") from None
    found, unknown = read_lines(lines, tickets)
    kept = {key: came for key, came in found.items() if isinstance(came, Reply)}
    for key, reply in kept.items():
        cache.put(tickets[key], reply)
    failed = {key: str(came) for key, came in found.items() if key not in kept}
    return Imported(len(kept), failed, unknown, len(tickets) - len(found))


def _tickets(requests: str | Path) -> dict[str, Ticket]:
    path = tickets_path(requests)
    try:
        return {row[0]: Ticket(*row) for row in json.loads(path.read_text(encoding="utf-8"))}
    except (OSError, ValueError, TypeError, IndexError) as error:
        raise OfflineError(
            f"{path}: no tickets of an export ({error}). They are written next to the requests: keep the two together"
        ) from None
