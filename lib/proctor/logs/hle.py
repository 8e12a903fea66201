"""Importers of HLE: runs of models, their answers and tokens, and the labels and keys of HLE-Verified.

All three read the runs in HLE's official formats. The texts of questions and replies stay in the raw files, which are
deleted after the import: HLE carries a canary.
"""

import json
import re
import zipfile
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from proctor.logs.importers import Tables, number_of

RUNS = "results/20250922_122904"
PARTS = ("problem", "answer", "rationale")
_WINDOW = re.compile(r"Full_.*\.part2[123]\.")  # these parts hold 300 consecutive items, whole in all three classes
# vendor_model_provider of judged_hle_<vendor>_<model>_<provider>_<date>_<time>.
_RUN = re.compile(r"(?:judged_)?(?:hle_)?(.+)_\d{8}_\d{6}")
_CLASS = {"Gold subset": "gold", "Revision subset": "revision", "Uncertain subset": "uncertain"}
_CONFIDENCE = re.compile(r"confidence\W*?(\d+(?:\.\d+)?)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|(?<![\w.])-?\.\d+")
_ANSWER = re.compile(r"^\W*(?:exact )?answer\W*?:\W*?(.*?)\W*$", re.IGNORECASE | re.MULTILINE)


def read_runs(raw: Path, only: Collection[str] = ()) -> tuple[pd.DataFrame, dict[str, str]]:
    """(one row per run and item, in their order, all cells text; {item: the key that the judge was given, in any run}).

    A judge's call that failed is written by the source as "no" with confidence 0, without reasoning and with an
    `error`: it is no verdict. only: the runs to read, all where none is named.
    """
    keys: dict[str, str] = {}
    verdicts: dict[tuple[str, str], dict] = {}
    answers: dict[tuple[str, str], dict] = {}
    for kind, part in (("judged", "judged_predictions"), ("predictions", "predictions")):
        for path in sorted((raw / RUNS / kind).glob("*.json")):
            run = _RUN.fullmatch(path.stem)[1]  # type: ignore[index]
            for item, entry in json.loads(path.read_text(encoding="utf-8"))[part].items():
                verdict = entry.get("judge_response") if kind == "judged" else None
                if verdict:
                    keys.setdefault(item, str(verdict.get("correct_answer", "")).strip())
                    if not verdict.get("error") and verdict.get("reasoning") != "":
                        verdicts[run, item] = verdict
                if (run in only or not only) and "error" not in entry and entry.get("response"):
                    answers[run, item] = entry
    return pd.DataFrame([_row(*at, answers[at], keys, verdicts.get(at)) for at in sorted(answers)]), keys


def _row(run: str, item: str, entry: dict, keys: dict[str, str], verdict: dict | None) -> dict[str, str]:
    """One answer: what it says, how sure it is, and what the judge and the program say of it."""
    reply, usage = str(entry["response"]), entry.get("usage") or {}
    stated = _CONFIDENCE.findall(reply)
    reasoning = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    return {
        "id": item,
        "run": run,
        "answered": "1",
        "answer": _short_answer(reply),
        "stated_confidence": str(float(stated[-1])) if stated else "",
        "judge_correct": {"yes": "1", "no": "0"}[verdict["correct"].lower()] if verdict else "",
        "judge_confidence": str(verdict.get("confidence", "")) if verdict else "",
        "exact_original_key": _matches_key(reply, keys.get(item, "")),
        "completion_tokens": str(usage.get("completion_tokens", "")),
        "reasoning_tokens": "" if reasoning is None else str(reasoning),
        "reply": reply,
    }


def hle_runs(raw: Path, only: Collection[str] = ()) -> Tables:
    """Runs of HLE: what was answered, how sure, and the judge's verdict; one row per run and item.

    The keys are those that the judge was given. Where a key is one letter or one number, the program marks the
    answer too.
    """
    found, keys = read_runs(raw, only)
    kinds = [(item, _key_kind(keys.get(item, ""))) for item in sorted(found["id"].unique())]
    tidy = found.drop(columns=["answer", "reasoning_tokens", "reply"])
    return {"tidy.csv.gz": tidy, "items.csv": pd.DataFrame(kinds, columns=["id", "key_kind"])}


def hle_answers(raw: Path, only: Collection[str] = ()) -> Tables:
    """The rows of `hle_runs` for every run, with what was answered and the reasoning's tokens.

    answer: blank where it is neither one letter nor one number. completion_tokens: as the provider counts them, some
    with and some without the reasoning_tokens.
    """
    return {"answers.csv.gz": read_runs(raw, only)[0].drop(columns="reply")}


