"""How sure a model says it is of its own answers: without examples, and after two that state high or low numbers.

All are asked of the same answers, so that the anchor's effect is the only difference. An anchor of 96 and 97 % cannot
raise what is at the top of the scale; one of 61 and 62 % can lower it, and was added after the first result.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from proctor.exam import natural, screening
from proctor.exam.paired_effects import families_of, paired_effects
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.stats.calibration import auc_interval

ANSWERS = 100
STYLES = ("plain", "anchored")  # of the first study
LOW = "low"  # the same two examples, stating 61 and 62 %
ALL_STYLES = (*STYLES, LOW)
BELOW = 0.9  # a confidence below this counts as lowered
# Shares of replies below BELOW and their correlation, guessed before the study with the low anchor.
EXPECTED = {"low anchor less plain, stated below 90 %": (0.3, 0.05, 0.2)}
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


def by_style(
    rows: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, styles: Sequence[str] = STYLES
) -> pd.DataFrame:
    """One row a style, of one model: answers, unreadable, stated (mean), full (share that states 100 %),
    repeats_example (share that states a number of this style's examples, of the high ones where it has none), right
    (share), auc of the stated confidence with low and high (families resampled)."""
    table = []
    for style in styles:
        part = rows[rows["style"] == style]
        known = part.dropna(subset=["confidence"])
        area = auc_interval(known["confidence"], known["correct"], rng, resamples, clusters=known["category"])
        table.append(
            dict(
                style=style,
                answers=len(part),
                unreadable=len(part) - len(known),
                stated=known["confidence"].mean(),
                full=known["confidence"].eq(1).mean(),
                repeats_example=repeats_example(known["confidence"], style).mean(),
                right=known["correct"].mean(),
                auc=area.estimate,
                low=area.low,
                high=area.high,
            )
        )
    return pd.DataFrame(table)


def repeats_example(confidence: pd.Series, style: str = "anchored") -> pd.Series:
    """Whether a confidence is one that the examples of this style's prompt state; those of 96 and 97 % for plain."""
    prompt = load(f"hle/confidence_{'low' if style == LOW else 'anchored'}")
    replies = [text for role, text in prompt.messages if role == "assistant"]
    return confidence.round(6).isin([int(text.removesuffix("%")) / 100 for text in replies])


def anchor_effects(rows: pd.DataFrame) -> pd.DataFrame:
    """`paired_effects`, told together: the confidence by anchoring, and without it less the share of right answers."""
    wide = rows.pivot(index="answer_id", columns="style", values="confidence").reindex(columns=list(STYLES))
    right = rows.drop_duplicates("answer_id").set_index("answer_id")["correct"].astype(float)
    pairs = {
        "anchored less plain": (wide["anchored"], wide["plain"]),
        "plain less right": (wide["plain"], right),
        "anchored less right": (wide["anchored"], right),
    }
    return paired_effects(pairs, families_of(rows, "answer_id"))


def low_anchor_effects(rows: pd.DataFrame) -> pd.DataFrame:
    """`paired_effects`, told together, of the low examples: the stated confidence, and the share stated below BELOW.

    rows: those of `anchored_confidence` and `low_anchor`."""
    wide = rows.pivot(index="answer_id", columns="style", values="confidence").reindex(columns=["plain", LOW]).dropna()
    below = wide.lt(BELOW)
    pairs = {
        "low anchor less plain": (wide[LOW], wide["plain"]),
        next(iter(EXPECTED)): (below[LOW], below["plain"]),
    }
    return paired_effects(pairs, families_of(rows, "answer_id"))


STUDIES = {"hle.anchored_confidence": anchored_confidence, "hle.low_anchor": low_anchor}
