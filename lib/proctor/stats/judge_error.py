"""What an accuracy would be without the judge's mistakes: Rogan-Gladen, and prediction-powered inference.

A judge that passes a right answer with chance `sensitivity` and rejects a wrong one with chance `specificity` passes
a share accuracy * sensitivity + (1 - accuracy) * (1 - specificity) of all answers (`pass_rate`).
Rogan-Gladen solves this for the accuracy; what is known of the judge may come from elsewhere, as long as the judge
errs there as often as here. Prediction-powered inference does not assume this: a random part of the items is
verified and shows the judge's error. Items must be independent.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from proctor.stats import checks
from proctor.stats.interval import Interval
from proctor.stats.proportions import Confusion, whole_counts


def rogan_gladen(observed: ArrayLike, sensitivity: ArrayLike, specificity: ArrayLike) -> np.ndarray:
    """True share behind an observed one: (observed + specificity - 1) / (sensitivity + specificity - 1).

    Shares that broadcast. Not clipped: below 0 when fewer pass than wrong answers alone would, above 1 likewise.
    It rises with the observed share. So of a judge whose rates are known for certain the limits are those of the
    observed share, corrected: rogan_gladen(wilson(k, n), sensitivity, specificity).
    Raises ValueError where sensitivity + specificity is not above 1. Rogan and Gladen (1978), Am. J. Epidemiology 107.
    """
    observed, sensitivity = shares(observed, "observed"), shares(sensitivity, "sensitivity")
    specificity = shares(specificity, "specificity")
    youden = sensitivity + specificity - 1
    if (youden <= 1e-12).any():  # a hair above 0 is rounding
        raise ValueError(
            f"sensitivity + specificity is {youden.min() + 1:.4g}: must be above 1. A judge at 1 says "
            "nothing about the answers, one below 1 the opposite: check that 1 means accepted and that "
            "the truth is not turned round, then take a better judge or calibrate it on more items"
        )
    return (observed + specificity - 1) / youden


def corrected_or_nan(observed: np.ndarray, sensitivity: np.ndarray, specificity: np.ndarray) -> np.ndarray:
    """`rogan_gladen`, NaN where it does not exist."""
    youden = sensitivity + specificity - 1
    exists = youden > 1e-12
    return np.where(exists, (observed + specificity - 1) / np.where(exists, youden, 1), np.nan)


def estimated_judge(
    k: int, n: int, calibration: Confusion, rng: np.random.Generator, resamples: int = 10_000, level: float = 0.95
) -> Interval:
    """Accuracy of n answers of which k passed a judge that was tried on other answers of known truth (`calibration`).

    Limits as in `drawn_limits`: the bootstrap and the delta method are too short for few answers of known truth
    (`hle_verified/4_corrections`). Raises ValueError if the calibration has no right or no wrong answers, or if
    sensitivity + specificity <= 1 in it or in most draws.
    """
    whole_counts(k, n)
    positives, negatives = calibration.tp + calibration.fn, calibration.tn + calibration.fp
    for size, kind, rate in ((positives, "right", "sensitivity"), (negatives, "wrong", "specificity")):
        if size == 0:
            raise ValueError(f"the calibration sample holds no {kind} answers: its {rate} is unknown; add some")
    share = rogan_gladen(k / n, calibration.tp / positives, calibration.tn / negatives)
    counts = [np.array([count], float) for count in (k, calibration.tp, calibration.tn)]
    limits = drawn_limits(corrected_or_nan, counts, (n, positives, negatives), rng, resamples, level)
    low, high, undefined = (float(found[0]) for found in limits)
    if np.isnan(low):
        raise ValueError(
            f"the correction does not exist in {undefined:.0f} of {resamples} draws: too little is known "
            "of the mistakes to correct for them; check more items"
        )
    share, low, high = np.clip([share, low, high], 0, 1).tolist()
    return Interval(share, low, high, level, "jeffreys", int(undefined), n=n, of="answers")


def drawn_limits(
    formula: Callable[..., np.ndarray],
    counts: Sequence[np.ndarray],
    sizes: Sequence[int],
    rng: np.random.Generator,
    resamples: int,
    level: float,
    effects: Sequence[float] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`percentiles` of formula(*shares), each share drawn from Beta(count + 1/2, rest + 1/2), the distribution whose
    own percentiles are the Jeffreys interval of one share (Brown, Cai and DasGupta 2001).

    counts: each (trials,). effects: of each count the design effect, an answer counting for 1 / effect. None: 1.
    formula gives NaN where it does not exist.
    """
    checks.share(level, "level")
    shape = len(counts[0]), checks.at_least_one(resamples, "resamples")
    drawn = [
        rng.beta((count[:, None] + 0.5) / effect, (size - count[:, None] + 0.5) / effect, shape)
        for count, size, effect in zip(counts, sizes, effects or [1.0] * len(counts))
    ]
    return percentiles(formula(*drawn), formula(*(count / size for count, size in zip(counts, sizes))), level)


