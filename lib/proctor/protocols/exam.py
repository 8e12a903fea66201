"""Sit models before an exam (HLE, section 4): three stated fields, exact comparison, a model as judge beside it."""

import pandas as pd

from proctor.data.schemas import LETTERS, Question
from proctor.models.calls import Reply, Request
from proctor.models.parse import answer_probability, letter, p_accept, same_answer, stated, verdict
from proctor.models.prompts import load
from proctor.models.session import Session


def request(model: str, question: Question, *, sample: int = 0, temperature: float = 0.0,
            prompts_dir: str | None = None) -> Request:
    """The call that puts one question of an exam to a model. Raises ValueError for one with a picture."""
    if question.image:
        raise ValueError(f"question {question.id} has a picture, and only text can be sent: leave such questions out")
    if question.answer_type == "multipleChoice" and question.options:
        options = "\n".join(f"{key}. {text}" for key, text in zip(LETTERS, question.options))
        return load("hle/answer_choice", prompts_dir).request(
            model, sample=sample, temperature=temperature, question=question.question, options=options)
    return load("hle/answer_exact", prompts_dir).request(
        model, sample=sample, temperature=temperature, question=question.question)


def given(question: Question, reply: Reply) -> str | None:
    """The answer that a reply gives: a letter for multiple choice, text otherwise, None if unreadable."""
    answer = stated(reply).answer
    if question.answer_type == "multipleChoice" and not question.options:  # they stand in the question's text
        return letter(answer, len(LETTERS)) or answer
    return letter(answer, len(question.options)) if question.options else answer


def grade(question: Question, answer: str | None) -> bool:
    """Exact comparison with the key; an unreadable answer is wrong (HLE scores it so)."""
    if question.options:
        return answer == question.answer
    return same_answer(answer, question.answer)


async def sit(session: Session, models: list[str], questions: list[Question], *, samples: int = 1,
              temperature: float = 0.0, first_sample: int = 0, prompts_dir: str | None = None) -> pd.DataFrame:
    """One row a model, question and sample: answer, correct, stated confidence and token probability, tokens.

    `confidence` (stated) and `probability` (of the answer's tokens) are in [0, 1], NaN where missing.
    """
    rows = [(model, question, sample) for model in models for question in questions
            for sample in range(first_sample, first_sample + samples)]
    replies = await session.ask_many(
        [request(m, q, sample=s, temperature=temperature, prompts_dir=prompts_dir) for m, q, s in rows], "answers")
    table = []
    for (model, question, sample), reply in zip(rows, replies):
        fields, answer = stated(reply), given(question, reply)
        table.append(dict(
            model=model, question_id=question.id, category=question.category, level=question.level, sample=sample,
            answer=answer, correct=grade(question, answer), confidence=fields.confidence,
            probability=answer_probability(reply), reply=reply.text, cut_off=reply.cut_off,
            prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens, source=reply.source))
    return pd.DataFrame(table).astype({"confidence": float, "probability": float})


def agreement(first: pd.DataFrame, samples: pd.DataFrame) -> pd.Series:
    """Share of further samples that give the answer of `first` (both from `sit`), by (model, question_id)."""
    base = first.set_index(["model", "question_id"])["answer"]
    same = [pd.notna(answer) and pd.notna(base[key]) and same_answer(answer, base[key])
            for key, answer in zip(zip(samples["model"], samples["question_id"]), samples["answer"])]
    return pd.Series(same, index=pd.MultiIndex.from_frame(samples[["model", "question_id"]])).groupby(
        level=[0, 1]).mean().rename("agreement")


async def judge(session: Session, judges: list[str], answers: pd.DataFrame, questions: list[Question],
                prompts_dir: str | None = None) -> pd.DataFrame:
    """What each judge says of each answer: `answers` (from `sit`) with columns judge, accepted (None: unreadable), p_accept."""
    by_id = {question.id: question for question in questions}
    prompt = load("hle/judge", prompts_dir)
    rows = [(name, row) for name in judges for row in answers.itertuples(index=False)]
    replies = await session.ask_many(
        [prompt.request(name, question=by_id[row.question_id].question, reference=by_id[row.question_id].answer,
                        response=without_confidence(row.reply)) for name, row in rows], "judgements")
    return pd.DataFrame([
        dict(row._asdict(), judge=name, accepted=verdict(reply, quoted=row.reply), p_accept=p_accept(reply))
        for (name, row), reply in zip(rows, replies)])


def without_confidence(reply: str) -> str:
    """A judge that sees a stated confidence is swayed by it."""
    return "\n".join(line for line in reply.splitlines() if not line.lower().lstrip("* ").startswith("confidence"))
