"""A validator on answers of one's own: what it accepts, and how right it is where the truth is known."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from proctor.data.answers import TRUTH
from proctor.data.tabular import DataError, Wrong, made, problem, read_rows
from proctor.stats.bootstrap import Interval, interval, statistic_interval
from proctor.stats.interval import exact_interval, no_interval
from proctor.stats.proportions import balanced_accuracy, wilson

OUTCOMES = {word: "accept" if truth else "reject" for word, truth in TRUTH.items()}
OUTCOMES |= {"accept": "accept", "accepted": "accept", "reject": "reject", "rejected": "reject"}
OUTCOMES |= {"unreadable": "unreadable"}
FIELDS = ("judge", "check", "question_id", "answer_id", "correct", "outcome")


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
        elif column not in there and (field in ("answer_id", "question_id", "outcome") or field in (columns or {})):
            mend = f"There are {', '.join(sorted(there))}; name yours by columns={{'{field}': ...}}"
            problems.append(problem(path, None, column, "no such column", mend))

    def make(_: int, row: dict) -> dict:
        given = {field: "" if (value := row.get(column)) is None else str(value) for field, column in named.items()}
        for field in ("answer_id", "question_id", "outcome"):
            if not given[field].strip():
                raise Wrong(named[field], "empty", "Fill it in or remove the row")
        outcome, truth = (given[field].strip().casefold() for field in ("outcome", "correct"))
        if outcome not in OUTCOMES:
            raise Wrong(named["outcome"], repr(given["outcome"]), "Write accept, reject or unreadable")
        if truth and truth not in TRUTH:
            raise Wrong(named["correct"], repr(given["correct"]), "Write true or false, or nothing")
        return dict(
            judges=given["judge"] or "judge",
            validator=given["check"],
            question_id=given["question_id"],
            answer_id=given["answer_id"],
            outcome=OUTCOMES[outcome],
            correct=TRUTH.get(truth),
            votes=1,
            unreadable=int(OUTCOMES[outcome] == "unreadable"),
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


def acceptance(
    verdicts: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, by: str = "author"
) -> pd.DataFrame:
    """One row per author, "all" first where there are several; or per value of another column, `by`.

    answers, accepted, votes, unreadable (votes that no verdict could be read from), rejected_unreadable (answers
    rejected or unreadable with such a vote among theirs), share (percent) with its interval, and of right and of wrong
    answers the same (NaN where none is known to be so). verdicts: of `run_validator.validate`, with a column author, or
    of `read_verdicts`. An unreadable vote accepts nothing, so a judge whose replies can't be read looks strict; these
    two columns show it. Answers to one question are resampled together."""
    several = by == "author" and verdicts["author"].nunique() > 1
    groups = ([("all", verdicts)] if several else []) + list(verdicts.groupby(by, sort=False))
    rows = []
    for author, part in groups:
        known = part["correct"].map(lambda truth: truth if isinstance(truth, bool) else None)
        row = {by: author or f"(no {by})"} | dict(
            answers=len(part),
            accepted=int((part["outcome"] == "accept").sum()),
            votes=int(part["votes"].sum()),
            unreadable=int(part["unreadable"].sum()),
            rejected_unreadable=int(((part["outcome"] != "accept") & (part["unreadable"] > 0)).sum()),
        )
        for name, these in (("share", part), ("of_right", part[known == True]), ("of_wrong", part[known == False])):  # noqa: E712
            found = share_accepted(these, rng, resamples) if len(these) else no_interval(0.95)
            row |= found.columns(name)
        rows.append(row)
    return pd.DataFrame(rows)


def share_accepted(
    verdicts: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Interval:
    """Percent of the answers that are accepted; Wilson's interval, or questions resampled where one has several."""
    accepted = (verdicts["outcome"] == "accept").to_numpy(float)
    if verdicts["question_id"].nunique() == len(verdicts):
        limits = wilson(int(accepted.sum()), len(verdicts), level)
        return Interval(accepted.mean(), *limits, level, "wilson").scaled(100)
    return interval(accepted, rng, resamples, level, clusters=verdicts["question_id"]).scaled(100)


def with_both_truths(verdicts: pd.DataFrame) -> pd.DataFrame | None:
    """The verdicts on answers that are known to be right or wrong; None unless there are some of each."""
    known = verdicts[verdicts["correct"].map(lambda truth: isinstance(truth, bool))]
    return known if known["correct"].nunique() == 2 else None


def balanced_accuracy_of(
    known: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Interval:
    """Balanced accuracy in percent of verdicts on answers of known truth, questions resampled."""
    accept, correct = (known["outcome"] == "accept").to_numpy(float), known["correct"].to_numpy(float)
    whole = float(balanced_accuracy(np.ones((1, len(known))), accept, correct)[0])
    alike = exact_interval(whole, known["question_id"].nunique(), level, (0.0, 1.0))  # where no resample differs
    how = dict(clusters=known["question_id"], bounds=(alike.low, alike.high), weighted=True)
    return statistic_interval(balanced_accuracy, [accept, correct], rng, resamples, level, **how).scaled(100)
