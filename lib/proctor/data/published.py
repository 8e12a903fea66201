"""Load the tables typed from the papers: data/published/<paper>/<artifact>.csv, evidence `published`.

A file keeps each figure as the paper prints it (30.00, not 30), because the number of decimals says
how much rounding the figure hides; the unit is the column's, so "12%" is stored as 12. The loader
adds the number beside it. A figure that is printed as a dash, or that our source of the paper does
not give, stays "-" or empty, and the row's note says why.

Strategies of UQ's tables are in the library's notation: V vanilla prompt, C correctness, FLC
fact/logic check, CC cycle consistency; xN repeated sampling, uN iterated reflection; |M majority,
|U unanimity; => in sequence. `judges` names the models that vote, separated by "; ".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from proctor.data.tabular import DataError, problem, read_rows, summary
from proctor.paths import PUBLISHED

PERCENT = (0.0, 100.0)
ANY = (float("-inf"), float("inf"))
SOURCE = ("paper", "artifact", "section")
RELATIONS = ("=", "~", "<", ">", "<=", ">=")
UNITS = {
    "count": (0, float("inf")),
    "percent": PERCENT,
    "points": (-100.0, 100.0),
    "share": (0.0, 1.0),
    "USD": (0, float("inf")),
    "year": (2000, 2030),
}  # any other unit may hold any figure
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?")
_WORDS = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(),
        range(16),
    )
) | {"half": 0.5, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100}


class PublishedTable(NamedTuple):
    """Text columns, the printed columns with the range each figure must lie in, and what makes a row unique."""

    text: tuple[str, ...]
    printed: dict[str, tuple[float, float]]
    key: tuple[str, ...]


FACTS = PublishedTable(
    ("fact", "quantity", "relation", "unit"), {"value": ANY}, ("fact",)
)  # of many artifacts, where another file is of one
_HLE = PublishedTable(("model", "text_only"), {"accuracy": PERCENT, "calibration_error": PERCENT}, ("model",))
_HLE_RUBRIC = PublishedTable(("score", "meaning"), {}, ("score",))
_HLE_VERIFIED = {
    f"{items}_{column}": limits
    for items in ("full", "subset")
    for column, limits in (
        ("raw_accuracy", PERCENT),
        ("raw_calibration", PERCENT),
        ("verified_accuracy", PERCENT),
        ("verified_calibration", PERCENT),
        ("gain", UNITS["points"]),
    )
}
_UQ_VALIDATORS = PublishedTable(
    ("model", "judges", "strategy"),
    {"accuracy": PERCENT, "precision": PERCENT, "recall": PERCENT},
    ("judges", "strategy"),
)
_UQ_SITES = PublishedTable(("category", "site"), {"questions": UNITS["count"]}, ("category", "site"))
_UQ_PEOPLE = {"passed_validator": PERCENT, "passed_human": PERCENT, "agreement": PERCENT, "reasoning_accuracy": PERCENT}

TABLES = {
    "hle/table_1": _HLE,
    "hle/table_2": _HLE,
    "hle/table_3": PublishedTable(("model", "version"), {}, ("model",)),
    "hle/fig_3": PublishedTable(("group",), {"share_of_questions": PERCENT}, ("group",)),
    "hle/rubric_reviewer": _HLE_RUBRIC,
    "hle/rubric_expert": _HLE_RUBRIC,
    "uq/table_S1": _UQ_VALIDATORS,
    "uq/table_S2": PublishedTable(("answer_model",), _UQ_PEOPLE, ("answer_model",)),
    "uq/table_S3": PublishedTable(
        ("answer_model", "questions_of"),
        {
            "passed": (0, 500),
            "questions": (25, 500),
            "pass_rate": PERCENT,
            "human_passed": (0, 500),
            "human_verified": (0, 500),
        },
        ("answer_model", "questions_of"),
    ),
    "uq/table_S4": PublishedTable(("community", "retained"), {}, ("community",)),
    "uq/table_S5": PublishedTable(
        ("stage",),
        {"questions": UNITS["count"], "retained_of_original": PERCENT, "retained_of_previous": PERCENT},
        ("stage",),
    ),
    "uq/table_S6": PublishedTable(
        ("stage", "category"), {"questions": UNITS["count"], "percentage": PERCENT}, ("stage", "category")
    ),
    "uq/table_S7": _UQ_SITES,
    "uq/table_S8": _UQ_SITES,
    "uq/table_S9": PublishedTable(("answer_model",), _UQ_PEOPLE | {"cohens_kappa": (-1.0, 1.0)}, ("answer_model",)),
    "uq/table_S10": _UQ_VALIDATORS,
    "uq/table_S11": PublishedTable(("model", "version"), {}, ("model",)),
    "uq/printed_samples": PublishedTable(
        ("question_id", "site", "answered_by", "validator", "people"), {}, ("section",)
    ),
    "uq/claim_site_ai_policies": PublishedTable(("site", "policy"), {}, ("site",)),
    "kina/leaderboard": PublishedTable(("rank", "model"), {"accuracy": PERCENT}, ("rank",)),
    "uq/facts": FACTS,
    "hle/facts": FACTS,
    "hle_verified/facts": FACTS,
    "hle_verified/table_1": PublishedTable(
        ("subject", "problem_defect", "rationale_defect", "answer_defect"),
        {"problem_percent": PERCENT, "rationale_percent": PERCENT, "answer_percent": PERCENT},
        ("subject",),
    ),
    "hle_verified/table_2": PublishedTable(("model",), _HLE_VERIFIED, ("model",)),
    "hle_verified/taxonomy": PublishedTable(("code", "component", "name", "definition"), {}, ("code",)),
    "hle_verified/fig_1": PublishedTable(("subset",), {"items": UNITS["count"]}, ("subset",)),
    "hle_verified/fig_6": PublishedTable(
        ("subject", "component"), {"valid": PERCENT, "invalid": PERCENT, "uncertain": PERCENT}, ("subject", "component")
    ),
    "kina/facts": FACTS,
    "cbu/facts": FACTS,
    "cbu/table_6": PublishedTable(("metric", "meaning"), {}, ("metric",)),
}


def load_published(name: str) -> pd.DataFrame:
    """One published table, such as "hle/table_1", checked against TABLES.

    Columns: paper, artifact, section; the text columns; every printed column as the string that the
    paper prints, and with `_value` after its name as a float (NaN where the paper prints none);
    note. Row order is the paper's. Raises DataError naming file, row and column.
    """
    if name not in TABLES:
        raise DataError(f"no published table {name!r}. Choose one of: {', '.join(TABLES)}.")
    table, path = TABLES[name], PUBLISHED / f"{name}.csv"
    rows, problems = read_rows(path)
    columns = [*SOURCE, *table.text, *table.printed, "note"]
    if not rows or list(rows[0][1]) != columns:
        raise DataError(f"{path}, row 1: the columns must be {', '.join(columns)}, with rows under them.")
    seen: dict[tuple, int] = {}
    for number, row in rows:
        found = list(_row_problems(row, name))
        key = tuple(row[column] for column in table.key)
        if key in seen:
            found.insert(0, (table.key[-1], f"{' / '.join(key)} stands in row {seen[key]} too", "Keep one"))
        seen[key] = number
        problems += [problem(path, number, *each) for each in found]
    if problems:
        raise DataError(summary(problems))
    frame = pd.DataFrame([row for _, row in rows], columns=columns)
    for column in table.printed:
        frame.insert(frame.columns.get_loc(column) + 1, f"{column}_value", frame[column].map(printed_number))
    return frame


def printed_number(text: str) -> float:
    """A printed figure, also a word such as "three", as a float; NaN for a dash or an empty cell.

    Raises ValueError for anything else.
    """
    if text in ("", "-"):
        return float("nan")
    if text.lower() in _WORDS:
        return float(_WORDS[text.lower()])
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is not a printed number")
    return float(text.replace(",", ""))


def _row_problems(row: dict, name: str) -> Iterator[tuple[str, str, str]]:
    """(column, what is wrong, fix) of each problem of a row."""
    table = TABLES[name]
    paper, artifact = name.split("/")
    if row["paper"] != paper or table != FACTS and row["artifact"] != artifact:
        yield "artifact", f"it says {row['paper']}/{row['artifact']}", f"Write {name}"
    for column in (*SOURCE, *table.key):
        if not row[column].strip():
            yield column, "empty", "Fill it in"
    for column in (*table.text, *table.printed):
        if row[column] in ("", "-") and not row["note"].strip():
            yield column, "no value and no note", "Say in note why the figure is absent"
    limits = table.printed
    if table == FACTS:
        if row["relation"] not in RELATIONS:
            yield "relation", f"{row['relation']!r}", f"Choose one of {' '.join(RELATIONS)}"
        limits = {"value": UNITS.get(row["unit"], ANY)}
    for column, (low, high) in limits.items():
        try:
            value = printed_number(row[column])
        except ValueError as error:
            yield column, str(error), "Type it as the paper prints it, without a unit"
            continue
        if value < low or value > high:
            yield column, f"{row[column]} is outside {low:g} to {high:g}", "Compare it with the paper"
