"""What the printed rows of UQ's Tables S1 and S10 bear: rows by name, gains between rows with intervals, trends.

    table = load_rows(rng)
    gain(table, ("o3", "3-Iter"), ("o3", "V"), "precision")      # in points, whatever the pairing

All rows judged the same answers, but only their totals are known, not on which answers two rows agree. A gain
therefore joins two exact intervals, each at half the error (Bonferroni): it holds whatever the pairing, and is hardly
wider than that of two rows that agree as little as their totals allow. A row whose printed figures fit no counts
bears no interval: its gains are NaN with limits (-inf, inf), so a claim on it reads "cannot tell".
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import norm, spearmanr

from proctor.data.published import load_published
from proctor.stats.bootstrap import Interval
from proctor.stats.compare import against_reject_all, comparable, kept_against_dropped
from proctor.stats.proportions import Confusion, measures
from proctor.uq.notation import cost, parse
from proctor.uq.validator_metrics import counts_of, reconstruct_table

ANSWERS, RIGHT = 500, 65  # question-answer pairs of the paper, and the right ones among them that its counts show
SHORT = {
    "CC => FLC => C": "1-Iter",
    "(CC x3|U) => (FLC x3|U) => (C x3|U)": "3-Iter",
    "(CC x5|U) => (FLC x5|U) => (C x5|U)": "5-Iter",
    "((CC x3|U) => (FLC x3|U) => (C x3|U)) |U": "3-Iter |U",
}
SINGLE = ("V", "C")  # rows of one call
UNDEFINED = Interval(np.nan, -np.inf, np.inf, 0.95, "no counts")


def load_rows(rng: np.random.Generator, resamples: int = 2_000, answers: int = ANSWERS) -> pd.DataFrame:
    """`reconstruct_table` of Table S10, every solution a row, with name, judge_count, calls and rejected.

    name: the paper's ("3-Iter", "C |M, 5 models"). calls_least, calls_most: of one verdict that stops as soon as it is
    settled. rejected: the share of the answers. answers: the largest number of answers that is tried.
    """
    table = with_names(reconstruct_table("uq/table_S10", range(1, answers + 1), rng, resamples))
    count = table["judge_count"]
    costs = [cost(parse(strategy), judges) for strategy, judges in zip(table["strategy"], count)]
    table[["calls_least", "calls_most"]] = [(one.least, one.most) for one in costs]
    return table.assign(rejected=(1 - (table["tp"] + table["fp"]) / table["n"]).astype(float))


def with_names(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of Table S10 (columns model, judges, strategy) with name and judge_count; printed figures as text."""
    count = rows["judges"].str.count(";").add(1).where(rows["judges"] != "3 models", 3)
    several = (", " + count.astype(str) + " models").where(rows["model"] == "Multi-model", "")
    plain = {name: f"{name}_printed" for name in ("accuracy", "precision", "recall") if f"{name}_printed" not in rows}
    named = rows.assign(**{new: rows[old] for old, new in plain.items()})
    named.insert(1, "name", rows["strategy"].replace(SHORT) + several)
    named.insert(3, "judge_count", count)
    return named


def first_solutions(table: pd.DataFrame, counts: bool = True) -> pd.DataFrame:
    """One line a printed row: of several solutions the smallest. counts: only rows that have counts."""
    rows = table.drop_duplicates(["judges", "strategy"]).reset_index(drop=True)
    return rows[rows["solutions"] > 0] if counts else rows


def same_answers(table: pd.DataFrame) -> pd.DataFrame:
    """The rows with one solution: those of the paper's 500 answers, of which up to four may be lost."""
    return table[table["solutions"] == 1]


