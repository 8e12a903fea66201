"""An estimate with its interval, the intervals of data that never vary or are not there, and tables by group."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from proctor.stats.proportions import clopper_pearson


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval.

    `method` is the one used: percentile, percentile centred, score, newcombe, cluster t, exact, range, wilson or
    none; "not in the table" where the rows that it is about are not there. `undefined` counts the resamples in which
    the statistic did not exist; they are left out. Where the data hold no such statistic, or too little for an
    interval, limits are NaN (`no_interval`), and a claim that rests on them is "cannot tell".

    n, of: how many units were resampled, and what they are; unit: of the numbers ("points"); family: the number of
    comparisons that it stands in. `Output.claim` reads them.
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    undefined: int = 0
    n: int | None = None
    of: str = ""
    unit: str = ""
    family: int = 1

    def scaled(self, factor: float) -> "Interval":
        """The same in another unit, such as 100 for percent: estimate and limits times `factor`, which is positive.

        >>> Interval(0.5, 0.25, 0.75, 0.95, "percentile").scaled(100).high
        75.0
        """
        return replace(self, estimate=factor * self.estimate, low=factor * self.low, high=factor * self.high)

    def columns(self, name: str) -> dict[str, float]:
        """Three cells of a row of a table: <name>, <name>_low, <name>_high.

        >>> Interval(0.5, 0.25, 0.75, 0.95, "percentile").columns("share")
        {'share': 0.5, 'share_low': 0.25, 'share_high': 0.75}
        """
        return {name: self.estimate, f"{name}_low": self.low, f"{name}_high": self.high}


def no_interval(level: float, estimate: float = np.nan, undefined: int = 0) -> Interval:
    """What is returned where the data are too few for an interval: limits NaN, and the estimate if there is one."""
    return Interval(estimate, np.nan, np.nan, level, "none", undefined)


def exact_interval(value: float, n_units: int, level: float, bounds: tuple[float, float]) -> Interval:
    """Interval for a mean when all n_units independent units gave the same `value`.

    With the stated confidence, at most a share u of the population differs from `value`, u being the
    Clopper-Pearson bound for none of n_units; the mean is lowest and highest when that share sits at the
    ends of `bounds`. For 0/1 scores this is the Clopper-Pearson interval itself. Clusters count as one unit each.
    """
    low, high = bounds
    if not low <= value <= high:
        raise ValueError(
            f"every resample gave {value:g}, which is outside bounds {bounds}: no interval can be had; "
            "pass the range that scores can take as bounds=(low, high)"
        )
    u = clopper_pearson(0, n_units, level)[1]
    return Interval(value, value - u * (value - low), value + u * (high - value), level, "exact")


def by_group(frame: pd.DataFrame, by: Sequence[str], **columns: Callable[[pd.DataFrame], object]) -> pd.DataFrame:
    """One row per group, in the order of first appearance: each column is its function of the group's rows.

    An Interval fills three columns: <name>, <name>_low, <name>_high.

        by_group(answers, ["model"], n=len, accuracy=lambda rows: mean_interval(rows["correct"], rng))

    >>> frame = pd.DataFrame({"model": ["a", "a", "b"], "right": [1, 0, 1]})
    >>> by_group(frame, ["model"], right=lambda rows: rows["right"].sum())["right"].tolist()
    [1, 1]
    """
    rows = []
    for keys, part in frame.groupby(list(by), sort=False):
        row = dict(zip(by, keys, strict=True))
        for name, function in columns.items():
            value = function(part)
            row |= value.columns(name) if isinstance(value, Interval) else {name: value}
        rows.append(row)
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*by, *columns])
