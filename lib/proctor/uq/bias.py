"""Do judges accept too much, and do they favour their own answers? (UQ, appendix B.3, findings 3 and 4, Figure S6.)

Bias is the share of answers accepted minus the share right. Preference is a difference in acceptance between authors
at equal truth: wrong answers are compared with wrong answers, right ones with right ones.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval
from proctor.stats.power import items_needed, power_of
from proctor.stats.proportions import clopper_pearson, wilson
from proctor.uq import validator_metrics

PIPELINE = "(CC x3|U) => (FLC x3|U) => (C x3|U)"  # the paper's 3-Iter


def published_validators(rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """The rows of Table S10 whose printed figures leave one confusion table, the most biased first.

    Columns: judges, strategy, n, positives, tp, fp, fn, tn, precision, recall, specificity, and with 95 % limits (_low,
    _high; answers resampled) bias, balanced_accuracy and youden, which is recall + specificity - 1.
    """
    rows = validator_metrics.reconstruct_table("uq/table_S10", range(1, 501), rng, resamples)
    rows = rows[rows["solutions"] == 1].reset_index(drop=True)
    counts = ["n", "positives", "tp", "fp", "fn", "tn"]
    found = rows[["judges", "strategy"]].assign(**rows[counts].astype(int))
    for column in ("precision", "recall", "specificity"):
        found[column] = rows[column].astype(float)
    biases = [bias_of_counts(row, rng, resamples) for row in found.itertuples()]
    for end, name in (("", "estimate"), ("_low", "low"), ("_high", "high")):
        found[f"bias{end}"] = [getattr(one, name) for one in biases]
        found[f"balanced_accuracy{end}"] = rows[f"balanced_accuracy{end and '_boot' + end}"].astype(float)
        found[f"youden{end}"] = 2 * found[f"balanced_accuracy{end}"] - 1
    return found.sort_values("bias", ascending=False, ignore_index=True)


def bias_of_counts(row, rng: np.random.Generator, resamples: int = 2_000, family: int = 1) -> Interval:
    """Share accepted minus share right of a row with tp, fp, fn, tn: (fp - fn) / n, answers resampled.

    family: number of comparisons that the interval stands in; its level is 1 - 0.05 / family.
    """
    level = 1 - 0.05 / family
    cells = np.array([row.tp, row.fp, row.fn, row.tn], int)
    drawn = rng.multinomial(cells.sum(), cells / cells.sum(), resamples) / cells.sum()
    low, high = np.quantile(drawn[:, 1] - drawn[:, 2], [(1 - level) / 2, (1 + level) / 2])
    return Interval(float((cells[1] - cells[2]) / cells.sum()), float(low), float(high), level, "percentile")


def precision_of_counts(row, level: float = 0.95) -> Interval:
    """Share right of the accepted answers, with the exact interval."""
    accepted = int(row.tp + row.fp)
    return Interval(float(row.tp / accepted), *clopper_pearson(int(row.tp), accepted, level), level, "exact")


def preference_power(
    gap: float, accepts: Sequence[float], sizes: Sequence[int], trials: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Chance that a preference of `gap` is seen (95 % interval above zero) with n wrong answers of each of two authors.

    accepts: shares that the judge accepts of all. Simulated: `seen` of `trials` with Wilson's limits; formula: normal
    approximation; needed: wrong answers for a chance of 80 %; needed_beyond: the same beyond another, equal judge.
    """
    rows = []
    for share in accepts:
        own, other = share + gap / 2, share - gap / 2
        sd = np.sqrt(own * (1 - own) + other * (1 - other))
        needed, beyond = items_needed(gap, [sd, np.sqrt(2) * sd])
        for n in sizes:
            drawn = (rng.random((trials, n)) < own).astype(float) - (rng.random((trials, n)) < other)
            seen = sum(one.low > 0 for one in bootstrap.intervals(drawn, rng, 500, bounds=(-1.0, 1.0)))
            low, high = wilson(seen, trials, 0.95)
            row = dict(accepts=share, n=n, seen=seen / trials, low=low, high=high)
            rows.append(row | dict(formula=float(power_of(gap, sd, n)), needed=needed, needed_beyond=beyond))
    return pd.DataFrame(rows)


def all_accept(share: float, votes: int, correlation: float = 0.0) -> float:
    """Chance that `votes` votes all accept, each accepting a `share` of the answers (Gaussian copula, one factor).

    correlation: of the latent scores of any two votes on the same answer; 0 gives share ** votes, 1 gives share.

    >>> round(all_accept(0.9, 3), 3), round(all_accept(0.9, 3, 1.0), 3), 0.729 < all_accept(0.9, 3, 0.5) < 0.9
    (0.729, 0.9, True)
    """
    if correlation >= 1:
        return float(share)
    nodes, weights = np.polynomial.hermite_e.hermegauss(101)
    each = ndtr((ndtri(share) - np.sqrt(correlation) * nodes) / np.sqrt(1 - correlation))
    return float((weights * each**votes).sum() / np.sqrt(2 * np.pi))


def preference_under_unanimity(
    pairs: Sequence[tuple[float, float]], votes: Sequence[int], correlations: Sequence[float]
) -> pd.DataFrame:
    """What unanimity makes of a preference. pairs: shares accepted of a judge's own and of others' wrong answers.

    One row a pair, correlation and number of votes: accepted_own, accepted_others, difference, ratio.
    """
    rows = []
    for (own, others), correlation, k in product(pairs, correlations, votes):
        one, two = (all_accept(share, k, correlation) for share in (own, others))
        known = dict(own=own, others=others, correlation=correlation, votes=k)
        rows.append(known | dict(accepted_own=one, accepted_others=two, difference=one - two, ratio=one / two))
    return pd.DataFrame(rows)
