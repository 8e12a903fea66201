"""The bootstrap: resample the items (or whole clusters of items) and measure how much a statistic varies.

A resample is a vector of counts: how often each item was drawn. The means of all models over all resamples
are one matrix product. Resamples are always drawn in blocks of the same size, so memory stays bounded and
a seed gives the same resamples for every statistic.

Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 (percentile).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from proctor.stats import checks
from proctor.stats.compare import cluster_t_interval, score_interval
from proctor.stats.interval import Interval, exact_interval, no_interval
from proctor.stats.proportions import wilson

BLOCK = 64  # resamples drawn at a time; part of what a seed means, so changing it changes the numbers
FEW = 30  # clusters up to which a paired difference gets Student's interval by default


@dataclass(frozen=True)
class Units:
    """What is resampled: items, or clusters. Totals are whole numbers whenever scores are shares of up to 64 samples.

    totals (models, units): sum of scores in each unit, times `denominator`; sizes (units,): items in each unit.
    """

    totals: np.ndarray
    sizes: np.ndarray
    denominator: int

    @property
    def means(self) -> np.ndarray:
        """Observed mean score of each model, shape (models,). Models with equal totals tie exactly."""
        return self.totals.sum(axis=1) / (self.sizes.sum() * self.denominator)


def units(scores: ArrayLike, clusters: ArrayLike | None = None) -> Units:
    """Scores (models, items) gathered by resampling unit."""
    scores = checks.finite(scores, "scores", 2)
    # Whole-number sums carry no rounding error, so that models with the same accuracy really tie.
    denominator = next((d for d in range(1, 65) if all(_shares(part, d) for part in (scores[:1], scores))), None)
    totals = scores if denominator is None else np.rint(scores * denominator)
    sizes = np.ones(scores.shape[1])
    if clusters is not None:
        codes, n_clusters = checks.cluster_index(clusters, scores.shape[1])
        totals = np.stack([np.bincount(codes, weights=row, minlength=n_clusters) for row in totals])
        sizes = np.bincount(codes, minlength=n_clusters).astype(float)
    return Units(totals, sizes, denominator or 1)


def draws(n_units: int, resamples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Unit indices drawn with replacement, in blocks of shape (up to BLOCK, n_units)."""
    dtype = np.uint16 if n_units <= 2**16 else np.int64  # short integers are drawn faster
    for start in range(0, resamples, BLOCK):
        yield rng.integers(0, n_units, (min(BLOCK, resamples - start), n_units), dtype=dtype)


