"""One row per group of a table, with estimates and their intervals as columns."""

from collections.abc import Callable, Sequence

import pandas as pd

from proctor.stats.interval import Interval


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
