"""How sure a model says it is of its own answers: without examples, and after two that state high or low numbers.

All are asked of the same answers, so that the anchor's effect is the only difference. An anchor of 96 and 97 % cannot
raise what is at the top of the scale; one of 61 and 62 % can lower it, and was added after the first result.
"""

from collections.abc import Sequence

import pandas as pd

from proctor.exam import natural, screening
from proctor.models.prompts import load
from proctor.models.session import Session

ANSWERS = 100
STYLES = ("plain", "anchored")  # of the first study
LOW = "low"  # the same two examples, stating 61 and 62 %
# Shares of replies below BELOW and their correlation, guessed before the study with the low anchor.
COLUMNS = ["model", "style", "question_id", "category", "answer_id", "correct", "confidence"]


async def anchored_confidence(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    n: int = ANSWERS,
    styles: Sequence[str] = STYLES,
) -> pd.DataFrame:
    """One row a style and natural answer of the model itself: model, style, question_id, category, answer_id, correct,
    confidence (in [0, 1], NaN where unreadable)."""
    table = []
    for model in models:
        questions, answers = await natural.candidates(session, [model], n)
        by_id = {question.id: question for question in questions}
        for style in styles:
            prompt = load(f"hle/confidence_{style}")
            requests = [
                prompt.request(model, question=by_id[answer.question_id].question, answer=answer.text)
                for answer in answers
            ]
            for answer, reply in zip(answers, await session.ask_many(requests, f"confidence, {style}")):
                said = reply.text.strip().removesuffix("%")
                table.append(
                    dict(
                        model=model,
                        style=style,
                        question_id=answer.question_id,
                        category=by_id[answer.question_id].category,
                        answer_id=answer.id,
                        correct=answer.correct,
                        confidence=int(said) / 100 if said.isdecimal() else float("nan"),
                    )
                )
    return pd.DataFrame(table, columns=COLUMNS).astype({"confidence": float, "correct": bool})


async def low_anchor(session: Session, models: Sequence[str] = (screening.MODEL,), n: int = ANSWERS) -> pd.DataFrame:
    """The same answers after the low examples; rows of `anchored_confidence`."""
    return await anchored_confidence(session, models, n, (LOW,))


STUDIES = {"hle.anchored_confidence": anchored_confidence, "hle.low_anchor": low_anchor}
