"""Proportions: accuracy with exact and Wilson intervals, HLE's printed half-width, and the confusion table.

`measures` gives intervals for every measure of a confusion table, from the counts alone.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit
from scipy.stats import hypergeom
from statsmodels.stats.proportion import proportion_confint

from proctor.stats import checks


@dataclass(frozen=True)
class Confusion:
    """Counts of a validator's decisions (accept or reject) against the truth (correct or not).

    >>> table = Confusion(tp=16, fp=24, fn=49, tn=411)
    >>> table.n, table.accuracy, round(table.recall, 3)
    (500, 0.854, 0.246)
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> float:
        return (self.tp + self.tn) / self.n

    @property
    def recall(self) -> float:
        return self.tp / (self.tp + self.fn)

    @property
    def specificity(self) -> float:
        return self.tn / (self.tn + self.fp)


def measures(counts: Confusion, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95) -> pd.DataFrame:
    """Accuracy, precision, recall, specificity, balanced accuracy, MCC, LR+ and LR-, each with two intervals: a row a
    measure, columns estimate, low, high, exact_low, exact_high; NaN where one does not exist.

    low, high: percentile bootstrap over the items (Efron and Tibshirani 1993, ch. 13). Items in one cell are alike,
    so a resample is one multinomial draw of the four cells. A resample without the measure is left out; a ratio over
    0 counts as infinite, so `high` may be inf. Limits are values that some resample took (no interpolation). The
    exact limits stand in where no resample differs, or where more than half lack the measure.

    exact_low, exact_high: contain the truth with probability at least `level`, however small the counts are.
    Clopper-Pearson for the four shares. The others rise with recall and with specificity (LR- falls), so they are
    read at both ends of two Clopper-Pearson intervals, each at the root of `level`, right and wrong answers being
    independent; MCC at the table's own share of right answers. These limits are wide, and exist even where the
    estimate does not (for example, none accepted).

    Items must be independent.
    """
    n, resamples = checks.at_least_one(counts.n, "n"), checks.at_least_one(resamples, "resamples")
    cells = np.array([counts.tp, counts.fp, counts.fn, counts.tn])
    exact, drawn = _exact_limits(counts, level), _figures(*rng.multinomial(n, cells / n, resamples).T)
    rows = {}
    for name, value in _figures(*cells).items():
        estimate, limits = float(value) if np.isfinite(value) else np.nan, (np.nan, np.nan)
        if np.isfinite(value):
            limits = _percentiles(drawn[name], level) or exact[name]
        rows[name] = (estimate, *limits, *exact[name])
    return pd.DataFrame.from_dict(rows, "index", columns=["estimate", "low", "high", "exact_low", "exact_high"])


