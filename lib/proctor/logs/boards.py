"""Importers of boards: MMLU-Pro (a zip per model with its replies) and LiveBench (one Parquet file of scores).

As in `proctor.logs.importers`: an importer gets the folder of the raw files and returns {tidy file: table of text}.
"""

import json
import re
import zipfile
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from proctor.data.schemas import LETTERS
from proctor.logs.importers import Tables

_NO_LETTER = re.compile(r"[\W_]+")  # what items may differ in and be the same
_NAME = re.compile(r"model_outputs_(.+?)(?:_5-?shots)?(?:\.json)?\.zip")


def mmlu_pro(raw: Path, only: Collection[str] = ()) -> Tables:
    """MMLU-Pro: each model's letters, marked by the key in its own file, and the lengths of its replies.

    An unread reply has letter "-" and is wrong. Where files differ on an item (33 keys, 7 numbers of options), `keys`
    holds all letters; the rest is taken from the first file, capitals first. twin_of: an earlier item of the same
    question (letters and digits) and right option, in any file. reply_length: characters divided by ten, of the items
    that all models have. only: the models to read, all where none is named.
    """
    named = {found[1]: path for path in (raw / "eval_results").glob("*.zip") if (found := _NAME.fullmatch(path.name))}
    models = sorted(only or named)
    answers = pd.concat({model: read_letters(named[model]) for model in models}, names=["model"])
    answers = answers.reset_index("model").assign(mark=(answers["letter"] == answers["key"]).astype(int).to_numpy())
    about = answers.drop_duplicates("item").set_index("item").sort_index()
    by_item = answers.groupby("item")
    keys = by_item["key"].agg(lambda letters: "".join(sorted({*letters})))
    common = by_item.size() == len(models)
    twin = about["text"].map(answers.groupby("text")["item"].min())
    about = about[["category", "options", "source"]].assign(
        common=common.astype(int), twin_of=twin.astype(str).where(twin != about.index, "")
    )
    wide = {name: _wide(answers, name, models) for name in ("mark", "letter", "length")}
    tables = {
        "tidy.csv.gz": about.join(wide["mark"]),
        "letters.csv.gz": keys.to_frame("keys").join(wide["letter"]),
        "reply_length.csv.gz": wide["length"][common],
    }
    return {name: found.reset_index().astype(str) for name, found in tables.items()}


def _wide(answers: pd.DataFrame, column: str, models: list[str]) -> pd.DataFrame:
    """Item x model, the models in the order of the alphabet, ignoring case; blank where a model lacks the item."""
    cells = answers.assign(cell=answers[column].astype(str)).pivot(index="item", columns="model", values="cell")
    return cells[sorted(models, key=str.lower)].fillna("")


def read_letters(path: Path) -> pd.DataFrame:
    """A model's answers, from the zip with its JSON array; the loose words between them are left out.

    An answer: item, category, options (their number), source, key and letter ("-" for a reply that the source could
    not read), length (characters of the reply, divided by ten), text (the question's letters, and the right option).
    """
    with zipfile.ZipFile(path) as archive:
        [inside] = [name for name in archive.namelist() if not name.startswith("__MACOSX")]
        entries = json.loads(archive.read(inside))
    return pd.DataFrame([_answer(entry) for entry in entries if isinstance(entry, dict)])


def _answer(row: dict) -> dict:
    """One reply of a model to an item of MMLU-Pro."""
    reply = row["model_outputs"] if "model_outputs" in row else row["generated_text"]
    right = row["options"][LETTERS.index(row["answer"])]
    return {
        "item": row["question_id"],
        "category": row["category"],
        "options": len(row["options"]),
        "source": row["src"],
        "key": row["answer"],
        "letter": row["pred"] or "-",
        "length": round(len(reply) / 10),
        "text": f"{_NO_LETTER.sub('', row['question'].lower())}\n{right}",
    }


def livebench(raw: Path) -> Tables:
    """LiveBench: scores from 0 to 1 with at most four digits, and the answers that stand twice.

    Of two answers of one model to one question the board keeps the earlier; retests: both, with the days of their
    marking (UTC). Models in the order of the alphabet, ignoring case.
    """
    scores = read_scores(raw / "examples" / "data" / "livebench_13012025.parquet")
    scores = scores.sort_values(["category", "task", "id", "time"], kind="stable", ignore_index=True)
    again = scores.duplicated(["id", "model"])
    first = scores[~again]
    about = first.drop_duplicates("id")[["id", "category", "task"]].set_index("id")
    wide = first.pivot(index="id", columns="model", values="score").reindex(about.index).fillna("")
    wide = wide[sorted(wide, key=str.lower)]
    second = scores[again][["id", "model", "score", "day"]]
    both = first.merge(second, on=["id", "model"], suffixes=("", "_2"), validate="one_to_one")
    both = both.rename(columns=dict(score="first", score_2="second", day="first_date", day_2="second_date"))
    columns = ["id", "category", "task", "model", "first", "second", "first_date", "second_date"]
    retests = both.sort_values(["model", "category", "task", "id"])[columns]
    return {"tidy.csv.gz": about.join(wide).reset_index(), "retests.csv.gz": retests}


def read_scores(path: Path) -> pd.DataFrame:
    """One row per marked answer of LiveBench: id, category, task, model, score (text), time (seconds), day (UTC)."""
    found = pd.read_parquet(path).rename(columns={"question_id": "id", "tstamp": "time"})
    day = pd.to_datetime(found["time"], unit="s").dt.strftime("%Y-%m-%d")
    found = found.assign(score=[f"{round(score, 4):g}" for score in found["score"]], day=day)
    return found[["id", "category", "task", "model", "score", "time", "day"]]
