"""Where to accept: the threshold on a check's probability, found on labelled answers and judged on others.

table = await run_check(session, "C", "o3", questions, labelled)
found = calibrate(table, np.random.default_rng(1))
await validate(session, Run(f"C>{found.above}", ["o3"]), questions, answers)
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proctor.stats.calibration import best_threshold
from proctor.uq.checks import OUTCOMES


@dataclass(frozen=True)
class Calibrated:
    """above: the threshold that fits all labelled answers, for answers that are new. outcomes: accept, reject or
    unreadable for each row of the table, by the threshold that fits the questions of the other folds, so that no
    question chose its own. folds: these thresholds."""

    above: float
    outcomes: pd.Series
    folds: tuple[float, ...]


def calibrate(table: pd.DataFrame, rng: np.random.Generator, folds: int = 5) -> Calibrated:
    """The threshold of highest balanced accuracy. table: what `run_check` gives, of one check by one judge, labelled.

    All answers to a question are in one fold. An answer without a probability is unreadable. Raises ValueError where
    the table is not labelled, or where a fold leaves no right or no wrong answers to the others.
    """
    if table.groupby(["judge", "check"]).ngroups != 1:
        raise ValueError("a threshold belongs to one check by one judge: give the rows of one")
    if table["correct"].isna().any():
        raise ValueError(f"answer {table.loc[table['correct'].isna(), 'answer_id'].iloc[0]} has no label in `correct`")
    p, right = table["p_accept"].astype(float).to_numpy(), table["correct"].astype(bool).to_numpy()
    questions, place = np.unique(table["question_id"].to_numpy(), return_inverse=True)
    if not 2 <= folds <= len(questions):
        raise ValueError(f"{folds} folds of {len(questions)} questions: give 2 or more, and no more than questions")
    fold = (rng.permutation(len(questions)) % folds)[place]
    found = tuple(best_threshold(p[fold != i], right[fold != i]) for i in range(folds))
    accepted = p > np.array(found)[fold]
    outcomes = [OUTCOMES[None if np.isnan(one) else bool(yes)] for one, yes in zip(p, accepted)]
    return Calibrated(best_threshold(p, right), pd.Series(outcomes, table.index), found)
