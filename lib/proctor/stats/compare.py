"""Comparing models on the same 0/1 items: McNemar's exact test, and Holm's correction for many comparisons.

Also where only counts are known: bounds over every way in which two models can share their right answers. And a
strict validator with a loose one that accepts all that the strict one does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr
from scipy.stats import binomtest

from proctor.stats import checks
from proctor.stats.proportions import Confusion


@dataclass(frozen=True)
class McNemar:
    """Items that only the first model got right, items that only the second did, and the two-sided exact p-value."""

    only_a: int
    only_b: int
    p: float


def mcnemar(a: ArrayLike, b: ArrayLike) -> McNemar:
    """Exact McNemar test of 0/1 scores a and b, shape (items,). Items on which both agree carry no
    information; without disagreement p is 1."""
    a, b = checks.binary(a, "a"), checks.binary(b, "b")
    checks.same_length(a=a, b=b)
    return _exact(int((a > b).sum()), int((a < b).sum()))


def mcnemar_bounds(k_a: ArrayLike, k_b: ArrayLike, n: ArrayLike) -> tuple[McNemar, McNemar]:
    """McNemar's test where only the totals are known: k_a and k_b right of the same n items.

    The first result holds if they share as many right items as they can (smallest p), the second if they
    share as few (largest p). The truth lies between, and both ends can occur. Give arrays, one entry a stratum,
    where the totals are known for several disjoint sets of items.

    No other case needs a search. only_a - only_b does not depend on how many are shared, so p depends only on the
    number shared. One item less shared adds 1 to both; the tail P(X <= only_b), only_b being the smaller, then grows by
    (P(X = only_b + 1) - P(X = only_b)) / 4, which is never negative below the middle. If the two are equal, p is 1.
    """
    given = {name: np.atleast_1d(value) for name, value in (("k_a", k_a), ("k_b", k_b), ("n", n))}
    checks.same_length(**given)
    k_a, k_b, n = given.values()
    checks.at_least_one(n.sum(), "n")
    for name, k in given.items():
        bad = np.flatnonzero((k != np.rint(k)) | (k < 0) | (k > n))
        if len(bad):
            raise ValueError(f"{name} is {k[bad[0]]}: must be a whole number from 0 to n = {n[bad[0]]}")
    most, fewest = np.minimum(k_a, k_b), np.maximum(k_a + k_b - n, 0)
    first, last = (_exact(int((k_a - shared).sum()), int((k_b - shared).sum())) for shared in (most, fewest))
    return first, last


STRATA = {"accuracy": slice(0, 2), "recall": slice(0, 1), "specificity": slice(1, 2)}


def confusion_bounds(a: Confusion, b: Confusion, figure: str = "accuracy") -> tuple[McNemar, McNemar]:
    """Smallest and largest p of McNemar's test of two validators over the same items, known by their counts alone.

    figure: accuracy (right verdicts), recall (right verdicts on right answers) or specificity (on wrong ones). Right
    and wrong answers are strata: a verdict on one can't be shared with a verdict on the other. Raises ValueError if
    the tables differ in their right or wrong answers, as after a partial run: they can't be of the same items.
    """
    if figure not in STRATA:
        raise ValueError(f"figure is {figure!r}: must be one of {', '.join(STRATA)}")
    positives, negatives = _same_items([a, b], ["a", "b"])
    strata = [(a.tp, b.tp, positives), (a.tn, b.tn, negatives)]
    return mcnemar_bounds(*zip(*strata[STRATA[figure]]))


def against_reject_all(counts: Confusion) -> McNemar:
    """Exact McNemar test of a validator's accuracy against rejecting everything: no bounds needed.

    The baseline is right on every wrong answer and on no right one, so only the validator is right on the tp that it
    accepts, and only the baseline on the fp: accepting pays once precision is above 1/2.
    """
    return _exact(counts.tp, counts.fp)


@dataclass(frozen=True)
class Pair:
    """Two validators known by their counts: accuracy of a minus that of b in points, and the bounds of McNemar's p.

    p_low and p_high are those of the pair alone, holm_low and holm_high corrected over all pairs.
    """

    a: str
    b: str
    points: float
    p_low: float
    p_high: float
    holm_low: float
    holm_high: float
    verdict: str


def comparable(tables: Sequence[Confusion], names: Sequence[str], level: float = 0.05) -> list[Pair]:
    """Which of several validators over the same items differ in accuracy, as far as their counts can tell.

    "differs whatever the pairing": Holm's p is below `level` even if the two share as few right verdicts as they can.
    "does not differ under any pairing": it is not below `level` even if they share as many as they can.
    "cannot be told from margins": it depends on which items each got right, which the counts do not show.

    Holm's corrected p (Holm 1979) is the largest |I| min(p in I) over all sets I of pairs with the one asked for, at
    most 1. So it never falls as any p rises, and the corrected bounds contain the corrected p of the true pairing.
    All verdicts of the first kind may be claimed together: if items are independent, the chance that any is wrong is
    at most `level`. The second kind claims no equality: these items are too few to show a difference. Reconstructed
    counts must be the only ones that print so; otherwise try each solution.

    Raises ValueError, naming the row, if the tables differ in their right or wrong answers. `pandas.DataFrame(...)`
    of the result is a table.
    """
    checks.share(level, "level")
    checks.same_length(tables=tables, names=names)
    pairs = list(combinations(range(len(tables)), 2))
    if not pairs:
        return []
    _same_items(tables, names)
    p = np.array([[bound.p for bound in confusion_bounds(tables[i], tables[j])] for i, j in pairs])
    corrected = np.stack([holm(column) for column in p.T], axis=1)
    found = []
    for (i, j), (p_low, p_high), (low, high) in zip(pairs, p.tolist(), corrected.tolist()):
        verdict = (
            "differs whatever the pairing"
            if high < level
            else "does not differ under any pairing"
            if low >= level
            else "cannot be told from margins"
        )
        points = 100 * (tables[i].accuracy - tables[j].accuracy)
        found.append(Pair(names[i], names[j], points, p_low, p_high, low, high, verdict))
    return found


def _same_items(tables: Sequence[Confusion], names: Sequence[str]) -> tuple[int, int]:
    """Right and wrong answers, the same in all tables; ValueError names the first that has others."""
    sizes = [(table.tp + table.fn, table.fp + table.tn) for table in tables]
    for name, size in zip(names, sizes):
        if size != sizes[0]:
            raise ValueError(
                f"{names[0]} has {sizes[0][0]} right and {sizes[0][1]} wrong answers, {name} {size[0]} "
                f"and {size[1]}: not the same items, so they can't be paired; leave out such rows"
            )
    return sizes[0]


def _exact(only_a: int, only_b: int) -> McNemar:
    p = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    return McNemar(only_a, only_b, float(p))


def exact_p(only_a: ArrayLike, only_b: ArrayLike) -> np.ndarray:
    """Two-sided exact p-values of McNemar's test for whole arrays of discordant counts, which broadcast.

    Under chance 1/2 the distribution is symmetric, so p is twice the smaller tail, at most 1.

    >>> exact_p([0, 5, 3], [0, 5, 12]).round(4).tolist()
    [1.0, 1.0, 0.0352]
    """
    only_a, only_b = np.broadcast_arrays(np.asarray(only_a, float), np.asarray(only_b, float))
    return np.minimum(2 * bdtr(np.minimum(only_a, only_b), (only_a + only_b).astype(int), 0.5), 1.0)


def holm(p: ArrayLike) -> np.ndarray:
    """p-values (tests,) corrected for their number after Holm (1979): the k-th smallest times those not yet judged.

    As statsmodels' `multipletests`, without its garbage collection, which outlasts the rest of a leaderboard.

    >>> holm([0.04, 0.01, 0.03]).tolist()
    [0.06, 0.03, 0.06]
    """
    p = checks.finite(p, "p", 1)
    order = np.argsort(p)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return corrected


def discordant(scores: ArrayLike) -> np.ndarray:
    """How many items the row's model got right and the column's did not: (models, models), one matrix product.

    scores: 0/1 (models, items). Raises ValueError, naming model and item, for any other entry, NaN included.
    """
    scores = checks.finite(scores, "scores", 2)
    bad = np.argwhere((scores != 0) & (scores != 1))
    if len(bad):
        model, item = bad[0].tolist()
        raise ValueError(f"scores[{model}, {item}] is {scores[model, item]:g}: every entry must be 0 or 1")
    right: np.ndarray = scores.astype(
        np.float32 if scores.shape[1] < 2**24 else np.float64
    )  # float32 is exact up to 2**24
    return np.rint(right @ (1 - right).T).astype(int)


def pairwise(scores: ArrayLike) -> np.ndarray:
    """Holm-corrected McNemar p-values for all pairs of models, symmetric (models, models), 1 on the diagonal.

    scores: 0/1 (models, items). Holm keeps the chance of any false claim at the level at which p is read.
    """
    only = discordant(scores)
    p = np.ones(only.shape)
    i, j = np.triu_indices(len(only), 1)
    if len(i):
        p[i, j] = p[j, i] = holm(exact_p(only[i, j], only[j, i]))
    return p
