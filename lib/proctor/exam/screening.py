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

import pandas as pd

from proctor.data.questions import load_families, place_in_cell
from proctor.data.schemas import Question
from proctor.exam.run_exam import run_exam
from proctor.models.session import Session
from proctor.stats.proportions import wilson

VERSION, MORE = "families-v2", "families-v3"
NINES = {VERSION: 1, MORE: 2}  # how many times nine families a version has
MODEL = "qwen2.5-coder-1.5b"
PROMPT = "hle/answer_steps"
QUESTIONS, SAMPLES, TEMPERATURE = 5, 2, 0.7  # planned were 8 and 3; a pilot on other questions took 16 s a reply
LOW, HIGH = 0.2, 0.7
# The families whose `transfers` is False by design.
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


STUDIES = {"screening": screening, "screening.more": partial(screening, version=MORE)}