def percentiles(values: np.ndarray, point: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Limits of drawn values (trials, draws), and how many are NaN. NaN where `point`, or more than half of them, is.

    They ("weibull") leave the stated share of further draws outside on average, however few draws there are.
    """
    tails = [(1 - level) / 2, (1 + level) / 2]
    undefined, limits = np.isnan(values).sum(axis=1), np.full((2, len(point)), np.nan)
    full, part = undefined == 0, (undefined > 0) & (undefined <= values.shape[1] / 2)
    limits[:, full] = np.quantile(values[full], tails, axis=1, method="weibull")
    if part.any():  # apart, since NaN makes the percentiles slow
        limits[:, part] = np.nanquantile(values[part], tails, axis=1, method="weibull")
    limits[:, np.isnan(point)] = np.nan
    return limits[0], limits[1], undefined


def ppi_limits(
    truth: ArrayLike,
    proxy: ArrayLike,
    rest: ArrayLike,
    proxy_weight: float | None = None,
    level: float = 0.95,
    pseudo: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Estimate, normal limits and weight of many prediction-powered means, each of shape (trials,).

    truth, proxy (trials, verified), rest (trials, others); without the first axis, numbers. The estimate is
    proxy_weight mean(rest) + mean(truth - proxy_weight proxy), variance proxy_weight^2 var(rest) / others + var(truth
    - proxy_weight proxy) / verified. With pseudo > 0 the limits, not the estimate, come from data with that many more
    items at each of the four corners.
    """
    truth, proxy, rest = (np.asarray(x, float) for x in (truth, proxy, rest))
    weight = (
        power_weight(truth, proxy, rest) if proxy_weight is None else np.full(truth.shape[:-1], float(proxy_weight))
    )
    estimate = truth.mean(axis=-1) + weight * (rest.mean(axis=-1) - proxy.mean(axis=-1))
    n, mean_truth, mean_proxy, var_truth, var_proxy, cov = _moments(truth, proxy, pseudo)
    used = power_weight(truth, proxy, rest, pseudo) if proxy_weight is None else weight
    centre = mean_truth + used * (rest.mean(axis=-1) - mean_proxy)
    off = np.maximum(var_truth - 2 * used * cov + used**2 * var_proxy, 0)  # may fall below 0 by rounding
    half = ndtri((1 + level) / 2) * np.sqrt(off / n + used**2 * rest.var(axis=-1, ddof=1) / rest.shape[-1])
    return estimate, centre - half, centre + half, weight


def power_weight(truth: ArrayLike, proxy: ArrayLike, rest: ArrayLike, pseudo: float = 0.0) -> np.ndarray:
    """The proxy's weight of least variance: cov(truth, proxy) / ((1 + verified / others) var(proxy)), shapes as above.

    The variance of the proxy is taken over all items, 0 giving weight 0. The weight is not held to [0, 1]: it is
    negative for a proxy that says the opposite. Angelopoulos, Duchi and Zrnic (2023), PPI++, section 6.
    """
    truth, proxy, rest = (np.asarray(x, float) for x in (truth, proxy, rest))
    n, *_, cov = _moments(truth, proxy, pseudo)
    every = np.concatenate([proxy, rest], axis=-1)
    total = every.shape[-1] + 4 * pseudo
    mean = (every.sum(axis=-1) + 2 * pseudo) / total
    spread = ((every**2).sum(axis=-1) + 2 * pseudo - total * mean**2) / (total - 1)
    flat = spread <= 1e-12
    return np.where(flat, 0.0, cov / np.where(flat, 1.0, spread) / (1 + n / rest.shape[-1]))


def _moments(truth: np.ndarray, proxy: np.ndarray, pseudo: float) -> tuple:
    """Items, means, variances and covariance (one degree of freedom less), with `pseudo` items at each corner."""
    n = truth.shape[-1] + 4 * pseudo
    mean_truth, mean_proxy = ((x.sum(axis=-1) + 2 * pseudo) / n for x in (truth, proxy))
    var_truth, var_proxy, cov = (
        (product.sum(axis=-1) + corners - n * means) / (n - 1)
        for product, corners, means in (
            (truth**2, 2 * pseudo, mean_truth**2),
            (proxy**2, 2 * pseudo, mean_proxy**2),
            (truth * proxy, pseudo, mean_truth * mean_proxy),
        )
    )
    return n, mean_truth, mean_proxy, var_truth, var_proxy, cov


def shares(values: ArrayLike, name: str) -> np.ndarray:
    """`values`, of any shape, as float64; ValueError names the first one outside [0, 1]."""
    checks.probability(np.ravel(values), name)
    return np.asarray(values, float)


def pass_rate(accuracy: ArrayLike, recall: float | np.ndarray, specificity: float | np.ndarray) -> np.ndarray:
    """Share of a model's answers that a validator accepts, if its verdicts depend on nothing but their truth.

    It rises with the accuracy, all being shares, exactly if recall + specificity > 1: such a validator ranks models
    as the truth does, up to chance.
    """
    accuracy = np.asarray(accuracy, float)
    return accuracy * recall + (1 - accuracy) * (1 - specificity)


def observed_accuracy(accuracy: ArrayLike, wrong_keys: ArrayLike, wrong_key_match_rate: ArrayLike = 0.0) -> np.ndarray:
    """Accuracy that noisy keys show, for true accuracies; the three are shares and broadcast.

    A share `wrong_keys` of the items, e below, carries a wrong key, whatever the answers are. On such an item a right
    answer is scored wrong, and a wrong one meets the wrong key with chance `wrong_key_match_rate`, h below: 0 for free
    answers, 1 / (options - 1) for letters guessed evenly, up to 1 where models and the key share one misconception:

        observed = a (1 - e) + (1 - a) e h = e h + (1 - e - e h) a        for a true accuracy a.

    A noisy key is a judge with sensitivity 1 - e and specificity 1 - e h. Where flaws are concentrated on some items
    (hard ones, say), the formula holds for each item's own chance and e, averaged over the items
    (`observed_accuracy(chance, e).mean(-1)`), but no longer for the two means, and the order of two models may be
    reversed (HLE-Verified, section 2.1).
    """
    wrong_keys, match = shares(wrong_keys, "wrong_keys"), shares(wrong_key_match_rate, "wrong_key_match_rate")
    return pass_rate(shares(accuracy, "accuracy"), 1 - wrong_keys, 1 - wrong_keys * match)
