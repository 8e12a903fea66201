"""Agreement of any number of raters, with gaps, beyond chance: Krippendorff's alpha."""

from collections.abc import Hashable, Sequence

import krippendorff
import numpy as np
from numpy.typing import ArrayLike

from proctor.stats import bootstrap, checks
from proctor.stats.bootstrap import Interval


def alpha(ratings: Sequence[Sequence[Hashable | None]], ordered: bool = False) -> float | None:
    """Krippendorff's alpha (2019, ch. 12): 1 - observed / expected disagreement, by the library of its name.

    ratings: shape (raters, items); None or NaN where a rater gave no label (an unreadable verdict). Items with fewer
    than two labels drop out. ordered: the labels are numbers on an ordered scale, and two differ by the scores given
    between them; otherwise any two labels differ equally. 1 is full agreement, 0 what chance gives if all labels were
    shuffled over raters and items, below 0 is worse. None where no two labels that can be paired differ.

    >>> alpha([["Y", "N", "Y"], ["Y", "N", None]])
    1.0
    """
    if not np.iterable(ratings[0]):
        raise ValueError("ratings has one axis: give a table (raters, items)")
    rows = [list(row) for row in ratings]
    checks.same_length(**{f"ratings[{i}]": row for i, row in enumerate(rows)})
    items = [[label for label in item if label is not None and label == label] for item in zip(*rows)]
    labels = {label for item in items if len(item) > 1 for label in item}
    if len(labels) < 2:
        return None
    if ordered and not all(np.isfinite(label) for label in labels):  # type: ignore[call-overload]
        raise ValueError("ratings (raters, items) holds an infinite score: give finite numbers, None or NaN for none")
    known = {label: place for place, label in enumerate(sorted(labels) if ordered else labels)}  # type: ignore[type-var]
    table = np.array([[known.get(label, np.nan) for label in row] for row in rows], float)
    return float(krippendorff.alpha(table, level_of_measurement="ordinal" if ordered else "nominal"))


def alpha_interval(
    scores: ArrayLike, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Interval:
    """`alpha` of ordered scores (raters, items), NaN for none, with its percentile bootstrap interval over items.

    Whole items are drawn, with all their scores. Resamples without alpha are left out and counted. Raises ValueError
    where alpha is undefined on the data.
    """
    return bootstrap.statistic_interval(
        lambda rows: alpha(rows.T, ordered=True),
        [np.asarray(scores, float).T],
        rng,
        resamples,
        level,
        bounds=(-1.0, 1.0),
    )
