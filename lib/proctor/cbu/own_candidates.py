"""Candidates of one's own: each one's utility to solvers, beside a judge's score (CBU, section 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from proctor.cbu.judges import ask_judges
from proctor.cbu.utility import run_rollouts, utilities
from proctor.data.answers import load_asked
from proctor.data.questions import load_questions
from proctor.data.schemas import Answer, Question
from proctor.data.tabular import DataError
from proctor.models.session import Session
from proctor.stats.bootstrap import Interval, interval

JUDGE = "judge 1-10"


@dataclass(frozen=True)
class Setup:
    """Questions, their candidates and their neighbours with keys; the solvers, rollouts on each neighbour."""

    questions: list[Question]
    candidates: list[Answer]
    near: dict[str, list[Question]]
    models: Sequence[str]
    rollouts: int = 1


def load(
    path: str | Path, neighbours: str | Path, questions: str | Path = "", columns: dict[str, str] | None = None
) -> tuple[list[Question], list[Answer], dict[str, list[Question]]]:
    """Questions, candidates (of `load_asked`) and neighbours: a file of questions with keys and a column neighbour_of,
    the id of the question or its text. Raises DataError."""
    asked, candidates = load_asked(path, questions, columns)
    names = {question.id: question.id for question in asked} | {question.question: question.id for question in asked}
    near: dict[str, list[Question]] = {question.id: [] for question in asked}
    for other in load_questions(neighbours):
        of = str(other.extra.get("neighbour_of", "")).strip()
        if of not in names:
            raise DataError(f"{neighbours}: {other.id} is neighbour_of {of!r}, which has no candidate. Mend its id.")
        if other.answer is None:
            raise DataError(f"{neighbours}: {other.id} has no answer. Give its key: solutions to it are verified.")
        near[names[of]].append(other)
    if without := [name for name, others in near.items() if not others]:
        raise DataError(f"{neighbours}: no neighbour of question {without[0]} (and {len(without) - 1} more). Add one.")
    return asked, candidates, near


async def score(session: Session, setup: Setup) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(utilities of every candidate to every solver, the judge's scores): `utility.utilities`, `judges.ask_judges`."""
    models, both = list(setup.models), (setup.questions, setup.candidates)
    rolled = await run_rollouts(session, models, *both, setup.near, budget=setup.rollouts)
    return utilities(rolled), await ask_judges(session, models, *both, judges=[JUDGE])


def table(worth: pd.DataFrame, judged: pd.DataFrame, candidates: Sequence[Answer]) -> pd.DataFrame:
    """One row a candidate and solver, the best of each question and solver first: utility with its interval, gain over
    no candidate, the judge's score (its expectation where it has one), and correct as known."""
    said = judged.assign(score=judged["expectation"].fillna(judged["score"]).astype(float))
    found = worth.merge(
        said[["model", "answer_id", "score"]].rename(columns={"answer_id": "candidate", "score": "judge"}),
        on=["model", "candidate"],
        how="left",
    )
    found["correct"] = found["candidate"].map({answer.id: answer.correct for answer in candidates})
    found["author"] = found["candidate"].map({answer.id: answer.author for answer in candidates})
    columns = ["model", "question_id", "candidate", "author", "utility", "low", "high", "base", "gain", "rollouts"]
    order = ["model", "question_id", "utility"]
    found = found.sort_values(order, ascending=[True, True, False], kind="stable")
    return found[[*columns, "judge", "correct"]].reset_index(drop=True)


def gain(worth: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """What a candidate adds to what solvers solve, in points, on average; questions are resampled."""
    found = interval(worth["gain"], rng, resamples, clusters=worth["question_id"], bounds=(-1.0, 1.0))
    return Interval(100 * found.estimate, 100 * found.low, 100 * found.high, found.level, found.method)
