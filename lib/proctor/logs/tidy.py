"""Read the tidy files of logs, as `make logs` made them.

    outcomes  item x system: 1 right, 0 wrong, blank unknown       item,system a,system b,...
    trials    item x system: successes/trials                      item,system a,system b,...
    table     columns of its own: numbers or text
    text      columns of its own, all of them text

What must be known of logs before they count as evidence: systems that are twins.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from proctor.data.tabular import DataError
from proctor.log_files import files, find

CANDIDATES = ("chosen", "rejected1", "rejected2", "rejected3")
REPEATS = 8
_SCORES = {".": np.nan, "A": 10.0} | {str(score): float(score) for score in range(1, 10)}


def outcomes(name: str) -> pd.DataFrame:
    """Who solved what: index item, a column a system, 1 right, 0 wrong, NaN unknown.

    name: "swe_bench_verified", "swe_bench_pro", "terminal_bench_2", "gso", "gsm8k", "math_level_5" or "crux".
    Raises LogsMissing.
    """
    return _by_item(name, "outcomes").replace("", np.nan).astype(float)


def trials(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(successes, trials) of repeated runs, each item x system; no trials where the cell is blank.

    name: "terminal_bench_2". Raises LogsMissing.
    """
    cells = _by_item(f"{name}_trials", "trials")
    successes, tried = (cells.apply(lambda column: column.str.split("/").str[i]) for i in (0, 1))  # noqa: B023
    return successes.replace("", np.nan).astype(float), tried.fillna("0").astype(int)


def judge_scores() -> pd.DataFrame:
    """Scores of judges, 1 to 10 and NaN where the judge gave none: index (judge, item), columns (candidate, repeat).

    Of the four candidates of an item the first, "chosen", is the right one; each judge scores each of them eight times.
    Raises LogsMissing.
    """
    cells = _read("judge_scores", "text")
    each = [[_SCORES[score] for score in "".join(row)] for row in cells[[*CANDIDATES]].to_numpy()]
    rows = pd.MultiIndex.from_arrays([cells["judge"], cells["id"]], names=["judge", "item"])
    columns = pd.MultiIndex.from_product([CANDIDATES, range(1, REPEATS + 1)], names=["candidate", "repeat"])
    return pd.DataFrame(each, rows, columns)


def table(name: str) -> pd.DataFrame:
    """The tidy file of a data set with its own columns; blank cells are NaN in numbers and "" in text.

    Raises LogsMissing.
    """
    cells = _read(name, "table", "text")
    if find(name)[1][0].form == "table":
        for column in cells.columns.drop("item", errors="ignore"):
            numbers = pd.to_numeric(cells[column], errors="coerce")
            if (numbers.notna() | (cells[column] == "")).all():
                cells[column] = numbers
    return cells


def _read(name: str, *forms: str) -> pd.DataFrame:
    """The cells of a data set in one of these forms, as text."""
    tidy = find(name)[1][0]
    if tidy.name != name or tidy.form not in forms:
        raise ValueError(f"{name!r} is no data set in the form of {forms[0]}; see data/logs/sources.yaml")
    file = files(name)[0]
    try:
        return pd.read_csv(file, dtype=str, keep_default_na=False)
    except (ValueError, OSError, EOFError) as error:
        raise DataError(f"{file}: cannot be read as CSV ({error}). Fetch or write it again.") from error


def _by_item(name: str, form: str) -> pd.DataFrame:
    cells = _read(name, form)
    return cells.set_index(cells.columns[0]).rename_axis(index="item", columns=None)


def twins(table: pd.DataFrame, least: float = 1.0) -> list[tuple[str, str, float]]:
    """Pairs of systems that gave the same on at least the share `least` of the items that both have, with that share.

    table: item x system, outcomes or answers; NaN or "" where a system has none. Systems that gave one thing throughout
    are left out: any two of them are alike.

    >>> twins(pd.DataFrame({"a": [1, 0, 1], "b": [1, 0, 1], "c": [0, 0, 1]}))
    [('a', 'b', 1.0)]
    """
    given = table.replace("", np.nan)
    pairs = combinations([name for name in table if given[name].nunique() > 1], 2)
    both = {pair: given[[*pair]].dropna() for pair in pairs}
    shares = [(*pair, float((rows[pair[0]] == rows[pair[1]]).mean())) for pair, rows in both.items()]
    return [each for each in shares if each[2] >= least]
