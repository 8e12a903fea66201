"""Answers of a model in its own words to questions of families-v2 and -v3: candidates that nobody planted.

They are the replies of the screening in the kept cells, and further attempts at fresh questions. Selecting cells by
accuracy does not select answers, and no study that uses these makes a claim of the accuracy itself.
"""

from collections.abc import Sequence
from functools import partial
from weakref import WeakKeyDictionary

import pandas as pd

from proctor.data.questions import load_families
from proctor.data.schemas import Answer, Question
from proctor.exam import screening
from proctor.exam.run_exam import run_exam
from proctor.models.session import Session

FRESH = 40  # fresh questions: the same that CBU's candidates answer
ATTEMPTS = 2


_KEPT: WeakKeyDictionary[Session, dict[str, pd.DataFrame]] = WeakKeyDictionary()


async def kept_cells(session: Session, version: str = screening.VERSION) -> pd.DataFrame:
    """The table of `screening.cells`, from the recorded screening, in mode live too; read once per session."""
    kept = _KEPT.setdefault(session, {})
    if version not in kept:
        with session.as_recorded():
            kept[version] = screening.cells(await screening.screening(session, version=version))
    return kept[version]


async def asked(session: Session, n: int, version: str = screening.VERSION) -> list[Question]:
    """`n` fresh questions for each nine families of a version, of its kept cells."""
    return screening.fresh(await kept_cells(session, version), n, version)


async def attempts(
    session: Session,
    models: Sequence[str] = (screening.MODEL,),
    n: int = FRESH,
    times: int = ATTEMPTS,
    version: str = screening.VERSION,
) -> pd.DataFrame:
    """`times` answers of each model to `n` fresh questions for each nine families; rows of `run_exam`."""
    questions = await asked(session, n, version)
    how = dict(samples=times, temperature=screening.TEMPERATURE, first_sample=1, prompt=screening.PROMPT)
    return await run_exam(session, list(models), questions, **how)


async def candidates(
    session: Session, models: Sequence[str] = (screening.MODEL,), n: int = 200, version: str = screening.VERSION
) -> tuple[list[Question], list[Answer]]:
    """`n` readable natural answers for each nine families, with their questions, half of them right as far as there
    are so many.

    Right and wrong ones are dealt evenly over the cells, in the order of file, sample and model: nothing is drawn.
    """
    table, n = await kept_cells(session, version), n * screening.NINES[version]
    kept = {(row.category, row.level) for row in table[table["keep"]].itertuples()}
    screened = await screening.screening(session, models, version)
    within = [cell in kept for cell in zip(screened["category"], screened["level"])]
    rows = pd.concat([screened[within], await attempts(session, models, version=version)], ignore_index=True)
    rows = rows[~rows["cut_off"] & ~rows["unreadable"] & rows["answer"].notna()]
    dealt = rows.groupby(["correct", "category", "level"]).cumcount().sort_values(kind="stable").index
    rows = rows.loc[dealt]
    right, wrong = rows[rows["correct"]], rows[~rows["correct"]]
    of_right = min(len(right), max(n // 2, n - len(wrong)))
    chosen = pd.concat([right[:of_right], wrong[: n - of_right]]).sort_index()
    found = [
        Answer(
            id=f"{row.model}-{row.question_id}-{row.sample}",
            question_id=row.question_id,
            text=row.reply,
            author=row.model,
            sample=row.sample,
            correct=bool(row.correct),
        )
        for row in chosen.itertuples()
    ]
    answered = {answer.question_id for answer in found}
    return [q for q in load_families(version=version) if q.id in answered], found


STUDIES = {"natural.attempts": attempts, "natural.attempts.more": partial(attempts, version=screening.MORE)}
