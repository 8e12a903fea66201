"""Calibration: does a stated confidence of 80 % come true 80 % of the time? And discrimination (AUC).

Confidence lies in [0, 1], correct is 0/1, both of shape (items,). Bins are consecutive in sorted
confidence; the sort is stable, so equal confidences keep the order of the items as given. HLE's own
code leaves that order to an unstable sort, and with many equal confidences its figure depends on it.

Scores become chances by penalised logistic regressions, many small ones at once, with weights that may not be negative.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import rankdata

from proctor.stats import bootstrap, checks
from proctor.stats.bootstrap import Interval
from proctor.stats.proportions import clopper_pearson

KINDS = ("official", "all_bins", "debiased")


def calibration_error(confidence: ArrayLike, correct: ArrayLike, kind: str = "official", bin_size: int = 100) -> float:
    """Root mean square gap between confidence and accuracy over bins of `bin_size` answers, in [0, 1].

    The remainder joins the last bin. Kinds:
    official: HLE's public code. The last bin is left out of the sum while weights still divide by all n:
        below two bins' worth of answers it is 0 whatever they say, below one it does not exist (ValueError).
    all_bins: nothing left out; fewer than bin_size answers make one bin. Too large on average, because
        sampling noise within a bin is squared too.
    debiased: as all_bins, minus in each bin the expected sampling noise of its n_b answers,
        acc (1 - acc) / (n_b - 1), confidence taken as given. Negative totals are set to 0. The
        correction is the one that Kumar, Liang and Ma (2019, Verified Uncertainty Calibration) argue for.
    """
    confidence, correct = _inputs(confidence, correct, kind, bin_size)
    order = np.argsort(confidence, kind="stable")
    return float(np.sqrt(max(_squared(confidence[order], correct[order], kind, bin_size), 0)))


def calibration_interval(
    confidence: ArrayLike,
    correct: ArrayLike,
    rng: np.random.Generator,
    kind: str = "debiased",
    bin_size: int = 100,
    resamples: int = 2_000,
    level: float = 0.95,
    questions: ArrayLike | None = None,
    sittings: ArrayLike | None = None,
) -> Interval:
    """Percentile bootstrap interval of `calibration_error`, resampling items.

    questions, sittings: labels of an exam that was sat several times, whose squared errors are averaged. Whole
    questions are resampled, with all their answers, so several answers of one question are no independent ones.
    Sittings with too few answers for `kind` are left out.

    A resample contains the sampling noise twice, so its squared error is too large by about one more
    share of noise. The squared replicates are therefore shifted to have the estimate as their mean before
    the percentiles are taken; limits below 0 are 0. If no resample differs from the data (for example official
    below two bins) the interval is 0 to 1, method "range". Fewer than two answers:
    `bootstrap.no_interval`.
    """
    checks.share(level, "level")
    if len(np.asarray(confidence)) < 2:
        return bootstrap.no_interval(level)
    confidence, correct = _inputs(confidence, correct, kind, bin_size)
    fewest, order = bin_size if kind == "official" else 2, np.argsort(confidence, kind="stable")
    labels = np.argsort(order) if questions is None else np.asarray(questions)  # each answer a question of its own
    sitting = np.zeros(len(order)) if sittings is None else np.asarray(sittings)
    checks.same_length(confidence=confidence, questions=labels, sittings=sitting)
    runs = [order[sitting[order] == one] for one in np.unique(sitting)]  # answers of each, the least sure first
    runs = [run for run in runs if len(run) >= fewest]
    if not runs:
        return bootstrap.no_interval(level)
    used, unit = np.concatenate(runs), np.empty(len(order), int)  # unit: the number of each answer's question
    unit[used], n_units = checks.cluster_index(labels[used], len(used))

    def squared(drawn: np.ndarray) -> float:
        """Of how often each question was drawn."""
        again = [np.repeat(run, drawn[unit[run]]) for run in runs]
        found = [_squared(confidence[at], correct[at], kind, bin_size) for at in again if len(at) >= fewest]
        return float(np.mean(found)) if found else np.nan

    tables = bootstrap.counts(n_units, checks.at_least_one(resamples, "resamples"), rng)
    values = np.array([squared(row.astype(int)) for table in tables for row in table])
    values, observed = values[~np.isnan(values)], squared(np.ones(n_units, int))
    estimate = float(np.sqrt(max(observed, 0)))
    if not len(values) or np.ptp(values) <= 1e-12:
        return Interval(estimate, 0.0, 1.0, level, "range")
    shifted = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]) + observed - values.mean()
    low, high = np.sqrt(np.maximum(shifted, 0))
    return Interval(estimate, float(min(low, estimate)), float(max(high, estimate)), level, "percentile centred")


def auc(score: ArrayLike, correct: ArrayLike) -> float | None:
    """Chance that a correct item scores above a wrong one, ties counting half (Mann-Whitney). None with one class.

    >>> auc([0.9, 0.4, 0.6], [1, 0, 1])
    1.0
    """
    score, correct = checks.finite(score, "score", 1), checks.binary(correct, "correct")
    checks.same_length(score=score, correct=correct)
    n_right, n_wrong = (correct == 1).sum(), (correct == 0).sum()
    won = rankdata(score)[correct == 1].sum() - n_right * (n_right + 1) / 2
    return float(won / (n_right * n_wrong)) if n_right and n_wrong else None


def resampled_auc(drawn: np.ndarray, score: np.ndarray, correct: np.ndarray) -> np.ndarray:
    """`auc` of many resamples, (resamples,): drawn (resamples, items) says how often each item is in each.

    NaN where a resample has one class.

    >>> resampled_auc(np.array([[1.0, 1, 1], [2, 1, 0], [1, 0, 1]]), np.array([0.9, 0.4, 0.6]), np.array([1, 0, 1]))
    array([ 1.,  1., nan])
    """
    order = np.argsort(score, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(score[order]) != 0])
    drawn = drawn[:, order]
    right, wrong = (np.add.reduceat(drawn * of[order], starts, axis=1) for of in (correct, 1 - correct))
    wins = (right * (wrong.cumsum(axis=1) - wrong / 2)).sum(axis=1)
    pairs = right.sum(axis=1) * wrong.sum(axis=1)
    return np.divide(wins, pairs, out=np.full(len(drawn), np.nan), where=pairs > 0)


def auc_interval(
    score: ArrayLike,
    correct: ArrayLike,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
) -> Interval:
    """Interval of the AUC: percentile bootstrap of items or clusters; of up to `bootstrap.FEW` clusters Student's on
    the jackknife, which holds its level where resampling so few does not (`benchmarks/coverage.py`).

    Resamples with one class only are left out and counted. If the classes never overlap (AUC 0 or 1) the
    limit is exact: as many independent pairs as the rarer class has items all fell the same way
    (Clopper-Pearson), method "exact". One class only, on the data or in more than half of the resamples, or no items:
    `bootstrap.no_interval`.
    """
    checks.share(level, "level")
    estimate = auc(score, correct) if len(np.asarray(score)) else None
    if estimate is None:
        return bootstrap.no_interval(level)
    score, correct = np.asarray(score, float), np.asarray(correct, float)
    if estimate in (0.0, 1.0):
        pairs = int(min(correct.sum(), len(correct) - correct.sum()))
        low, high = clopper_pearson(int(estimate * pairs), pairs, level)
        return Interval(estimate, low, high, level, "exact")
    if clusters is not None and len(np.unique(np.asarray(clusters))) <= bootstrap.FEW:
        return bootstrap.jackknife_interval(lambda keep: auc(score[keep], correct[keep]), clusters, level, (0.0, 1.0))
    return bootstrap.statistic_interval(
        resampled_auc, (score, correct), rng, resamples, level, clusters, (0.0, 1.0), weighted=True
    )


def best_threshold(p: np.ndarray, right: np.ndarray) -> float:
    """The threshold above which accepting has the highest balanced accuracy; the middle one of several.

    >>> best_threshold(np.array([0.9, 0.8, 0.3, 0.1]), np.array([True, True, False, False]))
    0.55
    """
    p, right = p[~np.isnan(p)], right[~np.isnan(p)]
    if right.all() or not right.any():
        raise ValueError("a threshold needs right and wrong answers that have a probability, in every part of the data")
    values = np.unique(p)
    between = np.array([0.0, *(values[1:] + values[:-1]) / 2, (values[-1] + 1) / 2])
    accepted = p[:, None] > between
    youden = accepted[right].mean(axis=0) - accepted[~right].mean(axis=0)
    best = np.flatnonzero(youden >= youden.max() - 1e-12)
    return min(float(round(between[best[len(best) // 2]], 6)), 0.999999)


def _inputs(confidence: ArrayLike, correct: ArrayLike, kind: str, bin_size: int) -> tuple[np.ndarray, np.ndarray]:
    confidence, correct = checks.probability(confidence, "confidence"), checks.binary(correct, "correct")
    n = checks.same_length(confidence=confidence, correct=correct)
    checks.at_least_one(bin_size, "bin_size")
    if kind == "official" and n < bin_size:
        raise ValueError(
            f"{n} answers do not fill one bin of {bin_size}, and HLE's calibration error does not exist "
            "(its code stops with an index error): use kind='all_bins' or 'debiased'"
        )
    if kind == "debiased" and (n < 2 or bin_size < 2):
        raise ValueError(
            f"debiased needs two answers in every bin to know their spread: {n} answers in bins of {bin_size}"
        )
    return confidence, correct


def _squared(confidence: np.ndarray, correct: np.ndarray, kind: str, bin_size: int) -> float:
    """Squared calibration error of answers sorted by confidence. May be negative if debiased."""
    n = len(confidence)
    starts = np.arange(max(n // bin_size, 1)) * bin_size
    sizes = np.diff(np.append(starts, n))
    accuracy = np.add.reduceat(correct, starts) / sizes
    squared = (np.add.reduceat(confidence, starts) / sizes - accuracy) ** 2
    if kind == "debiased":
        squared -= accuracy * (1 - accuracy) / (sizes - 1)
    if kind == "official":
        sizes = np.append(sizes[:-1], 0)  # the last bin's answers count in n but not in the sum
    return float((squared * sizes).sum() / n)


def positive_logistic(design: np.ndarray, correct: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Weights (fits, 1 + features) of logistic regressions with one outcome (n,), none below 0 but the constant's.

    design: (fits, n, 1 + features), the first column the constant. The penalty is half the sum of squares of the other
    weights. start: weights to begin at. The fits are one convex problem for scipy, which is quicker than each alone.

    >>> x, y = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 0, 1, 1])
    >>> design = np.stack([np.column_stack([np.ones(4), scores]) for scores in (x, -x)])  # two fits
    >>> positive_logistic(design, y).round(2)[:, 1]
    array([0.42, 0.  ])
    """
    shape = len(design), design.shape[2]
    penalty = np.r_[0.0, np.ones(shape[1] - 1)]

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        weights = x.reshape(shape)
        linear = (design @ weights[:, :, None])[:, :, 0]
        slope = ((expit(linear) - correct)[:, None, :] @ design)[:, 0, :] + penalty * weights
        value = (np.logaddexp(0, linear) - correct * linear).sum() + (penalty * weights**2).sum() / 2
        return float(value), slope.ravel()

    bounds = [(None, None), *[(0, None)] * (shape[1] - 1)] * shape[0]
    begin = np.zeros(shape) if start is None else start
    options = dict(ftol=1e-12, gtol=1e-6 * len(correct), maxiter=1000)
    return minimize(loss, begin.ravel(), method="L-BFGS-B", jac=True, bounds=bounds, options=options).x.reshape(shape)
