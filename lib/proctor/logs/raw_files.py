"""What importers share: their types, and readers of raw files whose errors say to fetch the source again.

An importer checks no value that it takes over: the digests of data/logs/sources.yaml hold every row that it makes.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pandas as pd

from proctor.data.tabular import DataError, Wrong, problem, read

Say = Callable[[str], None]
Tables = dict[str, pd.DataFrame]
Made = TypeVar("Made")

AGAIN = "Fetch the source again"
# What taking the parts of a raw file of another form may raise.
OTHER_FORM = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


def rows(path: Path, make: Callable[[dict], Made]) -> list[Made]:
    """What `make` makes of each row. Raises DataError, with file and row, where it fails or a row can't be read."""

    def made(row: dict) -> Made:
        try:
            return make(row)
        except OTHER_FORM as error:
            raise Wrong(None, f"not in the form that is known ({error!r})", AGAIN) from None

    return read(path, made)


def from_json(path: Path, take: Callable[..., Made]) -> Made:
    """`take` of the JSON in a file. Raises DataError, with file and row, where it is no JSON or `take` fails."""
    try:
        return take(json.loads(path.read_text(encoding="utf-8")))
    except OTHER_FORM as error:
        what = f"not in the form that is known ({error!r})"
        raise DataError(problem(path, getattr(error, "lineno", 1), None, what, AGAIN)) from None


def csv_table(path: Path, **how) -> pd.DataFrame:
    """A CSV as text. Raises DataError, with the file, where it is none."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, **how)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as CSV ({error}). {AGAIN}.") from None


def files_by_name(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern, sorted by name."""
    return sorted(folder.glob(pattern), key=lambda path: path.name)
