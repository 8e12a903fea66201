"""How many items separate two models: before an exam (power), and during it (valid early stopping).

The data are one number per item: the difference of the two models' scores. Both answered the same item, so the
difficulty that they share cancels. `sd` below is the standard deviation of that difference from item to item.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import chi, nct

from proctor.stats import checks
from proctor.stats.interval import Interval

MOST = 10_000  # of units needed: above, tables print "more than 10,000"


def power_of(gap: ArrayLike, sd: ArrayLike, n: ArrayLike, level: float = 0.95) -> np.ndarray:
    """Chance that n items show a true difference `gap`, two-sided at 1 - level; the three broadcast. Normal
    approximation: the mean difference, in standard errors sd / sqrt(n), must leave the middle `level`."""
    checks.share(level, "level")
    gap, sd, n = (np.asarray(value, float) for value in (gap, sd, n))
    bar, shift = ndtri((1 + level) / 2), gap / (sd / np.sqrt(n))
    return ndtr(shift - bar) + ndtr(-shift - bar)


def t_power(gap: float, sd: float, n: int, level: float = 0.95, margin: float | None = None) -> float:
    """Exact chance that Student's interval of n normal values with this mean and standard deviation leaves 0 out on the
    mean's side; with a margin, that it lies within -margin..margin, which shows that the mean is about 0.

    For few units, such as families, where `power_of` says too much. Of a mean of 0 and no margin: 1 - level.

    >>> round(t_power(0.34, 0.25, 9), 2), round(t_power(0, 0.12, 9, margin=0.17), 2)
    (0.94, 0.92)
    """
    checks.share(level, "level")
    if n < 2 or not sd > 0 or margin is not None and not margin > 0:
        raise ValueError(f"n is {n}, sd {sd}, margin {margin}: n must be at least 2, the others above 0")
    bar, error = float(stdtrit(n - 1, (1 + level) / 2)), sd / np.sqrt(n)
    if margin is None:
        return float(nct.sf(bar, n - 1, abs(gap) / error)) if gap else 1 - level
    root = np.sqrt(n - 1)

    def within(ratio: float) -> float:
        """Chance of such a mean, times the density of this ratio of the spread that is seen to the true one."""
        room = margin - bar * error * ratio
        return float((ndtr((room - gap) / error) - ndtr((-room - gap) / error)) * chi.pdf(ratio * root, n - 1) * root)

    return float(quad(within, 0, margin / (bar * error))[0])


def items_needed(gap: ArrayLike, sd: ArrayLike, power: float = 0.8, level: float = 0.95) -> np.ndarray:
    """Items that show a true difference `gap` with chance `power`: ((z_level + z_power) sd / gap)^2, rounded up.

    Whole numbers as floats, at least 1; inf where gap is 0. Leaves out the chance of showing it with the wrong sign.
    Normal approximation, to plan exams of hundreds of items; what a study's claim needs is `units_needed`.
    """
    checks.share(level, "level")
    if not 0.5 <= power < 1:
        raise ValueError(f"power is {power}: must be a share from 0.5 to below 1 (0.8, not 80)")
    gap, sd = np.broadcast_arrays(np.abs(np.asarray(gap, float)), np.asarray(sd, float))
    if not (np.isfinite(gap) & np.isfinite(sd) & (sd >= 0)).all():
        raise ValueError("gap and sd must be finite, sd not negative")
    ratio = np.divide(sd, gap, out=np.full(gap.shape, np.inf), where=gap > 0)
    return np.maximum(np.ceil(((ndtri((1 + level) / 2) + ndtri(power)) * ratio) ** 2), 1)


def units_needed(gap: ArrayLike, sd: ArrayLike, level: ArrayLike = 0.95, had: ArrayLike = 0) -> np.ndarray:
    """Units (families, items, rollouts) with which Student's interval at `level` shows a true mean `gap` with chance
    0.8: the least n with `t_power` of at least that. All four broadcast.

    sd: of the units. level: the claim's own, corrected for its family (1 - 0.05 / k). had: the units of a study that
    could not tell, 0 of one that could: never as few again. Whole numbers as floats, from 2; inf above MOST and for
    no gap, NaN where gap or sd is not known.

    >>> units_needed([0.34, 0.02, 0.0], 0.25, 0.975).tolist(), units_needed(0.34, 0.25, had=9).tolist()
    ([8.0, 1488.0, inf], 10.0)
    """
    arrays = np.broadcast_arrays(*(np.asarray(value, float) for value in (gap, sd, level, had)))
    gap, sd, level, had = (np.array(value, ndmin=1) for value in arrays)
    ratio = np.divide(sd, np.abs(gap), out=np.full(gap.shape, np.inf), where=gap != 0)
    least = ((ndtri((1 + level) / 2) + ndtri(0.8)) * ratio) ** 2  # of the normal: Student's are more
    found = np.where(np.isnan(gap) | np.isnan(sd), np.nan, np.inf)
    rows = np.flatnonzero(least <= MOST)
    ratio, level = ratio[rows], level[rows]
    n = np.maximum(np.floor(least[rows]), 1) + 1
    few = np.ones(len(rows), bool)
    while few.any():
        bar = stdtrit(n - 1, (1 + level) / 2)
        few = nct.sf(bar, n - 1, np.minimum(np.sqrt(n) / np.maximum(ratio, 1e-300), 1e3)) < 0.8
        n += few
    found[rows] = n
    found = np.where((had > 0) & (found <= had), had + 1, found)
    return np.where(found > MOST, np.inf, found).reshape(arrays[0].shape)


def needed_by(found: Interval, n: int) -> float:
    """Units with which an interval like `found`, Student's over n units, leaves 0 out with chance 0.8, if its estimate
    is true. NaN without a width or an estimate."""
    half = max(found.estimate - found.low, found.high - found.estimate)  # the other may be cut at a bound
    if n < 2 or not half > 0 or found.method == "exact":
        return np.nan
    sd = half / float(stdtrit(n - 1, (1 + found.level) / 2)) * np.sqrt(n)
    undecided = found.low <= 0 <= found.high
    return float(units_needed(found.estimate, sd, found.level, had=n if undecided else 0))


def mcnemar_needed(only_a: ArrayLike, only_b: ArrayLike, level: float = 0.95, had: ArrayLike = 0) -> np.ndarray:
    """`mcnemar_items` of the exact test for a chance of 0.8, rounded up; had, and inf above MOST: of `units_needed`."""
    found = np.ceil(np.round(mcnemar_items(only_a, only_b, level), 9))
    found = np.where((np.asarray(had) > 0) & (found <= had), np.asarray(had) + 1.0, found)
    return np.where(found > MOST, np.inf, found)


def mcnemar_items(
    only_a: ArrayLike, only_b: ArrayLike, level: float = 0.95, power: float = 0.8, exact: bool = True
) -> np.ndarray:
    """Items with which McNemar's test at `level` shows a difference of two models with chance `power`; not rounded.

    only_a, only_b: chances that one model alone is right. Without a difference the variance of an item is q = only_a +
    only_b, with it q - d^2: n = ((z_level sqrt(q) + z_power sqrt(q - d^2)) / d)^2 (Connor, Biometrics 43, 1987), as
    Tango's interval has it too. exact: of the exact test, by its correction for continuity: n d - 1 = sqrt(n) (the
    same). inf for no difference. `items_needed` has q - d^2 in both places.
    """
    checks.share(level, "level")
    if not 0.5 <= power < 1:
        raise ValueError(f"power is {power:g}: give a share from 0.5 to below 1 (0.8, not 80)")
    only_a, only_b = np.asarray(only_a, float), np.asarray(only_b, float)
    q, d = only_a + only_b, np.abs(only_a - only_b)
    spread = ndtri((1 + level) / 2) * np.sqrt(q) + ndtri(power) * np.sqrt(np.maximum(q - d**2, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(d > 0, ((spread + np.sqrt(spread**2 + 4 * d * exact)) / (2 * d)) ** 2, np.inf)


def corridor(looks: int, level: float = 0.95) -> np.ndarray:
    """Standard errors that a difference must exceed at each of `looks` equally spaced looks, shape (looks,).

    If the models do not differ, the running sum of differences is a random walk. It leaves a corridor of constant
    half-width h at any look with chance 1 - level; h is solved for. At look k of K the walk's standard error is
    sqrt(k), so the bar h / sqrt(k) starts high and ends near that of a single look (O'Brien and Fleming, Biometrics
    35, 1979).
    """
    checks.share(level, "level")
    looks = checks.at_least_one(looks, "looks")
    nodes, weights = np.polynomial.legendre.leggauss(200)

    def stays(h: float) -> float:
        """Chance that the walk is inside at every look: its density inside, carried from look to look."""
        x = h * nodes
        step = np.exp(-((x[:, None] - x) ** 2) / 2) / np.sqrt(2 * np.pi)
        density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
        for _ in range(looks - 1):
            density = step @ (h * weights * density)
        return float((h * weights * density).sum())

    h = brentq(lambda h: stays(h) - level, 0.1, 8 * np.sqrt(looks), xtol=1e-10)
    return h / np.sqrt(np.arange(1, looks + 1))
