"""How well a score ranks the right candidate solutions of a question above the wrong ones (CBU, section 4.4, Table 6).

    metrics(score, correct, human)    # the five of one question

The text of the paper gives the five metrics in words only, and no word on ties; what is decided here:
- Acc@1 and Recall@5 share a place among those who tie for it: they are the expected value over ties broken at random.
- AUC, HumanWin and MeanWin count a tie as a half, so a score that is the same for all candidates gets 50 % in each.
  `tie=0` reads "above" in HumanWin and MeanWin literally.
- A question whose candidates are all right or all wrong says nothing about the score. It is left out of all five
  metrics.

Scores are compared as they are: for averages of whole numbers, equal averages must be equal floats (means over the
same number of rollouts are; HumanWin and MeanWin allow for rounding errors of their own means).

Few paired differences have exact tests and cautious intervals, by flipping signs. With few questions the percentile
bootstrap is too narrow in the far tails, where comparisons at the level of a family are decided. The sign-flip test is
exact there: if differences are symmetric about d, all 2^n patterns of signs of (difference - d) are equally likely.
Inverted, its limits are order statistics of the means of all non-empty subsets (Hartigan, "Using subsample values as
typical values", JASA 1969).

How far few rollouts lie from all (section 7.1, Figure 6): after a right candidate each succeeds with chance r, after a
wrong one with chance w.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binom, hypergeom, t

from proctor.data.published import load_published
from proctor.stats import checks
from proctor.stats.bootstrap import Interval, exact_interval, no_interval
from proctor.stats.calibration import auc
from proctor.stats.proportions import clopper_pearson


def top_chance(score: ArrayLike, k: int) -> np.ndarray:
    """Chance of each candidate to be among the first k, ties being broken at random. score: (..., candidates)."""
    score, k = np.asarray(score, float), checks.at_least_one(k, "k")
    above = (score[..., None, :] > score[..., :, None]).sum(axis=-1)
    tied = (score[..., None, :] == score[..., :, None]).sum(axis=-1)
    return np.clip((k - above) / tied, 0, 1)


def metrics(
    score: ArrayLike, correct: ArrayLike, human: ArrayLike | None = None, k: int = 5, tie: float = 0.5
) -> dict[str, float | None]:
    """The five metrics of one question; all None if its candidates are all right or all wrong.

    score, correct (0/1), human (0/1): (candidates,). Acc@1: share of right candidates among those with the highest
    score. Recall@k: share of the right candidates that are among the first k. HumanWin, MeanWin: 1 if the human-written
    candidate's score, or the right ones' mean, is above the mean of the wrong ones, `tie` if equal, else 0. HumanWin is
    None without a human.
    """
    score, correct = checks.finite(score, "score", 1), checks.binary(correct, "correct")
    human = checks.binary(np.zeros(len(score)) if human is None else human, "human")
    checks.same_length(score=score, correct=correct, human=human)
    first, best = (float(top_chance(score, places) @ correct) for places in (1, k))
    if correct.all() or not correct.any():
        return dict.fromkeys(("Acc@1", f"Recall@{k}", "AUC", "HumanWin", "MeanWin"))

    def wins(chosen: np.ndarray) -> float:
        """A mean of equal scores need not equal them to the last bit, hence the tolerance."""
        lead = score[chosen].mean() - score[correct == 0].mean()
        return float(tie) if abs(lead) <= 1e-12 * np.abs(score).max() else float(lead > 0)

    return {
        "Acc@1": first,
        f"Recall@{k}": float(best / correct.sum()),
        "AUC": auc(score, correct),
        "HumanWin": wins(human == 1) if human.any() else None,
        "MeanWin": wins(correct == 1),
    }


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


BACKBONES = ("qwen3_235b", "qwen3_30b", "gpt_oss_120b", "gpt_oss_20b")


def facts() -> pd.DataFrame:
    """The quoted facts by name: `value` as printed, `value_value` as a number."""
    return load_published("cbu/facts").set_index("fact")


def paired_bounds(k_a: int, k_b: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Limits of the difference k_a / n - k_b / n of two counts on the same n items, whatever items they share.

    For each number shared, the exact (Clopper-Pearson) interval of the share of discordant items that are a's; the
    result holds all of them.

    >>> low, high = paired_bounds(72, 66, 77)
    >>> round(low, 3), round(high, 3)
    (-0.036, 0.162)
    """
    found = []
    for both in range(max(0, k_a + k_b - n), min(k_a, k_b) + 1):
        only_a, only_b = k_a - both, k_b - both
        discordant = only_a + only_b
        ends = clopper_pearson(only_a, discordant, level) if discordant else (0.5, 0.5)
        found += [(2 * end - 1) * discordant / n for end in ends]
    return min(found), max(found)


def expected_error(k: ArrayLike, pool: int, n: int, replace: bool = False) -> np.ndarray:
    """Exact mean distance of the share of successes among n rollouts, drawn from a pool of which k succeeded, from
    k / pool; shape of k.

    Without replacement the number that succeed is hypergeometric, and the error is 0 at n = pool; with, binomial.
    """
    k = np.asarray(k)
    x = np.arange(n + 1).reshape(-1, *[1] * k.ndim)
    chance = binom.pmf(x, n, k / pool) if replace else hypergeom.pmf(x, pool, k, n)
    return (chance * np.abs(x / n - k / pool)).sum(axis=0)


def order_chance(r: float, w: float, rollouts: int) -> float:
    """Chance that the utilities from so many rollouts rank a right candidate above a wrong one, ties half: exact.

    >>> round(order_chance(0.5, 0.5, 8), 3), round(order_chance(0.8, 0.2, 8), 3)
    (0.5, 0.996)
    """
    k = np.arange(checks.at_least_one(rollouts, "rollouts") + 1)
    return float(binom.pmf(k, rollouts, r) @ (binom.cdf(k, rollouts, w) - binom.pmf(k, rollouts, w) / 2))
