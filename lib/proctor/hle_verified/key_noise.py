"""What wrong keys do to accuracy, ranking and calibration.

The model of noise: a share `wrong_keys` of the items, e below, carries a wrong key, whatever the answers are. On such
an item a right answer is scored wrong, and a wrong answer meets the wrong key with chance `wrong_key_match_rate`, h
below: 0 for free answers, 1 / (options - 1) for letters guessed evenly, up to 1 where models and the key share one
misconception. Then

    observed = a (1 - e) + (1 - a) e h = e h + (1 - e - e h) a        for a true accuracy a.

A noisy key is a judge with sensitivity 1 - e and specificity 1 - e h. All are shares in [0, 1]. Where flaws are
concentrated on some items (hard ones, say), the formula holds for each item's own chance and e, averaged over the items
(`observed_accuracy(chance, e).mean(-1)`), but no longer for the two means, and the order of two models may be reversed
(HLE-Verified, section 2.1).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from proctor.stats import checks, judge_error
from proctor.stats.judge_error import Corrected, pass_rate, shares


@dataclass(frozen=True)
class NoisyExam:
    """A simulated exam. truth, scores (models, items): 1 for an answer that is right, and for one scored as right.

    flawed (items,): the key is wrong. wrong_key_match_rate: chance that a wrong answer meets a wrong key.
    """

    truth: np.ndarray
    scores: np.ndarray
    flawed: np.ndarray
    wrong_key_match_rate: float


def observed_accuracy(accuracy: ArrayLike, wrong_keys: ArrayLike, wrong_key_match_rate: ArrayLike = 0.0) -> np.ndarray:
    """Accuracy that the noisy keys show, for true accuracies; the three broadcast."""
    accuracy = shares(accuracy, "accuracy")
    wrong_keys, wrong_key_match_rate = (
        shares(wrong_keys, "wrong_keys"),
        shares(wrong_key_match_rate, "wrong_key_match_rate"),
    )
    return pass_rate(accuracy, 1 - wrong_keys, 1 - wrong_keys * wrong_key_match_rate)


def true_accuracy(observed: ArrayLike, wrong_keys: ArrayLike, wrong_key_match_rate: ArrayLike = 0.0) -> np.ndarray:
    """Accuracy behind an observed one; the three broadcast. Not clipped: outside [0, 1] where the model cannot hold.

    Raises ValueError where `shrinkage` is not above 0.
    """
    shrinkage(wrong_keys, wrong_key_match_rate)
    wrong_keys, wrong_key_match_rate = np.asarray(wrong_keys, float), np.asarray(wrong_key_match_rate, float)
    return judge_error.rogan_gladen(observed, 1 - wrong_keys, 1 - wrong_keys * wrong_key_match_rate)


def shrinkage(wrong_keys: ArrayLike, wrong_key_match_rate: ArrayLike = 0.0) -> np.ndarray:
    """1 - e (1 + h): what is left of the difference of two models. ValueError where it is not above 0."""
    wrong_keys, wrong_key_match_rate = (
        shares(wrong_keys, "wrong_keys"),
        shares(wrong_key_match_rate, "wrong_key_match_rate"),
    )
    left = 1 - wrong_keys * (1 + wrong_key_match_rate)
    if (left <= 1e-12).any():
        raise ValueError(
            f"wrong_keys * (1 + wrong_key_match_rate) is {1 - left.min():.4g}: must be below 1, or the exam rewards "
            "wrong answers as often as right ones; repair the keys, no correction can"
        )
    return left


def calibration_under_noise(
    confidence: ArrayLike, chance: ArrayLike, wrong_keys: ArrayLike, wrong_key_match_rate: ArrayLike = 0.0
) -> tuple[float, float]:
    """Root mean square gap of confidence and accuracy, with true keys and with noisy ones, without sampling error.

    confidence, chance (items,): stated, and the true chance of a right answer at that confidence. The gap c - a becomes
    c - a + e (a - h (1 - a)): with h = 0 an overconfident model looks worse by e a, a modest one better.
    A perfectly calibrated model (chance = confidence) shows e sqrt(mean((c - h (1 - c))^2)).
    """
    confidence, chance = checks.probability(confidence, "confidence"), checks.probability(chance, "chance")
    checks.same_length(confidence=confidence, chance=chance)
    seen = observed_accuracy(chance, wrong_keys, wrong_key_match_rate)
    return tuple(float(np.sqrt(np.mean((confidence - share) ** 2))) for share in (chance, seen))


def correct_for_keys(
    k: int,
    n: int,
    wrong: int,
    audited: int,
    rng: np.random.Generator,
    wrong_key_match_rate: float = 0.0,
    method: str = "jeffreys",
    resamples: int = 10_000,
    level: float = 0.95,
) -> Corrected:
    """Accuracy with sound keys of a model with k of n answers scored right, `wrong` of `audited` keys being wrong.

    The audit is a random sample of keys of the same kind; `wrong_key_match_rate` is taken as known. Methods as in
    `correction.judge_limits`, here with two shares, the observed one and that of the wrong keys. Raises ValueError if
    `shrinkage` is not above 0 in the audit, and as `correction.estimated_judge` does. When the audited items are among
    the n and say whether the answers were right, `correction.prediction_powered` assumes less.
    """
    judge_error.check_count(k, n, ("k", "n"))
    judge_error.check_count(wrong, audited, ("wrong", "audited"))
    raw = float(true_accuracy(k / n, wrong / audited, wrong_key_match_rate))
    limits = key_limits([k], n, [wrong], audited, rng, wrong_key_match_rate, method, resamples, level)
    return judge_error.single(k / n, raw, limits, resamples, level, method)


def key_limits(
    k: ArrayLike,
    n: int,
    wrong: ArrayLike,
    audited: int,
    rng: np.random.Generator,
    wrong_key_match_rate: float = 0.0,
    method: str = "jeffreys",
    resamples: int = 2_000,
    level: float = 0.95,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unclipped limits of many accuracies corrected for wrong keys: low, high, undefined draws, each (trials,).

    k (trials,): answers scored right, of n; wrong (trials,): keys found wrong, of `audited`. Else as `judge_limits`.
    """
    judge_error.check_settings(level, resamples, method)
    k, wrong = np.asarray(k, float), np.asarray(wrong, float)

    def formula(seen: np.ndarray, wrong_keys: np.ndarray) -> np.ndarray:
        left = 1 - wrong_keys * (1 + wrong_key_match_rate)
        return np.where(
            left > 1e-12, (seen - wrong_keys * wrong_key_match_rate) / np.where(left > 1e-12, left, 1), np.nan
        )

    seen, wrong_keys = k / n, wrong / audited
    point = formula(seen, wrong_keys)
    if method != "delta":
        return judge_error.drawn_limits(formula, [k, wrong], [n, audited], point, rng, method, resamples, level)
    slope = point * (1 + wrong_key_match_rate) - wrong_key_match_rate  # in wrong_keys, times what is left
    spread = seen * (1 - seen) / n + slope**2 * wrong_keys * (1 - wrong_keys) / audited
    half = ndtri((1 + level) / 2) * np.sqrt(spread) / (1 - wrong_keys * (1 + wrong_key_match_rate))
    return point - half, point + half, np.zeros(len(point), int)


