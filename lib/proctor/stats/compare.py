"""Comparing models on the same 0/1 items: McNemar's exact test, and Holm's correction for many comparisons.

Also where only counts are known: bounds over every way in which two models can share their right answers. And a
strict validator with a loose one that accepts all that the strict one does.

Intervals of a difference of two shares over the same items, for the sizes that small studies have.

    score_interval       Tango (Statistics in Medicine 17, 1998): the differences that the score test does not reject.
    newcombe_limits      Newcombe (Statistics in Medicine 17, 1998), method 10: Wilson's limits of both shares, squared
                         and added, with the correlation of the two.
    cluster_t_interval   Student's t over sums by cluster, for few clusters such as nine families.

How often each holds the truth at 95 %:

    score      93 to 97.5 % for n >= 15 where at least 5 items are expected on which the two differ; with fewer of these
               it is conservative (to 99.9 %), as any interval of so few different tables must be.
    newcombe   94 to 97.5 % under the same conditions, and 5 % narrower at n = 15, 1 % at n = 40. The score interval is
               the default because it agrees with McNemar's test and needs only the items that differ.
    cluster t  93 to 97.5 % for 6 to 30 clusters of about one size, whether or not clusters differ in their effect.
               With 0/1 scores, at least 5 differing items are needed too.

The first two are computed over all tables, the last is simulated. The tests hold the default to
the range; `benchmarks/paired_intervals.py` prints coverage and width beside those of other libraries.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtri, stdtrit
from scipy.stats import binom, binomtest, multinomial
from statsmodels.stats.proportion import proportion_confint

from proctor.stats import checks
from proctor.stats.interval import Interval, exact_interval, no_interval
from proctor.stats.proportions import Confusion


def mcnemar_bounds(k_a: ArrayLike, k_b: ArrayLike, n: ArrayLike) -> tuple[float, float]:
    """Least and largest p of McNemar's exact test where only totals are known: k_a and k_b right of the same n items.

    Least if they share as many right items as they can, largest if they share as few. The truth lies between,
    and both ends can occur. Give arrays, one entry a stratum, where the totals are known for several disjoint sets of
    items.

    No other case needs a search. only_a - only_b does not depend on how many are shared, so p depends only on the
    number shared. One item less shared adds 1 to both; the tail P(X <= only_b), only_b being the smaller, then grows by
    (P(X = only_b + 1) - P(X = only_b)) / 4, which is never negative below the middle. If the two are equal, p is 1.
    """
    k_a, k_b, n = (np.atleast_1d(value) for value in (k_a, k_b, n))
    most, fewest = np.minimum(k_a, k_b), np.maximum(k_a + k_b - n, 0)
    alone = [(int((k_a - shared).sum()), int((k_b - shared).sum())) for shared in (most, fewest)]
    least, largest = (float(binomtest(a, a + b).pvalue) if a + b else 1.0 for a, b in alone)
    return least, largest


def confusion_bounds(a: Confusion, b: Confusion) -> tuple[float, float]:
    """Least and largest p of McNemar's test of two validators' right verdicts over the same items, known by their
    counts alone.

    Right and wrong answers are strata: a verdict on one can't be shared with a verdict on the other. Raises ValueError
    if the tables differ in their right or wrong answers, as after a partial run: they can't be of the same items.
    """
    return mcnemar_bounds((a.tp, a.tn), (b.tp, b.tn), _same_items([a, b], ["a", "b"]))


def comparable(tables: Sequence[Confusion], names: Sequence[str], level: float = 0.05) -> pd.DataFrame:
    """Which of several validators over the same items differ in accuracy, as far as their counts can tell.

    One row a pair: a, b, points (accuracy of a minus that of b), p_low, p_high (the bounds of McNemar's p), holm_low,
    holm_high (these corrected over all pairs), verdict:

    "differs whatever the pairing": Holm's p is below `level` even if the two share as few right verdicts as they can.
    "does not differ under any pairing": it is not below `level` even if they share as many as they can.
    "cannot be told from margins": it depends on which items each got right, which the counts do not show.

    Holm's corrected p (Holm 1979) is the largest |I| min(p in I) over all sets I of pairs with the one asked for, at
    most 1. So it never falls as any p rises, and the corrected bounds contain the corrected p of the true pairing.
    All verdicts of the first kind may be claimed together: if items are independent, the chance that any is wrong is
    at most `level`. The second kind claims no equality: these items are too few to show a difference. Reconstructed
    counts must be the only ones that print so; otherwise try each solution.

    Raises ValueError, naming the row, if the tables differ in their right or wrong answers.
    """
    checks.share(level, "level")
    checks.same_length(tables=tables, names=names)
    rows = []
    if len(tables):
        _same_items(tables, names)
    for i, j in combinations(range(len(tables)), 2):
        points = 100 * (tables[i].accuracy - tables[j].accuracy)
        rows.append((names[i], names[j], points, *confusion_bounds(tables[i], tables[j])))
    found = pd.DataFrame(rows, columns=["a", "b", "points", "p_low", "p_high"])
    for end in ("low", "high"):
        found[f"holm_{end}"] = holm(found[f"p_{end}"]) if rows else []
    clear, never = found["holm_high"] < level, found["holm_low"] >= level
    words = ["differs whatever the pairing", "does not differ under any pairing"]
    return found.assign(verdict=np.select([clear, never], words, "cannot be told from margins"))


def _same_items(tables: Sequence[Confusion], names: Sequence[str]) -> tuple[int, int]:
    """Right and wrong answers, the same in all tables; ValueError names the first that has others."""
    sizes = [(table.tp + table.fn, table.fp + table.tn) for table in tables]
    for name, size in zip(names, sizes):
        if size != sizes[0]:
            raise ValueError(
                f"{names[0]} has {sizes[0][0]} right and {sizes[0][1]} wrong answers, {name} {size[0]} "
                f"and {size[1]}: not the same items, so they can't be paired; leave out such rows"
            )
    return sizes[0]


def exact_p(only_a: ArrayLike, only_b: ArrayLike) -> np.ndarray:
    """Two-sided exact p-values of McNemar's test for whole arrays of discordant counts, which broadcast.

    Under chance 1/2 the distribution is symmetric, so p is twice the smaller tail, at most 1.

    >>> exact_p([0, 5, 3], [0, 5, 12]).round(4).tolist()
    [1.0, 1.0, 0.0352]
    """
    only_a, only_b = np.broadcast_arrays(np.asarray(only_a, float), np.asarray(only_b, float))
    return np.minimum(2 * bdtr(np.minimum(only_a, only_b), (only_a + only_b).astype(int), 0.5), 1.0)


def holm(p: ArrayLike) -> np.ndarray:
    """p-values (tests,) corrected for their number after Holm (1979): the k-th smallest times those not yet judged.

    As statsmodels' `multipletests`, without its garbage collection, which outlasts the rest of a leaderboard.

    >>> holm([0.04, 0.01, 0.03]).tolist()
    [0.06, 0.03, 0.06]
    """
    p = checks.finite(p, "p", 1)
    order = np.argsort(p)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return corrected


STEPS = 60  # of the bisection: limits to 1e-15


def counts(a: ArrayLike, b: ArrayLike) -> tuple[int, int, int, int]:
    """Items that both 0/1 scores have right, only a, only b, neither."""
    a, b = checks.binary(a, "a"), checks.binary(b, "b")
    checks.same_length(a=a, b=b)
    return int((a * b).sum()), int((a > b).sum()), int((a < b).sum()), int(((a == 0) & (b == 0)).sum())


def score_interval(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Interval:
    """Tango's interval of mean(a) - mean(b), 0/1 scores of shape (items,); of no items there is none.

    >>> found = score_interval([1] * 12 + [0] * 2, [0] * 11 + [1] * 1 + [0] * 2)
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.786, 0.401, 0.924)
    """
    if np.shape(a) == np.shape(b) == (0,):
        return no_interval(level)
    both, only_a, only_b, neither = counts(a, b)
    n = both + only_a + only_b + neither
    low, high = score_limits(only_a, only_b, n, level)
    return Interval((only_a - only_b) / n, float(low), float(high), level, "score")


def score_limits(
    only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Tango's limits for whole arrays of counts, which broadcast."""
    z = ndtri((1 + checks.share(level, "level")) / 2)
    only_a, only_b, n = np.broadcast_arrays(*(np.asarray(value, float) for value in (only_a, only_b, n)))
    estimate = (only_a - only_b) / n

    def limit(end: float, sign: float) -> np.ndarray:
        """Between the estimate, which is never rejected, and the end of the range, which always is."""
        inside, outside = estimate.copy(), np.full(estimate.shape, end)
        for _ in range(STEPS):
            middle = (inside + outside) / 2
            kept = sign * score(only_a, only_b, n, middle) <= z
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        return inside

    return limit(-1.0, 1.0), limit(1.0, -1.0)


