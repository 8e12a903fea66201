"""How good is a validator? Published rows turned back into counts, with exact and bootstrap limits."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from proctor.data.published import load_published
from proctor.stats.bootstrap import Interval
from proctor.stats.proportions import Confusion, measures
from proctor.stats.reconstruct import confusion_counts

PRINTED = ("accuracy", "precision", "recall")
NONE = Interval(np.nan, np.nan, np.nan, 0.95, "none")  # of a figure that does not exist


def reconstruct_table(
    name: str, sizes: Iterable[int], rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> pd.DataFrame:
    """The rows of a published validator table ("uq/table_S1") with every confusion table that prints so.

    One row a solution; a row without any keeps one line, its counts missing. sizes: numbers of items to try.
    solution, solutions: 1 of 6, say, or 0 of 0. Every measure of `proportions.measures` is computed from the counts:
    _low and _high are its exact limits, _boot_low and _boot_high those of a percentile bootstrap over the items.
    level: of both. The paper's own figures, in percent as printed, end in _printed.
    """
    rows = []
    for row in load_published(name).itertuples(index=False):
        found = confusion_counts(row.accuracy, row.precision, row.recall, sizes)
        known = dict(
            model=row.model,
            judges=row.judges,
            strategy=row.strategy,
            **{f"{figure}_printed": getattr(row, figure) for figure in PRINTED},
            solutions=len(found),
        )
        for i, table in enumerate(found, 1):
            counts = table.confusion
            rows.append(
                known
                | dict(
                    solution=i,
                    n=table.n,
                    positives=table.positives,
                    tp=counts.tp,
                    fp=counts.fp,
                    fn=counts.fn,
                    tn=counts.tn,
                )
                | _figures(counts, rng, resamples, level)
            )
        if not found:
            rows.append(known | {"solution": 0})
    frame = pd.DataFrame(rows)
    return frame.astype({column: "Int64" for column in ("n", "positives", "tp", "fp", "fn", "tn")})


def counts_of(row) -> Confusion:
    """The confusion table of one row of `reconstruct_table` that has counts."""
    return Confusion(tp=int(row.tp), fp=int(row.fp), fn=int(row.fn), tn=int(row.tn))


def _figures(counts: Confusion, rng: np.random.Generator, resamples: int, level: float) -> dict[str, float | None]:
    """Every measure of one confusion table with its exact and its bootstrap limits."""
    found = {}
    for figure in measures(counts, rng, resamples, level):
        name = figure.measure
        found |= {
            name: figure.estimate,
            f"{name}_low": figure.exact_low,
            f"{name}_high": figure.exact_high,
            f"{name}_boot_low": figure.low,
            f"{name}_boot_high": figure.high,
        }
    return found
