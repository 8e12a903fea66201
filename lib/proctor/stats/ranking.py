"""Leaderboards with their uncertainty: ranks as intervals, who beats whom, tiers, agreement of two orders."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.stats import bootstrap, checks

ENTRIES = 2**17  # of a table of pairs by resamples that is held at a time: a megabyte stays in the cache


def ranks(means: np.ndarray) -> np.ndarray:
    """Rank of each model within each column of `means` (models, columns): 1 is best, ties share the smallest.

    >>> ranks(np.array([[0.5], [0.7], [0.7], [0.1]]))[:, 0].tolist()
    [3, 1, 1, 4]
    """
    # Comparing every pair of models is quicker than sorting every column, and treats ties as ties.
    rank = np.ones(means.shape, np.uint8 if len(means) < 256 else np.int32)
    for row in means:
        rank += (row > means).view(np.uint8)
    return rank


def ranking(
    scores: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Rank models on scores (models, items) in [0, 1], all from the same resamples of items (or of clusters).

    Scores may be NaN where a model lacks an item: each is ranked by the mean of those that it has. Columns: mean with
    its percentile interval low, high (exact for a model whose score never varies); rank, 1 is best, ties share the
    smallest (1, 2, 2, 4); p_first, how often first, a shared first place split evenly, so that it sums to 1.
    """
    checks.share(level, "level")
    scores = np.asarray(scores, float)
    there = ~np.isnan(scores)
    gathered = bootstrap.units(np.where(there, scores, 0.0), clusters)
    if there.all():
        observed, means = gathered.means, bootstrap.unit_means(gathered, resamples, rng)
    else:
        held = bootstrap.units(there.astype(float), clusters).totals
        observed = (gathered.totals.sum(axis=1) / (held.sum(axis=1) * gathered.denominator)).round(12)
        tables = bootstrap.counts(len(gathered.sizes), checks.at_least_one(resamples, "resamples"), rng)
        drawn = [(table @ gathered.totals.T, table @ held.T * gathered.denominator) for table in tables]
        means = np.concatenate([np.divide(a, b, out=np.zeros(a.shape), where=b > 0) for a, b in drawn]).T
    first = ranks(means) == 1
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=1).astype(float)
    for i in np.flatnonzero(np.ptp(means, axis=1) <= 1e-12):
        found = bootstrap.exact_interval(float(observed[i]), len(gathered.sizes), level, (0.0, 1.0))
        low[i], high[i] = found.low, found.high
    rank, p_first = ranks(observed[:, None])[:, 0].astype(int), (first / first.sum(axis=0)).mean(axis=1)
    return pd.DataFrame(dict(mean=observed, low=low, high=high, rank=rank, p_first=p_first))


def tiers_of(mean: np.ndarray, beats: np.ndarray) -> np.ndarray:
    """Tier of each model, 1 the best: going down the list, a tier ends at the first model that the tier's leader beats
    (models, models)."""
    tier = np.empty(len(mean), int)
    leader, current = None, 0
    for model in np.argsort(-mean, kind="stable"):
        if leader is None or beats[leader, model]:
            leader, current = model, current + 1
        tier[model] = current
    return tier


def pair_blocks(n_models: int, columns: int) -> Iterator[slice]:
    """Slices of `np.triu_indices(n_models, 1)`, each of so few pairs that a table with `columns` fits the cache."""
    pairs, size = n_models * (n_models - 1) // 2, max(ENTRIES // max(columns, 1), 1)
    yield from (slice(start, min(start + size, pairs)) for start in range(0, pairs, size))


def kendall(full: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of full (models, 1) with each column of sums (models, columns).

    If a subsample ties all models, tau-b is undefined and set to 0.
    """
    i, j = np.triu_indices(len(full), 1)
    a = np.sign(full[i] - full[j])[:, 0]
    agree, differ = np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
    for block in pair_blocks(*sums.shape):
        b = np.sign(np.round(sums[i[block]] - sums[j[block]], 9))
        agree, differ = agree + a[block] @ b, differ + (b != 0).sum(axis=0)
    untied = np.sqrt((a != 0).sum() * differ)
    return np.divide(agree, untied, out=np.zeros(len(untied)), where=untied > 0)