def _figures(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> dict[str, np.ndarray]:
    """Each measure of many tables at once, the cells being arrays of one shape; 0/0 is NaN, x/0 infinite."""
    tp, fp, fn, tn = (np.asarray(cell, dtype=float) for cell in (tp, fp, fn, tn))
    with np.errstate(divide="ignore", invalid="ignore"):
        recall, specificity = tp / (tp + fn), tn / (tn + fp)
        spread = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return {
            "accuracy": (tp + tn) / (tp + fp + fn + tn),
            "precision": tp / (tp + fp),
            "recall": recall,
            "specificity": specificity,
            "balanced_accuracy": (recall + specificity) / 2,
            "mcc": (tp * tn - fp * fn) / spread,
            "lr_positive": recall / (fp / (fp + tn)),
            "lr_negative": fn / (tp + fn) / specificity,
        }


def _percentiles(replicates: np.ndarray, level: float) -> tuple[float, float] | None:
    """Percentile limits; None where most replicates are undefined or all are equal."""
    defined = replicates[~np.isnan(replicates)]
    if 2 * len(defined) < len(replicates) or np.allclose(defined, defined[0], rtol=0, atol=1e-12):
        return None
    # Order statistics: between an infinite replicate and another nothing can be interpolated.
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return float(low), float(high)


def _exact_limits(counts: Confusion, level: float) -> dict[str, tuple[float, float]]:
    """By measure; NaN where there are no such items."""
    tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
    shares = {"accuracy": (tp + tn, counts.n), "precision": (tp, tp + fp)}
    shares |= {"recall": (tp, tp + fn), "specificity": (tn, fp + tn)}
    limits = dict.fromkeys(_figures(0, 0, 0, 0), (np.nan, np.nan))
    limits |= {name: clopper_pearson(k, n, level) for name, (k, n) in shares.items() if n}
    if tp + fn and fp + tn:
        ends = zip(clopper_pearson(tp, tp + fn, math.sqrt(level)), clopper_pearson(tn, fp + tn, math.sqrt(level)))
        worst, best = (
            _figures(r * (tp + fn), (1 - s) * (fp + tn), (1 - r) * (tp + fn), s * (fp + tn)) for r, s in ends
        )
        for name in ("balanced_accuracy", "mcc", "lr_positive", "lr_negative"):
            low, high = sorted((float(worst[name]), float(best[name])))
            limits[name] = low, high
    return limits


def counted(name: str, k: int, n: int) -> dict:
    """k of n as columns: the count, n, the share and its exact 95 % interval; NaN where n is 0."""
    low, high = clopper_pearson(k, n) if n else (float("nan"), float("nan"))
    share = k / n if n else float("nan")
    return {name: k, f"{name}_n": n, f"{name}_share": share, f"{name}_low": low, f"{name}_high": high}


def whole_counts(k: int, n: int) -> tuple[int, int]:
    """k and n. ValueError unless k is a whole number from 0 to n, and n at least 1."""
    n = checks.at_least_one(n, "n")
    if int(k) != k or not 0 <= k <= n:
        raise ValueError(f"k is {k}: must be a whole number from 0 to n = {n}")
    return int(k), n


def wilson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson score interval (low, high) for k successes of n, as shares. Never of zero width.

    >>> [round(limit, 3) for limit in wilson(8, 10)]
    [0.49, 0.943]
    """
    k, n = whole_counts(k, n)
    low, high = _confint(k, n, checks.share(level, "level"), "wilson")
    # The bound is exactly 0 or 1 here; the formula leaves a rounding error such as 1e-19.
    return (0.0 if k == 0 else float(low)), (1.0 if k == n else float(high))


def wilson_of_means(values: ArrayLike, most: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of the mean of units' values in [0, 1], such as shares of right answers of each question.

    The units count as p (1 - p) n / s^2 independent answers, at least n and at most `most`, the answers that there are;
    with Student's quantile, since s is estimated. Where all answers of a unit agree they count as one.

    >>> [round(limit, 3) for limit in wilson_of_means([1, 1, 0, 1], 20)]
    [0.163, 0.979]
    """
    values = np.asarray(values, float)
    n, share = len(values), float(values.mean())
    spread = float(values.var())
    worth = min(max(share * (1 - share) * n / spread, n), most) if spread > 1e-12 else n
    z = float(stdtrit(n - 1, (1 + checks.share(level, "level")) / 2)) if n > 1 else np.inf
    if not np.isfinite(z):
        return 0.0, 1.0
    middle, room = share + z**2 / (2 * worth), z * np.sqrt(share * (1 - share) / worth + z**2 / (4 * worth**2))
    low, high = ((middle + sign * room) / (1 + z**2 / worth) for sign in (-1, 1))
    return (0.0 if share == 0 else float(max(low, 0))), (1.0 if share == 1 else float(min(high, 1)))


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact (Clopper-Pearson) interval (low, high) for k successes of n; its coverage is at least `level`.

    >>> [round(limit, 3) for limit in clopper_pearson(10, 10)]
    [0.692, 1.0]
    """
    k, n = whole_counts(k, n)
    low, high = _confint(k, n, checks.share(level, "level"), "beta")
    return float(low), float(high)


@lru_cache(100_000)
def _confint(k: int, n: int, level: float, method: str) -> tuple[float, float]:
    """Simulations ask for the same counts again and again."""
    return proportion_confint(k, n, alpha=1 - level, method=method)


def hypergeometric_limits(
    k: ArrayLike, n: ArrayLike, population: int, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Exact limits of the share of marked items in a finite population, k of n drawn without replacement being marked.

    Those shares whose both hypergeometric tails have a chance above (1 - level) / 2; k and n broadcast. Their coverage
    is at least `level` for every number of marked items, and they are narrower than Clopper and Pearson's.

    >>> low, high = hypergeometric_limits(0, 50, 100)
    >>> float(low), float(high)
    (0.0, 0.05)
    """
    tail = (1 - checks.share(level, "level")) / 2

    def limits(k: int, n: int) -> tuple[float, float]:
        marked = np.arange(k, population - n + k + 1)  # of what was seen, all that is possible
        low = marked[hypergeom.sf(k - 1, population, marked, n) > tail][0]
        return low / population, marked[hypergeom.cdf(k, population, marked, n) > tail][-1] / population

    return np.vectorize(limits, otypes=[float, float])(k, n)


def official_half_width(accuracy_percent: float, n: int) -> float:
    """HLE's half-width in percentage points, from the accuracy already rounded to two decimals.

    It is 0 at 0 % and at 100 %, although the accuracy is uncertain there: show `wilson` beside it.

    >>> official_half_width(9.1, 3000)
    1.03
    """
    return round(1.96 * math.sqrt(accuracy_percent * (100 - accuracy_percent) / n), 2)


def confusion(accept: ArrayLike, correct: ArrayLike) -> Confusion:
    """Confusion counts of decisions `accept` against truth `correct`, both 0/1 of shape (items,)."""
    accept, correct = checks.binary(accept, "accept"), checks.binary(correct, "correct")
    checks.same_length(accept=accept, correct=correct)
    yes, right = accept == 1, correct == 1
    return Confusion(
        tp=int((yes & right).sum()),
        fp=int((yes & ~right).sum()),
        fn=int((~yes & right).sum()),
        tn=int((~yes & ~right).sum()),
    )
