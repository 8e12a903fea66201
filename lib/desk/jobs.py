"""Validators run from the desk: a plan with its bill, a start within the desk's budget, verdicts as they come.

    job = plan(moderator, "(C x3|U)", ["openai/gpt-4o"], answers)    # nothing is asked; job.most_calls, most_dollars
    start(moderator, job)                                            # in a process of its own, see `launch`

The engine is `uq.run_validator`, the keys come from the environment of the server. Its owner says what may be asked:

    PROCTOR_DESK_JUDGES   models that may judge, separated by commas; unset: the embedded model, if its weights are here
    PROCTOR_DESK_BUDGET   dollars that all jobs together may spend (default 0: only judges whose price is 0)
    PROCTOR_DESK_CALLS    calls that all jobs together may make to judges without a price, such as one's own server

A job that was killed goes on where it was: verdicts that are stored are not asked for again, nor are kept replies.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from proctor.data import schemas
from proctor.models.endings import all_home
from proctor.models.messages import Reply, Request
from proctor.models.registry import ModelError, price, spec, weights_file
from proctor.models.session import Session
from proctor.models.spending import Budget, Plan
from proctor.models.studies import rehearsed, study
from proctor.uq.notation import By, Node, decide, is_poll, parse, parts
from proctor.uq.run_validator import Run, validate

from desk import acts
from desk.form_pages import FormPage, Moderators, signed_in
from desk.models import Account, Answer, Job, Outcome, Verdict
from desk.store import closing
from desk.trail import NotAllowed, Refused, active, record

STATES = {
    "planned": "waits for its start",
    "running": "is running",
    "interrupted": "was interrupted and can go on",
    "stopped": "was stopped and can go on",
    "done": "has ended",
}
EMBEDDED = "smollm2-135m"  # costs nothing, and its verdicts are worth little
RETRIES = 8  # of a call
KEPT = "replies.sqlite"  # in the desk's folder
MOST_ANSWERS = 500  # of one job
MOST_TIMES, MOST_VOTES = {"x": 100, "u": 20}, 20_000  # of one repeat; of one job
AT_ONCE = 4  # answers in hand
BEAT, SILENT = 3, 20  # seconds between two signs of life; after so many without one a job counts as interrupted


def judges() -> list[str]:
    """The models that the server's owner lets judge."""
    named = os.environ.get("PROCTOR_DESK_JUDGES")
    if named is not None:
        return [name.strip() for name in named.split(",") if name.strip()]
    try:
        weights_file(spec(EMBEDDED))
    except (ModelError, ModuleNotFoundError):  # its weights, or llama.cpp, are not here
        return []
    return [EMBEDDED]


def left(what: str) -> float:
    """What jobs may still spend: the desk's limit minus what all have spent, or may yet spend while they run.

    what: "dollars", or "calls" to judges without a price.
    """
    name = {"dollars": "PROCTOR_DESK_BUDGET", "calls": "PROCTOR_DESK_CALLS"}[what]
    text = os.environ.get(name, "") or "0"
    try:
        limit = float(text)
    except ValueError:
        raise Refused({"": f"{name} is {text!r}: the server's owner must set a number."}) from None
    alike = Job.objects.filter(most_dollars=None) if what == "calls" else Job.objects.all()
    running = alike.filter(state="running").aggregate(sum=Sum(f"most_{what}"))["sum"] or 0
    return limit - running - (alike.aggregate(sum=Sum(what))["sum"] or 0)


def state_of(job: Job) -> str:
    """The job's state; a running one that gives no sign of life is interrupted."""
    silent = job.beat_at is None or job.beat_at < timezone.now() - timedelta(seconds=SILENT)
    return "interrupted" if job.state == "running" and silent else job.state


def waiting(job: Job) -> QuerySet[Answer]:
    """The job's answers without a verdict of it, those that were withdrawn left out."""
    return job.answers.filter(withdrawn_at=None).exclude(key__in=job.judged).select_related("question").order_by("pk")


def _moderates(by: Account) -> None:
    if not active(by).may_moderate():
        raise NotAllowed("Only a moderator may run validators, or stop them: they cost money.")


