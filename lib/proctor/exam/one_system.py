"""Results of single systems, a file each, as one leaderboard: HLE's judged files, inspect_ai's logs, lm-eval's samples,
or a table of item and score."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from proctor.data.answers import OUTCOMES
from proctor.data.tabular import DataError, Wrong, made, read_rows
from proctor.exam.formats import read_results

ITEMS = ("item", "item_id", "question_id", "task_id", "instance_id", "id")
SCORES = ("score", "correct", "right", "resolved")


def read_one(path: str | Path) -> pd.Series:
    """The score of each item, by item; several samples of one are averaged. The series is called by the column `model`
    of a table, else by the file. Raises DataError for what is no results, or those of several models."""
    path = Path(path)
    name, rows = path.stem, read_results(path)
    if rows is None:
        rows = _table(path)
        name = rows["model"].iloc[0] or name
    elif "score" not in rows and "right" not in rows:
        raise DataError(f"{path}: answers that nobody has judged. Judge them first, as `exam` and `mark` do.")
    else:
        rows = rows.rename(columns={"score": "value", "right": "value"})
    values = rows.assign(value=rows["value"].fillna(0).astype(float)).groupby("question_id", sort=False)["value"]
    return values.mean().rename(name)


def board_of(files: Sequence[str | Path]) -> tuple[str, list[str]]:
    """A long CSV (model, item, score) of some systems, and their names: those of `read_one`, or, where these are alike,
    as much of the files' paths as tells them apart."""
    places = [Path(file).resolve() for file in files]
    if len(set(places)) < len(places):
        raise DataError(f"{files[0]} is given twice. Name two different files.")
    scores = [read_one(file) for file in files]
    names, depth = [str(each.name) for each in scores], 0
    while len(set(names)) < len(names):
        depth += 1
        names = ["/".join(place.parts[-depth:]) for place in places]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["model", "item", "score"])
    for name, each in zip(names, scores):
        table.writerows((name, item, f"{value:.12g}") for item, value in each.items())
    return text.getvalue(), names


def _table(path: Path) -> pd.DataFrame:
    rows, problems = read_rows(path)
    columns = list(rows[0][1]) if rows else []
    item, score = (next((name for name in names if name in columns), None) for names in (ITEMS, SCORES))
    if item is None or score is None:
        raise DataError(f"{path}: the columns are {', '.join(columns) or 'none'}. Give item and score (or correct).")
    models = list(dict.fromkeys(str(row.get("model") or "") for _, row in rows))
    if len(models) > 1:
        raise DataError(f"{path}: results of {len(models)} models ({', '.join(models[:3])} ...). Give a file of one.")
    found = made(path, rows, problems, lambda _, row: (str(row[item]), score_of(row[score], score)))
    return pd.DataFrame(found, columns=["question_id", "value"]).assign(model=models[0])


def score_of(said: object, column: str) -> float:
    """A score, from a number or a word such as yes and no. Raises Wrong for anything else."""
    word = str(said).strip().casefold()
    try:
        return float(OUTCOMES[word]) if word in OUTCOMES else float(str(said))
    except ValueError:
        raise Wrong(column, f"{said!r} is no score", "Give a number from 0 to 1, or yes or no") from None
