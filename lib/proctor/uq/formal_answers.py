"""A model's answers to questions that a program can test, and a judge's verdicts on them (UQ, appendix I.1)."""

from collections.abc import Sequence

import pandas as pd

from proctor.data.schemas import Answer
from proctor.exam.screening import MODEL
from proctor.generated.formal import Formal, formal_questions
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.uq.checks import run_check

PER_TEMPLATE = 5  # questions of each of the 24 templates, one answer each
CHECK = "C"


async def formal_answers(
    session: Session, models: Sequence[str] = (MODEL,), per_template: int = PER_TEMPLATE
) -> tuple[list[Formal], list[Answer]]:
    """The questions of `generated.formal`, and one answer of each model to each at temperature 0; whether an answer is
    right is not in it."""
    asked, prompt = formal_questions(per_template=per_template), load("uq/formal_answer", session.settings)
    pairs = [(model, formal.question) for model in models for formal in asked]
    requests = [prompt.request(model, question=question.question) for model, question in pairs]
    replies = await session.ask_many(requests, "formal answers")
    found = [
        Answer(id=f"{model}-{question.id}", question_id=question.id, text=reply.text, author=model)
        for (model, question), reply in zip(pairs, replies)
    ]
    return asked, found


async def formal_checks(
    session: Session, models: Sequence[str] = (MODEL,), author: str = MODEL, per_template: int = PER_TEMPLATE
) -> pd.DataFrame:
    """Rows of `checks.run_check`: each model's verdict CHECK on the answers of `author`."""
    with session.as_recorded():
        asked, answers = await formal_answers(session, [author], per_template)
    questions = [formal.question for formal in asked]
    found = [await run_check(session, CHECK, judge, questions, answers) for judge in models]
    return pd.concat(found, ignore_index=True)


STUDIES = {"uq.formal_answers": formal_answers, "uq.formal_checks": formal_checks}
