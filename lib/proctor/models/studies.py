"""Plan all that some studies ask, then ask it: what every notebook and command does that asks models.

    answers, scores = await ask_all(study(run_exam, models, questions), study(ask_judges, models, questions, found),
                                    mode="auto", budget=5.0, settings={"effort": "high"})

A study is an async function of a session (`study` gives one its other arguments). Before the first call each
is rehearsed: it runs on the replies that are kept, and on a stand-in for each that is missing, as long as the request
allows. So a plan counts later calls that depend on earlier replies, at their longest; a protocol that asks less where a
reply allows it asks all behind a stand-in. A plan is an upper bound of calls, tokens and dollars.
"""

import hashlib
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from proctor.files import write_atomic
from proctor.models.messages import REHEARSED, Reply, Request
from proctor.models.registry import price
from proctor.models.session import Halt, Session
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError, Plan, in_dollars

Study = Callable[[Session], Awaitable[Any]]
GOES_ON = 7 * 86_400.0  # seconds after its beginning in which a live run that was stopped goes on
NOTHING = Plan(0, 0, 0, 0, 0, 0, 0.0)
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
        run = await _live_run(session, *studies) if mode == "live" else ""
        if file := os.environ.get("PROCTOR_PLAN"):
            await _leave_plan(session, studies, file)
        rehearsal = await shown_plan(session, *studies)
        await session.ready(rehearsal.missing)
        refuse_over_budget(rehearsal.plan_so_far, session.budget or Budget())
        if run:
            session.cache.note_live_run(run, session.since)
        found = [await study(session) for study in studies]
        if run:
            session.cache.note_live_run(run, None)
        return found


async def _live_run(session: Session, *studies: Study) -> str:
    """The name of a live run: a digest of all that it asks. Where one of that name was stopped, the session takes over
    its beginning, so that the replies since then count."""
    asked = (await rehearsed(session, *studies)).asked
    name = hashlib.sha256("".join(sorted(asked)).encode()).hexdigest()
    began = session.cache.live_run(name)
    if began and session.since - began < GOES_ON:
        session.since = began
        print(f"live: goes on with the run that began on {time.strftime('%Y-%m-%d at %H:%M', time.localtime(began))}")
    return name


async def shown_plan(session: Session, *studies: Study) -> "Rehearsal":
    """Print the plan of all studies, each line with TOLD before it, which the workflow hands to the terminal. Sends
    nothing."""
    rehearsal = await rehearsed(session, *studies)
    for line in rehearsal.told:
        print(TOLD + line, flush=True)
    return rehearsal


async def _leave_plan(session: Session, studies: Iterable[Study], file: str) -> None:
    """Write {"plan": in words, "to_ask": {key of a call: dollars at most, None without a price}}; then OnlyPlanned is
    raised. Raises ModelError for a key that is missing or refused; a plan needs no budget."""
    rehearsal = await rehearsed(session, *studies)
    session.budget = session.budget or Budget()
    await session.ready(rehearsal.missing)
    write_atomic(file, json.dumps({"plan": str(rehearsal.plan_so_far), "to_ask": rehearsal.to_ask}))
    raise OnlyPlanned(f"the plan is in {file}; nothing was asked")


async def rehearsed(session: Session, *studies: Study) -> "Rehearsal":
    """A rehearsal of all studies with the session's mode, settings and kept replies. Sends nothing."""
    rehearsal = Rehearsal(session)
    for study in studies:
        await study(rehearsal)
    return rehearsal


def refuse_over_budget(plan: Plan, budget: Budget) -> None:
    """Raises BudgetError, with what would be needed, where a plan may pass the budget."""
    needed = []
    if budget.calls is not None and plan.to_ask > budget.calls:
        needed.append(f"up to {plan.to_ask:,} calls, and the budget is {budget.calls:,}")
    if budget.dollars is not None and plan.dollars is not None and plan.dollars > budget.dollars:
        needed.append(f"up to {in_dollars(plan.dollars)}, and the budget is {in_dollars(budget.dollars)}")
    if needed:
        raise BudgetError(
            f"nothing was asked: this may need {'; '.join(needed)}. Raise the budget, ask less, or lower max_tokens "
            "in the settings, which bounds each reply"
        )


class Rehearsal(Session):
    """A session that sends nothing. `plan_so_far` is the plan of all that was asked of it, `asked` the keys of these
    requests, `missing` the models whose replies are not all kept, `to_ask` {key of a call that is to be made: dollars
    at most, None without a price}."""

    rehearsing = True

    def __init__(self, session: Session):
        vars(self).update(vars(session))
        self.progress, self.used = False, None
        self.plan_so_far, self.missing = NOTHING, set[str]()
        self.to_ask: dict[str, float | None] = {}
        self.asked: set[str] = set()

    async def ask(self, request: Request, halt: Halt | None = None) -> Reply:
        reply = self._kept(request)
        if request.key not in self.asked:
            self.asked.add(request.key)
            self._count_in(request, reply)
        if reply is None:
            self.stand_ins += 1
            reply = stand_in(request)
        return reply

    async def ask_many(self, requests, what: str = "calls") -> list[Reply]:
        return [await self.ask(request) for request in requests]

    @property
    def told(self) -> list[str]:
        """The plan in words, and what the models do not take of the settings."""
        return [str(self.plan_so_far), *self.settings.left_out(sorted(self.missing))]

    async def close(self) -> None:
        """Nothing: the connections are those of the session."""

    def _count_in(self, request: Request, reply: Reply | None) -> None:
        if reply is None:
            self.missing.add(request.model)
            self.to_ask[request.key] = NOTHING.plus(request, "missing", price(request.model)).dollars
        self.plan_so_far = self.plan_so_far.plus(request, reply.source if reply else "missing", price(request.model))


def stand_in(request: Request) -> Reply:
    """A reply as long as the request allows, other than all others, that leads the study on."""
    name = request.prompt.rpartition(" ")[2].partition("@")[0].replace("/free/", "/")
    name_of_its_own = request.key.translate(_LETTERS)  # without digits, which may be somebody's answer
    long = name_of_its_own.ljust(BYTES * request.max_tokens, "x")
    text = _FORMS.get(name, "{long}\nAccepted: [[Y]]").format(long=long)
    return Reply(request.opening + text, source=REHEARSED)


def study(function: Callable[..., Awaitable[Any]], *rest: Any, **more: Any) -> Study:
    """The study that calls `function` with a session and the other arguments."""
    return lambda session: function(session, *rest, **more)
