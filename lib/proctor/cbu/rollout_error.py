"""How far an estimate from few rollouts lies from that of all of them (CBU, section 7.1, Figure 6); simulated transfer.

A rollout's score is 0 or 1 for a utility, 1 to 10 for a judge. The error of n rollouts out of a pool is the absolute
distance of their mean from the pool's mean, over the range that scores can take.

When can utility tell right from wrong? A model of two chances (CBU). Simulated.

After a right candidate each rollout succeeds with chance r, after a wrong one with chance w, after none with chance b.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from scipy.stats import binom, hypergeom

from proctor.stats import checks

RIGHT, WRONG = 5, 5  # candidates of a question: one human and four model solutions are right, five wrong (CBU, 4.2)


def expected_error(k: ArrayLike, pool: int, n: int, replace: bool = False) -> np.ndarray:
    """Exact mean error of n 0/1 rollouts drawn from a pool of which k succeeded, shape of k.

    Without replacement the number that succeed is hypergeometric, and the error is 0 at n = pool; with, binomial.
    """
    k, pool, n = _pool(k, pool, n, replace)
    x = np.arange(n + 1).reshape(-1, *[1] * k.ndim)
    chance = binom.pmf(x, n, k / pool) if replace else hypergeom.pmf(x, pool, k, n)
    return (chance * np.abs(x / n - k / pool)).sum(axis=0)


def subsample_error(
    scores: ArrayLike, n: int, rng: np.random.Generator, resamples: int = 200, span: float = 1.0, replace: bool = False
) -> np.ndarray:
    """The same by resampling, for any scores (candidates, rollouts): mean error of each candidate over `span`."""
    scores = checks.finite(scores, "scores", 2)
    pool, resamples = scores.shape[1], checks.at_least_one(resamples, "resamples")
    _pool(0, pool, n, replace)
    if not 0 < span < np.inf:
        raise ValueError(f"span is {span}: the range of the scores, above 0")
    total = np.zeros(len(scores))
    for _ in range(resamples):
        drawn = rng.integers(0, pool, n) if replace else rng.permutation(pool)[:n]
        total += np.abs(scores[:, drawn].mean(axis=1) - scores.mean(axis=1))
    return total / resamples / span


def transfer(
    questions: int,
    rng: np.random.Generator,
    base: float = -7.7,
    base_sd: float = 4.2,
    gain: float = 6.5,
    gain_sd: float = 4.7,
    noise: float = 0.3,
    slip: float = 0.7,
) -> tuple[np.ndarray, np.ndarray]:
    """Simulated utilities (questions, candidates) of five right and five wrong candidates, and labels (candidates,).

    On the logit scale: the solver's base on a question's neighbours, normal; what a right method adds there, normal, so
    that on some questions it adds nothing or misleads; and a little noise for each candidate. With a chance of `slip`
    one of a question's wrong candidates has the right method too, and lost the answer at the end. The defaults were
    chosen so that 64 rollouts give Acc@1, AUC and HumanWin within two points of GPT-OSS-120B's (CBU, section 5); all
    else about them is an assumption. Simulated evidence.
    """
    questions = checks.at_least_one(questions, "questions")
    correct = np.r_[np.ones(RIGHT), np.zeros(WRONG)]
    method = np.tile(correct, (questions, 1))
    method[:, RIGHT] = rng.random(questions) < slip
    easy, helps = rng.normal(base, base_sd, (questions, 1)), rng.normal(gain, gain_sd, (questions, 1))
    return expit(easy + helps * method + noise * rng.standard_normal(method.shape)), correct


def _pool(k: ArrayLike, pool: int, n: int, replace: bool) -> tuple[np.ndarray, int, int]:
    k, pool, n = np.asarray(k), checks.at_least_one(pool, "pool"), checks.at_least_one(n, "n")
    if ((k < 0) | (k > pool) | (k % 1 != 0)).any():
        raise ValueError(f"k is {k}: whole numbers from 0 to the pool of {pool}")
    if n > pool and not replace:
        raise ValueError(f"n is {n}: a pool of {pool} has no more without replacement")
    return k, pool, n


def order_chance(r: float, w: float, rollouts: int) -> float:
    """Chance that the utilities from so many rollouts rank a right candidate above a wrong one, ties half: exact.

    >>> round(order_chance(0.5, 0.5, 8), 3), round(order_chance(0.8, 0.2, 8), 3)
    (0.5, 0.996)
    """
    k = np.arange(checks.at_least_one(rollouts, "rollouts") + 1)
    return float(binom.pmf(k, rollouts, r) @ (binom.cdf(k, rollouts, w) - binom.pmf(k, rollouts, w) / 2))
