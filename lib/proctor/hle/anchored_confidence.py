"""How sure a model says it is of its own answers, without examples and after two that state 96 and 97 %.

Both are asked of the same answers, so that the anchor's effect is the only difference.
"""

from collections.abc import Sequence

import pandas as pd

from proctor.exam import natural, screening
from proctor.models.prompts import load
from proctor.models.session import Session

ANSWERS = 200
STYLES = ("plain", "anchored")


async def anchored_confidence(
    session: Session, models: Sequence[str] = (screening.MODEL,), n: int = ANSWERS
) -> pd.DataFrame:
    """One row a style and natural answer of the model itself: model, style, question_id, category, answer_id, correct,
    confidence (in [0, 1], NaN where unreadable)."""
    table = []
    for model in models:
        questions, answers = await natural.candidates(session, [model], n)
        by_id = {question.id: question for question in questions}
        for style in STYLES:
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
    return pd.DataFrame(table)


STUDIES = {"hle.anchored_confidence": anchored_confidence}
