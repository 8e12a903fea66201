"""Sit models before an exam (HLE, section 4): three stated fields, comparison, a judge where that can't decide.

An exam of one's own: ask the models, let a judge weigh what comparison can't decide.

setup = Setup(load_questions("mine.jsonl"), ["openai/o3"], judge="openai/gpt-4o")
async with Session("auto", budget=5, settings=Settings(effort="high")) as session:
    await shown_plan(session, partial(sit, setup=setup))             # models/studies.py; sends nothing
    answers = await sit(session, setup)          # columns of `run_exam`, with right and decided_by
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from proctor.data.schemas import LETTERS, Question
from proctor.exam.answer_match import same
from proctor.models.final_line import ending_object, p_accept, verdict
from proctor.models.messages import REHEARSED, Reply, Request
from proctor.models.prompts import PromptError, load
from proctor.models.read_answer import answer_probability, letter, stated
from proctor.models.registry import spec
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.studies import ask_table

JUDGEMENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["extracted_final_answer", "reasoning", "correct", "confidence"],
    "properties": {
        "extracted_final_answer": {"type": "string"},
        "reasoning": {"type": "string"},
        "correct": {"type": "string", "enum": ["yes", "no"]},
        "confidence": {"type": "integer"},
    },
}


def exam_request(
    model: str,
    question: Question,
    *,
    sample: int = 0,
    temperature: float = 0.0,
    settings: Settings | None = None,
    prompt: str = "hle/answer_exact",
) -> Request:
    """The call that puts one question of an exam to a model. Raises ValueError for a picture that it can't be shown.

    prompt: of a question without options."""
    fields, name = dict(question=question.question), prompt
    if question.answer_type == "multipleChoice" and question.options:
        name = "hle/answer_choice"
        fields["options"] = "\n".join(f"{key}. {text}" for key, text in zip(LETTERS, question.options))
    wording = load(name, settings)
    try:
        return wording.request(model, sample=sample, temperature=temperature, image=question.image, **fields)
    except PromptError as error:
        raise ValueError(f"question {question.id} has a picture, and {error}") if question.image else error from error


def extract_answer(question: Question, reply: Reply) -> str | None:
    """The answer that a reply gives: a letter for multiple choice, text otherwise, None if unreadable."""
    answer = stated(reply).answer
    if question.answer_type == "multipleChoice" and not question.options:  # they stand in the question's text
        return letter(answer, len(LETTERS)) or answer
    return letter(answer, len(question.options)) if question.options else answer


def unreadable(question: Question, reply: Reply) -> bool:
    """Whether a reply states no answer that can be read, though it ends by itself and says something.

    A letter that is no option is an answer, a wrong one; so is silence, and a reply that was cut off."""
    if not reply.text.strip() or reply.cut_off or extract_answer(question, reply) is not None:
        return False
    said = (stated(reply).answer or "").strip(" .()[]*$")
    return not (question.options and len(said) == 1 and said.upper() in LETTERS)


def matches_key(question: Question, answer: str | None) -> bool | None:
    """Whether an answer is the key: by letter for multiple choice, else by `answer_match.same`; None: ask a judge."""
    if answer is None or question.answer is None:
        return None if question.answer is None else False
    if question.options:
        return answer == question.answer
    return same(answer, question.answer)


def grade(question: Question, answer: str | None) -> bool:
    """The same without a judge: what is unreadable or undecided is wrong (HLE scores the unreadable so)."""
    return matches_key(question, answer) is True


def compared(question: Question, reply: Reply) -> dict[str, Any]:
    """What a reply states and whether it is the key, without a judge: answer, correct, undecided, unreadable, and the
    stated confidence in [0, 1] (None: none). `undecided` answers, the unreadable among them, are not correct."""
    answer = extract_answer(question, reply)
    lost = unreadable(question, reply) and question.answer is not None
    right = None if lost else matches_key(question, answer)
    said = dict(answer=answer, correct=right is True, undecided=right is None, unreadable=lost)
    return said | dict(confidence=stated(reply).confidence)


async def run_exam(
    session: Session,
    models: list[str],
    questions: list[Question],
    *,
    samples: int = 1,
    temperature: float = 0.0,
    first_sample: int = 0,
    skip_unseen: bool = False,
    prompt: str = "hle/answer_exact",
) -> pd.DataFrame:
    """One row a model, question and sample: answer, correct, stated confidence and token probability, tokens.

    `confidence` (stated) and `probability` (of the answer's tokens) are in [0, 1], NaN where missing. `undecided`
    answers count as not correct until a judge has weighed them (`judge_undecided`); `unreadable` replies are among
    them, since HLE's judge sees the whole reply. Pictures go to models that take
    them; for others a question with one is a ValueError before any call, unless `skip_unseen` leaves it out for those
    models that can't see it, and says how many these are. A `canary` that questions carry becomes a column: tables
    refuse such rows.
    """
    unseen = _unseen(models, questions, not session.rehearsing) if skip_unseen else ()
    by_id = {question.id: question for question in questions}
    how = dict(temperature=temperature, settings=session.settings, prompt=prompt)
    about = ("category", "answer_type", "level")
    known = {question.id: {name: getattr(question, name) for name in about} for question in questions}
    calls = [
        (
            dict(model=model, question_id=question.id, **known[question.id], sample=sample),
            exam_request(model, question, sample=sample, **how),
        )
        for model in models
        for question in questions
        if not (model in unseen and question.image)
        for sample in range(first_sample, first_sample + samples)
    ]

    def read(row: Mapping, _: Request, reply: Reply) -> dict[str, Any]:
        return dict(
            **compared(by_id[row["question_id"]], reply),
            probability=answer_probability(reply),
            reply=reply.text,
            cut_off=reply.cut_off,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            source=reply.source,
        )

    frame = (await ask_table(session, calls, "answers", read)).astype({"confidence": float, "probability": float})
    if any(question.canary for question in questions):
        frame["canary"] = [by_id[name].canary for name in frame["question_id"]]
    return frame


def _unseen(models: list[str], questions: list[Question], told: bool) -> list[str]:
    """The models that can't be shown the pictures that questions have; `told`: each in a sentence."""
    pictures = sum(bool(question.image) for question in questions)
    blind = [model for model in models if pictures and not spec(model).images]
    for model in blind if told else ():
        print(f"{model} takes no images: {pictures} of {len(questions)} questions have one and are not put to it")
    return blind


# A model as judge. It sees the question's text, the key and the response, never a picture.


class Judgement(NamedTuple):
    """What HLE's judge says (C.1.1); None: unreadable. `confidence` in [0, 1], 1 where none was stated."""

    correct: bool | None = None
    confidence: float | None = None


def judgement(reply: Reply, quoted: str = "") -> Judgement:
    """Read the JSON object that ends a judge's reply, also in a fenced block or after prose.

    Anything else is unreadable; so is an object that may be quoted from the response (`ending_object`).
    """
    fields = ending_object(reply.text, "correct", quoted)
    if fields is None or not set(JUDGEMENT["required"]) <= fields.keys():
        return Judgement()
    try:
        percent = float(str(fields["confidence"]).strip().rstrip("%"))
    except (ValueError, RecursionError):
        return Judgement()
    correct = {"yes": True, "no": False}.get(fields["correct"].strip().lower())
    return Judgement(correct, percent / 100 if 0 <= percent <= 100 else None)


def judge_request(judge: str, question: Question, response: str, settings: Settings | None = None) -> Request:
    """The call that has `judge` weigh a response: one token of a model served here, which sees no stated confidence;
    four fields of any other, bound to a schema where its interface offers that."""
    kind, asked = spec(judge).kind, dict(question=question.question, reference=question.answer)
    if kind == "gguf":
        return load("hle/judge", settings).request(judge, response=without_confidence(response), **asked)
    call = load("hle/judge_fields", settings).request(judge, response=response, **asked)
    return replace(call, schema=JUDGEMENT) if kind == "openai" else call


async def judge(session: Session, judges: list[str], answers: pd.DataFrame, questions: list[Question]) -> pd.DataFrame:
    """What each judge says of each answer: `answers` (from `run_exam`) with columns judge, accepted (None: unreadable),
    p_accept (NaN without token probabilities), and judge_confidence: what it read in the response, 1 where that states
    none (NaN: not asked)."""
    by_id = {question.id: question for question in questions}
    calls = [
        (dict(row._asdict(), judge=name), judge_request(name, by_id[row.question_id], row.reply, session.settings))
        for name in judges
        for row in answers.itertuples(index=False)
    ]

    def read(row: Mapping, request: Request, reply: Reply) -> dict[str, Any]:
        local = spec(row["judge"]).local
        said = Judgement(verdict(reply, **request.shown)) if local else judgement(reply, request.quoted)
        return dict(
            accepted=said.correct,
            p_accept=p_accept(reply, **request.shown) if local else None,
            judge_confidence=np.nan if said.confidence is None else said.confidence,
        )

    table = await ask_table(session, calls, "judgements", read)
    return table.astype({"p_accept": float} if len(table) else {})


async def judge_undecided(
    session: Session,
    name: str,
    answers: pd.DataFrame,
    questions: list[Question],
    everything: bool = False,
) -> pd.DataFrame:
    """`answers` (from `run_exam`) with columns right (1, 0, NaN where the judge is unreadable) and decided_by.

    Only what comparison could not decide is put to the judge `name`; with `everything` all that is, as in HLE, and the
    judge's word counts.
    """
    result = answers.assign(right=answers["correct"].astype(float), decided_by="comparison")
    open_ones = answers if everything else answers[answers["undecided"] | (answers["source"] == REHEARSED)]
    if len(open_ones):
        judged = await judge(session, [name], open_ones, questions)
        result.loc[open_ones.index, "right"] = judged["accepted"].astype(float).to_numpy()
        result.loc[open_ones.index, "decided_by"] = name
    return result


def without_confidence(reply: str) -> str:
    """A judge that sees a stated confidence is swayed by it."""
    return "\n".join(line for line in reply.splitlines() if not line.lower().lstrip("* ").startswith("confidence"))


@dataclass(frozen=True)
class Setup:
    """Questions, the models that answer them `samples` times each, and the judge ("": comparison alone decides).

    judge_all: everything is put to the judge, as in HLE's protocol, and its word counts."""

    questions: Sequence[Question]
    models: Sequence[str]
    judge: str = ""
    judge_all: bool = False
    samples: int = 1

    def checked(self, settings: Settings | None = None) -> "Setup":
        """Itself. Raises ValueError or ModelError for what can't be asked so, before any call."""
        settings = settings or Settings()
        if not self.models:
            raise ValueError("no model: name one or more")
        if twice := next((model for model in self.models if list(self.models).count(model) > 1), None):
            raise ValueError(f"model {twice} is named twice")
        if self.samples > 1 and not settings.temperature:
            raise ValueError(f"{self.samples} samples at temperature 0 are all the same: set a temperature")
        if self.judge_all and not self.judge:
            raise ValueError("judge_all needs a judge")
        for name in (*self.models, *filter(None, [self.judge])):
            spec(name)
        if without := [question for question in self.questions if question.answer is None]:
            others = f". If a column of another name holds them ({', '.join(without[0].extra)}): --column answer=COLUMN"
            raise ValueError(
                f"question {without[0].id} has no key (and {len(without) - 1} more): an exam needs one each"
                + (others if without[0].extra else "")
            )
        for model, question in product(self.models, self.questions):
            if not question.image or spec(model).images:
                exam_request(model, question, settings=settings)
        return self


async def sit(session: Session, setup: Setup) -> pd.DataFrame:
    """One row a model, question and sample: the columns of `run_exam`, right (1, 0; NaN: the judge is unreadable) and
    decided_by. Without a judge what comparison can't decide is wrong, and decided_by is "nobody"."""
    setup.checked(session.settings)
    how = dict(samples=setup.samples, skip_unseen=True)
    answers = await run_exam(session, list(setup.models), list(setup.questions), **how)
    if not setup.judge:
        nobody = answers["undecided"].map({True: "nobody", False: "comparison"})
        return answers.assign(right=answers["correct"].astype(float), decided_by=nobody)
    return await judge_undecided(session, setup.judge, answers, list(setup.questions), everything=setup.judge_all)