def noisy_exam(chance: ArrayLike, wrong_keys: ArrayLike, appeal: ArrayLike, rng: np.random.Generator) -> NoisyExam:
    """Draw answers and keys item by item and score them against each other. Simulated evidence, never data.

    chance (models, items): of the right answer. wrong_keys: share of wrong keys, one number or (items,).
    appeal (wrong options,): how tempting each wrong option is, summing to 1. Wrong answers and wrong keys are drawn
    from it independently, so that wrong_key_match_rate is
    sum(appeal^2): 1 / options for even ones, 1 for a single misconception.
    """
    chance = checks.finite(chance, "chance", 2)
    checks.probability(chance.ravel(), "chance")
    wrong_keys, appeal = shares(wrong_keys, "wrong_keys"), checks.probability(appeal, "appeal")
    if abs(appeal.sum() - 1) > 1e-9:
        raise ValueError(f"appeal sums to {appeal.sum():g}: must sum to 1, it says which wrong option is taken")
    n_items = chance.shape[1]
    if wrong_keys.shape not in ((), (n_items,)):
        raise ValueError(f"wrong_keys has shape {wrong_keys.shape}: give one share, or one for each of {n_items} items")
    right, flawed = rng.random(chance.shape) < chance, rng.random(n_items) < wrong_keys
    # Option 0 is the right one.
    answers = np.where(right, 0, 1 + rng.choice(len(appeal), chance.shape, p=appeal))
    keys = np.where(flawed, 1 + rng.choice(len(appeal), n_items, p=appeal), 0)
    return NoisyExam(right.astype(float), (answers == keys).astype(float), flawed, float((appeal**2).sum()))
