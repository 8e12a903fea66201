"""Intervals of a difference of two shares over the same items, for the sizes that small studies have.

    score_interval       Tango (Statistics in Medicine 17, 1998): the differences that the score test does not reject.
    newcombe_interval    Newcombe (Statistics in Medicine 17, 1998), method 10: Wilson's limits of both shares, squared
                         and added, with the correlation of the two.
    cluster_t_interval   Student's t over sums by cluster, for few clusters such as nine families.

How often each holds the truth at 95 %:

    score      93 to 97.5 % for n >= 15 where at least 5 items are expected on which the two differ; with fewer of these
               it is conservative (to 99.9 %), as any interval of so few different tables must be.
    newcombe   94 to 97.5 % under the same conditions, and 5 % narrower at n = 15, 1 % at n = 40. The score interval is
               the default because it agrees with McNemar's test and needs only the items that differ.
    cluster t  93 to 97.5 % for 6 to 30 clusters of about one size, whether or not clusters differ in their effect.
               With 0/1 scores, at least 5 differing items are needed too.

The first two are computed over all tables (`score_coverage`), the last is simulated. The tests hold the default to
the range; `benchmarks/paired_intervals.py` prints coverage and width beside those of other libraries.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit
from scipy.stats import binom, multinomial
from statsmodels.stats.proportion import proportion_confint

from proctor.stats import checks
from proctor.stats.interval import Interval, exact_interval, no_interval

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


def newcombe_interval(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Interval:
    """Newcombe's method 10 for mean(a) - mean(b), 0/1 scores of shape (items,); of no items there is none."""
    if np.shape(a) == np.shape(b) == (0,):
        return no_interval(level)
    table = counts(a, b)
    low, high = newcombe_limits(*table, level)
    return Interval((table[1] - table[2]) / sum(table), float(low), float(high), level, "newcombe")


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
    both = rate_a * rate_b + correlation * np.sqrt(rate_a * (1 - rate_a) * rate_b * (1 - rate_b))
    cells = (both, rate_a - both, rate_b - both, 1 - rate_a - rate_b + both)
    if min(cells) < -1e-12:
        raise ValueError(f"rates {rate_a} and {rate_b} can't have a correlation of {correlation}")
    both, only_a, only_b, neither = (max(float(cell), 0.0) for cell in cells)
    return both, only_a, only_b, neither


def score_coverage(cells: Sequence[float], n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact chance that Tango's interval over n items holds the true difference, and its mean width.

    cells: of `chances`. Every pair of counts that can occur is weighed by its chance: no simulation.
    """
    _, a, b, _ = cells
    weights, low, high = _all_tables(a, b, n, level)
    inside = (low - 1e-9 <= a - b) & (a - b <= high + 1e-9)
    return float(weights[inside].sum()), float(weights @ (high - low))


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
