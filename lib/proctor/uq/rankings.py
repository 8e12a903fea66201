"""When do ranks by a validator's acceptance equal ranks by truth? (UQ, appendix B.3, finding 5, Figure S7.)

Simulations: `accuracies` (models,) are assumed; `recall` and `specificity` (validators,) are those of validators of
Table S10. Arrays of acceptances have shape (trials, validators, models), right answers (trials, models).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri

from proctor.stats.proportions import wilson
from proctor.stats.self_preference import tipping_point
from proctor.uq.bias import PIPELINE

SIX = [  # ours: which six the paper takes, beyond the first and the last, is not in our text
    ("o3-mini", "V"),
    ("o3-mini", "C"),
    ("Claude Sonnet 3.7", "C"),
    ("o3", "V"),
    ("o3", "C x3 |M"),
    ("o3", PIPELINE),
]
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


def order_chances(
    validators: pd.DataFrame,
    accuracies: Sequence[float],
    preference: float,
    trials: int,
    rng: np.random.Generator,
    sizes: Sequence[int] = (100, 500, 100_000),
) -> pd.DataFrame:
    """Chance of a true order under each validator: columns order_<n>, and order_preferred with a preference.

    validators: rows with judges, strategy, recall, specificity, youden and its limits. preference: for the second
    model, at the largest size. tipping (with _low, _high): the preference that turns the first two models round.
    """
    found = validators[["judges", "strategy", "recall", "specificity", "youden"]].copy()
    gap = accuracies[0] - accuracies[1]
    found["tipping"] = tipping_point(gap, found["recall"], found["specificity"])
    for end in ("low", "high"):
        found[f"tipping_{end}"] = gap * validators[f"youden_{end}"]
    shares = found["recall"], found["specificity"]
    for n in sizes:
        kept = keeps_order(*simulate_acceptances(accuracies, *shares, n, trials, rng))
        found[f"order_{n}"] = kept.mean(axis=0)
    extra = np.where(np.arange(len(accuracies)) == 1, preference, 0.0)
    kept = keeps_order(*simulate_acceptances(accuracies, *shares, max(sizes), trials, rng, extra))
    found["order_preferred"] = kept.mean(axis=0)
    for column in [name for name in found if name.startswith("order_")]:
        limits = np.array([wilson(round(share * trials), trials, 0.95) for share in found[column]])
        found[f"{column}_low"], found[f"{column}_high"] = limits.T
    return found.sort_values("youden", ignore_index=True)


def first_places(
    validators: pd.DataFrame,
    accuracies: Sequence[float],
    sizes: Sequence[int],
    correlations: Sequence[float],
    trials: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Without any preference: in how many studies do four or more models come first under some validator?

    One row a number of answers and a correlation of the validators' acceptances: mean_first (models that come first
    somewhere), four_or_more with Wilson's limits (_low, _high), all of `trials` simulated studies.
    """
    rows = []
    for n in sizes:
        for rho in correlations:
            _, accepted = simulate_acceptances(
                accuracies, validators["recall"], validators["specificity"], n, trials, rng, correlation=rho
            )
            different = models_first(accepted)
            hits = int((different >= 4).sum())
            low, high = wilson(hits, trials, 0.95)
            row = dict(n=n, correlation=rho, mean_first=different.mean(), four_or_more=hits / trials)
            rows.append(row | dict(four_or_more_low=low, four_or_more_high=high, trials=trials))
    return pd.DataFrame(rows)
