"""The recorded study of UQ's dataset: the LLM filter on real questions. Its size here is the recorded one."""

import pandas as pd

from proctor.data.questions import load_open
from proctor.exam.recorded import MODELS, SEED
from proctor.models.session import Session
from proctor.uq.dataset.llm_filter import filter_questions

FILTERED = 40  # open questions before the filter


def open_posts(n: int = FILTERED) -> pd.DataFrame:
    """Real questions (NQ-open) in the form of a site's: what was asked is the title, and there is no more.

    Column references: the answers that count as right.
    """
    questions, _ = load_open(n, seed=SEED)
    rows = [
        dict(site="nq-open", question_id=place, title=asked.question, body="", tags=[])
        | dict(references=asked.extra["references"])
        for place, asked in enumerate(questions, 1)
    ]
    return pd.DataFrame(rows)


async def question_filter(session: Session, models=MODELS, n: int = FILTERED) -> pd.DataFrame:
    """The LLM filter of the dataset on real questions: each model answers, and judges its own answers (UQ, A.1)."""
    return pd.concat(
        [await filter_questions(session, open_posts(n), model, model) for model in models],
        ignore_index=True,
    )


STUDIES = {"question_filter": question_filter}
