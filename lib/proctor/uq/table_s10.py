"""What the printed rows of UQ's Tables S1 and S10 support: rows as counts, gains between rows with intervals.

    table = load_rows(rng)
    gain(table, ("o3", "3-Iter"), ("o3", "V"), "precision")      # in points, whatever the pairing

All rows judged the same answers, but only their totals are known, not on which answers two rows agree. A gain
therefore joins two exact intervals, each at half the error (Bonferroni): it holds whatever the pairing, and is hardly
wider than that of two rows that agree as little as their totals allow. A row whose printed figures fit no counts
bears no interval: its gains are NaN with limits (-inf, inf), so a claim on it reads "cannot tell". So are those of a
row of Table S10 that was filtered out of `table`.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import cache

import numpy as np
import pandas as pd

from proctor.data.published import load_published
from proctor.report.claims import ABSENT
from proctor.report.roles import Role, role
from proctor.stats.bootstrap import Interval
from proctor.stats.compare import score_limits
from proctor.stats.proportions import Confusion, measures
from proctor.stats.reconstruct import confusion_counts
from proctor.uq.notation import cost, parse
from proctor.uq.partial_verification import precision_difference

ANSWERS, RIGHT = 500, 65  # question-answer pairs of the paper, and the right ones among them that its counts show
SHORT = {
    "CC => FLC => C": "1-Iter",
    "(CC x3|U) => (FLC x3|U) => (C x3|U)": "3-Iter",
    "(CC x5|U) => (FLC x5|U) => (C x5|U)": "5-Iter",
    "((CC x3|U) => (FLC x3|U) => (C x3|U)) |U": "3-Iter |U",
}
UNDEFINED = Interval(np.nan, -np.inf, np.inf, 0.95, "no counts")
JUDGES = {  # by name in the table: the colour, marker and short name of each judge in every figure of UQ
    "Claude Sonnet 3.7": Role("#332288", "<", "Claude Sonnet 3.7"),
    "o3-mini": Role("#117733", ">", "o3-mini"),
    "o3": Role("#882255", "o", "o3"),
    "Multi-model": Role(role("all").colour, "s", "several models"),
}
MEASURES = ("accuracy", "precision", "recall")  # printed


def load_rows(rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95) -> pd.DataFrame:
    """The rows of Table S10 with every confusion table that prints so: one row a solution, 1 of 6, say; a row without
    any keeps one line, its counts missing.

    Every measure of `proportions.measures` is computed from the counts: _low and _high are its exact limits, _boot_low
    and _boot_high those of a percentile bootstrap over the answers. The paper's own figures, in percent as printed, end
    in _printed. name: the paper's ("3-Iter", "C |M, 5 models"). calls_least, calls_most: of one verdict that stops as
    soon as it is settled. rejected: the share of the answers. level: of all limits.
    """
    rows = []
    for row in load_published("uq/table_S10").itertuples(index=False):
        found = confusion_counts(row.accuracy, row.precision, row.recall, range(1, ANSWERS + 1))
        known = dict(model=row.model, judges=row.judges, strategy=row.strategy)
        known |= {f"{figure}_printed": getattr(row, figure) for figure in MEASURES} | dict(solutions=len(found))
        for i, table in enumerate(found, 1):
            counted = dict(solution=i, n=table.n, positives=table.positives, **asdict(table.confusion))
            for one in measures(table.confusion, rng, resamples, level):
                ends = dict(low=one.exact_low, high=one.exact_high, boot_low=one.low, boot_high=one.high)
                counted |= {one.measure: one.estimate} | {f"{one.measure}_{end}": limit for end, limit in ends.items()}
            rows.append(known | counted)
        if not found:
            rows.append(known | {"solution": 0})
    table = pd.DataFrame(rows).astype({column: "Int64" for column in ("n", "positives", "tp", "fp", "fn", "tn")})
    table = with_names(table)
    costs = [cost(parse(row.strategy), row.judge_count) for row in table.itertuples()]
    table[["calls_least", "calls_most"]] = [(one.least, one.most) for one in costs]
    return table.assign(rejected=(1 - (table["tp"] + table["fp"]) / table["n"]).astype(float))


def with_names(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of Table S10 (columns model, judges, strategy) with name and judge_count; printed figures as text."""
    count = rows["judges"].str.count(";").add(1).where(rows["judges"] != "3 models", 3)
    several = (", " + count.astype(str) + " models").where(rows["model"] == "Multi-model", "")
    plain = {name: f"{name}_printed" for name in MEASURES if f"{name}_printed" not in rows}
    named = rows.assign(**{new: rows[old] for old, new in plain.items()})
    named.insert(1, "name", rows["strategy"].replace(SHORT) + several)
    named.insert(3, "judge_count", count)
    return named


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """The figures as printed, in percent, of all 43 rows, by (model, name): accuracy, precision, recall; <NA> of those
    that are not in `table`."""
    rows = table.drop_duplicates(["judges", "strategy"]).set_index(["model", "name"])
    found = {name: rows[f"{name}_printed"].astype("Float64") for name in MEASURES}
    return pd.DataFrame(found).reindex(known_rows())


