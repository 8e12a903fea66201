"""Compare two leaderboards of the same models: which pairs of models differ by more than chance?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from proctor.stats import bootstrap, checks
from proctor.stats.ranking import NEVER_VARIES, kendall, studentised


@dataclass(frozen=True)
class Boards:
    """Two exams of the same models, compared by the lead of one model over another in each exam.

    tau: Kendall's tau-b of the two rankings. pairs, swapped: pairs of models, and those in the other order in the
    second exam. differ (models, models): the row's lead over the column changed more than chance allows, all pairs
    at once. critical: standard errors that a change must exceed. largest: the largest change, in standard errors.
    """

    tau: float
    pairs: int
    swapped: int
    differ: np.ndarray
    critical: float
    largest: float
    level: float
    resamples: int


def compare_boards(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 2_000,
    level: float = 0.95,
    clusters: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
) -> Boards:
    """Compare scores (models, items) of two exams with different items, the same models in the same order.

    Both exams' items (or clusters, one array of labels each) are resampled, each on its own. As in
    `ranking.rank_sets` a change of a lead counts if it exceeds the `level` quantile of the largest deviation over all
    pairs, in standard errors; so all entries of `differ` hold at once. Where the exams share items the test is
    conservative, because shared items cancel. A change whose resamples never vary is not counted: the items are too
    few.
    """
    checks.share(level, "level")
    gathered = [bootstrap.units(scores, labels) for scores, labels in zip((first, second), clusters)]
    mean = [one.means for one in gathered]
    if checks.same_length(first=mean[0], second=mean[1]) < 2:
        raise ValueError("the boards have one model: give two at least")
    found = [bootstrap.unit_means(one, resamples, rng).astype(float) for one in gathered]
    n_models = len(mean[0])
    i, j = np.triu_indices(n_models, 1)
    lead = [one[i] - one[j] for one in mean]
    change = lead[0] - lead[1]
    error, largest = studentised(
        change, n_models, resamples, lambda a, b: (found[0][a] - found[0][b]) - (found[1][a] - found[1][b])
    )
    vary = error > NEVER_VARIES
    critical = float(np.quantile(largest, level))
    size = np.divide(np.abs(change), error, out=np.zeros(len(i)), where=vary)
    differ = np.zeros((n_models, n_models), bool)
    differ[i, j] = differ[j, i] = size > critical
    tau = float(kendall(mean[0][:, None], mean[1][:, None])[0])
    swapped = int((lead[0] * lead[1] < 0).sum())
    return Boards(tau, len(i), swapped, differ, critical, float(size.max()), level, resamples)
