"""Simulated responses of models to items, with accuracies that we choose. Simulated evidence, never data.

Item response: difficulty and discrimination of each item, and which few items are most informative.

The two-parameter logistic model (2PL; Birnbaum, in Lord and Novick, Statistical Theories of Mental Test Scores, 1968):
model m answers item i rightly with chance logistic(a_i (t_m - b_i)); t ability, b difficulty, a discrimination, all on
the logit scale. `item_responses` draws from it, `fit` goes the other way.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize
from scipy.special import expit

from proctor.stats import checks


@dataclass(frozen=True)
class Responses:
    """scores (models, items): mean over samples. chance (models, items): probability of a right answer.

    ability (models,), difficulty (items,), discrimination (items,), all on the logit scale.
    """

    scores: np.ndarray
    chance: np.ndarray
    ability: np.ndarray
    difficulty: np.ndarray
    discrimination: np.ndarray


def item_responses(
    accuracies: ArrayLike,
    n_items: int,
    rng: np.random.Generator,
    clusters: ArrayLike | None = None,
    discrimination_sd: float = 0.3,
    difficulty_sd: float = 1.0,
    cluster_sd: float = 0.5,
    samples: int = 1,
    interaction_sd: float = 0.0,
) -> Responses:
    """Draw scores from the two-parameter logistic item-response model.

    chance[m, i] = logistic(discrimination[i] * (ability[m] - difficulty[i])). Difficulty is normal, plus a
    normal effect for each cluster (a discipline, say); discrimination is log-normal with median 1. Each
    model's ability is then solved for, so that its mean chance over these very items is the accuracy
    asked for; the scores differ from it only by the random answers. With interaction_sd above 0 each
    model also finds each item easier or harder in its own way, a normal effect on the difficulty: without it all
    models agree on which items are hard, and more samples of the same items separate them almost as well as more
    items.

    accuracies (models,): shares strictly between 0 and 1 (no finite ability gives exactly 0 or 1). samples:
    answers drawn for each model and item.
    """
    accuracies = np.array([checks.share(accuracy, "accuracies") for accuracy in np.atleast_1d(accuracies)])
    n_items, samples = checks.at_least_one(n_items, "n_items"), checks.at_least_one(samples, "samples")
    difficulty = difficulty_sd * rng.standard_normal(n_items)
    if clusters is not None:
        codes, n_clusters = checks.cluster_index(clusters, n_items)
        difficulty += cluster_sd * rng.standard_normal(n_clusters)[codes]
    discrimination = np.exp(discrimination_sd * rng.standard_normal(n_items))
    own = np.tile(difficulty, (len(accuracies), 1))
    if interaction_sd > 0:
        own += interaction_sd * rng.standard_normal(own.shape)

    def surplus(ability: float, accuracy: float, difficulty: np.ndarray) -> float:
        return expit(discrimination * (ability - difficulty)).mean() - accuracy

    # No item's chance reaches the wanted accuracy below the first limit, and all exceed it above the second.
    logits = np.log(accuracies) - np.log1p(-accuracies)
    crossing = own + logits[:, None] / discrimination
    ability = np.array(
        [
            brentq(surplus, row.min() - 1e-6, row.max() + 1e-6, args=(accuracy, hard), xtol=1e-12)
            for row, accuracy, hard in zip(crossing, accuracies, own)
        ]
    )
    chance = expit(discrimination * (ability[:, None] - own))
    scores = rng.binomial(samples, chance) / samples
    return Responses(scores, chance, ability, difficulty, discrimination)


# Spreads of the normal priors. The first sets the unit of all three. Without the last an item that separates 42 models
# perfectly would have an infinite discrimination.
ABILITY_SD, DIFFICULTY_SD, LOG_DISCRIMINATION_SD = 1.0, 2.0, 0.5
RULES = ("information", "middling", "random")


@dataclass(frozen=True)
class Fit:
    """The most probable abilities (models,), difficulties and discriminations (items,)."""

    ability: np.ndarray
    difficulty: np.ndarray
    discrimination: np.ndarray


def fit(scores: ArrayLike, samples: int = 1) -> Fit:
    """Fit the 2PL to scores (models, items) in [0, 1], each the mean of `samples` answers.

    The joint maximum a posteriori: all parameters at once, with the priors above. Read orders and ratios, not values:
    the priors set the unit, and an item that few models met is pulled towards the middle.
    Raises ValueError if the search does not converge.
    """
    scores = checks.finite(scores, "scores", 2)
    samples = checks.at_least_one(samples, "samples")
    n_models, n_items = scores.shape
    able, easy = _logit_of_mean(scores), _logit_of_mean(scores.T)
    start = np.concatenate([able, able.mean() - easy, np.zeros(n_items)])
    options = {"maxiter": 2000, "maxfun": 4000, "ftol": 1e-12}
    found = minimize(loss, start, (scores, samples), "L-BFGS-B", True, options=options)
    if not found.success:
        raise ValueError(f"no fit after {found.nit} steps ({found.message}): too few models or items for it")
    t, b, log_a = np.split(found.x, [n_models, n_models + n_items])
    return Fit(t, b, np.exp(log_a))


def loss(x: np.ndarray, scores: np.ndarray, samples: int) -> tuple[float, np.ndarray]:
    """-log posterior at x = (abilities, difficulties, log discriminations), up to a constant, and its gradient."""
    n_models, n_items = scores.shape
    t, b, log_a = np.split(x, [n_models, n_models + n_items])
    a, distance = np.exp(log_a), t[:, None] - b
    logit = a * distance
    surplus = samples * (expit(logit) - scores)  # gradient by the logit of logaddexp(0, logit) - scores * logit
    softplus = np.maximum(logit, 0) + np.log1p(np.exp(-np.abs(logit)))  # logaddexp(0, logit), five times as fast
    value = samples * (softplus - scores * logit).sum()
    by_distance = surplus * a
    slope = np.concatenate([by_distance.sum(axis=1), -by_distance.sum(axis=0), (surplus * logit).sum(axis=0)])
    spread = np.repeat([ABILITY_SD, DIFFICULTY_SD, LOG_DISCRIMINATION_SD], [n_models, n_items, n_items])
    return float(value + ((x / spread) ** 2).sum() / 2), slope + x / spread**2


def _logit_of_mean(rows: np.ndarray) -> np.ndarray:
    """Logit of each row's mean, half a right and half a wrong answer added, so that it is finite."""
    mean = (rows.sum(axis=1) + 0.5) / (rows.shape[1] + 1)
    return np.log(mean / (1 - mean))