@cache
def known_rows() -> pd.MultiIndex:
    """(model, name) of the rows of Table S10, in its order."""
    return pd.MultiIndex.from_frame(with_names(load_published("uq/table_S10"))[["model", "name"]])


def precision(table: pd.DataFrame, row: tuple[str, str], family: int = 1) -> Interval:
    """Precision of one row, (model, name), in percent, with its exact interval; n: the answers that it accepts."""
    level = 1 - 0.05 / family
    known = dict(level=level, of="accepted answers", unit="%", family=family)
    line = _line(table, *row)
    if line is None or not line.solutions:
        return replace(UNDEFINED, method=ABSENT if line is None else UNDEFINED.method, n=0, **known)
    estimate, low, high = (100 * limit for limit in limits(counts_of(line), "precision", level))
    return Interval(estimate, low, high, method="exact", n=int(line.tp + line.fp), **known)


def gain(
    table: pd.DataFrame,
    one: tuple[str, str],
    other: tuple[str, str],
    figure: str = "accuracy",
    family: int = 1,
) -> Interval:
    """`figure` of row `one` minus that of row `other`, (model, name) each, in points, whatever the pairing.

    figure: accuracy, precision, recall, specificity or balanced_accuracy. Rows without counts, or with several
    solutions (which were run on other answers), give UNDEFINED, and so do rows of Table S10 that are not in `table`; a
    name that Table S10 does not have is a KeyError. family: comparisons that the gain stands in.

    Only the totals are printed. Both rows judged the same answers, so the interval is Tango's paired score interval at
    the pairing that makes it widest: as few answers as possible that both judge rightly (`worst_paired`), among right
    and wrong answers apart. Precision: Newcombe's, as if the accepted answers were all different ones. Rows over
    different numbers of answers: two exact intervals, each at half of the error.
    """
    units = (RIGHT, "right answers") if figure == "recall" else (ANSWERS, "answers")
    level = 1 - 0.05 / family
    known = dict(level=level, n=units[0], of=units[1], unit="points", family=family)
    lines = [_line(table, *key) for key in (one, other)]
    if None in lines:
        return replace(UNDEFINED, method=ABSENT, **known)
    if any(line.solutions != 1 for line in lines):
        return replace(UNDEFINED, **known)
    first, second = found = [counts_of(line) for line in lines]
    if figure == "precision":
        newcombe = precision_difference(first.tp, first.tp + first.fp, second.tp, second.tp + second.fp, level)
        low, high = newcombe.low, newcombe.high
    elif first.tp + first.fn == second.tp + second.fn and first.fp + first.tn == second.fp + second.tn:
        low, high = worst_paired(first, second, figure, level)
    else:
        parts = [limits(counts, figure, (1 + level) / 2) for counts in found]
        low, high = parts[0][1] - parts[1][2], parts[0][2] - parts[1][1]
    estimate = limits(first, figure, level)[0] - limits(second, figure, level)[0]
    return Interval(100 * estimate, 100 * low, 100 * high, method="worst pairing", **known)


