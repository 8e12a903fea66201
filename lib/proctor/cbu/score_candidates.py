"""Majority voting as a score of candidates (CBU, section 2.2), and the recorded studies of candidates."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.cbu import own_candidates
from proctor.cbu.candidates import SOLVERS, drafted, load_candidates, written
from proctor.cbu.judges import ask_judges
from proctor.cbu.utility import NEIGHBOURS, run_rollouts
from proctor.data.schemas import Answer
from proctor.exam.recorded import EXAMPLES, MODELS
from proctor.exam.words import same_answer
from proctor.models.read_answer import stated
from proctor.models.session import Session


def final_answer(text: str) -> str | None:
    """What a candidate states at its end (`read_answer.stated`), or a letter five times (JudgeBench)."""
    if found := stated(text).answer:
        return found
    found = re.findall(r"\b([A-Z])\1{4}\b", text)
    return found[-1] if found else None


def majority_score(answers: Sequence[Answer], votes: Mapping[str, Sequence[str | None]] | None = None) -> pd.Series:
    """Share of votes that state each candidate's final answer, by answer id; NaN without an answer or a vote.

    votes: final answers by question id, such as a solver's attempts; without, the question's other candidates vote.
    This is majority voting (CBU, section 2.2) as a score: the candidates of the most frequent answer come first.
    """
    finals = {answer.id: final_answer(answer.text) for answer in answers}
    found = {}
    for answer in answers:
        others = (other.id for other in answers if other.question_id == answer.question_id and other.id != answer.id)
        said = votes.get(answer.question_id, ()) if votes is not None else [finals[other] for other in others]
        found[answer.id] = (
            np.mean([pd.notna(vote) and same_answer(vote, finals[answer.id]) for vote in said])
            if len(said) and finals[answer.id] is not None
            else np.nan
        )
    return pd.Series(found, dtype=float)


# The recorded studies; sizes are the recorded ones

EXAMPLE = "invented_sign-1-01"
METHODS = ("judge 1-10", "generative reward")


async def example(session: Session, models=MODELS, name: str = EXAMPLE) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(Rollouts, judges' scores) of the seven candidates to one question (CBU, Figure 2)."""
    questions, candidates = load_candidates()
    own = [question for question in questions if question.id == name]
    answers = [answer for answer in candidates if answer.question_id == name]
    rolled = await run_rollouts(session, models, own, answers, written(own, NEIGHBOURS))
    return rolled, await ask_judges(session, models, own, answers, judges=METHODS)


async def drafts(session: Session, models=SOLVERS):
    """A neighbour that a model writes for each question, and the answers of `models` to it (CBU, 7.2)."""
    return await drafted(session, load_candidates()[0], solvers=models)


async def own(session: Session, models=MODELS) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """The example of cbu/your_candidates: utilities and scores by the largest model, if it is among `models`."""
    loaded = own_candidates.load(EXAMPLES / "candidates.jsonl", EXAMPLES / "neighbours.jsonl")
    setup = own_candidates.Setup(*loaded, MODELS[-1:])
    return await own_candidates.score(session, setup) if MODELS[-1] in models else None


STUDIES = {f"cbu.{f.__name__}": f for f in (example, drafts, own)}