@transaction.atomic
def plan(
    by: Account, validator: str, judging: Sequence[str], answers: Sequence[Answer], temperature: float = 0.0
) -> Job:
    """A job with its bill. Raises Refused, by field, for what the engine would not take; nothing is asked."""
    _moderates(by)
    answers = [answer for answer in answers if not answer.withdrawn_at]
    if not 1 <= len(answers) <= MOST_ANSWERS:
        raise Refused({"answers": f"{len(answers)} answers: choose 1 to {MOST_ANSWERS}."})
    try:
        node = parse(validator)
    except ValueError as error:
        raise Refused({"validator": f"{error}."}) from None
    if told := too_many_votes(node, len(judging), len(answers)):
        raise Refused({"validator": told})
    if other := strangers(node, judging):
        raise Refused({"judges": f"{', '.join(other)}: not among the judges of this desk ({', '.join(judges())})."})
    job = Job(ordered_by=by, validator=str(node), judges=list(judging), temperature=temperature)
    _bill(job, answers)
    job.save()
    job.answers.set(answers)
    record(by, "plan job", job)
    return job


def strangers(node: Node, judging: Sequence[str]) -> list[str]:
    """The judges of an order, those that its validator names among them, that this desk does not have."""
    named = (part.judge for part in parts(node) if isinstance(part, By))
    return sorted({*judging, *named} - set(judges()))