def worst_paired(one: Confusion, other: Confusion, figure: str, level: float) -> tuple[float, float]:
    """Limits of the difference in accuracy, recall, specificity or balanced accuracy at the worst pairing, as shares.

    Both judged the same answers. The fewer answers both judge rightly, the more they disagree and the wider Tango's
    interval is; of n answers that they judge rightly x and y times, at least x + y - n are the same.
    """
    strata = [(one.tp, other.tp, one.tp + one.fn), (one.tn, other.tn, one.tn + one.fp)]
    apart = [(x - max(0, x + y - n), y - max(0, x + y - n), n) for x, y, n in strata]  # only one, only the other, of
    if figure == "accuracy":
        low, high = score_limits(*np.sum(apart, axis=0), level)
    elif figure == "balanced_accuracy":  # of two independent strata, by variance recovery (Zou and Donner 2008)
        gains = np.array([(x - y) / n for x, y, n in apart])
        ends = np.array([score_limits(*part, level) for part in apart], float)
        low, high = (gains.mean() + sign * np.hypot(*(gains - end)) / 2 for sign, end in zip((-1, 1), ends.T))
    else:
        low, high = score_limits(*apart[0 if figure == "recall" else 1], level)
    return float(low), float(high)


def smallest(gains: Iterable[Interval]) -> Interval:
    """The smallest of several gains: it holds with the chance that all their intervals hold together."""
    return _extreme(gains, min)


def largest(gains: Iterable[Interval]) -> Interval:
    """The largest of several gains: it holds with the chance that all their intervals hold together."""
    return _extreme(gains, max)


def _line(table: pd.DataFrame, model: str, name: str):
    """The counts of a row as a named tuple; None where it was filtered out. Raises KeyError for one that Table S10
    lacks."""
    rows = table[(table["model"] == model) & (table["name"] == name)]
    if rows.empty and (model, name) not in known_rows():
        known = known_rows().to_frame(index=False)
        there = ", ".join(known.loc[known["model"] == model, "name"]) or ", ".join(known["model"].unique())
        raise KeyError(f"no row {name!r} of {model}; there are {there}")
    return next(rows[["solutions", "tp", "fp", "fn", "tn"]].itertuples(), None)


def limits(counts: Confusion, figure: str, level: float) -> tuple[float, float, float]:
    """(estimate, low, high) as shares: exact; of balanced accuracy by variance recovery (Zou and Donner 2008)."""
    if figure == "balanced_accuracy":
        (a, a_low, a_high), (b, b_low, b_high) = (limits(counts, part, level) for part in ("recall", "specificity"))
        return (a + b) / 2, (a + b - np.hypot(a - a_low, b - b_low)) / 2, (a + b + np.hypot(a_high - a, b_high - b)) / 2
    found = {one.measure: one for one in measures(counts, np.random.default_rng(0), 1, level)}[figure]
    assert found.estimate is not None and found.exact_low is not None and found.exact_high is not None
    return found.estimate, found.exact_low, found.exact_high


def _extreme(gains: Iterable[Interval], choose: Callable) -> Interval:
    gains = list(gains)
    if not gains:  # of one judge there is no pair
        return replace(UNDEFINED, method=ABSENT, n=0, of="answers", unit="points")
    if lacking := [one for one in gains if np.isnan(one.estimate)]:
        return replace(lacking[0], low=-np.inf, high=np.inf)
    ends = {end: choose(getattr(one, end) for one in gains) for end in ("estimate", "low", "high")}
    return replace(gains[0], **ends)


def counts_of(row) -> Confusion:
    """The confusion table of one row of `load_rows` that has counts."""
    return Confusion(tp=int(row.tp), fp=int(row.fp), fn=int(row.fn), tn=int(row.tn))
