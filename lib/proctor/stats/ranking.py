"""Leaderboards with their uncertainty: ranks as intervals, who beats whom, tiers, and smaller item budgets.

Compare two leaderboards of the same models: which pairs of models differ by more than chance?
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from proctor.stats import bootstrap, checks

ENTRIES = 2**17  # of a table of pairs by resamples that is held at a time: a megabyte stays in the cache
NEVER_VARIES = 1e-9  # a standard error below is rounding


@dataclass(frozen=True)
class Ranking:
    """What one set of resamples says about every model. All arrays have one entry a model, in the order given.

    mean, low, high: mean score with its percentile interval (exact where `exact`: a model whose score never
    varies). rank: 1 is best, ties share the smallest rank (1, 2, 2, 4). rank_low, rank_high: percentile
    limits of the rank over resamples, whole ranks. p_first: how often first, a shared first place split
    evenly, so it sums to 1. p_top (models, models): column k - 1 is how often the model is in the top k; a shared
    place counts whole, so it sums to k or more. p_beats (models, models): how often the row is above the column,
    ties counting half; a half on the diagonal. These are bootstrap frequencies, not p-values.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    exact: np.ndarray
    rank: np.ndarray
    rank_low: np.ndarray
    rank_high: np.ndarray
    p_first: np.ndarray
    p_top: np.ndarray
    p_beats: np.ndarray
    level: float
    resamples: int


@dataclass(frozen=True)
class BudgetCurve:
    """Stability of a ranking on fewer items. One entry a size.

    tau, tau_low, tau_high: Kendall's tau-b with the full ranking (or the truth), its mean and its 2.5 and 97.5
    percentiles. rho: the mean of Spearman's rank correlation. same_first: chance that the best model is the full
    set's best. top3_overlap: share of the subsample's top three that is in the full top three. Ties share a place, so
    a top set can hold more models than its number.
    """

    sizes: np.ndarray
    tau: np.ndarray
    tau_low: np.ndarray
    tau_high: np.ndarray
    rho: np.ndarray
    same_first: np.ndarray
    top3_overlap: np.ndarray
    resamples: int


def ranks(means: np.ndarray) -> np.ndarray:
    """Rank of each model within each column of `means` (models, columns): 1 is best, ties share the smallest.

    >>> ranks(np.array([[0.5], [0.7], [0.7], [0.1]]))[:, 0].tolist()
    [3, 1, 1, 4]
    """
    return _compare(means)[0]


def ranking(
    scores: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Ranking:
    """Rank models on scores (models, items) in [0, 1], all from the same resamples of items (or of clusters).

    Scores may be NaN where a model lacks an item: each is ranked by the mean of those that it has."""
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
    rank, above = _compare(means)
    below = above.T
    first = rank == 1
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=1).astype(float)
    exact = np.ptp(means, axis=1) <= 1e-12
    for i in np.flatnonzero(exact):
        found = bootstrap.exact_interval(float(observed[i]), len(gathered.sizes), level, (0.0, 1.0))
        low[i], high[i] = found.low, found.high
    within = np.stack([np.bincount(row, minlength=len(rank) + 1) for row in rank]).cumsum(axis=1) / rank.shape[1]
    rank_low, rank_high = _rank_limits(within, level)
    return Ranking(
        mean=observed,
        low=low,
        high=high,
        exact=exact,
        rank=ranks(observed[:, None])[:, 0].astype(int),
        rank_low=rank_low,
        rank_high=rank_high,
        p_first=(first / first.sum(axis=0)).mean(axis=1),
        p_top=within[:, 1:],
        p_beats=(1 + (above - below) / means.shape[1]) / 2,
        level=level,
        resamples=means.shape[1],
    )


def tiers(result: Ranking, level: float = 0.95) -> np.ndarray:
    """Tier of each model, 1 the best: going down the list, a tier ends at the first model that the tier's
    leader beats in at least `level` of the resamples. Not corrected for many comparisons (see `rank_sets`)."""
    checks.share(level, "level")
    return tiers_of(result.mean, result.p_beats >= level)


