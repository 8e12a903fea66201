"""The ranks that systems can have, and which of them can be the best: sets that hold with a stated confidence.

    holm_pairwise      which of all pairs differ, by tests corrected by Holm: McNemar's exact test of 0/1 scores, else
                       Student's over items or clusters
    rank_sets          the ranks that each system can have, true of all at once: from all pairs. 0/1 scores of single
                       items, few clusters, or scores that lack some: by `holm_pairwise`; else by the largest deviation
                       of resamples, each studentised by its own standard errors
    ranking            mean scores and ranks with their uncertainty, each system by itself
    possible_winners   the systems that can be the best: the best one is among them with the stated confidence. Each is
                       compared with every other, not every pair with every pair, so that the set is no larger

`benchmarks/rank_sets.py` shows the family-wise error with all systems equal: at most 5.5 % at a level of 95 %.

Items are the population from which the exam's were drawn; with clusters, their labels are. Scores may be NaN where a
system lacks an item: each pair is compared on the items that both have.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit
from scipy.stats import rankdata

from proctor.stats import bootstrap, checks
from proctor.stats.bootstrap import FEW
from proctor.stats.compare import exact_p, holm, score_limits
from proctor.stats.interval import exact_interval
from proctor.stats.power import MOST, mcnemar_needed, units_needed

MCNEMAR, STUDENT, LARGEST = METHODS = ("exact McNemar, Holm", "Student, Holm", "largest deviation, studentised")
NOTHING = 1e-9  # a standard error below is rounding


@dataclass(frozen=True)
class Pairs:
    """Every pair of systems on the items that both have; all arrays (systems, systems), row minus column.

    only (None unless scores are 0/1): items that the row alone has right. n: items of both. gap, error: the mean
    difference and its standard error over units. units: items or clusters that both have.
    """

    gap: np.ndarray
    error: np.ndarray
    n: np.ndarray
    units: np.ndarray
    only: np.ndarray | None


@dataclass(frozen=True)
class RankSets:
    """The ranks that each system can have, true of all systems at once with the confidence that was asked for.

    mean, rank: over the items that a system has, 1 the best; ties share the smallest. above (systems, systems): the row
    is above the column by more than chance allows. rank_low, rank_high: one more than the systems that are above it,
    and the systems that it is not above. low, high (systems, systems): of row minus column, all pairs at once, in
    accord with `above`; an end at 0 is open. tier: as `tiers_of` finds, from `above`. method: one of METHODS.
    """

    mean: np.ndarray
    rank: np.ndarray
    rank_low: np.ndarray
    rank_high: np.ndarray
    above: np.ndarray
    low: np.ndarray
    high: np.ndarray
    tier: np.ndarray
    method: str


def all_pairs(scores: ArrayLike, clusters: ArrayLike | None = None) -> Pairs:
    """The differences of all pairs, with standard errors over items or over clusters' sums (linearised).

    An error over clusters is at least that over items: few clusters of few items may agree by chance, and among the
    pairs of many systems some then seem to differ beyond any doubt."""
    scores = _scores(scores)
    there = ~np.isnan(scores)
    known = np.where(there, scores, 0.0)
    has = there.astype(float)
    n = has @ has.T
    if (n < 2).any():
        raise ValueError("two systems have fewer than two items in common: leave one of them out")
    total = known @ has.T
    gap = (total - total.T) / n
    squares = known**2 @ has.T
    spread, units = squares + squares.T - 2 * known @ known.T - n * gap**2, n
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.maximum(spread, 0) * n / (n - 1)) / n
    if clusters is not None:
        codes, n_clusters = checks.cluster_index(clusters, scores.shape[1])
        spread, units = np.zeros(n.shape), np.zeros(n.shape)
        for code in range(n_clusters):
            mine = codes == code
            own, size = known[:, mine] @ has[:, mine].T, has[:, mine] @ has[:, mine].T
            spread += (own - own.T - gap * size) ** 2
            units += size > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.fmax(error, np.sqrt(np.maximum(spread, 0) * units / (units - 1)) / n)
    error = np.where(np.nan_to_num(error) < NOTHING, 0.0, error)
    whole = clusters is None and np.isin(known, (0.0, 1.0)).all()
    only = np.rint(known @ (has - known).T).astype(int) if whole else None
    return Pairs(np.where(np.abs(gap) < 1e-12, 0.0, gap), error, n, units, only)


def pair_p(pairs: Pairs, one_sided: bool = False) -> np.ndarray:
    """p of each pair: McNemar's exact where scores are 0/1, else Student's. One-sided: that the row is above."""
    if pairs.only is not None:
        two = exact_p(pairs.only, pairs.only.T)
        if not one_sided:
            return two
        return np.where(pairs.gap > 0, two / 2, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(pairs.error > 0, pairs.gap / pairs.error, 0.0)
    with np.errstate(invalid="ignore"):
        p = stdtr(pairs.units - 1, -t) if one_sided else 2 * stdtr(pairs.units - 1, -np.abs(t))
    flat = (pairs.error == 0) | (pairs.units < 2)
    never = np.minimum(2 * (1 + np.abs(pairs.gap)) ** -pairs.units, 1.0)  # as `exact_interval` of what never varies
    if one_sided:
        never = np.where(pairs.gap > 0, never / 2, 1.0)
    return np.minimum(np.where(flat, never, p), 1.0)


def holm_p(pairs: Pairs) -> np.ndarray:
    """p of all pairs (`pair_p`) corrected by Holm, symmetric, 1 on the diagonal."""
    i, j = np.triu_indices(len(pairs.gap), 1)
    p = np.ones(pairs.gap.shape)
    if len(i):
        p[i, j] = p[j, i] = holm(pair_p(pairs)[i, j])
    return p


def holm_pairwise(pairs: Pairs, level: float = 0.95) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(p, low, high), each (systems, systems): `holm_p`, and intervals of row minus column.

    The intervals hold for all pairs at once (Bonferroni; Tango's of 0/1 scores, else Student's) and are brought in
    accord with p: they hold 0 where Holm's test does not decide, and end there, open, where it does and they do not.
    """
    p, n_pairs = holm_p(pairs), len(pairs.gap) * (len(pairs.gap) - 1) // 2
    low, high = _limits(pairs, 1 - (1 - checks.share(level, "level")) / max(n_pairs, 1))
    return p, *_accord(low, high, np.sign(pairs.gap) * (p < 1 - level))


