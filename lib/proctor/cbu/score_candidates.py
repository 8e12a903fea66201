"""Every method's score of the same candidates: utility, judges, reward models, and what needs no model (CBU, 4.3).

    questions, answers = load_candidates()           # or `data.answers.load_pairs(path)`, in JudgeBench's format
    await score_all(session, models, questions, answers, near=written(questions, 2))

A score is one number a candidate, higher is better; NaN where there is none.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.cbu import own_candidates
from proctor.cbu.candidates import SOLVERS, drafted, load_candidates, written
from proctor.cbu.judges import JUDGES, ask_judges
from proctor.cbu.utility import NEIGHBOURS, ROLLOUTS, Neighbourhoods, paired, run_rollouts, utilities
from proctor.data.schemas import Answer, Question
from proctor.exam.recorded import EXAMPLES, MODELS
from proctor.exam.words import same_answer
from proctor.models.read_answer import stated
from proctor.models.session import Session

Reward = Callable[[Question, Answer], float | Awaitable[float]]

CALLS = NEIGHBOURS * ROLLOUTS  # of utility for a candidate


# without a model


def length(question: Question, answer: Answer) -> float:
    """Characters of the candidate: what a method must beat that claims not to fall for verbosity."""
    return float(len(answer.text))


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


# all of them


async def score_all(
    session: Session,
    models: Sequence[str],
    questions: Sequence[Question],
    answers: Sequence[Answer],
    *,
    near: Neighbourhoods | None = None,
    calls: int = CALLS,
    judges: Sequence[str] = tuple(JUDGES),
    repeats: int = 0,
    rewards: Mapping[str, Reward] | None = None,
) -> pd.DataFrame:
    """Every method on the same candidates; question_id, answer_id, kind, correct, method, model, score, calls.

    `near`: neighbourhoods for utility, which spends `calls` on a candidate, in total; without, no utility. `judges` and
    `repeats` as in `ask_judges`; a score is the expectation, or the mean of what was sampled. `rewards`: functions by
    name. What needs no model has model "". `calls` of a row says what was spent on that candidate; the expectation of
    one call stands for any number of repeats. Bad input and what a reward raises are errors before any call.
    """
    candidates, found = paired(questions, answers), []
    for name, reward in {"length": length, **(rewards or {})}.items():
        values = [reward(question, answer) for question, answer in candidates]
        values = [await value if inspect.isawaitable(value) else value for value in values]
        found.append(_rows(answers, name, "", values, 0 if name == "length" else 1))
    found.append(_rows(answers, "majority of candidates", "", majority_score(answers), 0))
    if near is not None:
        few = {name: list(others)[:calls] for name, others in near.items()}
        rows = await run_rollouts(session, models, questions, answers, few, budget=calls, allocation="total")
        for model, part in utilities(rows).groupby("model", sort=False):
            part = part.set_index("candidate").loc[[answer.id for answer in answers]]
            found.append(_rows(answers, "utility", model, part["utility"], part["rollouts"]))
    if judges:
        judged = await ask_judges(session, models, questions, answers, judges=judges, repeats=repeats)
        judged["value"] = judged["expectation"].fillna(judged["score"]) if not repeats else judged["score"]
        for (method, model), part in judged.groupby(["method", "model"], sort=False):
            values = part.groupby("answer_id")["value"].mean().loc[[answer.id for answer in answers]]
            found.append(_rows(answers, method, model, values, part.groupby("answer_id").size().iloc[0]))
    return pd.concat(found, ignore_index=True)


def _rows(answers: Sequence[Answer], method: str, model: str, scores, calls) -> pd.DataFrame:
    return pd.DataFrame(
        dict(
            question_id=[answer.question_id for answer in answers],
            answer_id=[answer.id for answer in answers],
            kind=[answer.label for answer in answers],
            correct=[answer.correct for answer in answers],
            method=method,
            model=model,
            score=np.asarray(scores, float),
            calls=np.asarray(calls),
        )
    )


# The recorded studies; sizes are the recorded ones

EXAMPLE = "invented_sign-1-01"
METHODS = ("judge 1-10", "generative reward")


async def example(session: Session, models=MODELS, name: str = EXAMPLE) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(Rollouts, scores of all methods) of the seven candidates to one question (CBU, Figure 2)."""
    questions, candidates = load_candidates()
    own = [question for question in questions if question.id == name]
    answers = [answer for answer in candidates if answer.question_id == name]
    near = written(own, NEIGHBOURS)
    rolled = await run_rollouts(session, models, own, answers, near)
    return rolled, await score_all(session, models, own, answers, near=near, judges=METHODS)


async def drafts(session: Session, models=SOLVERS):
    """A neighbour that a model writes for each question, and the answers of `models` to it (CBU, 7.2)."""
    return await drafted(session, load_candidates()[0], solvers=models)


async def own(session: Session, models=MODELS) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """The example of cbu/your_candidates: utilities and scores by the largest model, if it is among `models`."""
    loaded = own_candidates.load(EXAMPLES / "candidates.jsonl", EXAMPLES / "neighbours.jsonl")
    setup = own_candidates.Setup(*loaded, MODELS[-1:])
    return await own_candidates.score(session, setup) if MODELS[-1] in models else None


STUDIES = {f"cbu.{f.__name__}": f for f in (example, drafts, own)}
