"""Verdicts that judges of one's own gave, from a file (uq/your_answers)."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from proctor.data.answers import TRUTH
from proctor.data.tabular import DataError, Wrong, made, needs, problem, read_rows
from proctor.uq.own_judges import VERDICT

NEEDED = ("answer_id", "question_id", "outcome")
FIELDS = ("judge", "check", "correct", *NEEDED)


def read_verdicts(path: str | Path, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Verdicts that judges of one's own gave, one row per judge and answer, in the form of `run_validator.validate`.

    Columns answer_id, question_id and outcome (accept, reject or unreadable; yes and no, true and false, 1 and 0 too),
    and if there are any judge, check and correct (the truth; empty where nobody knows). Further columns are left out.
    columns: {field: column} where one has another name. Raises DataError with file, row, column and fix.
    """
    path, named = Path(path), {field: field for field in FIELDS} | dict(columns or {})
    rows, problems = read_rows(path)
    there = {column for _, row in rows for column in row}
    for field, column in named.items():
        if field not in FIELDS:
            problems.append(problem(path, None, column, f"no field {field!r}", f"Fields are {', '.join(FIELDS)}"))
        elif column not in there and (field in NEEDED or field in (columns or {})):
            mend = f"There are {', '.join(sorted(there))}; name yours by columns={{'{field}': ...}}"
            problems.append(problem(path, None, column, "no such column", mend))

    def make(_: int, row: dict) -> dict:
        needs(row, *(named[field] for field in NEEDED))
        given = {field: "" if (value := row.get(column)) is None else str(value) for field, column in named.items()}
        word, truth = (given[field].strip().casefold() for field in ("outcome", "correct"))
        if word not in VERDICT:
            raise Wrong(named["outcome"], repr(given["outcome"]), "Write accept, reject or unreadable")
        if truth and truth not in TRUTH:
            raise Wrong(named["correct"], repr(given["correct"]), "Write true or false, or nothing")
        return dict(
            judges=given["judge"] or "judge",
            validator=given["check"],
            question_id=given["question_id"],
            answer_id=given["answer_id"],
            outcome=VERDICT[word],
            correct=TRUTH.get(truth),
            votes=1,
            unreadable=int(VERDICT[word] == "unreadable"),
            calls=1,
        )

    def whose(verdict: dict) -> tuple:
        return verdict["judges"], verdict["validator"], verdict["answer_id"]

    once = (named["answer_id"], whose, "judge, check and answer", "Keep one verdict for each")
    empty = "no verdicts in it. Give it at least one row."
    table = pd.DataFrame(made(path, rows if not problems else (), problems, make, once, empty))
    mixed = table.dropna(subset=["correct"]).groupby("answer_id")["correct"].nunique()
    if (mixed > 1).any():
        raise DataError(f"{path}: answer {mixed.idxmax()} is right in one row and wrong in another. Keep one truth.")
    return table
