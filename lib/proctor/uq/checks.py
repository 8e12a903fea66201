"""Checks of a candidate answer without its key (UQ, appendix B.2), one judge's call or two each.

V vanilla, C correctness, FLC fact/logic, CC cycle consistency (infer the question, then compare); and B, ours: the
judge answers first, without the candidate, then compares. R relevance and FA final answer are names of two checks that
only the public code has. There, FA asks whether the final answer is correct, whatever the process, and R whether the
response addresses the question. Our prompts of these names ask less: `uq/final_answer` asks only whether the answer
commits itself to one result. Replies to them are recorded under their bytes, so they stay as they are.
"""

import re

import pandas as pd

from proctor.data.schemas import Answer, Question
from proctor.exam import run_exam
from proctor.models.final_line import p_accept, verdict
from proctor.models.messages import Reply, Request
from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.models.registry import spec
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.uq.notation import CHECKS

ONE_CALL = {
    "V": "uq/vanilla",
    "C": "uq/correctness",
    "FLC": "uq/fact_logic",
    "R": "uq/relevance",
    "FA": "uq/final_answer",
}
COMPARE = {"CC": "uq/cycle_compare", "B": "uq/compare_blind"}
REASONED = "_reasoned"  # form: the verdict after one line of reasons, by prompts of these names
OUTCOMES = {True: "accept", False: "reject", None: "unreadable"}


def register(name: str, prompt: str) -> None:
    """A check of one's own, of one call: `prompt` names its file, such as "own/polite" for <prompts_dir>/own/polite.md,
    which asks for a verdict of {{question}} and {{answer}}. It is then written as any other, and known to `cost`.

    Raises ValueError for a name that is taken or that no notation can hold."""
    if not re.fullmatch(r"[A-Z][A-Za-z]+", name) or name in ("Debate", "M", "U"):
        raise ValueError(f"{name!r}: name a check with a capital and more letters, as in `Polite`")
    if ONE_CALL.get(name, prompt) != prompt or name in CHECKS and name not in ONE_CALL:
        raise ValueError(f"a check {name} is there already: choose another name")
    CHECKS[name], ONE_CALL[name] = 1, prompt


def as_shown(question: Question, judge: str, settings: Settings | None = None) -> str:
    """The question as a judge is shown it: in the free style behind its site, tags and title; in that of the paper
    under headings, with title, keywords, category and site in its order (UQ, appendix L.7)."""
    style = (settings or Settings()).style_for(spec(judge))
    if style == "short":
        return question.question
    known = {name.lower(): value for name, value in question.extra.items()} | {"category": question.category}
    free = (("Site", "site"), ("Tags", "tags"), ("Title", "title"))
    printed = (("Title", "title"), ("Keywords", "tags"), ("Category", "category"), ("Site", "site"))
    lines = []
    for label, name in printed if style == "paper" else free:
        value = known.get(name)
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
        if text.strip():
            lines.append(f"{label}: {text.strip()}")
    if style == "paper" and lines:
        lines = ["Question Details", *lines, "", "Question Content"]
    elif lines:
        lines.append("")
    return "\n".join([*lines, question.question])


def check_request(
    name: str,
    judge: str,
    question: Question,
    answer: Answer,
    first: Reply | None = None,
    *,
    settings: Settings | None = None,
    form: str = "",
    answer_prompt: str = "hle/answer_exact",
    infer_prompt: str = "uq/cycle_infer",
    **sampling,
) -> Request:
    """A check's call: its only one, or the first of two; with `first`, the reply to that, the second, which compares.

    form: "" or REASONED. answer_prompt, infer_prompt: of what B answers and CC infers. sampling: sample, temperature.
    """
    if name == "CC" and first is None:
        return load(infer_prompt, settings).request(judge, answer=answer.text, **sampling)
    if name == "B" and first is None:
        return run_exam.exam_request(judge, question, settings=settings, prompt=answer_prompt, **sampling)
    prompt, fields = ONE_CALL.get(name, COMPARE.get(name)), dict(answer=answer.text)
    if name == "CC":
        fields["guess"] = first.text.strip()
    if name == "B":
        fields["found"] = stated(first).answer or "nothing"
    shown = as_shown(question, judge, settings)
    return load(prompt + form, settings).request(judge, question=shown, **fields, **sampling)


def broken(first: Reply) -> str:
    """Why no second call can follow the first one of CC or B, in a word; "" where it can."""
    return "empty" if not first.text.strip() else "cut off" if first.cut_off else ""


async def run_check(
    session: Session, name: str, judge: str, questions: list[Question], answers: list[Answer], **how
) -> pd.DataFrame:
    """One row an answer: judge, check, outcome (accept, reject, unreadable), p_accept, and `correct` as known.

    how: keywords of `check_request`; the settings are the session's unless given.

    An empty or cut-off first call of CC or B is unreadable. After a cut-off one the second is asked all the same, so
    that p_accept is there for each answer; `validate`, which wants verdicts alone, saves it. Raises ValueError for an
    unknown check and KeyError for an answer to no question.
    """
    if name not in CHECKS:
        raise ValueError(f"no check {name!r}: use one of {', '.join(CHECKS)}")
    by_id = {question.id: question for question in questions}
    pairs = [(by_id[answer.question_id], answer) for answer in answers]
    how = dict(settings=session.settings) | how
    requests = [check_request(name, judge, q, a, **how) for q, a in pairs]
    first = [Reply(text="none needed")] * len(pairs)
    if name not in ONE_CALL:
        first = await session.ask_many(requests, f"{judge} {name} 1")
        requests = [check_request(name, judge, q, a, reply, **how) for (q, a), reply in zip(pairs, first)]
    to_ask = [request for request, reply in zip(requests, first) if broken(reply) != "empty"]
    given = iter(await session.ask_many(to_ask, f"{judge} {name}"))
    replies = [Reply("") if broken(reply) == "empty" else next(given) for reply in first]
    rows = []
    for (question, answer), one, request, reply in zip(pairs, first, requests, replies):
        row = dict(judge=judge, check=name, question_id=question.id, category=question.category, level=question.level)
        outcome = None if broken(one) else verdict(reply, **request.shown)
        row |= dict(answer_id=answer.id, correct=answer.correct, outcome=OUTCOMES[outcome])
        rows.append(row | dict(p_accept=p_accept(reply, **request.shown)))
    return pd.DataFrame(rows)


def worked_solutions(questions: list[Question]) -> list[Answer]:
    """A right and a wrong worked solution of each generated question (generated.generate)."""
    return [
        Answer(id=f"{q.id}-{kind}", question_id=q.id, text=q.extra[kind], author="planted", correct=kind == "right")
        for q in questions
        for kind in ("right", "wrong")
    ]
