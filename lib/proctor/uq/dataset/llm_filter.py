"""UQ's filter by language models (stage 2; A.1 and L.6): one model answers each question, another judges five criteria.

    found = await filter_questions(session, kept, answering="gpt-4o", judge="o4-mini")

Each criterion is asked on its own, three times. Two are chances in percent, of which the mean counts; three are yes or
no, and must be yes each time. (The paper's prompt asks for all five at once; its text says that each is evaluated
independently.) A reply that cannot be read, or a call that failed, is missing, not a zero.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from proctor.data.questions import load_open
from proctor.exam.recorded import MODELS, SEED
from proctor.files import write_atomic
from proctor.models.endings import CallsFailed
from proctor.models.final_line import final_mark, verdict
from proctor.models.messages import REHEARSED, Reply, Request
from proctor.models.prompts import Prompt, load
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.uq.dataset.posts import to_markdown
from proctor.uq.dataset.review_queue import KEY

CHANCES = {"correctness": 40, "solvability": 70}  # a mean of at most so many percent is kept
YES_NO = ("answerable", "clear", "objective")  # in UQ's words approachable, well-defined, objective
CRITERIA = (*CHANCES, *YES_NO)
REPEATS = 3
FILTERED = 40  # open questions of the recorded study
LEAST = 2  # readable replies to a criterion; with fewer it is undecided
TEMPERATURE = 1.0
_PERCENT = {f"{n}{sign}": n for n in range(101) for sign in ("", "%", " %")}


class Decision(NamedTuple):
    """outcome: keep, drop or undecided. failed_on: the criteria that drop it. missing_on: with too few replies."""

    outcome: str
    failed_on: tuple[str, ...]
    missing_on: tuple[str, ...]


COLUMNS = (*KEY, *Decision._fields, *CRITERIA, "unreadable", "failed_calls", "model", "judge", "answer")


def decide(replies: Mapping[str, Sequence[int | bool | None]], least: int = LEAST) -> Decision:
    """What the readable replies to each criterion say; None is a missing reply.

    A single no drops a question, whatever is missing. A mean needs `least` replies, and so does a yes.

    >>> yes = dict.fromkeys(YES_NO, [True] * 3)
    >>> decide({"correctness": [30, 40, 50], "solvability": [70, None, 70], **yes}).outcome
    'keep'
    >>> decide({"correctness": [30, None, None], "solvability": [70] * 3, **yes}).missing_on
    ('correctness',)
    """
    failed, missing = [], []
    for name in CRITERIA:
        came = [reply for reply in replies[name] if reply is not None]
        if name in YES_NO and not all(came):
            failed.append(name)
        elif len(came) < least:
            missing.append(name)
        elif name in CHANCES and sum(came) > CHANCES[name] * len(came):
            failed.append(name)
    outcome = "drop" if failed else "undecided" if missing else "keep"
    return Decision(outcome, tuple(failed), tuple(missing))


def read_percent(reply: Reply, quoted: str = "", opening: str = "") -> int | None:
    """The whole percentage on a reply's last line, `Score: [[35]]`; None if there is none. What counts:
    `final_line.final_mark`."""
    found = final_mark(reply, _PERCENT, quoted, opening)
    return None if found is None else _PERCENT[found.mark]


async def filter_questions(
    session: Session,
    questions: pd.DataFrame,
    answering: str,
    judge: str,
    *,
    repeats: int = REPEATS,
    temperature: float = TEMPERATURE,
    settings: Settings | None = None,
) -> pd.DataFrame:
    """A row a question, in order, with COLUMNS: each criterion holds its replies, None for a missing one.

    questions: site, question_id, title, body (HTML) and tags, as the rules kept them. A call that failed for good
    counts as missing; the next run asks it again. A question without a candidate answer is undecided. Raises ValueError
    for settings that do not go together, else what `Session.ask_many` raises before any call.
    """
    if repeats < LEAST:
        raise ValueError(f"{LEAST} replies are needed and {repeats} are asked for: ask for as many or more")
    if temperature == 0:
        raise ValueError(f"{repeats} replies at temperature 0 are the same reply: set a temperature")
    prompts = _prompts(settings or session.settings)
    texts = [_fields(row) for row in questions.itertuples()]
    asked = [prompts["answer"].request(answering, **fields) for fields in texts]
    replied = await _ask(session, asked, "answers")
    answers = [reply.text.strip() if reply else "" for reply in replied]
    calls = {
        (place, name, sample): request
        for place, answer in enumerate(answers)
        if answer
        for name in CRITERIA
        for first in [prompts[name].request(judge, temperature=temperature, **texts[place], answer=answer)]
        for sample, request in enumerate(replace(first, sample=n) for n in range(repeats))  # they share the texts
    }
    came = dict(zip(calls, await _ask(session, list(calls.values()), "criteria")))
    values = {(place, name, n): _read(name, reply, calls[place, name, n]) for (place, name, n), reply in came.items()}
    failed = Counter(place for (place, *_), reply in came.items() if reply is None)
    missing = Counter(place for (place, *_), value in values.items() if value is None)
    rows = []
    for place, question in enumerate(questions.itertuples()):
        read = {name: [values.get((place, name, n)) for n in range(repeats)] for name in CRITERIA}
        counts = missing[place] - failed[place], failed[place] + (replied[place] is None)
        asked_of = question.site, question.question_id
        rows.append((*asked_of, *decide(read), *read.values(), *counts, answering, judge, answers[place]))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def effects(found: pd.DataFrame) -> pd.DataFrame:
    """What Figure S2 shows, of any run: a row a criterion, before the filter and among what it keeps.

    before, after: the mean percentage of the questions' means, or the share of questions with only yes, in percent;
    n_before, n_after: the questions with enough replies to that criterion.
    """
    rows = []
    for name in CRITERIA:
        values = found[name].map(lambda replies: [reply for reply in replies if reply is not None])
        enough = values.map(len) >= LEAST
        scale = 1 if name in CHANCES else 100
        of = values.map(lambda v: sum(v) / len(v) if v else 0.0) if name in CHANCES else values.map(all).astype(float)
        before, after = scale * of[enough], scale * of[enough & (found["outcome"] == "keep")]
        rows.append((name, before.mean(), after.mean(), len(before), len(after)))
    return pd.DataFrame(rows, columns=["criterion", "before", "after", "n_before", "n_after"])


def write_verdicts(path: str | Path, found: pd.DataFrame) -> None:
    """One line a question, as `queue --verdicts` and `queue --answers` read it."""
    lines = found.to_dict("records")
    write_atomic(path, "".join(json.dumps(line, ensure_ascii=False, default=int) + "\n" for line in lines))


async def _ask(session: Session, requests: list[Request], what: str) -> list[Reply | None]:
    """The replies, None for a call that failed for good."""
    try:
        return list(await session.ask_many(requests, what))
    except CallsFailed as failed:
        whole = [request for request in requests if request.key not in failed.errors]
        kept = dict(zip((request.key for request in whole), await session.ask_many(whole, what)))
        return [kept.get(request.key) for request in requests]


def _fields(row) -> dict[str, str]:
    return dict(site=row.site, tags=", ".join(row.tags), title=row.title, body=to_markdown(row.body))


def _prompts(settings: Settings | None = None) -> dict[str, Prompt]:
    return {name: load(f"uq/filter_{name}", settings) for name in ("answer", *CRITERIA)}


def _read(name: str, reply: Reply | None, request: Request) -> int | bool | None:
    if reply is None or reply.source == REHEARSED:
        return None
    return (verdict if name in YES_NO else read_percent)(reply, **request.shown)


def open_posts(n: int = FILTERED) -> pd.DataFrame:
    """Real questions (NQ-open) in the form of a site's: what was asked is the title, and there is no more.

    Column references: the answers that count as right.
    """
    questions, _ = load_open(n, seed=SEED)
    rows = [
        dict(site="nq-open", question_id=place, title=asked.question, body="", tags=[])
        | dict(references=asked.extra["references"])
        for place, asked in enumerate(questions, 1)
    ]
    return pd.DataFrame(rows)


async def question_filter(session: Session, models=MODELS, n: int = FILTERED) -> pd.DataFrame:
    """The LLM filter of the dataset on real questions: each model answers, and judges its own answers (UQ, A.1)."""
    found = [await filter_questions(session, open_posts(n), model, model) for model in models]
    return pd.concat(found, ignore_index=True)


STUDIES = {"question_filter": question_filter}