def counts(
    n_units: int, resamples: int, rng: np.random.Generator, dtype: type = np.float32, entries: int = 2**24
) -> Iterator[np.ndarray]:
    """How often each unit was drawn, whole numbers, in tables (many, n_units) of at most `entries`, or of one block.

    Few large tables are faster than many small ones (threads of the matrix product). The table's size does
    not change what is drawn.
    """
    room = max(entries // (n_units * BLOCK), 1) * BLOCK
    for start in range(0, resamples, room):
        table: np.ndarray = np.empty((min(room, resamples - start), n_units), dtype)
        for i, block in enumerate(draws(n_units, len(table), rng)):
            bins = block + n_units * np.arange(len(block))[:, None]  # one histogram for the whole block
            drawn = np.bincount(bins.ravel(), minlength=block.size)
            table[i * BLOCK : i * BLOCK + len(block)] = drawn.reshape(block.shape)
        yield table


def resample_means(scores: ArrayLike | Units, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Mean score of every model in every resample, shape (models, resamples), all models on the same resamples.

    scores: float (models, items), or gathered by `units`. The result is float32 where sums are exact in float32 (0/1
    scores and means of up to 64 samples), else float64. With clusters the mean is over the items drawn.
    """
    gathered = scores if isinstance(scores, Units) else units(scores)
    resamples = checks.at_least_one(resamples, "resamples")
    totals, sizes = gathered.totals, gathered.sizes
    whole = np.array_equal(totals, np.rint(totals))
    largest = max(np.abs(totals).max(), sizes.max()) * len(sizes)
    dtype = np.float32 if whole and largest < 2**24 else np.float64  # float32 counts exactly up to 2**24
    table = np.vstack([totals, sizes]).astype(dtype)
    means = []
    for drawn in counts(len(sizes), resamples, rng, dtype):
        sums = table @ drawn.T
        means.append(sums[:-1] / (sums[-1] * gathered.denominator))
    return np.concatenate(means, axis=1)


def interval(
    scores: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Percentile bootstrap interval of a mean score, scores of shape (items,).

    If no resample differs from the data (all right, none right, all equal) the bootstrap interval has no width, and
    `exact_interval` is used instead (method "exact"). The scores must then lie in `bounds`. No scores: `no_interval`.

    >>> found = interval([1, 1, 1, 0, 1, 1, 0, 1], np.random.default_rng(0), resamples=1000)
    >>> found.estimate, found.low, found.high
    (0.75, 0.375, 1.0)
    >>> interval([1, 1, 1, 1], np.random.default_rng(0), resamples=1000).method
    'exact'
    """
    if np.shape(scores) == (0,):
        return no_interval(level)
    scores = checks.finite(scores, "scores", 1)
    return intervals(scores[None, :], rng, resamples, level, clusters, bounds)[0]


def intervals(
    scores: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> list[Interval]:
    """As `interval`, one for each row of scores (rows, items), all from the same resamples."""
    checks.share(level, "level")
    gathered = units(scores, clusters)
    means = resample_means(gathered, resamples, rng)
    limits = np.quantile(means, _tails(level), axis=1).T.tolist()
    return [
        exact_interval(estimate, len(gathered.sizes), level, bounds)
        if _constant(replicates)
        else Interval(estimate, low, high, level, "percentile")
        for estimate, replicates, (low, high) in zip(gathered.means.tolist(), means, limits)
    ]


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
) -> Interval:
    """Interval of mean(a) - mean(b), both of shape (items,) with scores in [0, 1] on the same items, in the same order.

    Item difficulty that both models share cancels. 0/1 scores without clusters get the score interval and up to FEW
    clusters Student's (`compare`), which draw nothing and hold their level for few items or clusters; all others get
    the percentile bootstrap. If shares a and b never differ, the
    exact interval is symmetric about zero.
    """
    if np.shape(a) == np.shape(b) == (0,):
        return no_interval(level)
    a, b = checks.finite(a, "a", 1), checks.finite(b, "b", 1)
    checks.same_length(a=a, b=b)
    if clusters is None and np.isin(a, (0, 1)).all() and np.isin(b, (0, 1)).all():
        return score_interval(a, b, level)
    if clusters is not None and len(np.unique(np.asarray(clusters))) <= FEW:
        return cluster_t_interval(a - b, clusters, level)
    return interval(a - b, rng, resamples, level, clusters, bounds=(-1.0, 1.0))


def statistic_interval(
    fn: Callable[..., float | np.ndarray | None],
    arrays: Sequence[ArrayLike],
    rng: np.random.Generator,
    resamples: int = 2_000,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    bounds: tuple[float, float] | None = None,
    weighted: bool = False,
) -> Interval:
    """Percentile bootstrap interval of any statistic fn(*arrays), the arrays sharing their first axis, the items.

    weighted: fn(drawn, *arrays) takes how often each item was drawn, floats (resamples, items), before the arrays as
    they are, and returns (resamples,): for sums and means one matrix product, hundreds of times as fast. Where fn
    returns NaN or None the statistic is undefined (for example, one class only): such resamples are left out and
    counted. Are they more than half, or is it undefined on the data themselves, or are there none: `no_interval`. If no
    resample differs from the data the interval is `bounds` (method "range"); without bounds, ValueError.
    """
    checks.share(level, "level")
    resamples = checks.at_least_one(resamples, "resamples")
    columns = [np.asarray(array) for array in arrays]
    n = checks.same_length(**{f"arrays[{i}]": array for i, array in enumerate(columns)})
    if n == 0:
        return no_interval(level)
    codes, n_units = (np.arange(n), n) if clusters is None else checks.cluster_index(clusters, n)

    def value(index: np.ndarray) -> float:
        result = fn(*(array[index] for array in columns))
        return np.nan if result is None else float(np.squeeze(result))

    def of_tables(tables: Iterable[np.ndarray]) -> np.ndarray:
        return np.concatenate([np.asarray(fn(table[:, codes], *columns), float) for table in tables])

    estimate = float(of_tables([np.ones((1, n_units))])[0]) if weighted else value(np.arange(n))
    if np.isnan(estimate):
        return no_interval(level)
    if weighted:
        replicates = of_tables(counts(n_units, resamples, rng, np.float64, entries=2**20))
    else:
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
        drawn = (row for block in draws(n_units, resamples, rng) for row in block)
        index = drawn if clusters is None else (np.concatenate([members[unit] for unit in row]) for row in drawn)
        replicates = np.array([value(items) for items in index])
    defined = replicates[~np.isnan(replicates)]
    undefined = resamples - len(defined)
    if undefined > resamples / 2:
        return no_interval(level, estimate, undefined)
    if _constant(defined):
        if bounds is None:
            raise ValueError(f"every resample gave {estimate:g}: no interval can be had; pass bounds=(low, high)")
        return Interval(estimate, *bounds, level, "range", undefined)
    low, high = np.quantile(defined, _tails(level))
    return Interval(estimate, float(low), float(high), level, "percentile", undefined)


def jackknife_interval(
    fn: Callable[[np.ndarray], float | None],
    clusters: ArrayLike,
    level: float = 0.95,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Interval:
    """Student's interval of a statistic when whole clusters were sampled and they are few, from its values with one
    cluster left out. Nothing is drawn.

    fn(keep) takes which items to use, bool (items,), and returns the statistic, NaN or None where it does not exist.
    clusters: of each item; bounds: of the statistic. Where no cluster changes it, `exact_interval` of the clusters;
    where it does not exist without one of them, or there is one cluster, `no_interval`.

    >>> right = np.array([1, 1, 0, 1, 0, 0])
    >>> found = jackknife_interval(lambda keep: right[keep].mean(), list("aabbcc"), bounds=(0, 1))
    >>> found.estimate, found.method
    (0.5, 'jackknife t')
    """
    checks.share(level, "level")
    codes, n_units = checks.cluster_index(clusters, len(np.asarray(clusters)))

    def value(keep: np.ndarray) -> float:
        found = fn(keep) if keep.any() else None
        return np.nan if found is None else float(found)

    estimate = value(np.ones(len(codes), bool))
    without = np.array([value(codes != unit) for unit in range(n_units)])
    if n_units < 2 or not np.isfinite([estimate, *without]).all():
        return no_interval(level, estimate)
    if np.ptp(without) < 1e-12:
        return exact_interval(estimate, n_units, level, bounds)
    error = np.sqrt((n_units - 1) / n_units * ((without - without.mean()) ** 2).sum())
    half = float(stdtrit(n_units - 1, (1 + level) / 2) * error)
    low, high = max(estimate - half, bounds[0]), min(estimate + half, bounds[1])
    return Interval(estimate, low, high, level, "jackknife t")


def held(low: ArrayLike, high: ArrayLike, truth: float, level: float = 0.95) -> Interval:
    """Share of intervals that contain the truth, with a Wilson interval of `level` over the trials.

    low, high: limits of shape (trials,).
    """
    low, high = checks.finite(low, "low", 1), checks.finite(high, "high", 1)
    trials = checks.same_length(low=low, high=high)
    near = 1e-6 * max(1.0, abs(truth))  # limits may be single precision, and a limit of 0.9 contains a truth of 0.9
    hits = int(((low - near <= truth) & (truth <= high + near)).sum())
    return Interval(hits / trials, *wilson(hits, trials, level), level, "wilson")


def _shares(scores: np.ndarray, denominator: int) -> bool:
    return np.array_equal(np.rint(scores * denominator) / denominator, scores)


def _constant(replicates: np.ndarray) -> bool:
    return np.ptp(replicates) <= 1e-12 * max(1.0, float(np.abs(replicates).max()))


def _tails(level: float) -> np.ndarray:
    return np.array([(1 - level) / 2, (1 + level) / 2])
