"""Which generated questions the studies of families-v2 and -v3 ask: a rule, written before any study was run.

A cell is a family at a level. The screening model answers the first `QUESTIONS` questions of each cell of a version,
`SAMPLES` times, with one operation a step and no candidate shown. From these base accuracies alone:

1. A reply that is cut off or states no answer counts as wrong. A cell's accuracy is its share of right replies.
2. A cell is kept where its accuracy is at least `LOW` and at most `HIGH`.
3. Of each family in which nothing carries over (`ALWAYS`) at least one cell is kept: where none is within these
   limits, the one nearest to the middle between them, the easier one of two as near.
4. Another family without such a cell is left out, and named as left out.
5. Studies that show candidates, judge or give tools ask the questions after the first `QUESTIONS` of the kept cells,
   dealt evenly over the cells (`fresh`), so that what was selected on is not what is measured.

The plan was 8 questions and 3 samples, or 5 and 2 if 648 replies would take more than 90 minutes. A pilot on 27
questions of another seed, which are in no study, took 8 minutes on the busy machine: hence 5 and 2, 270 replies.

families-v3 are eighteen other families, screened by the same rule on 25 November 2026, before any study asked them.

Nothing else decides: no study was looked at, and none changes the choice afterwards. A cell's accuracy rests on few
questions; its interval is in the table, and a kept cell may lie outside the limits in truth.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import pandas as pd

from proctor.data.questions import load_families, place_in_cell
from proctor.data.schemas import Answer, Question
from proctor.exam.run_exam import run_exam
from proctor.models.session import Session
from proctor.stats.proportions import wilson

VERSION, MORE = "families-v2", "families-v3"
NINES = {VERSION: 1, MORE: 2}  # how many times nine families a version has
MODEL = "qwen2.5-coder-1.5b"
PROMPT = "hle/answer_steps"
QUESTIONS, SAMPLES, TEMPERATURE = 5, 2, 0.7  # planned were 8 and 3; a pilot on other questions took 16 s a reply
LOW, HIGH = 0.2, 0.7
# As `generated.generate.NOTHING_CARRIES_OVER`.
ALWAYS = ("long_sum", "letter_count", "ledger", "machine", "letter_values", "word_lengths")


async def screening(session: Session, models: Sequence[str] = (MODEL,), version: str = VERSION) -> pd.DataFrame:
    """The replies to the screened questions; rows of `run_exam`."""
    questions = load_families(QUESTIONS, version)
    how = dict(samples=SAMPLES, temperature=TEMPERATURE, first_sample=1, prompt=PROMPT)
    return await run_exam(session, list(models), questions, **how)


def cells(answers: pd.DataFrame) -> pd.DataFrame:
    """One row a cell: category, level, questions, replies, accuracy, low and high (Wilson, of replies as if
    independent), keep, and why."""
    own = answers[answers["model"] == MODEL]
    right = own["correct"] & ~own["cut_off"]
    table = (
        own.assign(right=right)
        .groupby(["category", "level"], sort=False)
        .agg(questions=("question_id", "nunique"), replies=("right", "size"), right=("right", "sum"))
        .reset_index()
    )
    table["accuracy"] = table["right"] / table["replies"]
    limits = [wilson(right, n) for right, n in zip(table.pop("right"), table["replies"])]
    table["low"], table["high"] = zip(*limits)
    table["keep"] = table["accuracy"].between(LOW, HIGH)
    table["why"] = table["keep"].map({True: "within the limits", False: "outside the limits"})
    for family in ALWAYS:
        part = table[table["category"] == family].sort_values("level")
        if len(part) and not part["keep"].any():
            nearest = (part["accuracy"] - (LOW + HIGH) / 2).abs().round(9).idxmin()
            table.loc[nearest, ["keep", "why"]] = True, "nearest of a family that stays"
    return table


def fresh(table: pd.DataFrame, n: int, version: str = VERSION) -> list[Question]:
    """At most `n` questions for each nine families, of the kept cells, that were not screened: dealt evenly over the
    cells, in file order."""
    kept = {(row.category, row.level) for row in table[table["keep"]].itertuples()}
    own = [q for q in load_families(version=version) if (q.category, q.level) in kept and place_in_cell(q) > QUESTIONS]
    dealt = {
        q.id for q in sorted(own, key=place_in_cell)[: n * NINES[version]]
    }  # a stable sort: one of each cell, then the next
    return [question for question in own if question.id in dealt]


# Answers of a model in its own words to these questions: candidates that nobody planted. They are the replies of the
# screening in the kept cells, and further attempts at fresh questions. Selecting cells by accuracy does not select
# answers, and no study that uses these makes a claim of the accuracy itself.

FRESH = 40  # fresh questions: the same that CBU's candidates answer
ATTEMPTS = 2


_KEPT: WeakKeyDictionary[Session, dict[str, pd.DataFrame]] = WeakKeyDictionary()


async def kept_cells(session: Session, version: str = VERSION) -> pd.DataFrame:
    """The table of `cells`, from the recorded screening, in mode live too; read once per session."""
    kept = _KEPT.setdefault(session, {})
    if version not in kept:
        with session.as_recorded():
            kept[version] = cells(await screening(session, version=version))
    return kept[version]


async def asked(session: Session, n: int, version: str = VERSION) -> list[Question]:
    """`n` fresh questions for each nine families of a version, of its kept cells."""
    return fresh(await kept_cells(session, version), n, version)


async def attempts(
    session: Session,
    models: Sequence[str] = (MODEL,),
    n: int = FRESH,
    times: int = ATTEMPTS,
    version: str = VERSION,
) -> pd.DataFrame:
    """`times` answers of each model to `n` fresh questions for each nine families; rows of `run_exam`."""
    questions = await asked(session, n, version)
    how = dict(samples=times, temperature=TEMPERATURE, first_sample=1, prompt=PROMPT)
    return await run_exam(session, list(models), questions, **how)


def as_answer(row: Any, id: str, label: str = "") -> Answer:
    """A row of `attempts` or `screening` as a candidate that other models may judge or be shown."""
    about = dict(author=row.model, sample=row.sample, correct=bool(row.correct), label=label)
    return Answer(id=id, question_id=row.question_id, text=row.reply, **about)


async def candidates(
    session: Session, models: Sequence[str] = (MODEL,), n: int = 200, version: str = VERSION
) -> tuple[list[Question], list[Answer]]:
    """`n` readable natural answers for each nine families, with their questions, half of them right as far as there
    are so many.

    Right and wrong ones are dealt evenly over the cells, in the order of file, sample and model: nothing is drawn.
    """
    table, n = await kept_cells(session, version), n * NINES[version]
    kept = {(row.category, row.level) for row in table[table["keep"]].itertuples()}
    screened = await screening(session, models, version)
    within = [cell in kept for cell in zip(screened["category"], screened["level"])]
    rows = pd.concat([screened[within], await attempts(session, models, version=version)], ignore_index=True)
    rows = rows[~rows["cut_off"] & ~rows["unreadable"] & rows["answer"].notna()]
    dealt = rows.groupby(["correct", "category", "level"]).cumcount().sort_values(kind="stable").index
    rows = rows.loc[dealt]
    right, wrong = rows[rows["correct"]], rows[~rows["correct"]]
    of_right = min(len(right), max(n // 2, n - len(wrong)))
    chosen = pd.concat([right[:of_right], wrong[: n - of_right]]).sort_index()
    found = [as_answer(row, f"{row.model}-{row.question_id}-{row.sample}") for row in chosen.itertuples()]
    answered = {answer.question_id for answer in found}
    return [q for q in load_families(version=version) if q.id in answered], found


STUDIES = {"screening": screening, "screening.more": partial(screening, version=MORE)}
NATURAL = {"natural.attempts": attempts, "natural.attempts.more": partial(attempts, version=MORE)}
