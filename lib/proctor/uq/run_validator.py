"""Run a validator on questions and answers: one verdict an answer, with its whole trace (UQ, appendix B.2).

    found = await validate(session, "(CC u3|U) => (FLC u3|U) => (C u3|U)", ["o3"], questions, answers)

Every answer is a conversation of its own with `notation.decide`, many at once. None asks a call after its verdict is
settled. The session keeps replies as they come, so a run resumes after a kill.
"""

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from proctor.data.schemas import Answer, Question
from proctor.models.messages import Reply, Request
from proctor.models.prompts import follow_up, load
from proctor.models.read_reply import p_accept, verdict, why_unreadable
from proctor.models.registry import price
from proctor.models.session import CallsFailed, Session
from proctor.uq.checks import OUTCOMES, closing, opening
from proctor.uq.notation import CHECKS, Debate, Node, Panel, Repeat, Vote, all_votes, decide, parse
from proctor.uq.notation import Sequence as Stages

COLUMNS = ("question_id", "answer_id", "validator", "judges", "outcome", "correct", "votes", "calls", "unreadable")


async def validate(
    session: Session,
    validator: str | Node,
    judges: Sequence[str],
    questions: Sequence[Question],
    answers: Sequence[Answer],
    *,
    temperature: float = 0.0,
    exhaustive: bool = False,
    structured: bool = False,
    prompts_dir: str | None = None,
    out: str | Path | None = None,
    at_once: int | None = None,
) -> pd.DataFrame:
    """One row an answer, in order, with COLUMNS: outcome is accept, reject or unreadable, correct is as known.

    exhaustive: cast every vote, also where the verdict is settled. structured: verdicts as JSON by a schema, from
    judges whose provider supports schemas (OpenAI's). out: a JSONL file, one line a verdict with its trace (of each
    vote check, judge, sample, turn, outcome, why if unreadable, p_accept, prompt, reply). It is written beside and
    renamed when all are there. at_once: answers in hand at a time.

    Raises, before any call, ValueError for a validator that judges or temperature do not suit and KeyError for an
    answer to no question; then what `Session.ask` raises, CallsFailed naming the answers without a verdict, all others
    being kept.
    """
    node = parse(validator) if isinstance(validator, str) else validator
    pairs = _checked(node, judges, questions, answers, temperature)
    settings = dict(temperature=temperature, structured=structured, prompts_dir=prompts_dir)
    alike = dict(validator=str(node), judges="; ".join(judges))  # the same strings in every row
    rows, failed = [None] * len(pairs), {}
    todo = iter(enumerate(pairs))
    with (
        _Lines(out) as lines,
        tqdm(total=len(pairs), desc=str(node), disable=not session.progress, mininterval=1.0) as bar,
    ):

        async def worker() -> None:
            for i, (question, answer) in todo:
                try:
                    row, trace = await _judge(session, node, judges, question, answer, exhaustive, settings)
                    row |= alike
                    rows[i] = tuple(row[name] for name in COLUMNS)
                    lines.add(i, row | dict(trace=trace))
                except CallsFailed as error:
                    failed[answer.id] = str(error)
                    lines.add(i, None)
                spent = session.spent
                bar.set_postfix_str(
                    f"{spent.calls:,} calls, {spent.prompt_tokens + spent.completion_tokens:,} tokens, "
                    f"${spent.dollars:.2f}",
                    refresh=False,
                )
                bar.update()

        workers = [asyncio.create_task(worker()) for _ in range(min(at_once or 8 * session.concurrency, len(pairs)))]
        try:
            await asyncio.gather(*workers)
        except BaseException:
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            raise
        if failed:
            some = "; ".join(f"{name}: {what}" for name, what in list(failed.items())[:2])
            raise CallsFailed(
                f"{len(failed)} of {len(pairs)} answers have no verdict ({some}). The other replies are kept: "
                "run again to ask only what is missing",
                failed,
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def bill(
    validator: str | Node,
    judges: Sequence[str],
    questions: Sequence[Question],
    answers: Sequence[Answer],
    *,
    temperature: float = 0.0,
    prompts_dir: str | None = None,
) -> dict:
    """What validating can cost at most: calls, tokens sent (a quarter of the characters), tokens received, dollars.

    Every vote is priced as the first call of its check; a reconsideration sends the conversation so far again, so its
    calls are dearer. dollars is None if a judge has no price.
    """
    node = parse(validator) if isinstance(validator, str) else validator
    pairs = _checked(node, judges, questions, answers, temperature)
    votes = all_votes(node, len(judges))
    total = dict(calls=0, tokens_sent=0, tokens_received=0, dollars=0.0)
    for question, answer in pairs:
        for vote in votes:
            request = _first(
                vote,
                judges[vote.judge],
                question,
                answer,
                [],
                temperature=temperature,
                structured=False,
                prompts_dir=prompts_dir,
            )
            calls = 1 if vote.turn else CHECKS.get(vote.check, 1)
            sent, received = calls * (vote.turn + 1) * request.characters // 4, calls * request.max_tokens
            cost = price(request.model)
            total["calls"] += calls
            total["tokens_sent"] += sent
            total["tokens_received"] += received
            if cost is None or total["dollars"] is None:
                total["dollars"] = None
            else:
                total["dollars"] += sent * cost[0] + received * cost[1]
    return total


def _checked(
    node: Node, judges: Sequence[str], questions: Sequence[Question], answers: Sequence[Answer], temperature: float
) -> list[tuple[Question, Answer]]:
    """The (question, answer) pairs. Raises before any call."""
    if isinstance(judges, str) or not judges:
        raise ValueError(f"judges is {judges!r}: give a list of one or more models")
    kinds = {type(part) for part in _parts(node)}
    if len(judges) > 1 and not kinds & {Panel, Debate}:
        raise ValueError(
            f"{len(judges)} judges, and {node} does not say how they vote: write ({node}) |M or |U, or Debate"
        )
    if temperature == 0 and any(
        isinstance(part, Repeat) and part.operator == "x" and part.times > 1 for part in _parts(node)
    ):
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


def _parts(node: Node) -> list[Node]:
    inner = node.stages if isinstance(node, Stages) else [node.node] if isinstance(node, Panel | Repeat) else []
    return [node, *(part for child in inner for part in _parts(child))]


async def _judge(
    session: Session,
    node: Node,
    judges: Sequence[str],
    question: Question,
    answer: Answer,
    exhaustive: bool,
    settings: dict,
) -> tuple[dict, list[dict]]:
    """The row of one answer, and the trace of its votes."""
    votes, trace, calls = decide(node, len(judges), exhaustive), [], 0
    talks: dict[tuple, tuple[Request, Reply]] = {}  # the conversation so far, by check, judge and sample
    said: list[tuple[Vote, str]] = []  # in a debate
    try:
        vote = next(votes)
        while True:
            judge, talk, asked = judges[vote.judge], (vote.check, vote.judge, vote.sample), 1
            if vote.turn and vote.check != "Debate":
                request = follow_up(*talks[talk], load("uq/reflect", settings["prompts_dir"], settings["structured"]))
            else:
                request = _first(vote, judge, question, answer, said, **settings)
                if CHECKS.get(vote.check) == 2:
                    first, asked = await session.ask(request), 2
                    request = closing(vote.check, judge, question, answer, first, sample=vote.sample, **settings)
            reply = await session.ask(request)
            talks[talk] = request, reply
            said.append((vote, reply.text))
            calls += asked
            outcome = verdict(reply, quoted=answer.text)
            trace.append(
                dict(
                    check=vote.check,
                    judge=judge,
                    sample=vote.sample,
                    turn=vote.turn,
                    outcome=OUTCOMES[outcome],
                    **({"why": why_unreadable(reply)} if outcome is None else {}),
                    p_accept=p_accept(reply),
                    prompt=request.prompt,
                    reply=reply.text,
                )
            )
            vote = votes.send(outcome)
    except StopIteration as end:
        settled = end.value
    row = dict(
        question_id=question.id,
        answer_id=answer.id,
        outcome=OUTCOMES[settled],
        correct=answer.correct,
        votes=len(trace),
        calls=calls,
        unreadable=sum(vote["outcome"] == "unreadable" for vote in trace),
    )
    return row, trace


def _first(
    vote: Vote,
    judge: str,
    question: Question,
    answer: Answer,
    said: list,
    *,
    temperature: float,
    structured: bool,
    prompts_dir: str | None,
) -> Request:
    if vote.check != "Debate":
        return opening(
            vote.check,
            judge,
            question,
            answer,
            sample=vote.sample,
            temperature=temperature,
            structured=structured,
            prompts_dir=prompts_dir,
        )
    others = [text for other, text in said if other.turn == vote.turn - 1 and other.judge != vote.judge]
    return load("uq/debate", prompts_dir, structured).request(
        judge,
        sample=vote.sample,
        temperature=temperature,
        question=question.question,
        answer=answer.text,
        others="\n\n".join(f"Judge {i}: {text}" for i, text in enumerate(others, 1)) or "none has spoken yet",
    )


class _Lines:
    """A JSONL file in the order of the answers, written beside its place; lines that come early wait."""

    def __init__(self, path: str | Path | None):
        self.path, self.next, self.waiting = path and Path(path), 0, {}
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.part = self.path.with_name(self.path.name + ".part")
            self.file = open(self.part, "w", encoding="utf-8")

    def add(self, place: int, content: dict | None) -> None:
        if not self.path:
            return
        self.waiting[place] = content
        while self.next in self.waiting:
            line = self.waiting.pop(self.next)
            if line is not None:  # an answer without a verdict: the file will not get its name
                self.file.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
            self.next += 1

    def __enter__(self) -> "_Lines":
        return self

    def __exit__(self, kind, *_) -> None:
        if self.path:
            self.file.close()
            if kind is None:  # else some verdicts are missing, and the file keeps its passing name
                os.replace(self.part, self.path)
