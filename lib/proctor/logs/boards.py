"""Importers of boards: MMLU-Pro (a zip per model with its replies) and LiveBench (one Parquet file of scores).

As in `proctor.logs.importers`: an importer gets the folder of the raw files and returns {tidy file: table of text}.
"""

import json
import re
import zipfile
import zlib
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from proctor.data.tabular import DataError, Wrong, can_be_text, made, problem, read, refuse_constant
from proctor.logs.raw_files import AGAIN, Say, Tables, cell

LETTERS = "ABCDEFGHIJ"  # of options, ten at most
_NO_LETTER = re.compile(r"[\W_]+")  # what items may differ in and be the same
_NAME = re.compile(r"model_outputs_(.+?)(?:_5-?shots)?(?:\.json)?\.zip")


def mmlu_pro(raw: Path, say: Say = print, only: Collection[str] = ()) -> Tables:
    """MMLU-Pro: each model's letters, marked by the key in its own file, and the lengths of its replies.

    An unread reply has letter "-" and is wrong. Where files differ on an item (33 keys, 7 numbers of options), `keys`
    holds all letters; the rest is taken from the first file, capitals first. twin_of: an earlier item of the same
    question (letters and digits) and right option, in any file. reply_length: characters divided by ten, of the items
    that all models have. only: the models to read, all where none is named. Raises DataError with file and row.
    """
    found = {}
    for path in (raw / "eval_results").glob("model_outputs_*.zip"):
        if (named := _NAME.fullmatch(path.name)) and (not only or named[1] in only):
            found[named[1]] = path
    if not found or (lacking := [name for name in only if name not in found]):
        what = f"no file of {', '.join(lacking)}" if found else "no model_outputs_*.zip"
        raise DataError(f"{raw / 'eval_results'}: {what}. {AGAIN}.")
    about: dict[int, dict] = {}
    keys: dict[int, set[str]] = {}
    same: dict[tuple[int, int], int] = {}  # by question and right option: the earliest item
    letters, marks, lengths = {}, {}, {}
    for model in sorted(found):
        answers, loose = read_letters(found[model])
        if loose:
            say(f"  {model}: {loose} loose entries that are no answers are left out")
        for each in answers:
            about.setdefault(each["item"], each)
            keys.setdefault(each["item"], set()).add(each["key"])
            same[each["text"]] = min(each["item"], same.get(each["text"], each["item"]))
        letters[model] = {each["item"]: each["letter"] for each in answers}
        marks[model] = {each["item"]: str(int(each["letter"] == each["key"])) for each in answers}
        lengths[model] = {each["item"]: str(round(each["characters"] / 10)) for each in answers}
    items = sorted(about)
    common = {item for item in items if all(item in given for given in letters.values())}
    disputed = sum(len(each) > 1 for each in keys.values())
    say(f"  {len(common):,} of {len(items):,} items are common to {len(found)} models; {disputed} have two keys")
    facts = pd.DataFrame([about[item] for item in items])[["item", "category", "options", "source"]].astype(str)
    facts["common"] = ["1" if item in common else "0" for item in items]
    facts["twin_of"] = ["" if (first := same[about[item]["text"]]) == item else str(first) for item in items]
    keyed = pd.DataFrame({"item": facts["item"], "keys": ["".join(sorted(keys[item])) for item in items]})
    return {
        "tidy.csv.gz": facts.join(_wide(marks, items)),
        "letters.csv.gz": keyed.join(_wide(letters, items)),
        "reply_length.csv.gz": pd.DataFrame({"item": sorted(common)}).join(_wide(lengths, sorted(common))).astype(str),
    }


