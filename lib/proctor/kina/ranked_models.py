"""Rank models item by item, and say from which others each place is distinguishable.

A tier ends at the first model that the tier's leader is above. So a border between tiers says something of the leader,
and often nothing of the two models next to it: each row says whether it is distinguishable from the next, and a border
that separates nothing is marked as such.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.stats import bootstrap
from proctor.stats.compare import cluster_t_interval
from proctor.stats.interval import Interval
from proctor.stats.rank_sets import all_pairs, items_needed, possible_winners, rank_sets, ranking

NO_BORDER, SEPARATES, NOTHING = ("", "separates its neighbours", "separates nothing")


def rank_models(
    scores: ArrayLike,
    models: list[str] | tuple[str, ...],
    seed: int,
    resamples: int = 4_000,
    clusters: ArrayLike | None = None,
) -> pd.DataFrame:
    """The leaderboard of scores (models, items), one row a model, the best first.

    Items are resampled, or whole clusters of items (their disciplines, say). Columns: rank, model, accuracy with low
    and high (percent, each model by itself), p_first, set_low, set_high (the ranks that it can have, true of all
    models at once with 95 % confidence: `stats.rank_sets`), can_be_first (in the set of possible winners, which holds
    the best model with 95 % confidence), not_told_apart (the places of models from which it is not distinguishable),
    tier, border (what the border below it separates, if a tier ends here), gap, gap_low, gap_high (to the next, points,
    for all pairs at once), next_told_apart, items_needed (items that would tell it from the next with chance 80 % by
    the same test, corrected for all pairs, if the true gap is the observed one; inf above 10,000). The last row has no
    next: NaN.
    """
    one = ranking(scores, np.random.default_rng(seed), resamples, clusters)
    low, high = one["low"].to_numpy(), one["high"].to_numpy()
    if clusters is not None:
        low, high = _over_few(scores, clusters, low, high)
    sets = rank_sets(scores, np.random.default_rng(seed), resamples, clusters)
    winners = possible_winners(scores, np.random.default_rng(seed), resamples, clusters)
    order = np.lexsort([np.arange(len(one)), one["rank"]])
    apart = sets.above[order[:-1], order[1:]]
    ends = np.diff(sets.tier[order]) > 0
    border = np.where(ends, np.where(apart, SEPARATES, NOTHING), NO_BORDER)
    table = pd.DataFrame(
        dict(
            rank=one["rank"],
            model=models,
            accuracy=100 * one["mean"],
            low=100 * low,
            high=100 * high,
            p_first=one["p_first"],
            set_low=sets.rank_low,
            set_high=sets.rank_high,
            can_be_first=winners,
            tier=sets.tier,
        )
    ).iloc[order]
    differ = (sets.above | sets.above.T)[np.ix_(order, order)]
    place = order[:-1], order[1:]
    steps = {"gap": sets.mean[place[0]] - sets.mean[place[1]], "gap_low": sets.low[place], "gap_high": sets.high[place]}
    return table.assign(
        not_told_apart=[
            _runs(np.flatnonzero(~row & (np.arange(len(row)) != place)) + 1) for place, row in enumerate(differ)
        ],
        border=[*border, NO_BORDER],
        next_told_apart=pd.array([*apart, pd.NA], dtype="boolean"),
        **{name: [*100 * values, np.nan] for name, values in steps.items()},
        items_needed=[*items_needed(all_pairs(scores, clusters), *place, apart), np.nan],
    ).reset_index(drop=True)


def _over_few(
    scores: ArrayLike, clusters: ArrayLike, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Student's limits of each accuracy over few clusters, which resampling them makes too narrow; else as given."""
    labels = np.asarray(clusters)
    if len(np.unique(labels)) > bootstrap.FEW:
        return low, high
    found = [
        cluster_t_interval(row[known], labels[known], bounds=(0.0, 1.0))
        for row in np.asarray(scores, float)
        for known in [~np.isnan(row)]
    ]
    return np.array([one.low for one in found]), np.array([one.high for one in found])


def widest_step(table: pd.DataFrame) -> Interval:
    """Of a table of `rank_models`, the gap to the next, in points, that is largest in half-widths of its interval.

    All limits hold at once, so if this interval reaches 0, no two neighbours are distinguishable.
    """
    steps = table.iloc[:-1]
    widest = table.loc[(steps["gap"] / (steps["gap_high"] - steps["gap"])).idxmax()]
    return Interval(*map(float, widest[["gap", "gap_low", "gap_high"]]), 0.95, "rank sets", unit="points")


def _runs(places: np.ndarray) -> str:
    """Places as text, runs shortened: [2, 3, 4, 7] is "2-4, 7"; none is "nobody"."""
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else []
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs) or "nobody"
