"""Effects of the studies of families-v2: two values of each item, paired, with whole families of questions as units.

Questions of one family are alike, so items are no independent evidence for other questions of this kind: families are.
The interval is Student's t over the families (`stats.compare.cluster_t_interval`), at 1 - 0.05 / k where k
effects are looked at together.
"""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from proctor.stats.compare import cluster_t_interval
from proctor.stats.interval import Interval
from proctor.stats.power import needed_by


def over_families(
    values: pd.Series, families: pd.Series, family: int = 1, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    """The mean of items' values with families of questions as the units: Student's over families, ready for
    `Output.claim`, which reads n, of and family from it.

    values: of each item, in `bounds`: 0/1 for right, or the mean of its samples; -1 to 1 for a difference of two models
    on it. Items without a value or a family are left out. families: of each item, with the same index. family:
    comparisons that are looked at together; the level is 1 - 0.05 / family.

    >>> items = pd.Index(range(6))
    >>> found = over_families(pd.Series([1, 1, 1, 0, 1, 1.0], items), pd.Series(list("aabbcc"), items))
    >>> round(found.estimate, 2), found.n, found.of
    (0.83, 3, 'families of questions')
    """
    known = with_family(values.astype(float), families)
    labels = families.reindex(known.index)
    found = cluster_t_interval(known.to_numpy(), labels.to_numpy(), 1 - 0.05 / family, bounds)
    return replace(found, n=labels.nunique(), of="families of questions", family=family)


def paired_effects(pairs: Mapping[str, tuple[pd.Series, pd.Series]], families: pd.Series) -> pd.DataFrame:
    """One row per effect: effect, first, second (means), difference, low, high, items, families, needed.

    pairs: by name the two values of each item, in [0, 1]; items that lack one are left out, and those without a family.
    All series have the items as index. Intervals are of all effects together (`over_families`). needed: families with
    which this interval, at its level, would show the estimate with a chance of 80 %, if it were true.

    >>> items = pd.Index(range(6)); families = pd.Series(list("aabbcc"), items)
    >>> one, other = pd.Series([1, 1, 1, 0, 1, 1.0], items), pd.Series([0, 0, 1, 0, 0, 1.0], items)
    >>> found = paired_effects({"gain": (one, other)}, families).iloc[0]
    >>> float(found["difference"]), int(found["items"]), int(found["families"])
    (0.5, 6, 3)
    """
    rows = []
    for name, (first, second) in pairs.items():
        gap = with_family(first.astype(float) - second.astype(float), families)
        found = over_families(gap, families, len(pairs), (-1.0, 1.0))
        row = dict(effect=name, first=first.reindex(gap.index).mean(), second=second.reindex(gap.index).mean())
        row |= dict(difference=found.estimate, low=found.low, high=found.high, items=len(gap), families=found.n)
        rows.append(row | dict(needed=needed_by(found, found.n)))
    return pd.DataFrame(rows)


def with_family(values: pd.Series, families: pd.Series) -> pd.Series:
    """The values of items that have one and that have a family; a filter may have taken families away."""
    return values[values.notna() & values.index.isin(families.index)]


def families_of(rows: pd.DataFrame, item: str = "question_id") -> pd.Series:
    """The family (column category) of each item, by its id."""
    return rows.drop_duplicates(item).set_index(item)["category"]
