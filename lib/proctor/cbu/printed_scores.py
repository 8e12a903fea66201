"""The facts that the text of the paper quotes, and bounds on the difference of two printed counts."""

import pandas as pd

from proctor.data.published import load_published
from proctor.stats.proportions import clopper_pearson

BACKBONES = ("qwen3_235b", "qwen3_30b", "gpt_oss_120b", "gpt_oss_20b")


def facts() -> pd.DataFrame:
    """The quoted facts by name: `value` as printed, `value_value` as a number."""
    return load_published("cbu/facts").set_index("fact")


def paired_bounds(k_a: int, k_b: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Limits of the difference k_a / n - k_b / n of two counts on the same n items, whatever items they share.

    For each number shared, the exact (Clopper-Pearson) interval of the share of discordant items that are a's; the
    result holds all of them.

    >>> low, high = paired_bounds(72, 66, 77)
    >>> round(low, 3), round(high, 3)
    (-0.036, 0.162)
    """
    found = []
    for both in range(max(0, k_a + k_b - n), min(k_a, k_b) + 1):
        only_a, only_b = k_a - both, k_b - both
        discordant = only_a + only_b
        ends = clopper_pearson(only_a, discordant, level) if discordant else (0.5, 0.5)
        found += [(2 * end - 1) * discordant / n for end in ends]
    return min(found), max(found)