def rank_sets(
    scores: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 2_000,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    method: str = "",
) -> RankSets:
    """Ranks of systems on scores (systems, items) in [0, 1] as sets, from all pairs at once (Mogstad, Romano, Shaikh
    and Wilhelm, Inference for ranks, Review of Economic Studies 91, 2024).

    method: "" for the one that `method_of` names; LARGEST to compare boards of 0/1 scores with boards of means by one
    and the same test."""
    checks.share(level, "level")
    scores = _scores(scores)
    method = method or method_of(scores, clusters)
    if method == LARGEST:
        pairs, largest = _largest(scores, rng, resamples, clusters)
        critical = _critical(largest[0], level)
        half = critical * pairs.error
        low, high = pairs.gap - half, pairs.gap + half
        flat = pairs.error == 0
        if flat.any():
            plain = _limits(pairs, 1 - (1 - level) / (len(scores) * (len(scores) - 1) / 2))
            low, high = np.where(flat, plain[0], low), np.where(flat, plain[1], high)
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    else:
        _, low, high = holm_pairwise(all_pairs(scores, clusters), level)
    above = low > 0
    np.fill_diagonal(above, False)
    mean = _means(scores)
    return RankSets(
        mean=mean,
        rank=rankdata(-mean, "min"),
        rank_low=1 + above.sum(axis=0),
        rank_high=len(scores) - above.sum(axis=1),
        above=above,
        low=low,
        high=high,
        tier=tiers_of(mean, above),
        method=method,
    )


