"""Do judges of pairs follow the order in which the two outputs are shown? Verdicts in both orders, with known truth."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval, resample_means
from proctor.uq.frontier_judges import percentile

FIGURES = ("prefers_first", "changes", "right", "right_if_agreed", "gain")


class OrderEffects(NamedTuple):
    """Of one judge, in percent and points.

    prefers_first: how much more often an output is preferred when it is shown first than when it is shown second.
    changes: pairs whose verdict changes with the order. right: verdicts that are right, both orders counted.
    right_if_agreed: of the pairs on which both orders agree. gain: right_if_agreed less right.
    """

    pairs: int
    unreadable: int
    prefers_first: Interval
    changes: Interval
    right: Interval
    right_if_agreed: Interval
    gain: Interval


def order_effects(
    part: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> OrderEffects:
    """The order effects of one judge and prompt; pairs are resampled, those with an unreadable verdict are left out.

    part: rows of `logs.verdicts("llmbar")`: item, repeat (order 1 or 2), vote (1 for output 1), truth. Output 1 is
    shown first in order 1 and second in order 2.
    """
    votes = part.pivot(index="item", columns="repeat", values="vote")[[1, 2]]
    truth = part.drop_duplicates("item").set_index("item")["truth"].reindex(votes.index)
    read = votes.notna().all(axis=1)
    one, two, right = votes.loc[read, 1].to_numpy(), votes.loc[read, 2].to_numpy(), truth[read].to_numpy()
    agreed = one == two
    rows = np.array([one - two, ~agreed, np.mean([one == right, two == right], axis=0), agreed & (one == right)], float)
    means = 100 * np.column_stack([rows.mean(axis=1), resample_means(rows, resamples, rng)]).astype(float)
    with np.errstate(invalid="ignore"):  # a judge that always follows the order agrees nowhere
        if_agreed = 100 * means[3] / (100 - means[1])
    values = (means[0], means[1], means[2], if_agreed, if_agreed - means[2])
    return OrderEffects(int(read.sum()), int((~read).sum()), *(percentile(each, level) for each in values))
