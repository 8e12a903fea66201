"""The recorded studies of HLE-Verified: every stage of the verification of an exam with planted defects."""

import pandas as pd

from proctor.exam.recorded import MODELS
from proctor.hle_verified import stages
from proctor.models.session import Session


async def adjudications(session: Session, models=MODELS, answering=MODELS) -> pd.DataFrame:
    """What the largest of the `answering` models chooses among all repairs of the damaged exam (HLE-Verified, 3.3)."""
    return await stages.adjudications(session, [m for m in models if m == answering[-1]], answering)


async def audits(session: Session, models=MODELS, answering=MODELS) -> pd.DataFrame:
    """Each of `models` on the components of what the last of the `answering` models chose."""
    return await stages.audits(session, models, answering)


STUDIES = {
    f"verification.{f.__name__}": f for f in (stages.votes, stages.attempts, stages.repairs, adjudications, audits)
}