def possible_winners(
    scores: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 2_000,
    clusters: ArrayLike | None = None,
    level: ArrayLike = 0.95,
) -> np.ndarray:
    """Whether each system can be the best, (systems,): a set that holds the best one with confidence `level`. Several
    levels, (levels, systems), cost one set of resamples.

    A system is out where some other is above it, one-sided, corrected for all its comparisons with others: by the
    largest studentised deviation of its resamples, or (few clusters, scores that lack some) by Student's test and
    Bonferroni. This is the marginal set of rank 1 (Mogstad et al. 2024): of one place, not of all ranks at once, so
    that it may leave out a system whose rank set in `rank_sets` begins at 1.
    """
    levels = np.asarray(level, float)
    for one in levels.flat:
        checks.share(one, "level")
    scores = _scores(scores)
    others = len(scores) - 1
    if not others:
        return np.ones((*levels.shape, 1), bool)
    if method_of(scores, clusters) == STUDENT or np.isnan(scores).any():
        p = pair_p(all_pairs(scores, clusters), one_sided=True)
        np.fill_diagonal(p, 1.0)
        return p.min(axis=0) * others > 1 - levels[..., None]
    pairs, (_, largest) = _largest(scores, rng, resamples, clusters)
    t = np.divide(pairs.gap, pairs.error, out=np.zeros(pairs.gap.shape), where=pairs.error > 0)
    flat = (pairs.error == 0) & (pairs.gap > 0)
    never = pair_p(pairs, one_sided=True) * others

    def left(level: float) -> np.ndarray:
        critical = np.array([_critical(row, level) for row in largest])
        out = (t > critical) & (pairs.error > 0) | flat & (never <= 1 - level)
        return ~out.any(axis=0)

    return left(float(levels)) if not levels.ndim else np.array([left(float(one)) for one in levels])


