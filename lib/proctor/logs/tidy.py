"""Read the tidy files of logs.

    outcomes     item x system: 1 right, 0 wrong, blank unknown       item,system a,system b,...
    trials       item x system: successes/trials                      item,system a,system b,...
    verdicts     a row a judgement: item, candidate, judge, repeat, score or vote, truth
    confidences  a row an answer: item, system, confidence (0 to 1), correct

The two sources of verdicts and the two of confidences have columns of their own; they are turned into these forms here.

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


def verdicts(name: str) -> pd.DataFrame:
    """Judgements with known truth, a row each: item, candidate, judge, repeat, score or vote, truth (1 right).

    name: "judge_scores" (score 1 to 10, eight repeats, NaN where the judge gave none; also subset) or "llmbar"
    (vote 1 where the judge prefers output 1, candidate "output_1", repeat = order 1 or 2; also subset and prompt).
    Raises LogsMissing, or DataError for a file that is not in this form.
    """
    file, cells = _read(name, "verdicts")
    return _llmbar(cells.astype({"label": int})) if name == "llmbar" else _judge_scores(cells, file)


def confidences(name: str) -> pd.DataFrame:
    """How sure a system was of each answer and whether it was right: item, system, confidence (0 to 1), correct.

    name: "token_probability" (probability of the answer's first token) or "hle_runs" (stated confidence; `by` says
    who marked the answer: the program where HLE's key is one letter or number, the judge for the z-ai runs).
    Answers without a confidence or a mark are left out. Raises LogsMissing, or DataError.
    """
    _file(name, "confidences")  # raises for a data set of another form
    cells = table(name)
    if name == "token_probability":
        return pd.DataFrame(
            {
                "item": cells["dataset"] + "/" + cells["item"].astype(str),
                "system": cells["model"],
                "confidence": cells["max_softmax_prob"],
                "correct": cells["correct"],
            }
        )
    judged = cells["run"].str.startswith("z-ai")
    found = pd.DataFrame(
        {
            "item": cells["id"],
            "system": cells["run"],
            "confidence": cells["stated_confidence"] / 100,
            "correct": cells["exact_original_key"].where(~judged, cells["judge_correct"]),
            "by": np.where(judged, "judge", "program"),
        }
    )
    return found.dropna().astype({"correct": int}).reset_index(drop=True)


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


def _judge_scores(cells: pd.DataFrame, file: Path) -> pd.DataFrame:
    """From a row an item and judge, with eight scores a candidate as one string, to a row a score."""
    rows = len(cells)
    letters = cells[list(CANDIDATES)].to_numpy(str)
    if bad := [row for row in range(rows) if any(len(text) != REPEATS for text in letters[row])]:
        raise DataError(problem(file, bad[0] + 2, None, "not eight scores a candidate", "Import the source again"))
    flat = np.frombuffer("".join(letters.ravel()).encode("ascii", "replace"), dtype=np.uint8)
    if odd := sorted({chr(code) for code in np.unique(flat)} - set(_SCORES)):
        raise DataError(f"{file}: scores are 1 to 9, A for 10, and a point where missing, not {', '.join(odd)}.")
    score_of = np.full(128, np.nan)  # by the letter's code
    score_of[[ord(letter) for letter in _SCORES]] = list(_SCORES.values())
    each = len(CANDIDATES) * REPEATS
    candidate = np.tile(np.repeat(np.arange(len(CANDIDATES)), REPEATS), rows)
    return pd.DataFrame(
        {
            "item": np.repeat(cells["id"].to_numpy(object), each),
            "subset": pd.Categorical(cells["subset"]).repeat(each),
            "judge": pd.Categorical(cells["judge"]).repeat(each),
            "candidate": pd.Categorical.from_codes(candidate, categories=list(CANDIDATES)),
            "repeat": np.tile(np.arange(1, REPEATS + 1), rows * len(CANDIDATES)),
            "score": score_of[flat],
            "truth": (candidate == 0).astype(int),
        }
    )


def _llmbar(cells: pd.DataFrame) -> pd.DataFrame:
    """From a row a pair and prompt to a row a judgement: whether output 1 is preferred, in each order."""
    shared = pd.DataFrame(
        {
            "item": cells["subset"] + "/" + cells["item"],
            "subset": cells["subset"],
            "judge": cells["judge"],
            "prompt": cells["prompt"],
            "candidate": "output_1",
            "truth": (cells["label"] == 1).astype(int),
        }
    )
    votes = {1: "winner_order1", 2: "winner_order2_mapped"}
    orders = [
        shared.assign(repeat=order, vote=cells[column].map({"1": 1.0, "2": 0.0})) for order, column in votes.items()
    ]
    return pd.concat(orders, ignore_index=True)


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
