"""Do judges of pairs follow the order in which the two outputs are shown? Verdicts in both orders, with known truth."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval, paired_difference, resample_means
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


def order_table(
    verdicts: pd.DataFrame,
    judges: Sequence[str],
    prompts: Sequence[str],
    rng: np.random.Generator,
    resamples: int = 2_000,
    level: float = 0.95,
) -> pd.DataFrame:
    """A row a judge and prompt: pairs, unreadable, and each of FIGURES with its limits (_low, _high)."""
    rows = []
    for judge in judges:
        for prompt in prompts:
            part = verdicts[(verdicts["judge"] == judge) & (verdicts["prompt"] == prompt)]
            if part.empty:
                continue
            found = order_effects(part, rng, resamples, level)
            row = {"judge": judge, "prompt": prompt, "pairs": found.pairs, "unreadable": found.unreadable}
            for figure in FIGURES:
                value = getattr(found, figure)
                row |= {figure: value.estimate, f"{figure}_low": value.low, f"{figure}_high": value.high}
            rows.append(row)
    return pd.DataFrame(rows)


def smallest_effects(
    verdicts: pd.DataFrame, judge: str, prompts: Sequence[str], rng: np.random.Generator, resamples: int = 2_000
) -> dict[str, Interval]:
    """Of each of FIGURES the smallest over the prompts, at the level of all of them together at 95 %."""
    table = order_table(verdicts, [judge], prompts, rng, resamples, 1 - 0.05 / len(prompts))
    least = table[[f"{figure}{end}" for figure in FIGURES for end in ("", "_low", "_high")]].min()
    how = 1 - 0.05 / len(prompts), f"min of {len(prompts)}"
    return {
        figure: Interval(least[figure], least[f"{figure}_low"], least[f"{figure}_high"], *how) for figure in FIGURES
    }


def more_changes(
    verdicts: pd.DataFrame,
    judge: str,
    others: Sequence[str],
    prompt: str,
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> list[Interval]:
    """How many more pairs in a hundred each other judge decides by the order than `judge` does; paired by item.

    Pairs with an unreadable verdict of either are left out. The level is that of all comparisons together at 95 %.
    """
    part = verdicts[verdicts["prompt"] == prompt].pivot(index=["judge", "item"], columns="repeat", values="vote")
    changed = (part[1] != part[2]).astype(float).where(part.notna().all(axis=1)).unstack("judge")
    level = 1 - 0.05 / len(others)
    found = []
    for other in others:
        both = changed[[judge, other]].dropna()
        found.append(paired_difference(both[other], both[judge], rng, resamples, level).scaled(100))
    return found
