"""Run a validator on questions and answers: one verdict an answer, with its whole trace (UQ, appendix B.2).

    found = await validate(session, Run("(CC u3|U) => (FLC u3|U) => (C u3|U)", ["o3"]), questions, answers)

A rehearsal (`models.studies`) says what it costs at most. Every answer is a conversation of its own with
`notation.decide`, many at once. None asks a call after its verdict is settled. The session keeps replies as they come,
so a run resumes after a kill.
"""

import asyncio
import contextlib
import glob
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from proctor.data.schemas import Answer, Question
from proctor.files import only_writer
from proctor.models.endings import CallsFailed, MissingReply, all_home
from proctor.models.final_line import p_accept, verdict, why_unreadable, without_marks
from proctor.models.messages import REHEARSED, Reply, Request
from proctor.models.prompts import follow_up, load
from proctor.models.registry import spec
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.uq.checks import OUTCOMES, as_shown, broken, check_request
from proctor.uq.notation import (
    CHECKS,
    By,
    Node,
    Vote,
    by_one_judge,
    by_several_judges,
    decide,
    is_poll,
    parse,
    parts,
)
from proctor.uq.programs import PROGRAMS, run_program

COLUMNS = ("question_id", "answer_id", "validator", "judges", "outcome", "correct", "votes", "calls", "unreadable")


@dataclass(frozen=True)
class Run:
    """A validator in UQ's notation, its judges, and how they are asked.

    judges may be empty where each check names its own. temperature: None is 0, and 1 where the validator asks a check
    anew. exhaustive: cast every vote, also where the verdict is settled. settings: None, as the session says.
    """

    validator: str | Node
    judges: Sequence[str] = ()
    temperature: float | None = None
    exhaustive: bool = False
    settings: Settings | None = None

    def resolved(self, settings: Settings | None = None) -> "Run":
        """With settings (its own, else the given) and a temperature: as it is asked."""
        settings = self.settings or settings or Settings()
        known = [each for each in (settings.temperature, self.temperature) if each is not None]
        temperature = known[0] if known else 1.0 if _asks_anew(self.node) else 0.0
        return replace(self, settings=settings, temperature=temperature)

    @cached_property
    def node(self) -> Node:
        """The validator, parsed."""
        return parse(self.validator) if isinstance(self.validator, str) else self.validator

    @property
    def all_judges(self) -> list[str]:
        """Those of the list, then those that the notation names."""
        named = [part.judge for part in parts(self.node) if isinstance(part, By)]
        return list(dict.fromkeys([*self.judges, *named]))

    def judge(self, vote: Vote) -> str:
        """The model that casts a vote."""
        return vote.judge if isinstance(vote.judge, str) else self.judges[vote.judge]