def too_many_votes(node: Node, judging: int, answers: int) -> str:
    """What an order that would take too long to bill passes, "" if nothing. Looks at no more than the bound."""
    if any(is_poll(part, "x", "u") and part.times > MOST_TIMES[part.kind] for part in parts(node)):
        return f"At most x{MOST_TIMES['x']} and u{MOST_TIMES['u']}."
    votes = sum(1 for _ in islice(decide(node, judging, exhaustive=True), MOST_VOTES // answers + 1))
    return f"More than {MOST_VOTES:,} votes over {answers} answers: order less." if votes * answers > MOST_VOTES else ""


def _bill(job: Job, answers: Sequence[Answer]) -> None:
    """Set what the job costs at most for these answers, replies that are kept left out. Raises Refused where the engine
    would not take it."""

    async def planned() -> Plan:
        asked = study(validate, Run(job.validator, job.judges, job.temperature), *_as_asked(answers))
        async with Session("auto", cache=settings.FOLDER / KEPT, recorded=None, progress=False) as session:
            return (await rehearsed(session, asked)).plan_so_far

    try:
        plan = asyncio.run(planned())
    except (ValueError, ModelError) as error:
        raise Refused({"validator": f"{error}."}) from None
    job.most_calls, job.most_dollars = plan.to_ask, plan.dollars


def _as_asked(answers: Sequence[Answer]) -> tuple[list[schemas.Question], list[schemas.Answer]]:
    """The engine's questions and answers; a question's text is its title and body."""
    asked = {answer.question.key: answer.question for answer in answers}
    questions = [
        schemas.Question(
            id=key,
            question=f"{one.title}\n\n{one.body}",
            category=one.category,
            cluster=one.site,
            extra=dict(title=one.title, tags=one.tags, site=one.site),
        )
        for key, one in asked.items()
    ]
    given = [schemas.Answer(id=answer.key, question_id=answer.question.key, text=answer.text) for answer in answers]
    return questions, given


@transaction.atomic
def start(by: Account, job: Job) -> Job:
    """Begin or go on. Raises Refused before any call where the bill of what is left passes the desk's budget."""
    _moderates(by)
    list(Job.objects.select_for_update().order_by("pk")[:1])  # one start at a time: each sees the bills before it
    job = Job.objects.select_for_update().get(pk=job.pk)
    if state_of(job) in ("running", "done"):
        raise Refused({"": f"This job {STATES[job.state]}."})
    if other := strangers(parse(job.validator), job.judges):
        raise Refused({"": f"{', '.join(other)}: no longer a judge of this desk."})
    _bill(job, list(waiting(job)))
    job.state = "planned"  # so that its own bill does not count as running
    job.save(update_fields=["state"])
    if too_much := _beyond_budget(job):
        raise Refused({"": f"{too_much} Choose fewer answers or a cheaper validator. Nothing was asked."})
    job.state, job.message, job.beat_at, job.ended_at = "running", "", timezone.now(), None
    job.started_at = job.started_at or timezone.now()
    job.save()
    record(by, "start job", job)
    transaction.on_commit(lambda: launch(job.key))
    return job


def _beyond_budget(job: Job) -> str:
    """What a job would pass, "" if nothing."""
    if job.most_dollars is None:
        most, rest, what = job.most_calls, max(int(left("calls")), 0), "calls to judges without a price"
        return f"It may take {most:,} {what}, and the desk has {rest:,} left." if most > rest else ""
    most, rest = job.most_dollars, max(left("dollars"), 0)
    return f"It may cost ${most:,.2f}, and the desk's budget has ${rest:,.2f} left." if most > rest else ""


@transaction.atomic
def stop(by: Account, job: Job) -> None:
    """Ask no further call. Those in flight come home and are kept."""
    _moderates(by)
    if Job.objects.filter(pk=job.pk, state="running").update(state="stopped", message="stopped by a moderator"):
        record(by, "stop job", job)


def launch(key: str) -> subprocess.Popen:
    """Run a job in a process of its own, which outlives the server's worker. What it says goes to the desk's log."""
    settings.FOLDER.joinpath("jobs").mkdir(parents=True, exist_ok=True)
    with open(settings.FOLDER / "jobs" / "log", "a") as log:
        command = [sys.executable, "-m", "proctor", "platform", "run-job", key]
        here = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
        return subprocess.Popen(
            command, env=here, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def run(key: str) -> None:
    """Do what is left of a job. Its end, or why it stopped, stands in its row."""
    job = Job.objects.get(key=key)
    before = job.calls, job.dollars
    state, message = "done", ""
    try:
        asyncio.run(_run(job, before))
    except Exception as error:  # whatever it was is told on the job's page, and the job can go on
        state, message = "stopped", " ".join(str(error).split())[:500] or type(error).__name__
    finally:
        with transaction.atomic():
            job = Job.objects.select_for_update().get(key=key)
            if job.state == "running":
                job.state, job.message = state, message
            if waiting(job).exists() and job.state == "done":
                job.state, job.message = "stopped", "some answers have no verdict yet"
            job.ended_at = timezone.now()
            job.save(update_fields=["state", "message", "ended_at"])


async def _run(job: Job, before: tuple[int, float]) -> None:
    answers = await _away(lambda: list(waiting(job)))
    budget = Budget(calls=job.most_calls, dollars=job.most_dollars)
    todo = iter(answers)
    how = dict(cache=settings.FOLDER / KEPT, recorded=None, progress=False, retries=RETRIES)
    async with Session("auto", budget=budget, **how) as session:

        def counted() -> dict[str, float]:
            return dict(calls=before[0] + session.spent.calls, dollars=before[1] + session.spent.dollars)

        async def beat() -> None:
            while True:
                await _away(lambda: Job.objects.filter(pk=job.pk).update(beat_at=timezone.now(), **counted()))
                await asyncio.sleep(BEAT)

        async def worker() -> None:
            for answer in todo:
                if await _away(lambda: Job.objects.get(pk=job.pk).state) != "running":
                    return
                await _judge(job, session, answer)

        alive = asyncio.ensure_future(beat())
        try:
            await all_home(*(worker() for _ in range(min(AT_ONCE, len(answers)))))
        finally:
            alive.cancel()
            await asyncio.gather(alive, return_exceptions=True)
            await _away(lambda: Job.objects.filter(pk=job.pk).update(**counted()))


async def _judge(job: Job, session: Session, answer: Answer) -> None:
    """One answer's verdict, with its trace and what its calls cost."""
    metered, place = _Metered(session), settings.FOLDER / "jobs" / job.key / f"{answer.key}.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    run = Run(job.validator, job.judges, job.temperature)
    await validate(metered, run, *_as_asked([answer]), out=place)  # type: ignore[arg-type]
    found = json.loads(place.read_text(encoding="utf-8"))
    await _away(lambda: _keep(job, answer, found, metered.dollars))
    place.unlink()


def _keep(job: Job, answer: Answer, found: dict, dollars: float) -> None:
    """Store a verdict once, in one transaction with the mark that this answer is judged."""
    with transaction.atomic():
        held = Job.objects.select_for_update().get(pk=job.pk)
        if answer.key in held.judged:
            return
        stated = [vote["p_accept"] for vote in found["trace"]]
        acts.add_verdict(
            answer,
            job.validator,
            Outcome(found["outcome"]),
            probability=stated[0] if len(stated) == 1 else None,  # of several votes there is no one probability
            judges="; ".join(job.judges),
            calls=found["calls"],
            dollars=dollars,
            trace=found["trace"],
            by=job.ordered_by,
        )
        held.judged = [*held.judged, answer.key]
        held.save(update_fields=["judged"])


class _Metered:
    """A session that adds up what the calls of one answer cost by the price list, kept replies included."""

    def __init__(self, session: Session):
        self.session, self.dollars = session, 0.0

    async def ask(self, request: Request) -> Reply:
        reply, cost = await self.session.ask(request), price(request.model)
        if cost:
            self.dollars += reply.prompt_tokens * cost[0] + reply.completion_tokens * cost[1]
        return reply

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)


async def _away(work):
    """Database work in a thread."""
    return await asyncio.to_thread(closing, work)


# Pages


EVERY = 3  # seconds until a running job's page is loaded again


def wanted(answer: str, question: str) -> QuerySet[Answer]:
    """The standing answers of an answer's key or a question's; without both those that no validator has judged."""
    standing = Answer.objects.filter(withdrawn_at=None).select_related("question").order_by("pk")
    if answer:
        return standing.filter(key=answer)
    return standing.filter(question__key=question) if question else standing.filter(verdicts=None)


@require_safe
def all_jobs(request: HttpRequest) -> HttpResponse:
    every = Job.objects.annotate(total=Count("answers")).order_by("-pk")
    page = Paginator(every, 50).get_page(request.GET.get("page"))
    rows = [dict(job=job, state=STATES[state_of(job)], total=job.total) for job in page]
    return render(request, "desk/jobs.html", dict(rows=rows, page=page))


class NewJob(Moderators, FormPage):
    template_name = "desk/job_new.html"

    def load(self) -> None:
        given, found = self.request.POST or self.request.GET, judges()
        self.initial = {name: given.get(name, "") for name in ("answer", "question")}
        self.shown = dict(count=wanted(**self.initial).count(), judges=found)
        hints = ("In the notation, such as (C x3|U) or C", "They cost what their prices say")
        boxes = dict(widget=forms.CheckboxSelectMultiple, choices=[(name, name) for name in found])
        self.fields = dict(
            validator=forms.CharField(max_length=300, initial="(C x3|U)", help_text=hints[0]),
            judges=forms.MultipleChoiceField(help_text=hints[1], **boxes),
            temperature=forms.FloatField(initial=0.7, min_value=0, max_value=2),
            answer=forms.CharField(required=False, widget=forms.HiddenInput),
            question=forms.CharField(required=False, widget=forms.HiddenInput),
        )

    def act(self, validator: str, judges: list[str], temperature: float, answer: str, question: str) -> Job:
        answers = list(wanted(answer, question)[:MOST_ANSWERS])
        return plan(self.request.user, validator, judges, answers, temperature)


@never_cache
@require_safe
def one_job(request: HttpRequest, key: str) -> HttpResponse:
    job = get_object_or_404(Job.objects.select_related("ordered_by"), key=key)
    state, answers = state_of(job), job.answers.count()
    found = Verdict.objects.filter(answer__key__in=job.judged, validator=job.validator, decided_at__gte=job.planned_at)
    found = found.select_related("answer__question", "answer__system").order_by("-decided_at")
    told = dict(job=job, state=state, says=STATES[state], total=answers, done=len(job.judged), verdicts=found[:200])
    moderates = request.user.is_authenticated and request.user.may_moderate()
    told |= dict(moderates=moderates, dollars=left("dollars"), calls=int(left("calls")))
    reply = render(request, "desk/job.html", told)
    if state == "running":
        reply["Refresh"] = str(EVERY)
    return reply


@require_POST
@signed_in
def change(request: HttpRequest, key: str, what: str) -> HttpResponse:
    job = get_object_or_404(Job, key=key)
    try:
        {"start": start, "stop": stop}[what](request.user, job)
    except (NotAllowed, Refused) as error:
        messages.error(request, str(error))
    return redirect("job", job.key)