def score(only_a: ArrayLike, only_b: ArrayLike, n: ArrayLike, difference: ArrayLike) -> np.ndarray:
    """Tango's score statistic of a true `difference`: about standard normal where it is the truth.

    The chance that only b is right is the likeliest one under that difference (a root of a quadratic equation).
    At difference 0 this is McNemar's statistic without correction.
    """
    only_a, only_b, n, d = (np.asarray(value, float) for value in (only_a, only_b, n, difference))
    linear = (2 * n - only_a + only_b) * d - only_a - only_b
    constant = -only_b * d * (1 - d)
    only_b_chance = (np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0)) - linear) / (4 * n)
    variance = n * np.maximum(2 * only_b_chance + d * (1 - d), 0)
    distance = only_a - only_b - n * d
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(distance) < 1e-12, 0.0, distance / np.sqrt(variance))


def newcombe_limits(
    both: ArrayLike, only_a: ArrayLike, only_b: ArrayLike, neither: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Newcombe's limits for whole arrays of counts, which broadcast."""
    checks.share(level, "level")
    both, only_a, only_b, neither = (np.asarray(value, float) for value in (both, only_a, only_b, neither))
    n = both + only_a + only_b + neither
    first, second = both + only_a, both + only_b
    product = first * (n - first) * second * (n - second)
    cross = both * neither - only_a * only_b
    cross = np.where(cross > n / 2, cross - n / 2, np.where(cross >= 0, 0.0, cross))
    phi = np.divide(cross, np.sqrt(product), out=np.zeros(np.shape(product)), where=product > 0)
    (low_a, high_a), (low_b, high_b) = (proportion_confint(k, n, 1 - level, "wilson") for k in (first, second))
    p_a, p_b = first / n, second / n

    def distance(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(one**2 - 2 * phi * one * other + other**2, 0))

    return p_a - p_b - distance(p_a - low_a, high_b - p_b), p_a - p_b + distance(high_a - p_a, p_b - low_b)


def cluster_t_interval(
    differences: ArrayLike, clusters: ArrayLike, level: float = 0.95, bounds: tuple[float, float] = (-1.0, 1.0)
) -> Interval:
    """Student's interval of the mean difference, shape (items,), when whole clusters were sampled.

    The standard error is that of the clusters' summed deviations from the mean, with as many degrees of freedom as
    there are clusters, less one. Differences that never vary have no spread: `exact_interval` of the
    clusters. One cluster shows no spread between clusters: `no_interval`.
    """
    checks.share(level, "level")
    if np.shape(differences) == (0,):
        return no_interval(level)
    values = checks.finite(differences, "differences", 1)
    codes, n_clusters = checks.cluster_index(clusters, len(values))
    estimate = float(values.mean())
    if n_clusters < 2:
        return no_interval(level, estimate)
    if np.ptp(values) < 1e-12:
        return exact_interval(estimate, n_clusters, level, bounds)
    sums = np.bincount(codes, weights=values - estimate, minlength=n_clusters)
    error = np.sqrt((sums**2).sum() * n_clusters / (n_clusters - 1)) / len(values)
    half = float(stdtrit(n_clusters - 1, (1 + level) / 2) * error)
    return Interval(estimate, max(bounds[0], estimate - half), min(bounds[1], estimate + half), level, "cluster t")


def chances(rate_a: float, rate_b: float, correlation: float) -> tuple[float, float, float, float]:
    """Chances that both, only a, only b, neither is right, of two rates with a correlation (phi).

    Raises ValueError where no such table exists."""
    spread = np.sqrt(rate_a * (1 - rate_a) * rate_b * (1 - rate_b))
    both = rate_a * rate_b + correlation * spread
    cells = (both, rate_a - both, rate_b - both, 1 - rate_a - rate_b + both)
    if min(cells) < -1e-12:
        low, high = ((end - rate_a * rate_b) / spread for end in (max(0, rate_a + rate_b - 1), min(rate_a, rate_b)))
        raise ValueError(
            f"rates {rate_a:g} and {rate_b:g} can't have a correlation of {correlation:g}: "
            f"they allow from {low:.2f} to {high:.2f}"
        )
    both, only_a, only_b, neither = (max(float(cell), 0.0) for cell in cells)
    return both, only_a, only_b, neither


def score_power(
    cells: Sequence[float], n: int, level: float = 0.95, margin: float | None = None
) -> tuple[float, float]:
    """Exact chance that Tango's interval over n items is wholly on the side of the true difference, and its mean width.

    cells: of `chances`. Of no true difference: the chance that the interval leaves 0 out. margin: the chance that the
    interval lies within -margin..margin instead, which shows that the two rates are about equal.

    >>> [round(score_power(chances(0.67, 0.19, 0.3), n)[0], 2) for n in (10, 20, 40)]
    [0.76, 0.98, 1.0]
    """
    _, a, b, _ = cells
    weights, low, high = _all_tables(a, b, n, level)
    shown = low > 0 if a > b else high < 0 if a < b else (low > 0) | (high < 0)
    if margin is not None:
        shown = (low > -margin) & (high < margin)
    return float(weights[shown].sum()), float(weights @ (high - low))


def mcnemar_power(only_a: float, only_b: float, n: int, level: float = 0.95, exact: bool = False) -> float:
    """The chance of `score_power`, without its widths and therefore for any n: Tango's interval leaves 0 out where
    McNemar's statistic does, which depends on the items that differ alone. only_a, only_b: their chances. exact: of
    McNemar's exact test, by which boards are decided."""
    q, z = only_a + only_b, ndtri((1 + checks.share(level, "level")) / 2)
    if q == 0:
        return 0.0
    differ = np.arange(1, checks.at_least_one(n, "n") + 1)
    most = np.floor((differ + z * np.sqrt(differ)) / 2 + 1e-9)  # items of one model that do not yet show it
    if exact:
        most = binom.isf((1 - level) / 2, differ, 0.5)
    sides = [max(only_a, only_b) / q] if only_a != only_b else [0.5, 0.5]
    return float(binom.pmf(differ, n, q) @ sum(binom.sf(most, differ, share) for share in sides))


def power_table(
    effects: Mapping[str, tuple[float, float, float]], sizes: Sequence[int], level: float = 0.95
) -> pd.DataFrame:
    """What studies of these sizes can show, before they are run: one row an effect, a column a size with its power.

    effects: by name the two rates and their correlation that are expected. Column `width`: of the interval at the
    largest size; `needed`: the least of `sizes` with a power of 0.8, <NA> where there is none.
    """
    rows = []
    for name, expected in effects.items():
        found = [score_power(chances(*expected), n, level) for n in sizes]
        enough = [n for n, (power, _) in zip(sizes, found) if power >= 0.8]
        rows.append(
            {"effect": name, "rates": f"{expected[0]:g}, {expected[1]:g}"}
            | {f"n = {n}": power for n, (power, _) in zip(sizes, found)}
            | {"width": found[-1][1], "needed": min(enough) if enough else pd.NA}
        )
    return pd.DataFrame(rows).astype({"needed": "Int64"})


def _all_tables(a: float, b: float, n: int, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chance and limits of every pair of counts (only a, only b) of n items, with these two chances of an item."""
    only_a, only_b = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    possible = only_a + only_b <= n
    only_a, only_b = only_a[possible], only_b[possible]
    weights = multinomial.pmf(np.stack([only_a, only_b, n - only_a - only_b], axis=1), n, [a, b, max(0.0, 1 - a - b)])
    return weights, *score_limits(only_a, only_b, n, level)
