"""What a gain by tools can be, where only its size is printed: counts, pairings, items needed, and the luck of five.

A gain is a difference of two accuracies on the same n items. On a share q of them the two runs differ; the gain's
standard error is sqrt(q - gain^2) / sqrt(n) (McNemar's setting).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import norm

from proctor.stats.compare import mcnemar_bounds
from proctor.stats.reconstruct import accuracy_counts

_RANGE_OF_FIVE = 2.326  # mean of the largest less the smallest of five standard normal numbers


def counts_of_gain(gain: float, n_items: int, most: int = 8) -> pd.DataFrame:
    """Right answers gained that print as the gain (points), for 1 to `most` answers to each item.

    as_printed: as one rounded number; as_difference: as a difference of two printed accuracies, so twice as loose.
    """
    rows = {}
    for s in range(1, most + 1):
        n = n_items * s
        exact = [c.k for c in accuracy_counts(f"{gain}", n, roundings=["half_up"])]
        loose = [k for k in range(n) if abs(100 * k / n - gain) < 0.01]
        rows[s] = dict(as_printed=exact, as_difference=loose)
    return pd.DataFrame(rows).T.rename_axis("answers to each item")


def pairing_bounds(gain: float, n_items: int, without: Sequence[float]) -> pd.DataFrame:
    """Smallest and largest p of McNemar's test of the gain over all pairings, by the accuracy without tools.

    gain: points, rounded down to whole items. without: shares. most_differ: percent of items on which the two runs
    differ in the pairing with the largest p.
    """
    k, rows = int(gain * n_items / 100), []
    for share in without:
        before = round(share * n_items)
        low, high = mcnemar_bounds(before + k, before, n_items)
        differ = 100 * (high.only_a + high.only_b) / n_items
        rows.append(dict(without_tools=share, most_differ=differ, p_low=low.p, p_high=high.p))
    return pd.DataFrame(rows)


def items_for_gain(gains: Sequence[float], differ: Sequence[float], power: float = 0.8) -> pd.DataFrame:
    """Items that show a gain (points) with chance `power`, two-sided 5 %, by the share of items that differ.

    n = (z.975 sqrt(q) + z.power sqrt(q - gain^2))^2 / gain^2 (Connor, Biometrics 43, 1987). Rows: gains.
    """
    q, g = np.asarray(differ, float), np.asarray(gains, float)[:, None] / 100
    if (g >= q).any():
        raise ValueError("a gain can't exceed the share of items that differ")
    needed = np.ceil((norm.ppf(0.975) * np.sqrt(q) + norm.ppf(power) * np.sqrt(q - g**2)) ** 2 / g**2)
    columns = [f"{100 * share:.0f} % differ" for share in q]
    return pd.DataFrame(needed.astype(int), index=pd.Index(gains, name="gain"), columns=columns)


def luck_of_five(largest: float, differ: Sequence[float], n_items: int) -> pd.DataFrame:
    """What luck alone does to five gains, by the share of items that differ; percent and points.

    chance: that the largest of five gains of 0 is at least `largest` in either direction. spread: points from the
    lowest to the highest of five equal gains, on average. Normal approximation.
    """
    luck = 100 * np.sqrt(np.asarray(differ, float) / n_items)
    chance = 100 * (1 - (2 * norm.cdf(largest / luck) - 1) ** 5)
    return pd.DataFrame(
        dict(differ=100 * np.asarray(differ, float), chance=chance, spread=_RANGE_OF_FIVE * luck)
    ).set_index("differ")


def lower_limit(gain: float, differ: ArrayLike, n_items: int, family: int = 1) -> np.ndarray:
    """Lower end of the gain's interval at 1 - 0.05 / family, points; NaN where the gain exceeds what differs."""
    q, g = np.asarray(differ, float), gain / 100
    half = 100 * norm.ppf(1 - 0.025 / family) * np.sqrt(np.maximum(q - g**2, 0) / n_items)
    return np.where(q >= g, gain - half, np.nan)
