"""The scores that strong judges gave to candidates whose truth is known, from public logs.

The source scores each of four candidates to a prompt, one right and three wrong, eight times with each judge. `V` is
the judge's plain prompt, `C` the one with criteria. Repeats of one judge on one candidate are no new items: items are
resampled.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval

PROMPTS = {"V": "", "C": "+criteria"}  # UQ's check: what the source writes behind the judge's name
RIGHT = 0  # the place of the right candidate


@dataclass(frozen=True)
class Scores:
    """By (judge, check): scores of shape (n, candidates, repeats), the right candidate first, NaN missing."""

    items: np.ndarray
    by: dict[tuple[str, str], np.ndarray]


def gather(verdicts: pd.DataFrame, judges: Sequence[str]) -> Scores:
    """The scores of each judge and prompt on the items that all of them scored.

    verdicts: as `logs.verdicts("judge_scores")`. A prompt that a judge was not given is left out. Raises ValueError
    for items without exactly one right candidate, with fewer candidates than others, and where no item is shared.
    """
    wide = {}
    for judge in judges:
        for check, suffix in PROMPTS.items():
            part = verdicts[verdicts["judge"] == judge + suffix]
            if len(part):
                wide[judge, check] = _wide(part, judge + suffix)
    shared = None
    for table in wide.values():
        shared = table.index if shared is None else shared.intersection(table.index)
    if shared is None or not len(shared):
        raise ValueError(f"no item was scored by all of {', '.join(judges)}")
    candidates = next(iter(wide.values())).columns.get_level_values(0).nunique()
    return Scores(
        shared.to_numpy(),
        {key: table.loc[shared].to_numpy(float).reshape(len(shared), candidates, -1) for key, table in wide.items()},
    )


def percentile(values: np.ndarray, level: float = 0.95) -> Interval:
    """The interval of a statistic: values[0] on the data, the rest on resamples; undefined ones are left out.

    NaN throughout where the statistic does not exist on the data.
    """
    rest = values[1:][np.isfinite(values[1:])]
    if not np.isfinite(values[0]):
        return Interval(np.nan, np.nan, np.nan, level, "none", len(values) - 1 - len(rest))
    low, high = np.quantile(rest, [(1 - level) / 2, (1 + level) / 2])
    estimate = float(values[0])
    return Interval(estimate, min(low, estimate), max(high, estimate), level, "percentile", len(values) - 1 - len(rest))


def _wide(part: pd.DataFrame, name: str) -> pd.DataFrame:
    """Index item; columns (candidate, repeat), the right candidate first."""
    truth = part.drop_duplicates(["item", "candidate"])
    wrong = truth.groupby("item", observed=True)["truth"].agg(["sum", "count"])
    if (wrong["sum"] != 1).any() or wrong["count"].nunique() != 1:
        raise ValueError(f"{name}: each item needs one right candidate, and as many wrong ones as the others")
    right = truth[truth["truth"] == 1]["candidate"].astype(str).unique()
    names = part["candidate"].astype(str)
    order = [*right, *sorted(set(names) - set(right))]
    if len(right) != 1:
        raise ValueError(f"{name}: call the right candidate alike in all items; found {', '.join(right)}")
    table = part.assign(candidate=names).pivot(index="item", columns=["candidate", "repeat"], values="score")
    return table.reindex(columns=pd.MultiIndex.from_product([order, sorted(part["repeat"].unique())]))