def read_letters(path: Path) -> tuple[list[dict], int]:
    """(a model's answers, the number of loose entries between them) from the zip with its JSON array.

    An answer: item, category, options (their number), source, key and letter ("-" for a reply that the source could
    not read), characters of the reply, text (hash of question and right option). Raises DataError with file and row.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            [inside] = [name for name in archive.namelist() if not name.startswith("__MACOSX")]
            entries = json.loads(archive.read(inside), parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        raise DataError(problem(path, error.lineno, None, f"bad JSON ({error})", AGAIN)) from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise DataError(f"{path}: no archive with one JSON file in it ({error}). {AGAIN}.") from None
    if not isinstance(entries, list):
        raise DataError(f"{path}: not a JSON array. {AGAIN}.")
    rows = [(number, entry) for number, entry in enumerate(entries, 1) if isinstance(entry, dict)]
    once = ("question_id", lambda answer: answer["item"], "item", AGAIN)
    return made(path, rows, [], lambda _, row: _answer(row), once, f"no answers. {AGAIN}."), len(entries) - len(rows)


def livebench(raw: Path, say: Say = print) -> Tables:
    """LiveBench: scores from 0 to 1 with at most four digits, and the answers that stand twice.

    Of two answers of one model to one question the board keeps the earlier; retests: both, with the days of their
    marking (UTC). Models in the order of the alphabet, ignoring case. Raises DataError with file and row.
    """
    scores = read_scores(raw / "examples" / "data" / "livebench_13012025.parquet")
    scores = scores.sort_values(["category", "task", "id", "time"], kind="stable", ignore_index=True)
    again = scores.duplicated(["id", "model"])
    if scores[again].duplicated(["id", "model"]).any():
        raise DataError(f"{raw / 'examples/data'}: an answer stands more than twice. {AGAIN}.")
    first = scores[~again]
    say(f"  {int(again.sum())} answers stand twice: the board keeps the earlier")
    about = first.drop_duplicates("id")[["id", "category", "task"]].set_index("id")
    wide = first.pivot(index="id", columns="model", values="score").reindex(about.index).fillna("")
    wide = wide[sorted(wide, key=str.lower)]
    both = first.merge(scores[again][["id", "model", "score", "day"]], on=["id", "model"], suffixes=("", "_2"))
    both = both.rename(columns=dict(score="first", score_2="second", day="first_date", day_2="second_date"))
    columns = ["id", "category", "task", "model", "first", "second", "first_date", "second_date"]
    retests = both.sort_values(["model", "category", "task", "id"])[columns]
    return {"tidy.csv.gz": about.join(wide).reset_index(), "retests.csv.gz": retests}


def read_scores(path: Path) -> pd.DataFrame:
    """One row per marked answer of LiveBench: id, category, task, model, score (text), time (seconds), day (UTC).

    Raises DataError with file and row.
    """
    return pd.DataFrame(read(path, _score, empty=f"no scores. {AGAIN}."))


def _answer(row: dict) -> dict:
    """One reply of a model to an item of MMLU-Pro."""
    item, options, key, letter = (cell(row, name) for name in ("question_id", "options", "answer", "pred"))
    if type(item) is not int:
        raise Wrong("question_id", f"{item!r} is no whole number", AGAIN)
    if not isinstance(options, list) or not all(isinstance(each, str) for each in options):
        raise Wrong("options", "no list of texts", AGAIN)
    if not 1 <= len(options) <= len(LETTERS):
        raise Wrong("options", f"not 1 to {len(LETTERS)} options", AGAIN)
    if not isinstance(key, str) or key not in [*LETTERS[: len(options)]]:
        raise Wrong("answer", f"{key!r} is not the letter of an option", AGAIN)
    if letter is not None and (not isinstance(letter, str) or letter not in [*LETTERS]):
        raise Wrong("pred", f"{letter!r} is neither null nor a letter from A to {LETTERS[-1]}", AGAIN)
    reply = row.get("model_outputs", row.get("generated_text"))
    if not isinstance(reply, str):
        raise Wrong("model_outputs", "no text here nor in generated_text", AGAIN)
    return {
        "item": item,
        "category": _text(row, "category"),
        "options": len(options),
        "source": _text(row, "src"),
        "key": key,
        "letter": letter or "-",
        "characters": len(reply),
        "text": hash((_NO_LETTER.sub("", _text(row, "question").lower()), options[LETTERS.index(key)])),
    }


def _score(row: dict) -> dict:
    """One marked answer of LiveBench."""
    score, time = cell(row, "score"), cell(row, "tstamp")
    if not isinstance(score, int | float) or not 0 <= score <= 1:
        raise Wrong("score", f"{score!r} is no number from 0 to 1", AGAIN)
    try:
        day = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")
    except (TypeError, ValueError, OverflowError, OSError):
        raise Wrong("tstamp", f"{time!r} is no time in seconds", AGAIN) from None
    if cell(row, "turn") != 1:
        raise Wrong("turn", f"{row['turn']!r}, and each question has one turn", AGAIN)
    texts = {"id": _text(row, "question_id"), **{name: _text(row, name) for name in ("category", "task", "model")}}
    return texts | {"score": f"{round(score, 4):g}", "time": time, "day": day}


def _wide(cells: dict[str, dict[int, str]], items: list[int]) -> pd.DataFrame:
    """Item x model, the models in the order of the alphabet, ignoring case; blank where a model lacks the item."""
    return pd.DataFrame(
        {model: [cells[model].get(item, "") for item in items] for model in sorted(cells, key=str.lower)}
    )


def _text(row: dict, column: str) -> str:
    if not isinstance(value := cell(row, column), str) or not value or not can_be_text(value):
        raise Wrong(column, f"{value!r} is no text", AGAIN)
    return value
