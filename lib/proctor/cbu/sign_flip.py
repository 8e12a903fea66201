"""Exact tests and cautious intervals for the mean of few paired differences, by flipping signs.

With few questions the percentile bootstrap is too narrow in the far tails, where comparisons at the level of a family
are decided. The sign-flip test is exact there: if differences are symmetric about d, all 2^n patterns of signs of
(difference - d) are equally likely. Inverted, its limits are order statistics of the means of all non-empty subsets
(Hartigan, "Using subsample values as typical values", JASA 1969).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t

from proctor.stats import checks
from proctor.stats.bootstrap import Interval, exact_interval, no_interval

MOST = 18  # units up to which all subsets are listed (2^18); beyond, SUBSETS of them are drawn
SUBSETS = 200_000
SEED = 20260101  # of the drawn subsets: a p-value belongs to its data


def sign_flip_p(differences: ArrayLike) -> float:
    """Two-sided p of the exact sign-flip test that the differences, shape (units,), are symmetric about 0; NaN of none.

    >>> sign_flip_p([1, 2, 3, 4, 5])  # all signs equal: 2 of 32 patterns are as extreme
    0.0625
    """
    if np.shape(differences) == (0,):
        return np.nan
    means = _subset_means(checks.finite(differences, "differences", 1))
    patterns, near = len(means) + 1, 1e-12 * max(1.0, float(np.abs(means).max()))
    tail = min((means <= near).sum(), (means >= -near).sum()) + 1
    return min(1.0, float(2 * tail / patterns))


def sign_flip_interval(
    differences: ArrayLike, level: float = 0.95, bounds: tuple[float, float] = (-1.0, 1.0)
) -> Interval:
    """Interval of the mean difference: every d that the two-sided sign-flip test at 1 - level does not reject.

    differences: shape (units,), the units that are resampled, such as questions. Where there are too few units for the
    level (2^(1 - units) > 1 - level) nothing can be rejected, and the interval is `bounds`. Equal differences have no
    spread to flip: the interval is `bootstrap.exact_interval`; of none there is none.
    """
    checks.share(level, "level")
    if np.shape(differences) == (0,):
        return no_interval(level)
    differences = checks.finite(differences, "differences", 1)
    if np.ptp(differences) < 1e-12:
        return exact_interval(float(differences.mean()), len(differences), level, bounds)
    means = _subset_means(differences)
    k = int(np.floor((1 - level) / 2 * (len(means) + 1) + 1e-9))
    if k == 0:
        return Interval(float(differences.mean()), *bounds, level, "range")
    ordered = np.partition(means, (k - 1, len(means) - k))
    return Interval(float(differences.mean()), float(ordered[k - 1]), float(ordered[-k]), level, "sign flip")


def cautious_interval(
    differences: ArrayLike, level: float = 0.95, bounds: tuple[float, float] = (-1.0, 1.0)
) -> Interval:
    """On each side the wider limit of the sign-flip interval and of Student's t, within `bounds`.

    Many differences of exactly 0 make the sign-flip interval end at 0: they are symmetric about nothing else. Student's
    t does not have that fault, but trusts the normal distribution in the far tails. A verdict needs both. Where subset
    means tie at a sign-flip limit (differences are multiples of 1/10, say), the limit is the next one outwards: 0
    itself is then not rejected, and what lies next to it is no surer.
    """
    flipped = sign_flip_interval(differences, level, bounds)
    values = np.asarray(differences, float)
    if flipped.method != "sign flip":
        return flipped
    half = float(t.ppf((1 + level) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    means = _subset_means(values)
    below, above = means[means < flipped.low - 1e-9], means[means > flipped.high + 1e-9]
    low = max(bounds[0], min(below.max() if len(below) else flipped.low, flipped.estimate - half))
    high = min(bounds[1], max(above.min() if len(above) else flipped.high, flipped.estimate + half))
    return Interval(flipped.estimate, low, high, level, "sign flip and t")


def _subset_means(values: np.ndarray) -> np.ndarray:
    """Means of all non-empty subsets, shape (2^n - 1,), or of SUBSETS drawn ones if there are more than 2^MOST."""
    if len(values) <= MOST:
        sums, sizes = np.zeros((2, 2 ** len(values)))
        for i, value in enumerate(values):
            half, whole = 2**i, 2 ** (i + 1)  # the subsets of the values before, then the same with this one
            sums[half:whole], sizes[half:whole] = sums[:half] + value, sizes[:half] + 1
        return sums[1:] / sizes[1:]
    rng, parts = np.random.default_rng(SEED), []
    for _ in range(SUBSETS // 1000):
        chosen = rng.random((1000, len(values))) < 0.5
        parts.append((chosen @ values)[chosen.any(axis=1)] / chosen.sum(axis=1)[chosen.any(axis=1)])
    return np.concatenate(parts)
