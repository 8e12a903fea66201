"""Checks on natural answers: the probability that a bare verdict has, and a verdict after a line of reasons.

A verdict bound to one token accepts all or nothing at one half, while its probability may rank well. So each check is
asked both ways of the same answers: differences of the two are paired by answer.
"""

from collections.abc import Sequence

import pandas as pd

from proctor.exam import natural, screening
from proctor.models.session import Session
from proctor.uq.checks import REASONED, run_check

ANSWERS = 100  # half of them right; of 180 that there are, for the time that they take
CHECKS = ("C", "B")  # recorded; FLC and CC were planned too, and not asked for want of time
# Share of wrong answers that are rejected, reasoned and bare, and the correlation: a pilot had 7 of 20 and none.
EXPECTED = {"reasoned less bare, wrong answers rejected": (0.35, 0.05, 0.2)}
PROMPTS = dict(answer_prompt=screening.PROMPT, infer_prompt="uq/cycle_infer_long")  # room for questions and steps
STYLES = {"bare": "", "reasoned": REASONED}


async def natural_checks(
    session: Session, models: Sequence[str] = (screening.MODEL,), n: int = ANSWERS, checks: Sequence[str] = CHECKS
) -> pd.DataFrame:
    """Rows of `checks.run_check` with columns style (bare, reasoned) and author: each check in both styles on the same
    `n` natural answers."""
    questions, answers = await natural.candidates(session, n=n)
    authors = {answer.id: answer.author for answer in answers}
    found = [
        (await run_check(session, name, judge, questions, answers, form=form, **PROMPTS)).assign(style=word)
        for judge in models
        for name in checks
        for word, form in STYLES.items()
    ]
    table = pd.concat(found, ignore_index=True)
    return table.assign(author=table["answer_id"].map(authors))


STUDIES = {"uq.natural_checks": natural_checks}
