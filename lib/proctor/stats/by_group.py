"""One row per group of a table, with estimates and their intervals as columns."""

from collections.abc import Callable, Sequence

import pandas as pd

from proctor.stats.interval import Interval


def by_group(
    frame: pd.DataFrame, by: Sequence[str], *, total: str = "", **columns: Callable[[pd.DataFrame], object]
) -> pd.DataFrame:
    """One row per group, in the order of first appearance: each column is its function of the group's rows.

    An Interval fills three columns: <name>, <name>_low, <name>_high. total: the label, in the last of `by`, of one more
    row over all groups that share the other keys.

        by_group(answers, ["model"], n=len, accuracy=lambda rows: mean_interval(rows["correct"], rng))

    >>> frame = pd.DataFrame({"model": ["a", "a", "b"], "right": [1, 0, 1]})
    >>> by_group(frame, ["model"], total="all", right=lambda rows: rows["right"].sum())["right"].tolist()
    [1, 1, 2]
    """
    rows: list[dict] = []

    def add(keys: tuple, part: pd.DataFrame) -> None:
        row = dict(zip(by, keys, strict=True))
        for name, function in columns.items():
            value = function(part)
            if isinstance(value, Interval):
                row |= value.columns(name)
            else:
                row[name] = value
        rows.append(row)

    outer, inner = (list(by[:-1]), [by[-1]]) if total else ([], list(by))
    for keys, part in frame.groupby(outer, sort=False) if outer else [((), frame)]:
        for key, own in part.groupby(inner, sort=False):
            add((*keys, *key), own)
        if total:
            add((*keys, total), part)
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*by, *columns])