def hle_repairs(raw: Path, only: Collection[str] = ()) -> Tables:
    """HLE-Verified's labels and what its keys change: one row per item, and one per item and run of HLE.

    in_window: 1 for the items of the parts that hold every class; shares may be computed of them alone. A key is
    changed where it reads otherwise than before; a repaired key may be the JSON value false. The program marks the
    answers where both keys are one letter or one number; an item with another problem says nothing of them.
    """
    labels = {}
    for path in sorted((raw / "data").glob("*.part*.zip")):
        window = "1" if _WINDOW.search(path.name) else "0"
        with zipfile.ZipFile(path) as archive:
            inside = next(name for name in archive.namelist() if not name.startswith("__MACOSX"))
            lines = archive.read(inside).decode().split("\n")
        for item in [_label(json.loads(line), window) for line in lines if line.strip()]:
            if window == "1" or item["id"] not in labels:
                labels[item["id"]] = item
    items = pd.DataFrame([labels[item] for item in sorted(labels)])
    keys = ["original_key", "repaired_key"]
    tidy = read_runs(raw, only)[0].merge(items[["id", *keys]], on="id")
    order = {run: place for place, run in enumerate(only or sorted(tidy["run"].unique()))}
    tidy = tidy.sort_values(["id", "run"], key=lambda cells: cells.map(order) if cells.name == "run" else cells)
    for key in keys:
        tidy[f"exact_{key}"] = [*map(_matches_key, tidy["reply"], tidy[key])]
    tidy = tidy.rename(columns={"judge_correct": "judge_original_key"})
    columns = ["id", "run", "stated_confidence", "exact_original_key", "exact_repaired_key", "judge_original_key"]
    return {"items.csv": items.drop(columns=keys), "tidy.csv.gz": tidy[columns]}


def _label(row: dict, window: str) -> dict[str, str]:
    """One item's labels as text. A key or problem that was not changed has no original_..."""
    repaired = str(row["answer"]).strip()
    original = str(row.get("original_answer", repaired)).strip()
    problem_changed = "original_question" in row and row["original_question"].strip() != row["question"].strip()
    found = {
        "id": row["id"],
        "text_only": str(int(not row.get("image"))),
        "in_window": window,
        "verified_class": _CLASS[row["Verified_Classes"]],
        "problem_changed": str(int(problem_changed)),
        "key_changed": str(int(original != repaired)),
        "original_key_kind": _key_kind(original),
        "repaired_key_kind": _key_kind(repaired),
        "category": row["category"],
        "answer_type": row["answer_type"],
        "original_key": original,
        "repaired_key": repaired,
    }
    checks = {part: row["verify_meta_info"][f"{part}_verify"] for part in PARTS}
    found |= {f"{part}_valid": str(check.get("is_valid", "")) for part, check in checks.items()}
    errors = {part: str(check.get("error_type", "")) for part, check in checks.items()}
    return found | {f"{part}_error": "" if error in ("0", "None") else error for part, error in errors.items()}


def _key_kind(key: str) -> str:
    if re.fullmatch(r"[A-Z]", key):  # a small letter is a variable
        return "letter"
    return "other" if _key_number(key) is None else "number"


def _key_number(key: str) -> float | None:
    return number_of(key.strip("$%. "))


def _final_answer(reply: str) -> str:
    said = _ANSWER.findall(reply)
    return said[-1].strip("*`$ ()") if said else ""


def _letter(answer: str) -> str:
    return found[0].upper() if (found := re.match(r"[A-Za-z]\b", answer)) else ""


def _value(answer: str) -> float | None:
    """The number of an answer that gives one alone: "x = 7 turns" is 7, "1/2" is none."""
    numbers = _NUMBER.findall(answer.rpartition("=")[2].replace("\u2212", "-"))
    return number_of(numbers[0]) if len(numbers) == 1 else None


def _short_answer(reply: str) -> str:
    """The letter or the number of a reply, as the program compares it with a key; "" for any other answer."""
    answer = _final_answer(reply)
    letter, value = "" if "=" in answer else _letter(answer), _value(answer)
    return letter or ("" if value is None else f"{value:.12g}")


def _matches_key(reply: str, key: str) -> str:
    """1 or 0 where the key is one letter or one number, else blank."""
    kind, answer = _key_kind(key), _final_answer(reply)
    if kind == "other":
        return ""
    given, wanted = (_letter(answer), key) if kind == "letter" else (_value(answer), _key_number(key))
    return str(int(given == wanted))
