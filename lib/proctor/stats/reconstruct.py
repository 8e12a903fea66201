"""From printed, rounded figures back to the whole-number counts that can have produced them.

A percentage printed to two decimals over n items leaves few counts possible; accuracy, precision and
recall together often leave one confusion table. Every search goes through all counts in exact arithmetic,
so an empty list proves that none exists. Figures are given as printed: "85.40" has two decimals, "85.4" one.

>>> [(t.tp, t.fp) for t in confusion_counts("85.40", "40.00", "24.62", n=500, positives=65)]
[(16, 24)]
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np
from scipy.stats import fisher_exact

from proctor.stats.proportions import Confusion
from proctor.stats.rounding import (
    ANY_PERCENT,
    MOST_ITEMS,
    ROUNDINGS,
    Figure,
    Span,
    count_limits,
    count_pairs,
    read_printed,
)

FIGURES = ("accuracy", "precision", "recall", "f1", "specificity", "npv", "balanced_accuracy", "kappa")
MIXED = FIGURES[-2:]  # no count over a number of items
MOST_TRIED = 10**7  # pairs of counts tried for one n: about a second and half a gigabyte


class TooMany(ValueError):
    """More tables to try than memory holds; the message says what would narrow the search."""


@dataclass(frozen=True)
class AccuracyCount:
    """k right of the n * samples answers prints as the given percentage under each of `roundings`."""

    k: int
    n: int
    roundings: tuple[str, ...]
    samples: int = 1


@dataclass(frozen=True)
class CountTable:
    """One confusion table that prints as the given accuracy, precision and recall under each of `roundings`."""

    n: int
    positives: int
    tp: int
    fp: int
    roundings: tuple[str, ...]

    @property
    def confusion(self) -> Confusion:
        fn = self.positives - self.tp
        return Confusion(tp=self.tp, fp=self.fp, fn=fn, tn=self.n - self.tp - self.fp - fn)

    def share(self, figure: str) -> Fraction | None:
        """One of FIGURES, exact; None where it is divided by 0."""
        part, whole = _parts(self.n, self.positives, self.tp, self.fp)[figure]
        return Fraction(part, whole) if whole else None

    @property
    def shares(self) -> dict[str, Fraction | None]:
        """accuracy, precision and recall, exact."""
        return {figure: self.share(figure) for figure in FIGURES[:3]}


@dataclass(frozen=True)
class Shares:
    """assignments: the ways in which exclusive parts can have counts that add up to n and print as the given
    percentages under each of `roundings`."""

    n: int
    assignments: int
    roundings: tuple[str, ...]


def accuracy_counts(
    accuracy: str | Decimal,
    n_values: int | Iterable[int],
    decimals: int | None = None,
    roundings: Sequence[str] = ROUNDINGS,
    samples: int | Iterable[int] = 1,
) -> list[AccuracyCount]:
    """All (k, n, samples) for which 100 k / (n samples) prints as `accuracy`, a percentage. Sorted by samples, n, k.

    samples: answers an item, over which the accuracy is averaged; a number or a range, as n_values is.
    """
    printed, sizes, repeats = read_printed(accuracy, "accuracy", decimals), _sizes(n_values), _sizes(samples)
    if sizes[-1] * repeats[-1] > MOST_ITEMS:
        raise ValueError(f"numbers of items times samples up to {sizes[-1] * repeats[-1]}: at most a million")
    found: dict[tuple, list[str]] = {}
    for rounding in roundings:
        for s in repeats.tolist():
            k, answers = count_pairs(printed.range(rounding), sizes * s)
            for n, right in zip((answers // s).tolist(), k.tolist()):
                found.setdefault((s, n, right), []).append(rounding)
    return [AccuracyCount(k, n, tuple(names), s) for (s, n, k), names in sorted(found.items())]


def confusion_counts(
    accuracy: str | Decimal | None,
    precision: str | Decimal | None,
    recall: str | Decimal | None,
    n: int | Iterable[int],
    positives: int | Iterable[int] | None = None,
    decimals: int | None = None,
    roundings: Sequence[str] = ROUNDINGS,
) -> list[CountTable]:
    """All confusion tables over n items that print as these three percentages; an empty list proves that none exists.

    n, positives: a number or a range of numbers; positives None means any. A figure that is None may be
    anything, which is quick for one n and one number of positives only. A table without positives, or
    without accepted items, has no recall or precision to print and is not a solution. The three figures of
    one table are rounded the same way; a table that fits several roundings is listed once, naming them.
    """
    printed = zip(FIGURES, (accuracy, precision, recall))
    figures = {name: value if value is None else read_printed(value, name, decimals) for name, value in printed}
    return count_tables(figures, n, positives, roundings)


def count_tables(
    figures: Mapping[str, Figure | None],
    n: int | Iterable[int],
    positives: int | Iterable[int] | None = None,
    roundings: Sequence[str] = ROUNDINGS,
) -> list[CountTable]:
    """All confusion tables that print as these of FIGURES, as in `confusion_counts`; None: whatever it is, it prints.

    Raises TooMany where accuracy, recall and positives leave too much open."""
    sizes = _sizes(n)
    allowed = np.arange(1, sizes[-1] + 1) if positives is None else _sizes(positives, least=0)
    allowed = allowed[allowed > 0] if "recall" in figures else allowed
    found: dict[tuple, list[str]] = {}
    for rounding in roundings:
        ranges = {name: figure.range(rounding) if figure else ANY_PERCENT for name, figure in figures.items()}
        recall, accuracy = (ranges.get(name, ANY_PERCENT) for name in ("recall", "accuracy"))
        first, last = count_limits(accuracy, sizes)
        able = np.flatnonzero(first <= last)
        reach = allowed[allowed <= sizes[able].max(initial=0)]
        least, most = count_limits(recall, reach)
        _refuse_too_many(np.maximum(most - least + 1, 0).sum(), sizes[-1])
        hits = np.array(count_pairs(recall, reach))  # true positives and positives, in the order of these
        for size, low, high in zip(sizes[able].tolist(), first[able], last[able]):
            errors, some = size - np.arange(low, high + 1), np.searchsorted(hits[1], size, "right")
            for key in _tables(ranges, size, errors, hits[:, :some]):
                found.setdefault(key, []).append(rounding)
    return [CountTable(*key, tuple(names)) for key, names in sorted(found.items())]  # type: ignore[call-arg]


def _refuse_too_many(tables: int, n: int) -> None:
    if tables > MOST_TRIED:
        raise TooMany(f"too many tables of {n} items to try: accuracy, recall or positives would narrow them")


def _tables(ranges: Mapping[str, Span], n: int, errors: np.ndarray, hits: np.ndarray) -> Iterable[tuple[int, ...]]:
    """(n, positives, tp, fp) of every table over n items with so many errors whose figures lie in their ranges. hits:
    the true positives and positives that recall allows, (2, pairs)."""
    _refuse_too_many(hits.shape[1] * len(errors), n)
    tp, positives = np.repeat(hits, len(errors), axis=1)
    fp = np.tile(errors, len(tp) // len(errors)) - (positives - tp)  # errors are false negatives and false positives
    cells = np.array([positives, tp, fp])[:, (fp >= 0) & (fp <= n - positives)]
    for name in sorted(ranges.keys() - {"accuracy", "recall"}, key=MIXED.count):  # these last, item by item
        if not cells.size:
            break
        part, whole = _parts(n, *cells)[name]
        if name in MIXED:
            shares = (Fraction(k, m) if m else None for k, m in zip(part.tolist(), whole.tolist()))
            fits = np.array([share is not None and 100 * share in ranges[name] for share in shares], bool)
        else:
            least, most = count_limits(ranges[name], np.broadcast_to(whole, part.shape))
            fits = (whole > 0) & (least <= part) & (part <= most)
        cells = cells[:, fits]
    return ((n, *key) for key in zip(*cells.tolist()))


def _parts(n: int, positives, tp, fp) -> dict[str, tuple]:
    """Of each of FIGURES, and of two more, what is divided by what, for counts or arrays of them."""
    fn, negatives = positives - tp, n - positives
    tn = negatives - fp
    chance = (tp + fp) * positives + (fn + tn) * negatives  # n^2 times the agreement by chance, for Cohen's kappa
    return {
        "accuracy": (tp + tn, n),
        "precision": (tp, tp + fp),
        "recall": (tp, positives),
        "f1": (2 * tp, tp + fp + positives),
        "specificity": (tn, negatives),
        "npv": (tn, tn + fn),
        "balanced_accuracy": (tp * negatives + tn * positives, 2 * positives * negatives),
        "kappa": (n * (tp + tn) - chance, n * n - chance),
        "accepted": (tp + fp, n),
        "positives": (positives, n),
    }


def agreement_counts(
    passed_a: str | Decimal | None,
    passed_b: str | Decimal | None,
    agreement: str | Decimal | None,
    n: int | Iterable[int],
    kappa: str | Decimal | None = None,
    roundings: Sequence[str] = ROUNDINGS,
) -> list[CountTable]:
    """All tables of two raters' pass or fail over n items that print as these figures; an empty list proves none.

    Rater a is read as the validator and b as the truth: tp are the items that both pass, fp those that a alone passes.
    passed_a, passed_b, agreement: percentages; kappa: from -1 to 1, or "-" where it is undefined. A figure that is None
    may be anything. The time grows with the product of the counts that each percentage leaves open: n**3 steps when all
    three are None.
    """
    printed = {"accepted": passed_a, "positives": passed_b, "accuracy": agreement}
    figures = {name: read_printed(value, name) for name, value in printed.items() if value is not None}
    if kappa not in (None, "-"):
        figure = read_printed(kappa, "kappa", least=-1, most=1)
        figures["kappa"] = Figure(figure.units, figure.decimals - 2)  # in percent, as the others
    tables = count_tables(figures, n, range(int(_sizes(n)[-1]) + 1), roundings)
    return [table for table in tables if kappa != "-" or table.share("kappa") is None]


def shares_of_whole(
    parts: Sequence[str | Decimal],
    n: int | Iterable[int],
    roundings: Sequence[str] = ROUNDINGS,
) -> list[Shares]:
    """Counts that print as these percentages of one whole of n items and add up to n; an empty list proves none.

    The parts exclude each other and leave nothing out. One entry for each n; where the roundings differ, several.
    """
    figures = [read_printed(part, f"parts[{i}]") for i, part in enumerate(parts)]
    found: dict[tuple, list[str]] = {}
    for size in _sizes(n).tolist():
        for rounding in roundings:
            limits = [count_limits(figure.range(rounding), np.array([size])) for figure in figures]
            low, high = ([int(limit[end][0]) for limit in limits] for end in (0, 1))
            if ways := _ways([b - a for a, b in zip(low, high)], size - sum(low)):
                found.setdefault((size, ways), []).append(rounding)
    return [Shares(*key, tuple(names)) for key, names in sorted(found.items())]  # type: ignore[call-arg]


@lru_cache(maxsize=4096)
def draw_probability(n: int, positives: int, total: int, total_positives: int) -> float:
    """Two-sided probability of `positives` among n items drawn at random, without replacement, from the total, by
    Fisher's exact test. 0 where the draw is impossible."""
    drawn, rest = (positives, n - positives), (total_positives - positives, total - total_positives - n + positives)
    return float(fisher_exact([drawn, rest]).pvalue) if min(*drawn, *rest) >= 0 else 0.0


def _ways(widths: Sequence[int], total: int) -> int:
    """In how many ways whole numbers from 0 to widths[i] add up to `total`."""
    if total < 0 or any(width < 0 for width in widths):
        return 0
    ways = [1] + [0] * total  # ways[t]: to make t out of the parts so far
    for width in widths:
        upto = [0, *accumulate(ways)]
        ways = [upto[t + 1] - upto[max(0, t - width)] for t in range(total + 1)]
    return ways[total]


def _sizes(values: int | Iterable[int], least: int = 1) -> np.ndarray:
    sizes = np.unique(np.atleast_1d(np.array(list(values) if isinstance(values, Iterable) else values)))
    if len(sizes) == 0 or not np.issubdtype(sizes.dtype, np.integer) or sizes[0] < least:
        raise ValueError(f"numbers of items {sizes}: give one or more whole numbers of at least {least}")
    if sizes[-1] > MOST_ITEMS:
        raise ValueError(f"numbers of items up to {sizes[-1]}: above a million the arithmetic may overflow")
    return sizes.astype(np.int64)
