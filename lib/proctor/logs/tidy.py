"""Read the tidy files of logs.

    outcomes  item x system: 1 right, 0 wrong, blank unknown       item,system a,system b,...
    trials    item x system: successes/trials                      item,system a,system b,...
    table     columns of its own

What must be known of logs before they count as evidence: systems that are twins.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from proctor.data.tabular import DataError, problem
from proctor.log_files import files, find

CANDIDATES = ("chosen", "rejected1", "rejected2", "rejected3")
REPEATS = 8
TEXT = {"id", "run", "item", "dataset", "model", "key_kind"}  # columns of tables that hold no numbers
TEXT |= {"setting", "problem", "solver", "judge", "label", "kind", "graded_by"}  # of broken_math
TEXT |= {"issue_kinds", "competition", "source", "level", "proof_date", "graded_date", "added_date"}  # of open_proofs
TEXT |= {"answer", "category", "answer_type", "verified_class"}  # of hle_repairs
TEXT |= {"task", "first_date", "second_date"}  # of livebench
_SCORES = {".": np.nan, "A": 10.0} | {str(score): float(score) for score in range(1, 10)}


def outcomes(name: str) -> pd.DataFrame:
    """Who solved what: index item, a column a system, 1 right, 0 wrong, NaN unknown.

    name: "swe_bench_verified", "swe_bench_pro", "terminal_bench_2", "gso", "gsm8k", "math_level_5" or "crux".
    Raises LogsMissing, or DataError for a file that is not in this form.
    """
    file, cells = _wide(name, "outcomes")
    return pd.DataFrame({system: _column(file, cells, system, (0, 1)) for system in cells}).astype(float)


def trials(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(successes, trials) of repeated runs, each item x system; no trials where the cell is blank.

    name: "terminal_bench_2". Raises LogsMissing, or DataError for a file that is not in this form.
    """
    file, cells = _wide(name if name.endswith("_trials") else f"{name}_trials", "trials")
    parts = cells.stack().str.extract(r"^(\d+)/(\d+)$").astype(float)
    bad = (cells.stack() != "") & ~((parts[0] <= parts[1]) & (parts[1] > 0))
    if bad.any():
        item, system = bad.idxmax()
        row, what = cells.index.get_loc(item) + 2, f"{cells.at[item, system]!r} is not successes/trials such as 3/5"
        raise DataError(problem(file, row, system, what, "Mend the cell or leave it blank"))
    successes, tried = parts[0].unstack(), parts[1].unstack().fillna(0)
    order = dict(index=cells.index, columns=cells.columns)
    return successes.reindex(**order), tried.reindex(**order).astype(int)


def judge_scores() -> pd.DataFrame:
    """Scores of judges, 1 to 10 and NaN where the judge gave none: index (judge, item), columns (candidate, repeat).

    Of the four candidates of an item the first, "chosen", is the right one; each judge scores each of them eight times.
    Raises LogsMissing, or DataError for a file that is not in this form.
    """
    file, cells = _read("judge_scores")
    marks = cells[list(CANDIDATES)]
    if (bad := (marks.map(len) != REPEATS).any(axis=1)).any():
        what = "not eight scores a candidate"
        raise DataError(problem(file, int(bad.argmax()) + 2, None, what, "Import the source again"))
    each = np.array([[*"".join(row)] for row in marks.to_numpy()])
    if odd := sorted({*np.unique(each)} - {*_SCORES}):
        raise DataError(f"{file}: scores are 1 to 9, A for 10, and a point where missing, not {', '.join(odd)}.")
    rows = pd.MultiIndex.from_arrays([cells["judge"], cells["id"]], names=["judge", "item"])
    columns = pd.MultiIndex.from_product([CANDIDATES, range(1, REPEATS + 1)], names=["candidate", "repeat"])
    return pd.DataFrame(np.vectorize(_SCORES.get, otypes=[float])(each), rows, columns)


def table(name: str) -> pd.DataFrame:
    """The tidy file of a data set with its own columns; blank cells are NaN in numbers and "" in text.

    Raises LogsMissing.
    """
    file, cells = _read(name)
    if name.startswith("erdos") or name == "mmlu_pro_letters":
        return cells
    if name in ("judge_scores", "llmbar", "mmlu_redux"):
        return cells.astype({"label": int}) if "label" in cells else cells
    text = TEXT | {column for column in cells if column.endswith(("_kind", "_valid", "_error"))}
    return cells.assign(**{column: _column(file, cells, column) for column in cells if column not in text})


def _file(name: str, form: str = "") -> Path:
    """The file of a data set, whose form must be `form`, where one is asked."""
    tidy = next((tidy for tidy in find(name)[1] if tidy.name == name), None)
    if tidy is None or form not in ("", tidy.form):
        raise ValueError(f"{name!r} is no data set in the form of {form}; see data/logs/sources.yaml")
    return files(tidy.name)[0].parent / tidy.file


def _read(name: str, form: str = "") -> tuple[Path, pd.DataFrame]:
    """(file, its cells as text)."""
    file = _file(name, form)
    try:
        return file, pd.read_csv(file, dtype=str, keep_default_na=False)
    except (ValueError, OSError, EOFError) as error:
        raise DataError(f"{file}: cannot be read as CSV ({error}). Fetch or write it again.") from error


def _wide(name: str, form: str) -> tuple[Path, pd.DataFrame]:
    file, cells = _read(name, form)
    first = cells.columns[0]
    if twice := cells[first][cells[first].duplicated()].tolist():
        raise DataError(f"{file}: item {twice[0]!r} stands twice. Give each item one row.")
    return file, cells.set_index(first).rename_axis(index="item", columns=None)


def _column(file: Path, cells: pd.DataFrame, column: str, only: tuple[int, ...] = ()) -> pd.Series:
    """A column as numbers; blank is NaN. only: the allowed values, () for all."""
    values = pd.to_numeric(cells[column], errors="coerce")
    bad = (cells[column] != "") & ~(values.isin(only) if only else values.notna())
    if bad.any():
        row, allowed = int(np.flatnonzero(bad)[0]), " or ".join(map(str, only)) or "a number"
        what = f"{cells[column].iloc[row]!r} is not {allowed}"
        raise DataError(problem(file, row + 2, column, what, "Mend the cell or leave it blank"))
    return values


def twins(table: pd.DataFrame, least: float = 1.0) -> list[tuple[str, str, float]]:
    """Pairs of systems that gave the same on at least the share `least` of the items that both have, with that share.

    table: item x system, outcomes or answers; NaN or "" where a system has none. Systems that gave one thing throughout
    are left out: any two of them are alike.

    >>> twins(pd.DataFrame({"a": [1, 0, 1], "b": [1, 0, 1], "c": [0, 0, 1]}))
    [('a', 'b', 1.0)]
    """
    vary = [name for name in table if table[name][table[name] != ""].nunique() > 1]
    flat, known = pd.factorize(table[vary].to_numpy().ravel())
    codes = flat.reshape(len(table), len(vary)).T
    codes = np.where(np.isin(codes, [i for i, value in enumerate(known) if value == ""]), -1, codes)
    found = []
    for i, j in combinations(range(len(vary)), 2):
        both = (codes[i] >= 0) & (codes[j] >= 0)
        share = float((codes[i] == codes[j])[both].mean()) if both.any() else 0.0
        if share >= least:
            found.append((vary[i], vary[j], share))
    return found
