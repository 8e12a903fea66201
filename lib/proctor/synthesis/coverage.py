"""How often do intervals contain the truth? Simulated exams whose true accuracy we chose.

Every result is a share of simulated exams and has a Wilson interval over these exams. A statement about several
cells (sizes, accuracies, correlations) uses `largest`, `smallest` or `largest_deviation`, which widen the intervals
for the number of cells (Bonferroni), so that the statement holds for all cells together.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval
from proctor.stats.interval_methods import limits_by_count
from proctor.stats.proportions import wilson
from proctor.stats.simulate import clustered_scores, item_responses


def coverage_by_method(
    sizes: Sequence[int], accuracies: Sequence[float], trials: int, rng: np.random.Generator, resamples: int = 4_000
) -> pd.DataFrame:
    """Coverage of nominal 95 % intervals: one row per method, number of items n and true accuracy p.

    An interval of 0/1 scores depends only on the number of right answers, so the intervals of all counts are computed
    once and a simulated exam is one binomial draw. Columns: method, n, p, trials, hits (intervals that contain p),
    coverage with its 95 % limits low and high, expected_rarer (right or wrong answers to expect, the fewer of the two).
    """
    rows = []
    for n in sizes:
        limits = limits_by_count(n, rng, resamples)
        for p in accuracies:
            right = rng.binomial(n, p, trials)
            for method, table in limits.items():
                found = bootstrap.held(*table[right].T, p)
                rows.append(
                    (method, n, p, trials, round(found.estimate * trials), found.estimate, found.low, found.high)
                )
    frame = pd.DataFrame(rows, columns=["method", "n", "p", "trials", "hits", "coverage", "low", "high"])
    frame["expected_rarer"] = (frame["n"] * np.minimum(frame["p"], 1 - frame["p"])).round(6)
    return frame


def exact_coverage(method: str, sizes: Sequence[int], accuracies: Sequence[float]) -> pd.Series:
    """Coverage of Wilson's or Clopper-Pearson's 95 % interval as a sum over all counts, by (n, p): no simulation."""
    found = {}
    for n in sizes:
        low, high = limits_by_count(n, np.random.default_rng(0), resamples=1)[method].T
        for p in accuracies:
            found[n, p] = float(binom.pmf(np.arange(n + 1), n, p)[(low <= p) & (p <= high)].sum())
    return pd.Series(found, name="coverage").rename_axis(["n", "p"])


def coverage_by_resampling(
    designs: Mapping[str, tuple[int, int]],
    correlations: Sequence[float],
    trials: int,
    rng: np.random.Generator,
    resamples: int = 1_000,
    share: float = 0.6,
) -> pd.DataFrame:
    """Coverage of percentile intervals that resample single items, or whole families of items.

    designs: {name: (families, items a family)}. correlations: of two items of one family. share: the true accuracy.
    Columns: design, correlation, resampled ("items" or "families"), trials, hits, coverage, low, high, design_effect
    (the variance of the accuracy relative to unrelated items).
    """
    rows = []
    for design, (families, size) in designs.items():
        for correlation in correlations:
            scores, labels = clustered_scores(families, size, share, correlation, trials, rng)
            for resampled, clusters in (("items", None), ("families", labels)):
                made = bootstrap.intervals(scores, rng, resamples, clusters=clusters)
                found = bootstrap.held([one.low for one in made], [one.high for one in made], share)
                hits = round(found.estimate * trials)
                effect = 1 + (size - 1) * correlation
                rows.append(
                    (design, correlation, resampled, trials, hits, found.estimate, found.low, found.high, effect)
                )
    columns = ["design", "correlation", "resampled", "trials", "hits", "coverage", "low", "high", "design_effect"]
    return pd.DataFrame(rows, columns=columns)


def pairing_gain(
    trials: int,
    n_items: int,
    rng: np.random.Generator,
    resamples: int = 1_000,
    accuracies: Sequence[float] = (0.62, 0.52),
) -> np.ndarray:
    """Which share of an interval's width pairing saves, shape (trials,): 1 - paired width / unpaired width.

    Two models of the given accuracies answer the same items, with item difficulties of standard deviation 2 (logits).
    """
    saved = []
    for _ in range(trials):
        scores = item_responses(accuracies, n_items, rng, difficulty_sd=2.0).scores
        paired = bootstrap.paired_difference(*scores, rng, resamples, method="percentile")
        one, other = (bootstrap.resample_means(row[None, :], resamples, rng)[0] for row in scores)
        saved.append(1 - (paired.high - paired.low) / np.ptp(np.quantile(one - other, [0.025, 0.975])))
    return np.array(saved)


def mean_interval(values: np.ndarray, rng: np.random.Generator, resamples: int = 4_000) -> Interval:
    """The mean over simulated trials, shape (trials,), with its bootstrap interval."""
    return bootstrap.statistic_interval(lambda x: x.mean(axis=-1), [values], rng, resamples, vectorized=True)


def largest(cells: pd.DataFrame) -> Interval:
    """The largest coverage of the cells (columns hits and trials), with an interval that holds for all cells."""
    limits = _limits(cells)
    return Interval(*limits.max(axis=0).tolist(), family_level(len(cells)), "wilson")


def smallest(cells: pd.DataFrame) -> Interval:
    """The smallest coverage of the cells, with an interval that holds for all cells."""
    limits = _limits(cells)
    return Interval(*limits.min(axis=0).tolist(), family_level(len(cells)), "wilson")


def largest_deviation(cells: pd.DataFrame, target: float = 0.95) -> Interval:
    """The largest distance of a cell's coverage from `target`, with an interval that holds for all cells."""
    limits = _limits(cells)
    distance = np.abs(limits - target)
    inside = (limits[:, 1] <= target) & (target <= limits[:, 2])
    nearest = np.where(inside, 0.0, distance[:, 1:].min(axis=1))
    return Interval(
        float(distance[:, 0].max()),
        float(nearest.max()),
        float(distance[:, 1:].max()),
        family_level(len(cells)),
        "wilson",
    )


def claimed(found: Interval, cells: pd.DataFrame) -> dict[str, Any]:
    """What `Output.claim` is told of an interval over several cells: in percent, with level, family and n."""
    numbers = dict(interval=found.scaled(100), level=found.level, family=len(cells))
    return numbers | dict(n=int(cells["trials"].iloc[0]), of="simulated exams a cell")


def family_level(comparisons: int) -> float:
    """The level of each of several intervals that gives 95 % for all together (Bonferroni).

    >>> family_level(1), round(family_level(10), 4)
    (0.95, 0.995)
    """
    return 1 - 0.05 / comparisons


def _limits(cells: pd.DataFrame) -> np.ndarray:
    """(coverage, low, high) of each cell, at the level for all cells together."""
    if cells.empty:
        raise ValueError("no cell is left to speak about: check the filter")
    level = family_level(len(cells))
    pairs = zip(cells["hits"].tolist(), cells["trials"].tolist())
    return np.array([(hits / trials, *wilson(hits, trials, level)) for hits, trials in pairs])
