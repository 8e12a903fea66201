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
from typing import NamedTuple

import pandas as pd

from proctor.data.tabular import DataError, Wrong, made, needs, read_rows
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


_LIMITS = {"value": ANY, "cohens_kappa": (-1.0, 1.0)}  # of printed columns that are no percentages
_LIMITS |= dict.fromkeys(("full_gain", "subset_gain"), UNITS["points"])
_LIMITS |= dict.fromkeys(("items", "questions"), UNITS["count"])
_LIMITS |= dict.fromkeys(("passed", "human_passed", "human_verified"), (0, 500))  # of UQ's questions


def _table(columns: str) -> PublishedTable:
    """A table of these columns, of which a * marks those that make a row unique and a % the percentages."""
    names = [name.rstrip("*%") for name in columns.split()]
    limits = _LIMITS | {name[:-1]: PERCENT for name in columns.split() if name.endswith("%")}
    text = tuple(name for name in names if name not in limits)
    key = tuple(name[:-1] for name in columns.split() if name.endswith("*"))
    return PublishedTable(text, {name: limits[name] for name in names if name in limits}, key)


FACTS = _table("fact* quantity relation unit value")  # of many artifacts, where another file is of one
_HLE = "model* text_only accuracy% calibration_error%"
_UQ_VALIDATORS = "model judges* strategy* accuracy% precision% recall%"
_UQ_PEOPLE = "answer_model* passed_validator% passed_human% agreement% reasoning_accuracy%"
_HLE_VERIFIED = "{0}_raw_accuracy% {0}_raw_calibration% {0}_verified_accuracy% {0}_verified_calibration% {0}_gain"
_COLUMNS = {
    "hle/table_1": _HLE,
    "hle/table_2": _HLE,
    "hle/table_3": "model* version",
    "hle/fig_3": "group* share_of_questions%",
    "hle/rubric_reviewer": "score* meaning",
    "hle/rubric_expert": "score* meaning",
    "uq/table_S1": _UQ_VALIDATORS,
    "uq/table_S2": _UQ_PEOPLE,
    "uq/table_S3": "answer_model* questions_of* passed questions pass_rate% human_passed human_verified",
    "uq/table_S4": "community* retained",
    "uq/table_S5": "stage* questions retained_of_original% retained_of_previous%",
    "uq/table_S6": "stage* category* questions percentage%",
    "uq/table_S7": "category* site* questions",
    "uq/table_S8": "category* site* questions",
    "uq/table_S9": f"{_UQ_PEOPLE} cohens_kappa",
    "uq/table_S10": _UQ_VALIDATORS,
    "uq/table_S11": "model* version",
    "uq/printed_samples": "question_id* site answered_by validator people",
    "uq/claim_site_ai_policies": "site* policy",
    "kina/leaderboard": "rank* model accuracy%",
    "hle_verified/table_1": "subject* problem_defect rationale_defect answer_defect "
    "problem_percent% rationale_percent% answer_percent%",
    "hle_verified/table_2": f"model* {_HLE_VERIFIED.format('full')} {_HLE_VERIFIED.format('subset')}",
    "hle_verified/taxonomy": "code* component name definition",
    "hle_verified/fig_1": "subset* items",
    "hle_verified/fig_6": "subject* component* valid% invalid% uncertain%",
    "cbu/table_6": "metric* meaning",
}
TABLES = {name: _table(columns) for name, columns in _COLUMNS.items()}
TABLES["uq/table_S3"].printed["questions"] = (25, 500)  # a model answered all of UQ's, or 25
TABLES |= {f"{paper}/facts": FACTS for paper in ("uq", "hle", "hle_verified", "kina", "cbu")}


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
    key = (table.key[-1], lambda row: " / ".join(row[column] for column in table.key), "key", "Keep one")
    frame = pd.DataFrame(made(path, rows, problems, lambda _, row: _checked(row, name), key), columns=columns)
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


def _checked(row: dict, name: str) -> dict:
    """The row. Raises Wrong for what is wrong with it."""
    table = TABLES[name]
    paper, artifact = name.split("/")
    if row["paper"] != paper or table != FACTS and row["artifact"] != artifact:
        raise Wrong("artifact", f"it says {row['paper']}/{row['artifact']}", f"Write {name}")
    needs(row, *SOURCE, *table.key, fix="Fill it in")
    for column in (*table.text, *table.printed):
        if row[column] in ("", "-") and not row["note"].strip():
            raise Wrong(column, "no value and no note", "Say in note why the figure is absent")
    limits = table.printed
    if table == FACTS:
        if row["relation"] not in RELATIONS:
            raise Wrong("relation", f"{row['relation']!r}", f"Choose one of {' '.join(RELATIONS)}")
        limits = {"value": UNITS.get(row["unit"], ANY)}
    for column, (low, high) in limits.items():
        try:
            value = printed_number(row[column])
        except ValueError as error:
            raise Wrong(column, str(error), "Type it as the paper prints it, without a unit") from None
        if value < low or value > high:
            raise Wrong(column, f"{row[column]} is outside {low:g} to {high:g}", "Compare it with the paper")
    return row
