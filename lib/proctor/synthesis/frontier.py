"""The same question asked of small models or printed tables, and of public records of strong models.

    questions = load_questions("data/frontier_questions.csv")
    table = answers(questions, read_claims(paths.ROOT / "figures"))

A row of the table of questions names two claims: `here` (measured, published or reconstructed) and `frontier`
(logged). Both intervals are judged by the same sentence, `says`; where it is blank the two have no common quantity, and
each keeps its own verdict, as does a claim without an interval.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from proctor.data.tabular import DataError, problem, summary
from proctor.report.claims import FAILS, HOLDS, UNSETTLED, Claim, parse, verdict

COLUMNS = ["paper", "question", "label", "here", "frontier", "says", "unit", "note"]
SAME, OPPOSITE, NEITHER = "same answer", "opposite answers", "neither decides"
ONLY_HERE, ONLY_FRONTIER = "only the papers' side decides", "only the frontier decides"


def load_questions(path: str | Path) -> pd.DataFrame:
    """The table of questions: COLUMNS, all text. Raises DataError for another header or a sentence not understood."""
    file = Path(path)
    try:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: cannot be read as CSV ({error}). Take it back from git.") from error
    if list(table.columns) != COLUMNS:
        raise DataError(f"{file}: columns must be {', '.join(COLUMNS)}, not {', '.join(table.columns)}")
    for row, says in enumerate(table["says"], 2):
        try:
            parse(says or "> 0")
        except ValueError as error:
            raise DataError(problem(file, row, "says", str(error), "Mend the sentence or leave it blank")) from None
    return table


def answers(questions: pd.DataFrame, claims: Sequence[Claim]) -> pd.DataFrame:
    """A row a question: for each side its evidence, estimate, low, high, numbers as text and verdict; and the reading.

    Columns of a side begin with here_ or frontier_. Raises DataError for a claim that is nowhere, or a `frontier` that
    is not logged.
    """
    known = {claim.id: claim for claim in claims}
    missing = [
        problem("frontier questions", row, side, f"no claim {name}", "Run its notebook, or mend the id")
        for side in ("here", "frontier")
        for row, name in enumerate(questions[side], 2)
        if name not in known
    ]
    missing += [
        problem("frontier questions", row, "frontier", f"{name} is {known[name].evidence}", "Name a logged claim")
        for row, name in enumerate(questions["frontier"], 2)
        if name in known and "logged" not in known[name].evidence
    ]
    if missing:
        raise DataError(summary(missing))
    rows = []
    for question in questions.itertuples():
        row = {name: getattr(question, name) for name in ("paper", "question", "label", "says", "unit", "note")}
        for side in ("here", "frontier"):
            claim = known[str(getattr(question, side))]
            row |= {f"{side}_{name}": value for name, value in _side(claim, str(question.says)).items()}
        rows.append(row | {"reading": _reading(row["here_verdict"], row["frontier_verdict"])})
    return pd.DataFrame(rows)


def narrower(table: pd.DataFrame) -> tuple[int, int]:
    """(questions whose interval is narrower at the frontier, questions with two intervals of one unit)."""
    both = table[(table["unit"] != "") & table[["here_low", "here_high", "frontier_low"]].notna().all(axis=1)]
    width = {side: both[f"{side}_high"] - both[f"{side}_low"] for side in ("here", "frontier")}
    sampled = width["here"] > 0  # a figure that a paper prints has none
    return int((width["frontier"] < width["here"])[sampled].sum()), int(sampled.sum())


def _side(claim: Claim, says: str) -> dict:
    found = claim.verdict
    sampled = claim.low is not None and claim.high is not None
    if says and sampled:
        found = verdict(claim.low, claim.high, says)  # type: ignore[arg-type]
    numbers = re.split(r", (?:n =|exact:)", claim.numbers)[0] if claim.estimate is not None else claim.exact
    values = dict(estimate=claim.estimate, low=claim.low, high=claim.high)
    return (
        dict(claim=claim.id, evidence=claim.evidence)
        | {name: math.nan if value is None else value for name, value in values.items()}
        | dict(numbers=numbers, verdict=found)
    )


def _reading(here: str, frontier: str) -> str:
    if here == frontier:
        return NEITHER if here == UNSETTLED else SAME
    if {here, frontier} == {HOLDS, FAILS}:
        return OPPOSITE
    return ONLY_FRONTIER if here == UNSETTLED else ONLY_HERE