async def validate(
    session: Session,
    run: Run,
    questions: Sequence[Question],
    answers: Sequence[Answer],
    *,
    out: str | Path | None = None,
) -> pd.DataFrame:
    """One row an answer, in order, with COLUMNS: outcome is accept, reject or unreadable, correct is as known.

    out: a JSONL file, one line a verdict with its trace (of each vote check, judge, sample, turn, outcome, why if
    unreadable, p_accept, prompt, reply; `first` of the first of two calls, `above` of a threshold). It gets its name
    when all verdicts are there. Votes and calls count what was cast and asked once, also where several parts of the
    validator want the same.

    Raises, before any call, ValueError for a validator that judges or temperature do not suit, KeyError for an answer
    to no question and FileBusy while another run writes `out`. Then what `Session.ask` raises, CallsFailed naming the
    answers without a verdict, and OSError where `out` can't be written. Whatever stops a run, Ctrl-C too, its calls in
    flight come home first: their replies are kept and not asked again.
    """
    if session.rehearsing:
        out = None
    run = run.resolved(session.settings)
    pairs = _checked(run, questions, answers)
    name = str(run.node)
    alike = dict(validator=name, judges="; ".join(run.all_judges))  # the same strings in every row
    rows, failed, missing = [None] * len(pairs), {}, []
    todo = iter(enumerate(pairs))
    with (
        _lines(out) as add,
        tqdm(total=len(pairs), desc=name, disable=not session.progress, mininterval=1.0) as bar,
    ):

        async def worker() -> None:
            for i, (question, answer) in todo:
                line = None
                try:
                    row, trace = await _judge(session, run, question, answer)
                    row |= alike
                    rows[i] = tuple(row[name] for name in COLUMNS)
                    line = row | dict(trace=trace)
                except CallsFailed as error:
                    failed[answer.id] = str(error)
                except MissingReply as error:  # the others' next calls belong to the same round of an export
                    missing.extend(error.requests)
                finally:
                    add(i, line)
                bar.set_postfix_str(str(session.spent), refresh=False)
                bar.update()

        await all_home(*(worker() for _ in range(min(8 * session.concurrency, len(pairs)))))
        if missing:
            raise MissingReply(missing)
        if failed:
            some = "; ".join(f"{name}: {what}" for name, what in list(failed.items())[:2])
            raise CallsFailed(
                f"{len(failed)} of {len(pairs)} answers have no verdict ({some}). The other replies are kept: "
                "run again to ask only what is missing",
                failed,
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def _asks_anew(node: Node) -> bool:
    return any(is_poll(part, "x") and part.times > 1 for part in parts(node))


def _checked(run: Run, questions: Sequence[Question], answers: Sequence[Answer]) -> list[tuple[Question, Answer]]:
    """The (question, answer) pairs. Raises before any call."""
    node, judges = run.node, run.judges
    several = by_several_judges(node)
    if isinstance(judges, str) or not judges and (several or by_one_judge(node)):
        raise ValueError(f"judges is {judges!r}: give a list of one or more models")
    if twice := next((judge for judge in judges if list(judges).count(judge) > 1), None):
        raise ValueError(f"judge {twice} is named twice: its second vote would repeat its first")
    if len(judges) > 1 and by_one_judge(node):
        raise ValueError(
            f"{len(judges)} judges, and {node} does not say how they vote: write ({node}) |M or |U, or Debate, or name "
            "one judge for a check, as in C@" + judges[0]
        )
    if len(judges) == 1 and any(is_poll(part, "Debate") for part in parts(node)):
        raise ValueError(f"a debate needs two judges or more, and there is {judges[0]} alone")
    for judge in run.all_judges:
        spec(judge)
    if run.temperature == 0 and _asks_anew(node):
        raise ValueError(f"{node} asks anew, and at temperature 0 every reply is the same: set a temperature")
    ids = [answer.id for answer in answers]
    if doubled := next((name for name in ids if ids.count(name) > 1), None) if len(set(ids)) < len(ids) else None:
        raise ValueError(f"answer {doubled} is there {ids.count(doubled)} times: give each answer an id of its own")
    if empty := next((answer.id for answer in answers if not answer.text.strip()), None):
        raise ValueError(f"answer {empty} is empty: leave it out, or count it as rejected")
    by_id = {question.id: question for question in questions}
    if unknown := next((answer for answer in answers if answer.question_id not in by_id), None):
        raise KeyError(f"answer {unknown.id} is to question {unknown.question_id}, which is not among the questions")
    return [(by_id[answer.question_id], answer) for answer in answers]


async def _judge(session: Session, run: Run, question: Question, answer: Answer) -> tuple[dict, list[dict]]:
    """The row of one answer, and the trace of its votes."""
    votes = decide(run.node, len(run.judges), run.exhaustive)
    trial = _Trial(session, run, question, answer)
    try:
        vote = next(votes)
        while True:
            outcome = await trial.outcome(vote)
            if trial.guessed and not run.exhaustive:  # a rehearsal: nobody knows which votes settle it
                return await _judge(session, replace(run, exhaustive=True), question, answer)
            vote = votes.send(outcome)
    except StopIteration as end:
        settled = end.value
    trace = list(trial.trace.values())
    row = dict(
        question_id=question.id,
        answer_id=answer.id,
        outcome=OUTCOMES[settled],
        correct=answer.correct,
        votes=len(trace),
        calls=len(trial.asked),
        unreadable=sum(vote["outcome"] == "unreadable" for vote in trace),
    )
    return row, trace


class _Trial:
    """One answer before its judges: what was asked, and the votes that were cast, each once."""

    def __init__(self, session: Session, run: Run, question: Question, answer: Answer):
        self.session, self.run, self.question, self.answer = session, run, question, answer
        self.asked: set[str] = set()  # keys of the calls
        self.guessed = False  # whether a reply was a rehearsal's stand-in
        self.trace: dict[Vote, dict] = {}
        self.outcomes: dict[Vote, bool | None] = {}
        self.talks: dict[Vote, tuple[Request, Reply] | None] = {}  # what each vote ended with; None if it broke off

    async def outcome(self, vote: Vote) -> bool | None:
        if vote not in self.trace:
            by_program = vote.check in PROGRAMS
            self.outcomes[vote], more = await (self._by_program(vote) if by_program else self._by_judge(vote))
            self.trace[vote] = dict(
                check=vote.check,
                judge=self.run.judge(vote),
                sample=vote.sample,
                turn=vote.turn,
                outcome=OUTCOMES[self.outcomes[vote]],
                **more,
                **({} if vote.above is None else {"above": vote.above}),
            )
        return self.outcomes[vote]

    async def _by_program(self, vote: Vote) -> tuple[bool | None, dict]:
        found = await asyncio.to_thread(run_program, vote.check, self.question, self.answer)
        why = {"why": found.why} if found.accept is None else {}
        return found.accept, dict(p_accept=None, prompt="", reply=found.why, **why)

    async def _by_judge(self, vote: Vote) -> tuple[bool | None, dict]:
        more: dict[str, Any] = {}
        request: Request | None
        if vote.check == "Debate":
            request = self._debating(vote)
        elif vote.turn:
            before, why = self.talks[replace(vote, turn=vote.turn - 1)], "nothing to reconsider"
            request = before and follow_up(*before, load("uq/reflect", self.run.settings))
        else:
            request = self._asking(vote)
            if CHECKS[vote.check] == 2:
                first = await self._reply(request)
                more["first"], why = dict(prompt=request.prompt, reply=first.text), f"first call {broken(first)}"
                request = None if broken(first) else self._asking(vote, first)
        if request is None:
            self.talks[vote] = None
            return None, dict(why=why, p_accept=None, prompt="", reply="", **more)
        reply = await self._reply(request)
        self.talks[vote] = request, reply
        if reply.source == REHEARSED:  # long, and says nothing
            return True, dict(p_accept=None, prompt=request.prompt, reply=reply.text, **more)
        outcome, p = verdict(reply, **request.shown), p_accept(reply, **request.shown)
        why = why_unreadable(reply)
        if vote.above is not None:
            outcome, why = None if p is None else p > vote.above, "no probability"
        more |= {"why": why} if outcome is None else {}
        return outcome, dict(p_accept=p, prompt=request.prompt, reply=reply.text, **more)

    def _asking(self, vote: Vote, first: Reply | None = None) -> Request:
        """A check's only call, its first, or after `first` its second."""
        run = self.run
        how = dict(sample=vote.sample, temperature=run.temperature, settings=run.settings)
        return check_request(vote.check, run.judge(vote), self.question, self.answer, first, **how)

    def _debating(self, vote: Vote) -> Request:
        """The call of a debater, who reads what the others said in the round before; whoever repeats it states no
        verdict by that."""
        run, judge = self.run, self.run.judge(vote)
        others = [one for one in range(len(run.judges)) if one != vote.judge] if vote.turn else []
        before = [self.trace[replace(vote, judge=one, turn=vote.turn - 1)]["reply"] for one in others]
        said = (f"Judge {i}: {without_marks(text)}" for i, text in enumerate(before, 1))
        return load("uq/debate", run.settings).request(
            judge,
            sample=vote.sample,
            temperature=run.temperature,
            question=as_shown(self.question, judge, run.settings),
            answer=self.answer.text,
            others="\n\n".join(said) or "none has spoken yet",
        )

    async def _reply(self, request: Request) -> Reply:
        reply = await self.session.ask(request)
        self.asked.add(request.key)
        self.guessed = self.guessed or reply.source == REHEARSED
        return reply


@contextlib.contextmanager
def _lines(path: str | Path | None) -> Iterator[Callable[[int, dict | None], None]]:
    """`add(place, content)` writes a JSONL file in the order of the answers: lines that come early wait. None: no line.

    It is written under a passing name next to its place, and gets its own if no verdict is missing at the end. Of
    several runs only one writes a file at a time. What a run that ended early leaves there can be read, until the next
    run to the same file.
    """
    if not path:
        yield lambda place, content: None
        return
    path = Path(os.path.realpath(path))
    part = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.part")

    def tried(act: Callable, *given, **how):
        try:
            return act(*given, **how)
        except OSError as error:
            raise OSError(
                error.errno,
                f"could not write the verdicts to {path} ({error.strerror}): free some disk space, or fix the "
                "folder's permissions, and run again with the same cache. All replies are kept there: nothing is "
                "asked again",
            ) from error

    with only_writer(path) as alone:
        for left in path.parent.glob(f"{glob.escape(path.name)}.*.part") if alone else ():
            left.unlink(missing_ok=True)
        file, waiting, due = tried(open, part, "w", encoding="utf-8"), {}, 0

        def add(place: int, content: dict | None) -> None:
            nonlocal due
            waiting[place] = content
            while due in waiting:
                if (line := waiting.pop(due)) is not None:
                    tried(file.write, json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
                due += 1

        try:
            yield add
        except BaseException:  # some verdicts are missing, and the file keeps its passing name
            with contextlib.suppress(OSError):
                file.close()
            raise
        tried(file.close)
        tried(os.replace, part, path)
