"""Candidates of one's own: each one's utility to solvers, next to a judge's score (CBU, section 3); majority voting.

The recorded studies of candidates are at the end.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from proctor.cbu.candidates import SOLVERS, drafted, load_candidates, written
from proctor.cbu.judges import ask_judges, score_request
from proctor.cbu.utility import NEIGHBOURS, run_rollouts, utilities
from proctor.data.answers import load_asked
from proctor.data.questions import load_questions
from proctor.data.schemas import Answer, Question
from proctor.data.tabular import DataError
from proctor.exam.answer_match import same
from proctor.exam.recorded import EXAMPLES, MODELS
from proctor.models.endings import all_home
from proctor.models.read_answer import stated
from proctor.models.registry import spec
from proctor.models.session import Session
from proctor.models.settings import Settings

JUDGE = "judge 1-10"


Loaded = tuple[list[Question], list[Answer], dict[str, list[Question]]]  # questions, candidates, neighbours with keys


def load(
    path: str | Path, neighbours: str | Path, questions: str | Path = "", columns: dict[str, str] | None = None
) -> Loaded:
    """Questions, candidates (of `load_asked`) and neighbours: a file of questions with keys and a column neighbour_of,
    the id of the question or its text. Questions without candidates are left out, with their neighbours. Raises
    DataError."""
    known, candidates = load_asked(path, questions, columns)
    names = {question.id: question.id for question in known} | {question.question: question.id for question in known}
    texts = {question.id: question.question.strip() for question in known}
    answered = {candidate.question_id for candidate in candidates}
    asked = [question for question in known if question.id in answered]
    near: dict[str, list[Question]] = {question.id: [] for question in asked}
    for other in load_questions(neighbours):
        of = str(other.extra.get("neighbour_of", "")).strip()
        if of not in names:
            raise DataError(f"{neighbours}: {other.id} is neighbour_of {of!r}, which is no question. Correct the id.")
        if names[of] not in near:
            continue
        if other.answer is None:
            raise DataError(f"{neighbours}: {other.id} has no answer. Give its key: solutions to it are verified.")
        if other.question.strip() == texts[names[of]]:
            raise DataError(
                f"{neighbours}: {other.id} is question {names[of]} itself. Leave it out: copying would solve it."
            )
        near[names[of]].append(other)
    if without := [name for name, others in near.items() if not others]:
        raise DataError(f"{neighbours}: no neighbour of question {without[0]} (and {len(without) - 1} more). Add one.")
    return asked, candidates, near


def refuse_copies(rollouts: int, settings: Settings) -> None:
    """Raises ValueError where all rollouts of a neighbour would be one and the same."""
    if rollouts > 1 and settings.temperature == 0:
        raise ValueError(
            f"{rollouts} rollouts at temperature 0 are one rollout, copied. "
            "Say --rollouts 1, or leave --temperature out (0.7)."
        )


async def score(
    session: Session, loaded: Loaded, models: Sequence[str], rollouts: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(utilities of every candidate to every solver, the judge's scores): `utility.utilities`, `judges.ask_judges`.

    loaded: as `load` returns it. rollouts: on each neighbour. The judge gets as many calls as utility. A local model
    whose token probabilities can be read is asked once: they give the mean of infinitely many calls. At temperature 0
    every judge is asked once, for all calls would be one.
    """
    refuse_copies(rollouts, session.settings)
    questions, candidates, near = loaded
    judging = []
    for model in models:
        asked = score_request(JUDGE, questions[0], candidates[0], model, settings=session.settings)
        read = spec(model).local and session.settings.style_for(spec(model)) == "short" and asked.logprobs is not None
        once = session.settings.temperature == 0 or read  # read: the score is the first token of a model served here
        calls = {question: 0 if once else rollouts * len(others) for question, others in near.items()}
        judging.append(ask_judges(session, [model], questions, candidates, judges=[JUDGE], repeats=calls))
    rolling = run_rollouts(session, list(models), questions, candidates, near, budget=rollouts)
    rolled, *judged = await all_home(rolling, *judging)
    return utilities(rolled), pd.concat(judged, ignore_index=True)


# Majority voting as a score (CBU, section 2.2)


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
            np.mean([pd.notna(vote) and same(vote, finals[answer.id]) is True for vote in said])
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
    loaded = load(EXAMPLES / "candidates.jsonl", EXAMPLES / "neighbours.jsonl")
    return await score(session, loaded, MODELS[-1:]) if MODELS[-1] in models else None


STUDIES = {f"cbu.{f.__name__}": f for f in (example, drafts, own)}
