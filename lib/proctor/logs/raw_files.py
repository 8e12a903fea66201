"""What importers share: their types, and readers of raw files whose errors say to fetch the source again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pandas as pd

from proctor.data.tabular import DataError, Row, Wrong, made, problem, read_rows

Say = Callable[[str], None]
Tables = dict[str, pd.DataFrame]
Made = TypeVar("Made")

AGAIN = "Fetch the source again"


def cell(row: dict, *names: str):
    """A cell, or a value inside it. Raises Wrong where it is missing."""
    value = row
    for name in names:
        if not isinstance(value, dict) or name not in value:
            raise Wrong(".".join(names), "missing", AGAIN)
        value = value[name]
    return value


def numbered_rows(path: Path) -> list[Row]:
    """Rows of a .jsonl, .csv or array .json file with their numbers. Raises DataError for any that can't be read."""
    return made(path, *read_rows(path), lambda number, row: (number, row))


def from_json(path: Path, take: Callable[..., Made], what: str) -> Made:
    """`take` of the JSON in a file. Raises DataError, with `what` is not there, where it is no JSON or `take` fails."""
    try:
        return take(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        row = getattr(error, "lineno", 1)
        raise DataError(problem(path, row, None, f"no {what} ({error!r})", AGAIN)) from None