def of_table_s1(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `table` that Table S1 shows too."""
    shown = load_published("uq/table_S1").set_index(["judges", "strategy"]).index
    return table[table.set_index(["judges", "strategy"]).index.isin(shown)]


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """The figures as printed, in percent, of all rows, by (model, name): accuracy, precision, recall."""
    rows = table.drop_duplicates(["judges", "strategy"]).set_index(["model", "name"])
    return pd.DataFrame({name: rows[f"{name}_printed"].astype(float) for name in ("accuracy", "precision", "recall")})


def gain(
    table: pd.DataFrame,
    one: tuple[str, str],
    other: tuple[str, str],
    figure: str = "accuracy",
    level: float = 0.95,
) -> Interval:
    """`figure` of row `one` less that of row `other`, (model, name) each, in points, whatever the pairing.

    figure: accuracy, precision, recall, specificity or balanced_accuracy. Rows without counts, or with several
    solutions (which were run on other answers), give UNDEFINED. Raises KeyError for a row that is not there.
    """
    found = [_row(table, *key) for key in (one, other)]
    if None in found:
        return replace(UNDEFINED, level=level)
    (a, a_low, a_high), (b, b_low, b_high) = (_limits(counts, figure, (1 + level) / 2) for counts in found)
    return Interval(100 * (a - b), 100 * (a_low - b_high), 100 * (a_high - b_low), level, "whatever the pairing")


def smallest(gains: Iterable[Interval]) -> Interval:
    """The smallest of several gains: it holds with the chance that all their intervals hold together."""
    return _extreme(gains, min)


def largest(gains: Iterable[Interval]) -> Interval:
    """The largest of several gains: it holds with the chance that all their intervals hold together."""
    return _extreme(gains, max)


def compound_gains(table: pd.DataFrame) -> pd.DataFrame:
    """Every compound row of one judge against the vanilla prompt of that judge, in points.

    model, name; accuracy_printed, precision_printed: gains in the printed figures, of all rows; for rows with counts
    gains with limits (_low, _high) in accuracy, precision and balanced_accuracy, at the level that the number of such
    rows asks for; by_chance: the gain in accuracy if as many answers more were rejected at random.
    """
    rows = first_solutions(table, counts=False)
    rows = rows[(rows["model"] != "Multi-model") & ~rows["name"].isin(SINGLE)]
    tested = rows["solutions"].eq(1).sum()
    level = 1 - 0.05 / tested
    figures, found = printed(table), []
    for row in rows.itertuples():
        vanilla = (row.model, "V")
        line = {
            f"{name}_printed": figures.at[(row.model, row.name), name] - figures.at[vanilla, name]
            for name in ("accuracy", "precision")
        }
        for name in ("accuracy", "precision", "balanced_accuracy"):
            it = gain(table, (row.model, row.name), vanilla, name, level)
            line |= {name: it.estimate, f"{name}_low": it.low, f"{name}_high": it.high}
        if row.solutions == 1:
            line["by_chance"] = 100 * (_at_random(row) - _at_random(_line(table, *vanilla)))
        found.append(dict(model=row.model, name=row.name, counts=row.solutions == 1) | line)
    return pd.DataFrame(found).replace([np.inf, -np.inf], np.nan)


def compare_votes(table: pd.DataFrame) -> pd.DataFrame:
    """Each majority row beside the unanimous row of the same judges and check.

    precision_gain, recall_gain: in points, from the printed figures. kept and dropped: of the answers that the
    majority accepted, those that unanimity still accepts and the others, as right / all; gap: share right of the kept
    less that of the dropped, in points, with limits (_low, _high) at the level that the number of such rows asks for;
    p: Fisher's exact test. Valid if both rows read the same votes. Only rows with one solution have counts.
    """
    first = first_solutions(table, counts=False)
    by_name = {(row.judges, row.strategy): row for row in first.itertuples(index=False)}
    pairs = []
    for (judges, strategy), loose in by_name.items():
        strict = by_name.get((judges, strategy.replace("|M", "|U")))
        if strategy.endswith("|M") and strict is not None:
            pairs.append((strict, loose))
    level = 1 - 0.05 / max(1, sum(strict.solutions == loose.solutions == 1 for strict, loose in pairs))
    return pd.DataFrame([_votes(strict, loose, level) for strict, loose in pairs])


def against_rejecting(table: pd.DataFrame) -> pd.DataFrame:
    """Every row with one solution against rejecting all: points of accuracy, McNemar's exact p, clear by Bonferroni."""
    rows = same_answers(table)
    tests = rows[["model", "name", "n", "tp", "fp"]].assign(
        points=[100 * (row.accuracy - 1 + row.positives / row.n) for row in rows.itertuples()],
        p=[against_reject_all(counts_of(row)).p for row in rows.itertuples()],
    )
    return tests.assign(clear=tests["p"] < 0.05 / len(tests))


def all_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """`stats.compare.comparable` of all rows with one solution over all 500 answers."""
    rows = same_answers(table)
    rows = rows[rows["n"] == ANSWERS]
    names = [f"{row.model}: {row.name}" for row in rows.itertuples(index=False)]
    return pd.DataFrame(comparable([counts_of(row) for row in rows.itertuples()], names))


def o3_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Figure S10's rows: o3 alone, and o3 with Gemini 2.5 Pro; calls of all votes; also rows without counts.

    accuracy_printed: in percent, of all rows; the measures of rows without counts are NaN.
    """
    rows = first_solutions(table, counts=False)
    rows = rows[rows["judges"].isin(["o3", "Gemini 2.5 Pro; o3"])]
    return rows.assign(
        calls=[cost(parse(row.strategy), row.judge_count).most for row in rows.itertuples()],
        accuracy_printed=rows["accuracy_printed"].astype(float),
    ).sort_values("calls", kind="stable")


def rank_trend(x: Sequence[float], y: Sequence[float], level: float = 0.95) -> Interval:
    """Spearman's correlation of x and y, shape (rows,), with Bonett and Wright's interval (2000) over the rows.

    >>> trend = rank_trend([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6])
    >>> round(trend.estimate, 2), round(trend.low, 2)
    (0.89, 0.07)
    """
    if len(x) != len(y) or len(x) < 5:
        raise ValueError(f"{len(x)} and {len(y)} rows: give at least five of both")
    rho = float(spearmanr(x, y).statistic)
    if abs(rho) > 1 - 1e-12:
        raise ValueError("all rows in one order: the interval of a perfect correlation is not defined")
    half = norm.ppf((1 + level) / 2) * np.sqrt((1 + rho**2 / 2) / (len(x) - 3))
    low, high = np.tanh(np.arctanh(rho) + np.array([-half, half]))
    return Interval(rho, float(low), float(high), level, "Bonett-Wright")


def precision(table: pd.DataFrame, key: tuple[str, str], level: float = 0.95) -> Interval:
    """Precision of one row in percent, with its exact interval."""
    counts = _row(table, *key)
    if counts is None:
        return replace(UNDEFINED, level=level)
    value, low, high = _limits(counts, "precision", level)
    return Interval(100 * value, 100 * low, 100 * high, level, "exact")


def _line(table: pd.DataFrame, model: str, name: str):
    rows = table[(table["model"] == model) & (table["name"] == name)]
    if rows.empty:
        known = ", ".join(table.loc[table["model"] == model, "name"].unique()) or ", ".join(table["model"].unique())
        raise KeyError(f"no row {name!r} of {model}; there are {known}")
    return next(rows.itertuples())


def _row(table: pd.DataFrame, model: str, name: str) -> Confusion | None:
    row = _line(table, model, name)
    return counts_of(row) if row.solutions == 1 else None


def _limits(counts: Confusion, figure: str, level: float) -> tuple[float, float, float]:
    """(estimate, low, high) as shares: exact; of balanced accuracy by variance recovery (Zou and Donner 2008)."""
    if figure == "balanced_accuracy":
        (a, a_low, a_high), (b, b_low, b_high) = (_limits(counts, part, level) for part in ("recall", "specificity"))
        return (a + b) / 2, (a + b - np.hypot(a - a_low, b - b_low)) / 2, (a + b + np.hypot(a_high - a, b_high - b)) / 2
    found = {one.measure: one for one in measures(counts, np.random.default_rng(0), 1, level)}[figure]
    assert found.estimate is not None and found.exact_low is not None and found.exact_high is not None
    return found.estimate, found.exact_low, found.exact_high


def _extreme(gains: Iterable[Interval], choose: Callable) -> Interval:
    gains = list(gains)
    if not gains:  # of one judge there is no pair
        return UNDEFINED
    if any(np.isnan(one.estimate) for one in gains):
        return replace(UNDEFINED, level=min(one.level for one in gains))
    ends = (choose(getattr(one, end) for one in gains) for end in ("estimate", "low", "high"))
    return Interval(*ends, min(one.level for one in gains), f"{choose.__name__} of {len(gains)}")


def _at_random(row) -> float:
    """Accuracy of accepting as many answers as the row does, at random."""
    right, accepted = row.positives / row.n, (row.tp + row.fp) / row.n
    return accepted * right + (1 - accepted) * (1 - right)


def _votes(strict, loose, level: float) -> dict:
    pair = dict(model=loose.model, judges=loose.judges, check=loose.strategy.removesuffix("|M").strip())
    for figure in ("precision", "recall"):
        one, other = (float(getattr(row, f"{figure}_printed")) for row in (strict, loose))
        pair[f"{figure}_gain"] = one - other
    if not loose.solutions == strict.solutions == 1:
        return pair
    both = kept_against_dropped(counts_of(strict), counts_of(loose))
    (kept, kept_low, kept_high), (dropped, dropped_low, dropped_high) = (
        _limits(Confusion(right, count - right, 0, 0), "precision", (1 + level) / 2)
        for right, count in (both.kept, both.dropped)
    )
    return pair | dict(
        kept="{} / {}".format(*both.kept),
        dropped="{} / {}".format(*both.dropped),
        gap=100 * (kept - dropped),
        gap_low=100 * (kept_low - dropped_high),
        gap_high=100 * (kept_high - dropped_low),
        p=both.p,
    )
