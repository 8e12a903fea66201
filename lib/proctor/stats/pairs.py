"""All pairs of models on the same items: difference, interval, p by Holm, and what other numbers of items see."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from proctor.stats import checks
from proctor.stats.compare import discordant, exact_p, holm
from proctor.stats.power import design_effect, items_needed, power_of

GAPS = (1.0, 2.0, 3.0, 5.0, 10.0)  # points of accuracy


def pair_table(
    scores: ArrayLike, models: Sequence[str], clusters: ArrayLike | None = None, level: float = 0.95
) -> pd.DataFrame:
    """One row a pair: a (the better), b, difference in points with low and high (this pair alone), p, holm.

    Scores (models, items) in [0, 1]. Student's interval and test of the item by item differences; with clusters, of
    their sums by cluster. Without clusters and with scores of 0 and 1, p is McNemar's, exact. holm: p corrected for all
    pairs. items_needed: items that show the observed gap with chance 80 %, inf for none.
    """
    scores, level = checks.finite(scores, "scores", 2), checks.share(level, "level")
    order = np.argsort(-np.round(scores.mean(axis=1), 12), kind="stable")
    ordered = scores[order]
    i, j = np.triu_indices(len(order), 1)
    mean = ordered.mean(axis=1)
    gap = np.round(mean[i] - mean[j], 12)
    error, sd, units = _errors(ordered, i, j, clusters)
    half = stdtrit(units - 1, (1 + level) / 2) * error
    if clusters is None and np.isin(scores, (0.0, 1.0)).all():
        only = discordant(ordered)
        p = exact_p(only[i, j], only[j, i])
    else:
        t = np.divide(gap, error, out=np.where(gap > 0, np.inf, 0.0), where=error > 1e-12)
        p = np.minimum(2 * stdtr(units - 1, -np.abs(t)), 1.0)
    names = np.asarray(models, object)[order]
    return pd.DataFrame(
        dict(
            a=names[i],
            b=names[j],
            difference=100 * gap,
            low=100 * np.maximum(gap - half, -1),
            high=100 * np.minimum(gap + half, 1),
            p=p,
            holm=holm(p) if len(p) else p,
            items_needed=items_needed(gap, sd) if len(p) else p,
        )
    )


def pair_power(
    scores: ArrayLike, models: Sequence[str], pair: Sequence[str], clusters: ArrayLike | None = None
) -> pd.DataFrame:
    """What the items show of one pair, chosen before looking: for each true gap (GAPS, points) the chance that this
    number of items shows it (two-sided, 5 %), and the items that show it with chance 80 %. Raises ValueError for a
    name that is no model."""
    scores, models = checks.finite(scores, "scores", 2), list(models)
    if len(pair) != 2 or (unknown := [name for name in pair if name not in models]) or pair[0] == pair[1]:
        raise ValueError(f"the pair {list(pair)} must be two of the models: {', '.join(models[:8])} ...")
    assert not unknown
    difference = scores[models.index(pair[0])] - scores[models.index(pair[1])]
    effect = 1.0 if clusters is None else float(design_effect(difference[None], clusters)[0])
    sd = max(float(difference.std(ddof=1)) * effect**0.5, 1e-9)
    gaps = np.array(GAPS) / 100
    return pd.DataFrame(
        dict(true_gap=GAPS, power=power_of(gaps, sd, len(difference)), items_for_80_percent=items_needed(gaps, sd))
    )


def _errors(scores: np.ndarray, i: np.ndarray, j: np.ndarray, clusters: ArrayLike | None) -> tuple:
    """Of the pairs' mean differences: standard error, the item's standard deviation that it stands for, and units."""
    n = scores.shape[1]
    off = scores - scores.mean(axis=1, keepdims=True)
    units = n
    if clusters is not None:
        codes, units = checks.cluster_index(clusters, n)
        if units < 2:
            raise ValueError("clusters has one label: a variance between clusters needs two")
        off = np.stack([np.bincount(codes, weights=row, minlength=units) for row in off])
    gram = off @ off.T
    squares = np.maximum(gram[i, i] + gram[j, j] - 2 * gram[i, j], 0.0)
    error = np.sqrt(squares * units / (units - 1)) / n
    return error, error * np.sqrt(n), units
