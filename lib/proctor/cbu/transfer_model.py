"""When can utility tell right from wrong? A model of two chances (CBU). Simulated.

After a right candidate each rollout succeeds with chance r, after a wrong one with chance w, after none with chance b.
"""

import numpy as np
from scipy.stats import binom

from proctor.stats import checks


def order_chance(r: float, w: float, rollouts: int) -> float:
    """Chance that the utilities from so many rollouts rank a right candidate above a wrong one, ties half: exact.

    >>> round(order_chance(0.5, 0.5, 8), 3), round(order_chance(0.8, 0.2, 8), 3)
    (0.5, 0.996)
    """
    k = np.arange(checks.at_least_one(rollouts, "rollouts") + 1)
    return float(binom.pmf(k, rollouts, r) @ (binom.cdf(k, rollouts, w) - binom.pmf(k, rollouts, w) / 2))
