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


def gather(scores: pd.DataFrame, judges: Sequence[str]) -> Scores:
    """The scores of each judge and prompt on the items that all of them scored.

    scores: as `logs.judge_scores()`. A prompt that a judge was not given is left out. Raises ValueError where no item
    is shared.
    """
    names = {(judge, check): judge + suffix for judge in judges for check, suffix in PROMPTS.items()}
    known = scores.index.unique("judge")
    tables = {key: scores.loc[name] for key, name in names.items() if name in known}
    shared = sorted(set.intersection(*(set(table.index) for table in tables.values()))) if tables else []
    if not shared:
        raise ValueError(f"no item was scored by all of {', '.join(judges)}")
    shape = (len(shared), *scores.columns.levshape)
    return Scores(np.array(shared), {key: table.loc[shared].to_numpy().reshape(shape) for key, table in tables.items()})


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