def budget_curve(
    scores: ArrayLike,
    sizes: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 1_000,
    truth: ArrayLike | None = None,
) -> BudgetCurve:
    """Ranking stability when only n of the items are asked, for each n in `sizes`, drawn without replacement.

    scores (models, items). The subsamples are nested (the same shuffles, cut at each size), so that sizes are
    compared on the same random draws. They are compared with the ranking on all items, which at all items is itself,
    or with that by `truth` (models,), the true accuracies, where they are known.
    """
    gathered = bootstrap.units(scores)
    n_models, n_items = gathered.totals.shape
    resamples = checks.at_least_one(resamples, "resamples")
    sizes = np.asarray(sizes)
    if n_models < 2:
        raise ValueError("scores has one model: a ranking needs two")
    if sizes.ndim != 1 or len(sizes) == 0 or (sizes < 1).any() or (sizes > n_items).any() or (sizes % 1).any():
        raise ValueError(f"sizes is {sizes}: give a list of whole numbers from 1 to the {n_items} items")
    place = np.stack([rng.permutation(n_items) for _ in range(resamples)])  # each item's place in each shuffle
    truth = gathered.means if truth is None else checks.finite(truth, "truth", 1)
    checks.same_length(truth=truth, models=gathered.means)
    full = truth[:, None]
    rows = []
    for size in sizes:
        sums = gathered.totals @ (place < size).T.astype(float)
        tau = kendall(full, sums)
        rows.append(
            [
                tau.mean(),
                *np.quantile(tau, [0.025, 0.975]),
                _spearman(full, sums).mean(),
                _overlap(full, sums, 1),
                _overlap(full, sums, 3),
            ]
        )
    return BudgetCurve(sizes.astype(int), *list(np.array(rows).T), resamples)  # type: ignore[call-arg]


def tiers_of(mean: np.ndarray, beats: np.ndarray) -> np.ndarray:
    tier = np.empty(len(mean), int)
    leader, current = None, 0
    for model in np.argsort(-mean, kind="stable"):
        if leader is None or beats[leader, model]:
            leader, current = model, current + 1
        tier[model] = current
    return tier


def _compare(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ranks (models, columns), and in how many columns each model lies above each other (models, models).

    Comparing every pair of models is quicker than sorting every column, and treats ties as ties.
    """
    n_models = len(means)
    rank = np.ones(means.shape, np.uint8 if n_models < 256 else np.int32)
    above = np.empty((n_models, n_models))
    for i, row in enumerate(means):
        beaten = row > means
        rank += beaten.view(np.uint8)
        above[i] = [np.count_nonzero(other) for other in beaten]
    return rank, above


def _rank_limits(within: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Smallest ranks that at least (1-level)/2 and (1+level)/2 of the resamples do not exceed.

    within (models, ranks from 0): share of the resamples in which the model's rank is at most that.
    """
    tail = (1 - level) / 2
    return (within >= tail).argmax(axis=1), (within >= 1 - tail - 1e-12).argmax(axis=1)


def pair_blocks(n_models: int, columns: int) -> Iterator[slice]:
    """Slices of `np.triu_indices(n_models, 1)`, each of so few pairs that a table with `columns` fits the cache."""
    pairs, size = n_models * (n_models - 1) // 2, max(ENTRIES // max(columns, 1), 1)
    yield from (slice(start, min(start + size, pairs)) for start in range(0, pairs, size))


def studentised(
    gap: np.ndarray,
    n_models: int,
    resamples: int,
    differences: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Standard error of each pair's difference, and each resample's largest deviation over all pairs that vary.

    gap (pairs,): the observed differences. differences(i, j) -> (pairs, resamples) for pairs of models i and j; only
    a block of pairs is held at a time. Deviations are in standard errors.
    """
    i, j = np.triu_indices(n_models, 1)
    error, largest = np.empty(len(i)), np.zeros(resamples)
    for block in pair_blocks(n_models, resamples):
        found = differences(i[block], j[block]).astype(float)
        error[block] = found.std(axis=1)
        vary = error[block] > NEVER_VARIES
        deviation = np.abs(found[vary] - gap[block][vary, None]) / error[block][vary, None]
        largest = np.maximum(largest, np.max(deviation, axis=0, initial=0.0))
    return error, largest


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


def _spearman(full: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Spearman's rank correlation of full (models, 1) with each column of sums, 0 where it is undefined, as above."""
    a, b = (stats.rankdata(values, axis=0) - (len(full) + 1) / 2 for values in (full, np.round(sums, 9)))
    spread = np.sqrt((a**2).sum() * (b**2).sum(axis=0))
    return np.divide((a * b).sum(axis=0), spread, out=np.zeros(len(spread)), where=spread > 0)


def _overlap(full: np.ndarray, sums: np.ndarray, k: int) -> float:
    """Share of each column's top k that is in the full top k, averaged over columns."""
    best, top = ranks(full) <= k, ranks(np.round(sums, 9)) <= k
    return float(((best & top).sum(axis=0) / top.sum(axis=0)).mean())


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
