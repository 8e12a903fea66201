"""When do ranks by a validator's acceptance equal ranks by truth? (UQ, appendix B.3, finding 5, Figure S7.)

Simulations: `accuracies` (models,) are assumed; `recall` and `specificity` (validators,) are those of validators of
Table S10. Arrays of acceptances have shape (trials, validators, models), right answers (trials, models).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

BLOCK = 4_000_000  # normal deviates drawn at a time


def simulate_acceptances(
    accuracies: ArrayLike,
    recall: ArrayLike,
    specificity: ArrayLike,
    n: int,
    trials: int,
    rng: np.random.Generator,
    preference: ArrayLike = 0.0,
    correlation: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """(right, accepted): counts of n answers of each model, all validators judging the same answers.

    preference: extra acceptance, one for all models or one each, of right and wrong answers alike. correlation: of the
    validators' latent scores of one answer (Gaussian copula): 0, independent verdicts; 1, whatever a stricter validator
    accepts, a looser one accepts too.
    """
    accuracies, recall, specificity = (np.asarray(given, float) for given in (accuracies, recall, specificity))
    right = rng.binomial(n, accuracies, (trials, len(accuracies)))
    extra = np.broadcast_to(np.asarray(preference, float), accuracies.shape)
    of_right = np.clip(recall[:, None] + extra, 0, 1)
    of_wrong = np.clip(1 - specificity[:, None] + extra, 0, 1)
    if correlation == 0:
        accepted = rng.binomial(right[:, None, :], of_right) + rng.binomial(n - right[:, None, :], of_wrong)
        return right, accepted
    accepted = np.empty((trials, *of_right.shape), int)
    bars = ndtri(of_right).astype(np.float32)[..., None], ndtri(of_wrong).astype(np.float32)[..., None]
    common, own = np.float32(np.sqrt(correlation)), np.float32(np.sqrt(1 - correlation))
    step = max(BLOCK // (of_right.size * n), 1)
    for start in range(0, trials, step):
        some = right[start : start + step]
        truth = np.arange(n) < some[:, None, :, None]  # answers of a model: the right ones first
        shared = rng.standard_normal((len(some), 1, len(accuracies), n), dtype=np.float32)
        single = rng.standard_normal((len(some), *of_right.shape, n), dtype=np.float32)
        accepted[start : start + step] = (common * shared + own * single < np.where(truth, *bars)).sum(axis=-1)
    return right, accepted


def keeps_order(right: np.ndarray, accepted: np.ndarray) -> np.ndarray:
    """Whether no pair of models is ranked against the truth of the same answers, shape (trials, validators)."""
    i, j = np.triu_indices(right.shape[-1], 1)
    truth = (right[:, i] - right[:, j])[:, None, :]
    return ((accepted[..., i] - accepted[..., j]) * truth >= 0).all(axis=2)


def models_first(accepted: np.ndarray) -> np.ndarray:
    """How many models come first, alone or shared, under at least one validator, shape (trials,)."""
    return (accepted == accepted.max(axis=2, keepdims=True)).any(axis=1).sum(axis=1)
