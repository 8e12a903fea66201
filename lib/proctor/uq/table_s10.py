"""What the printed rows of UQ's Tables S1 and S10 support: rows as counts, gains between rows with intervals.

    table = load_rows(rng)
    gain(table, ("o3", "3-Iter"), ("o3", "V"), "precision")      # in points, whatever the pairing

All rows judged the same answers, but only their totals are known, not on which answers two rows agree. A gain
therefore has the paired interval of the pairing that makes it widest (`gain`): it holds whatever the pairing is. A row
whose printed figures fit no confusion table, or several, has no interval: its gains are NaN with limits (-inf, inf), so
a claim on it reads "cannot tell". So are those of a row of Table S10 that was filtered out of `table`.
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


@cache
def printed_rows() -> pd.DataFrame:
    """The 43 rows of Table S10 in its order: model, name (the paper's: "3-Iter", "C |M, 5 models"), judges,
    judge_count, strategy, and the figures as text, in percent, as accuracy_printed ..."""
    rows = load_published("uq/table_S10")[["model", "judges", "strategy", *MEASURES]]
    rows = rows.rename(columns={name: f"{name}_printed" for name in MEASURES})
    count = rows["judges"].str.count(";").add(1).where(rows["judges"] != "3 models", 3)
    several = (", " + count.astype(str) + " models").where(rows["model"] == "Multi-model", "")
    rows.insert(1, "name", rows["strategy"].replace(SHORT) + several)
    rows.insert(3, "judge_count", count)
    return rows


def load_rows(rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95) -> pd.DataFrame:
    """The rows of Table S10 with every confusion table that prints so: one row a solution, 1 of 6, say; a row without
    any keeps one line, its counts missing.

    Every measure of `proportions.measures` is computed from the counts: _low and _high are its exact limits, _boot_low
    and _boot_high those of a percentile bootstrap over the answers; the rest is that of `printed_rows`.
    calls_least, calls_most: of one verdict that stops as soon as it is settled. rejected: the share of the answers.
    level: of all limits.
    """
    rows = []
    for row in printed_rows().to_dict("records"):
        found = confusion_counts(*(row[f"{name}_printed"] for name in MEASURES), range(1, ANSWERS + 1))
        for i, table in enumerate(found, 1):
            counted = dict(solution=i, n=table.n, positives=table.positives, **asdict(table.confusion))
            for one in measures(table.confusion, rng, resamples, level).itertuples():
                ends = dict(low=one.exact_low, high=one.exact_high, boot_low=one.low, boot_high=one.high)
                counted |= {one.Index: one.estimate} | {f"{one.Index}_{end}": limit for end, limit in ends.items()}
            rows.append(row | dict(solutions=len(found)) | counted)
        if not found:
            rows.append(row | dict(solutions=0, solution=0))
    table = pd.DataFrame(rows).astype({column: "Int64" for column in ("n", "positives", "tp", "fp", "fn", "tn")})
    costs = [cost(parse(row.strategy), row.judge_count) for row in table.itertuples()]
    table[["calls_least", "calls_most"]] = [(one.least, one.most) for one in costs]
    return table.assign(rejected=(1 - (table["tp"] + table["fp"]) / table["n"]).astype(float))


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """The figures as printed, in percent, of all 43 rows, by (model, name): accuracy, precision, recall; <NA> of those
    that are not in `table`."""
    rows = table.drop_duplicates(["judges", "strategy"]).set_index(["model", "name"])
    found = {name: rows[f"{name}_printed"].astype("Float64") for name in MEASURES}
    return pd.DataFrame(found).reindex(pd.MultiIndex.from_frame(printed_rows()[["model", "name"]]))


def precision(table: pd.DataFrame, row: tuple[str, str], family: int = 1) -> Interval:
    """Precision of one row, (model, name), in percent, with its exact interval; n: the answers that it accepts."""
    level = 1 - 0.05 / family
    known = dict(level=level, of="accepted answers", unit="%", family=family)
    counts = _only_counts(table, *row)
    if isinstance(counts, str):
        return replace(UNDEFINED, method=counts, n=0, **known)
    estimate, low, high = (100 * limit for limit in limits(counts, "precision", level))
    return Interval(estimate, low, high, method="exact", n=counts.tp + counts.fp, **known)


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
    first, second = found = [_only_counts(table, *key) for key in (one, other)]
    if lacking := [why for why in found if isinstance(why, str)]:
        return replace(UNDEFINED, method=ABSENT if ABSENT in lacking else lacking[0], **known)
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
    differ = [(x - max(0, x + y - n), y - max(0, x + y - n), n) for x, y, n in strata]  # only one, only the other, of
    if figure == "accuracy":
        low, high = score_limits(*np.sum(differ, axis=0), level)
    elif figure == "balanced_accuracy":  # of two independent strata, by variance recovery (Zou and Donner 2008)
        gains = np.array([(x - y) / n for x, y, n in differ])
        ends = np.array([score_limits(*part, level) for part in differ], float)
        low, high = (gains.mean() + sign * np.hypot(*(gains - end)) / 2 for sign, end in zip((-1, 1), ends.T))
    else:
        low, high = score_limits(*differ[0 if figure == "recall" else 1], level)
    return float(low), float(high)


def smallest(gains: Iterable[Interval]) -> Interval:
    """The smallest of several gains: it holds with the chance that all their intervals hold together."""
    return _extreme(gains, min)


def largest(gains: Iterable[Interval]) -> Interval:
    """The largest of several gains: it holds with the chance that all their intervals hold together."""
    return _extreme(gains, max)


def _only_counts(table: pd.DataFrame, model: str, name: str) -> Confusion | str:
    """The confusion table of a row; or why there is none: it was filtered out, or its figures fit no table, or several.
    Raises KeyError for a row that Table S10 lacks."""
    rows = table[(table["model"] == model) & (table["name"] == name)]
    if len(rows):
        return counts_of(rows.iloc[0]) if rows["solutions"].iloc[0] == 1 else UNDEFINED.method
    known = printed_rows().groupby("model", sort=False)["name"].agg(list)
    if name not in known.get(model, []):
        raise KeyError(f"no row {name!r} of {model}; there are {', '.join(known.get(model, known.index))}")
    return ABSENT


def limits(counts: Confusion, figure: str, level: float) -> tuple[float, float, float]:
    """(estimate, low, high) as shares: exact; of balanced accuracy by variance recovery (Zou and Donner 2008)."""
    if figure == "balanced_accuracy":
        (a, a_low, a_high), (b, b_low, b_high) = (limits(counts, part, level) for part in ("recall", "specificity"))
        return (a + b) / 2, (a + b - np.hypot(a - a_low, b - b_low)) / 2, (a + b + np.hypot(a_high - a, b_high - b)) / 2
    found = measures(counts, np.random.default_rng(0), 1, level).loc[figure, ["estimate", "exact_low", "exact_high"]]
    assert found.notna().all()
    return tuple(found.tolist())


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