def items_needed(pairs: Pairs, i: np.ndarray, j: np.ndarray, decided: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Items that show the observed gap of pairs (i, j) with chance 80 % by the test of `holm_pairwise`, (pairs,).

    The level is that of all pairs at once, and more items are asked than an undecided pair has. With clusters they are
    items of more clusters, not more of the same. inf above `power.MOST`, or for no gap.
    """
    n_systems = len(pairs.gap)
    level = 1 - (1 - level) / max(n_systems * (n_systems - 1) // 2, 1)
    n, units = pairs.n[i, j], pairs.units[i, j]
    if pairs.only is not None:
        return mcnemar_needed(pairs.only[i, j] / n, pairs.only[j, i] / n, level, had=np.where(decided, 0, n))
    sd = pairs.error[i, j] * np.sqrt(units)
    found = units_needed(pairs.gap[i, j], sd, level, had=np.where(decided, 0, units))
    found = np.ceil(found * n / units)
    return np.where(found > MOST, np.inf, found)


def method_of(scores: ArrayLike, clusters: ArrayLike | None = None) -> str:
    """Which of METHODS `rank_sets` takes."""
    scores = np.asarray(scores, float)
    if clusters is None and np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all():
        return MCNEMAR
    if np.isnan(scores).any() or clusters is not None and len(np.unique(np.asarray(clusters))) <= FEW:
        return STUDENT
    return LARGEST


def _scores(scores: ArrayLike) -> np.ndarray:
    """Checked as everywhere, but for NaN: an item that a system lacks."""
    scores = np.asarray(scores, float)
    checks.finite(np.nan_to_num(scores), "scores", 2)
    if np.isnan(scores).all(axis=1).any():
        raise ValueError("a system has no score at all: leave it out")
    return scores


def _means(scores: np.ndarray) -> np.ndarray:
    """Mean of each system's own scores; equal totals tie exactly."""
    if np.isnan(scores).any():
        return np.asarray(np.nanmean(scores, axis=1)).round(12)
    return bootstrap.units(scores).means


def _critical(largest: np.ndarray, level: float) -> float:
    """The quantile of the resamples, counted so that the data are one more of them (never too low)."""
    place = min(int(np.ceil(level * (len(largest) + 1))), len(largest)) - 1
    return float(np.partition(largest, place)[place])


def _limits(pairs: Pairs, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Intervals of each pair by itself at `level`; exact where a difference never varies."""
    if pairs.only is not None:
        i, j = np.triu_indices(len(pairs.n), 1)
        low, high = np.zeros((2, *pairs.n.shape))
        low[i, j], high[i, j] = score_limits(pairs.only[i, j], pairs.only[j, i], pairs.n[i, j], level)
        low[j, i], high[j, i] = -high[i, j], -low[i, j]
    else:
        with np.errstate(invalid="ignore"):
            half = stdtrit(np.maximum(pairs.units - 1, 1), (1 + level) / 2) * pairs.error
        low, high = np.maximum(pairs.gap - half, -1.0), np.minimum(pairs.gap + half, 1.0)
        for place in zip(*np.nonzero(pairs.error == 0)):
            exact = exact_interval(pairs.gap[place], int(pairs.units[place]), level, (-1.0, 1.0))
            low[place], high[place] = exact.low, exact.high
    return low, high


def _accord(low: np.ndarray, high: np.ndarray, side: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Limits that say what the tests say: side is 1 where the row is above, -1 below, 0 undecided."""
    tiny = 1e-6  # an end at 0 that is open: above the rounding of claims, below what any table shows
    low = np.where(side > 0, np.maximum(low, tiny), np.where(side < 0, low, np.minimum(low, 0.0)))
    high = np.where(side < 0, np.minimum(high, -tiny), np.where(side > 0, high, np.maximum(high, 0.0)))
    return low, high


def _largest(
    scores: np.ndarray, rng: np.random.Generator, resamples: int, clusters: ArrayLike | None
) -> tuple[Pairs, tuple[np.ndarray, np.ndarray]]:
    """All pairs, and of each resample the largest deviation from the data in its own standard errors: of all pairs,
    either side, (resamples,), and of each system (systems, resamples), how far another is above it.

    A pair that never varies in a resample deviates nowhere: so few differing items can't be decided anyway.
    """
    pairs = all_pairs(scores, clusters)
    gathered = bootstrap.units(scores, clusters)
    totals, sizes = (gathered.totals / gathered.denominator).astype(np.float32), gathered.sizes.astype(np.float32)
    n_systems, n_units = totals.shape
    largest = []
    for table in bootstrap.counts(n_units, checks.at_least_one(resamples, "resamples"), rng):
        drawn = table.T  # (units, resamples)
        n, above = sizes @ drawn, np.zeros((n_systems, len(table)), np.float32)
        mean = (totals @ drawn) / n
        for i in range(n_systems - 1):  # against all that follow
            apart, gap = totals[i] - totals[i + 1 :], mean[i] - mean[i + 1 :]
            if clusters is None:
                spread = apart**2 @ drawn - n * gap**2
            else:
                spread = apart**2 @ drawn - 2 * gap * ((apart * sizes) @ drawn) + gap**2 * (sizes**2 @ drawn)
            error = np.sqrt(np.maximum(spread, 0) * n_units / (n_units - 1)) / n
            vary = (error > 1e-5) & (pairs.error[i + 1 :, [i]] > 0)
            deviation = np.divide(gap - pairs.gap[i, i + 1 :, None], error, out=np.zeros_like(gap), where=vary)
            above[i + 1 :] = np.maximum(above[i + 1 :], deviation)
            above[i] = np.maximum(above[i], -deviation.min(axis=0))
        largest.append(above)
    every = np.concatenate(largest, axis=1)
    return pairs, (every.max(axis=0), every)


# Single ranks, and the agreement of two orders


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
        observed, means = gathered.means, bootstrap.resample_means(gathered, resamples, rng)
    else:
        held = bootstrap.units(there.astype(float), clusters).totals
        observed = (gathered.totals.sum(axis=1) / (held.sum(axis=1) * gathered.denominator)).round(12)
        tables = bootstrap.counts(len(gathered.sizes), checks.at_least_one(resamples, "resamples"), rng)
        drawn = [(table @ gathered.totals.T, table @ held.T * gathered.denominator) for table in tables]
        means = np.concatenate([np.divide(a, b, out=np.zeros(a.shape), where=b > 0) for a, b in drawn]).T
    first = means == means.max(axis=0)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=1).astype(float)
    for i in np.flatnonzero(np.ptp(means, axis=1) <= 1e-12):
        found = bootstrap.exact_interval(float(observed[i]), len(gathered.sizes), level, (0.0, 1.0))
        low[i], high[i] = found.low, found.high
    p_first = (first / first.sum(axis=0)).mean(axis=1)
    return pd.DataFrame(dict(mean=observed, low=low, high=high, rank=rankdata(-observed, "min"), p_first=p_first))


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


def kendall(full: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of full (models, 1) with each column of sums (models, columns).

    If a subsample ties all models, tau-b is undefined and set to 0.
    """
    agree, differ, ordered = np.zeros(sums.shape[1]), np.zeros(sums.shape[1]), 0
    for i in range(len(full) - 1):  # each model with those after it
        a, b = np.sign(full[i] - full[i + 1 :])[:, 0], np.sign(np.round(sums[i] - sums[i + 1 :], 9))
        agree, differ, ordered = agree + a @ b, differ + (b != 0).sum(axis=0), ordered + (a != 0).sum()
    untied = np.sqrt(ordered * differ)
    return np.divide(agree, untied, out=np.zeros(len(untied)), where=untied > 0)