def information(ability: ArrayLike, difficulty: ArrayLike, discrimination: ArrayLike) -> np.ndarray:
    """Fisher information on the ability that one answer gives, shape (abilities, items): a^2 p (1 - p)."""
    t, b, a = (np.asarray(values, float) for values in (ability, difficulty, discrimination))
    p = expit(a * (t[:, None] - b))
    return a**2 * p * (1 - p)


def choose(scores: ArrayLike, rule: str, rng: np.random.Generator, samples: int = 1, ablest: float = 1.0) -> np.ndarray:
    """Items in the order in which to ask them, shape (items,), most informative first, by scores (models, items).

    information: most information at the abilities of the `ablest` share of the models, by a 2PL fit. middling: share
    right nearest to one half, which needs no fit. random: any order.
    """
    scores = checks.finite(scores, "scores", 2)
    shuffled = rng.permutation(scores.shape[1])  # so that ties fall by chance
    if rule == "random":
        return shuffled
    if rule == "middling":
        worth = -np.abs(scores.mean(axis=0) - 0.5)
    else:
        found = fit(scores, samples)
        at = np.sort(found.ability)[-max(1, round(ablest * len(found.ability))) :]
        # Rounded above the error of the fit: the arithmetic of a machine must not decide between two items.
        worth = information(at, found.difficulty, found.discrimination).mean(axis=0).round(3)
    return shuffled[np.argsort(-worth[shuffled], kind="stable")]
