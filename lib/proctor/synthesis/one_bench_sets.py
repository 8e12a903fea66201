"""A table of one's own methods and candidates, for `one_bench`.

It has one row per candidate and method: question, candidate, correct (1 or 0), method, score (higher is better; blank
where it could not be read), calls and tokens (generated ones) per candidate. And, where there are such: set, model (who
judges; blank where nobody is asked), paper, family of the question, accept (the method's own verdict, 1 or 0), and
reads: methods that read the same calls share its name.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from proctor.data.tabular import DataError, problem, read_rows, summary

COLUMNS = ("question", "candidate", "correct", "method", "score", "calls", "tokens")
OPTIONAL = {"set": "own", "model": "", "paper": "", "family": "", "reads": "", "accept": np.nan}


def load(path: str | Path) -> pd.DataFrame:
    """A table of one's own, .csv, .jsonl, .json or .parquet: COLUMNS, and of OPTIONAL what there is.

    Without a family each question is one. correct and accept are 1 or 0; a blank score is an unreadable one. Raises
    DataError naming file, row, column and mend.
    """
    path = Path(path)
    rows, problems = read_rows(path)
    table = pd.DataFrame([row for _, row in rows])
    if lacking := [name for name in COLUMNS if name not in table]:
        raise DataError(f"{path}: no column {', '.join(lacking)}. Give {', '.join(COLUMNS)}.")
    table = table.assign(**{name: value for name, value in OPTIONAL.items() if name not in table})
    table["family"] = table["family"].where(table["family"].astype(bool), table["question"])
    for name in ("correct", "score", "calls", "tokens", "accept"):
        given = table[name].replace("", np.nan)
        number = pd.to_numeric(given, errors="coerce").astype(float)
        bad = number.isna() & given.notna() | ~np.isfinite(number.fillna(0))
        if name in ("correct", "calls"):
            bad |= number.isna()
        if name in ("correct", "accept"):
            bad |= number.notna() & ~number.isin([0, 1])
        problems += [
            problem(path, rows[i][0], name, f"{table[name].iloc[i]!r} can't be used", "Give a number")
            for i in np.flatnonzero(bad)[:3]
        ]
        table[name] = number
    if problems:
        raise DataError(summary(problems))
    return table.astype({"correct": int})
