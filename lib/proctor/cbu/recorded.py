"""The recorded studies of CBU: one question with its candidates, judged by every method, and drafts of neighbours."""

import pandas as pd

from proctor.cbu import own_candidates
from proctor.cbu.candidates import SOLVERS, drafted, load_candidates, written
from proctor.cbu.score_candidates import score_all
from proctor.cbu.utility import NEIGHBOURS, run_rollouts
from proctor.exam.recorded import EXAMPLES, MODELS
from proctor.models.session import Session

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
