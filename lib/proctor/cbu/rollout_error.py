"""Rollouts that succeed or not: how far few of them lie from all (CBU, section 7.1, Figure 6), and how they order.

After a right candidate each rollout succeeds with chance r, after a wrong one with chance w.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom, hypergeom

from proctor.stats import checks


def expected_error(k: ArrayLike, pool: int, n: int, replace: bool = False) -> np.ndarray:
    """Exact mean distance of the share of successes among n rollouts, drawn from a pool of which k succeeded, from
    k / pool; shape of k.

    Without replacement the number that succeed is hypergeometric, and the error is 0 at n = pool; with, binomial.
    """
    k, pool, n = np.asarray(k), checks.at_least_one(pool, "pool"), checks.at_least_one(n, "n")
    if ((k < 0) | (k > pool) | (k % 1 != 0)).any():
        raise ValueError(f"k is {k}: whole numbers from 0 to the pool of {pool}")
    if n > pool and not replace:
        raise ValueError(f"n is {n}: a pool of {pool} has no more")
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
