"""Results of single systems, a file each, as one leaderboard: HLE's judged files, inspect_ai's logs, lm-eval's samples,
or a table of item and score."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from proctor.data.answers import OUTCOMES
from proctor.data.tabular import DataError, Wrong, made, read_rows, summary
from proctor.exam.formats import read_results

ITEMS = ("item", "item_id", "question_id", "task_id", "instance_id", "id")
SCORES = ("score", "correct", "right", "resolved")


def read_one(path: str | Path) -> pd.Series:
    """The score of each item, by item; several samples of one are averaged. Raises DataError for what is no results."""
    path = Path(path)
    rows = read_results(path)
    if rows is None:
        rows = _table(path)
    elif "score" not in rows and "right" not in rows:
        raise DataError(f"{path}: answers that nobody has judged. Judge them first, as `exam` and `mark` do.")
    else:
        rows = rows.rename(columns={"score": "value", "right": "value"})
    return rows.assign(value=rows["value"].fillna(0).astype(float)).groupby("question_id", sort=False)["value"].mean()


def board_of(files: Sequence[str | Path]) -> tuple[str, list[str]]:
    """A long CSV (model, item, score) of some systems, each called by its file, and their names."""
    names = [Path(file).stem for file in files]
    if len(set(names)) < len(names):
        names = [f"{Path(file).parent.name}/{Path(file).stem}" for file in files]
    if len(set(names)) < len(names):
        raise DataError(f"{files[0]} is given twice. Name two different files.")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["model", "item", "score"])
    for name, file in zip(names, files):
        table.writerows((name, item, f"{value:.12g}") for item, value in read_one(file).items())
    return text.getvalue(), names


def _table(path: Path) -> pd.DataFrame:
    rows, problems = read_rows(path)
    columns = list(rows[0][1]) if rows else []
    item, score = (next((name for name in names if name in columns), None) for names in (ITEMS, SCORES))
    if item is None or score is None:
        raise DataError(f"{path}: the columns are {', '.join(columns) or 'none'}. Give item and score (or correct).")
    found = made(path, rows, problems, lambda _, row: (str(row[item]), score_of(row[score], score)))
    if problems:
        raise DataError(summary(problems))
    return pd.DataFrame(found, columns=["question_id", "value"])


def score_of(said: object, column: str) -> float:
    """A score, from a number or a word such as yes and no. Raises Wrong for anything else."""
    word = str(said).strip().casefold()
    try:
        return float(OUTCOMES[word]) if word in OUTCOMES else float(str(said))
    except ValueError:
        raise Wrong(column, f"{said!r} is no score", "Give a number from 0 to 1, or yes or no") from None
