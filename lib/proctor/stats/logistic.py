"""Many small logistic regressions at once, penalised, with free weights or with weights that may not be negative.

design = np.stack([np.column_stack([np.ones(len(y)), x]) for x in (scores_a, scores_b)])     # two fits
weights = positive_logistic(design, y, ridge=1.0)
"""

from itertools import combinations as choose

import numpy as np
from scipy.special import expit

STEPS = 50  # of Newton's method, at most


def logistic(
    design: np.ndarray, correct: np.ndarray, ridge: float = 1.0, start: np.ndarray | None = None
) -> np.ndarray:
    """Weights (fits, 1 + features) of penalised logistic regressions with one outcome (n,), by Newton's method.

    design: (fits, n, 1 + features), the first column the constant, which is not penalised. start: weights to begin at.
    """
    penalty = np.r_[0.0, np.full(design.shape[2] - 1, ridge)]
    across = design.transpose(0, 2, 1)
    weights = np.zeros((len(design), design.shape[2])) if start is None else start
    least, linear = _loss(design, correct, weights, ridge)
    for _ in range(STEPS):
        chance = expit(linear)
        slope = (across @ (chance - correct)[:, :, None])[:, :, 0] + penalty * weights
        curve = (across * (chance * (1 - chance))[:, None, :]) @ design + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        for _ in range(STEPS):  # shorter where a whole step would go too far
            loss, linear = _loss(design, correct, weights - step, ridge)
            too_far = loss > least + 1e-9 * np.abs(least)
            if not too_far.any():
                break
            step = np.where(too_far[:, None], step / 2, step)
        weights, least = weights - step, loss
        if np.abs(step).max() < 1e-4:  # what is left is of the order of its square
            break
    return weights


def _loss(design: np.ndarray, correct: np.ndarray, weights: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """The penalised loss of each fit (fits,), and its linear predictors (fits, n)."""
    linear = (design @ weights[:, :, None])[:, :, 0]
    loss = (np.logaddexp(0, linear) - correct * linear).sum(axis=1)
    return loss + ridge / 2 * (weights[:, 1:] ** 2).sum(axis=1), linear


def positive_logistic(
    design: np.ndarray, correct: np.ndarray, ridge: float = 1.0, start: np.ndarray | None = None
) -> np.ndarray:
    """`logistic` with all weights but the constant's at least 0.

    The loss is convex, so the optimum is that of some of the features alone, the best of those without a negative
    weight.
    """
    found = logistic(design, correct, ridge, start)
    against = np.flatnonzero((found[:, 1:] < 0).any(axis=1))
    some, features = design[against], design.shape[2] - 1
    best, least = np.zeros((len(against), features + 1)), np.full(len(against), np.inf)
    for size in range(features if len(against) else 0):
        for kept in choose(range(1, features + 1), size):
            weights = np.zeros_like(best)
            weights[:, [0, *kept]] = logistic(some[:, :, [0, *kept]], correct, ridge)
            loss = _loss(some, correct, weights, ridge)[0]
            better = (weights[:, 1:] >= 0).all(axis=1) & (loss < least)
            best[better], least[better] = weights[better], loss[better]
    found[against] = best
    return found
