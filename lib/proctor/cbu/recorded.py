"""The recorded studies of CBU: attempts, rollouts after candidates, judges' scores, and drafts of neighbours."""

from proctor.cbu import judges, neighbours, utility
from proctor.cbu.candidates import load_candidates
from proctor.models.session import Session


async def drafts(session: Session, models=neighbours.SOLVERS):
    """A neighbour that a model writes for each question, and the answers of `models` to it (CBU, 7.2)."""
    return await neighbours.drafted(session, load_candidates()[0], solvers=models)


STUDIES = {f"utility.{f.__name__}": f for f in (utility.attempts, utility.rollouts, judges.scores, drafts)}
