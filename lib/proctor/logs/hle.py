"""Importers of HLE: runs of models, their answers and tokens, and the labels and keys of HLE-Verified.

All three read the runs in HLE's official formats. The texts of questions and replies stay in the raw files, which are
deleted after the import: HLE carries a canary.
"""

import re
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from proctor.data.tabular import DataError
from proctor.logs.raw_files import AGAIN, Say, Tables, files_by_name, from_json, rows

RUNS = "results/20250922_122904"
PARTS = ("problem", "answer", "rationale")
_WINDOW = re.compile(r"Full_.*\.part2[123]\.")  # these parts hold 300 consecutive items, whole in all three classes
_CLASS = {"Gold subset": "gold", "Revision subset": "revision", "Uncertain subset": "uncertain"}
_CONFIDENCE = re.compile(r"confidence\W*?(\d+(?:\.\d+)?)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|(?<![\w.])-?\.\d+")
_ANSWER = re.compile(r"^\W*(?:exact )?answer\W*?:\W*?(.*?)\W*$", re.IGNORECASE | re.MULTILINE)


class Runs(NamedTuple):
    """answers: (run, item) -> its entry in the file; verdicts: the same -> the judge's with its `mark` (1 or 0), none
    for calls that failed; keys: item -> the key that the judge was given, of any run."""

    answers: dict[tuple[str, str], dict]
    verdicts: dict[tuple[str, str], dict]
    keys: dict[str, str]


def read_runs(raw: Path, say: Say, only: Collection[str] = ()) -> Runs:
    """The runs in a folder. A judge's call that failed is written by the source as "no" with confidence 0, without
    reasoning and with an `error`: it is no verdict. only: the runs to read, all where none is named. Raises DataError.
    """
    files = {kind: files_by_name(raw / RUNS, f"{kind}/*.json") for kind in ("judged", "predictions")}
    there = {_run(path) for paths in files.values() for path in paths}
    if left := len(there - set(only)) if only else 0:
        say(
            f"  {left} of {len(there)} runs are left out: data/logs/sources.yaml names {len(only)}; --every-run has all"
        )
    found, failed = Runs({}, {}, {}), 0
    for path in files["judged"]:
        for item, entry in _entries(path, "judged_predictions"):
            verdict = entry.get("judge_response")
            if verdict:
                found.keys.setdefault(item, str(verdict.get("correct_answer", "")).strip())
            if only and _run(path) not in only:
                continue
            if verdict:
                if verdict.get("error") or verdict.get("reasoning") == "":
                    failed += 1
                else:
                    found.verdicts[_run(path), item] = verdict | {"mark": _yes_no(path, item, verdict)}
            if _is_answer(entry):
                found.answers[_run(path), item] = entry
    for path in (path for path in files["predictions"] if not only or _run(path) in only):
        for item, entry in _entries(path, "predictions"):
            if _is_answer(entry):
                found.answers[_run(path), item] = entry
    if not found.answers:
        raise DataError(f"{raw / RUNS}: no predictions. {AGAIN}.")
    if failed:
        say(f"  {failed} calls of the judge failed: their verdicts are blank")
    return found


def hle_runs(raw: Path, say: Say = print, only: Collection[str] = ()) -> Tables:
    """Runs of HLE: what was answered, how sure, and the judge's verdict; one row per run and item.

    The keys are those that the judge was given. Where a key is one letter or one number, the program marks the
    answer too.
    """
    found = read_runs(raw, say, only)
    kinds = [(item, _key_kind(found.keys.get(item, ""))) for item in sorted({item for _, item in found.answers})]
    return {"tidy.csv.gz": _marked(found), "items.csv": pd.DataFrame(kinds, columns=["id", "key_kind"])}


def hle_answers(raw: Path, say: Say = print, only: Collection[str] = ()) -> Tables:
    """The rows of `hle_runs` for every run, with what was answered and the reasoning's tokens.

    answer: blank where it is neither one letter nor one number. completion_tokens: as the provider counts them, some
    with and some without the reasoning_tokens.
    """
    found = read_runs(raw, say, only)
    table, entries = _marked(found), [found.answers[key] for key in sorted(found.answers)]
    table.insert(3, "answer", [_short_answer(_reply(entry)) for entry in entries])
    details = [(entry.get("usage") or {}).get("completion_tokens_details") or {} for entry in entries]
    table["reasoning_tokens"] = ["" if (n := one.get("reasoning_tokens")) is None else str(n) for one in details]
    return {"answers.csv.gz": table}


def hle_repairs(raw: Path, say: Say = print, only: Collection[str] = ()) -> Tables:
    """HLE-Verified's labels and what its keys change: one row per item, and one per item and run of HLE.

    in_window: 1 for the items of the parts that hold every class; shares may be computed of them alone. A key is
    changed where it reads otherwise than before; a repaired key may be the JSON value false. The program marks the
    answers where both keys are one letter or one number.
    """
    labels = {}
    for path in files_by_name(raw / "data", "*.part*"):
        for item in _labels(path):
            if item["in_window"] == "1" or item["id"] not in labels:
                labels[item["id"]] = item
    if not labels:
        raise DataError(f"{raw / 'data'}: no part of HLE-Verified's labels. {AGAIN}.")
    runs, marked = read_runs(raw, say, only), []
    order = list(only) or sorted({run for run, _ in runs.answers})
    for item in sorted(labels):
        original, repaired = labels[item]["original_key"], labels[item]["repaired_key"]
        for run in order:
            if (run, item) in runs.answers:
                entry, verdict = runs.answers[run, item], runs.verdicts.get((run, item))
                marks = [_matches_key(_reply(entry), key) for key in (original, repaired)]
                marked.append([item, run, _stated(entry), *marks, verdict["mark"] if verdict else ""])
    items = pd.DataFrame([labels[item] for item in sorted(labels)]).drop(columns=["original_key", "repaired_key"])
    false = sum(one["repaired_key"] == "False" for one in labels.values())
    say(
        f"  {int((items['in_window'] == '1').sum())} of {len(items):,} items are in the window; shares hold there alone"
    )
    say(f"  {int((items['problem_changed'] == '1').sum())} items have another problem: leave them out of marking")
    if false:
        say(f"  {false} repaired keys are the JSON value false")
    columns = ["id", "run", "stated_confidence", "exact_original_key", "exact_repaired_key", "judge_original_key"]
    return {"items.csv": items, "tidy.csv.gz": pd.DataFrame(marked, columns=columns)}


def _marked(found: Runs) -> pd.DataFrame:
    """One row per run and item, in their order, all cells text."""
    marked = []
    for run, item in sorted(found.answers):
        entry, verdict = found.answers[run, item], found.verdicts.get((run, item))
        marked.append(
            {
                "id": item,
                "run": run,
                "answered": "1",
                "stated_confidence": _stated(entry),
                "judge_correct": verdict["mark"] if verdict else "",
                "judge_confidence": str(verdict.get("confidence", "")) if verdict else "",
                "exact_original_key": _matches_key(_reply(entry), found.keys.get(item, "")),
                "completion_tokens": str((entry.get("usage") or {}).get("completion_tokens", "")),
            }
        )
    return pd.DataFrame(marked)


def _labels(path: Path) -> list[dict[str, str]]:
    """The rows of one part, a .jsonl or a .zip with one in it."""
    if path.suffix == ".zip":
        try:
            with zipfile.ZipFile(path) as archive:
                inside = [name for name in archive.namelist() if not name.startswith("__MACOSX")]
                text = archive.read(inside[0])
        except (zipfile.BadZipFile, IndexError, OSError) as error:
            raise DataError(f"{path}: no archive with a file of labels ({error}). {AGAIN}.") from None
        path = path.with_name(f"{path.name.removesuffix('.zip').removesuffix('.jsonl')}.jsonl")
        path.write_bytes(text)
    elif path.suffix != ".jsonl":
        return []
    window = "1" if _WINDOW.search(path.name) else "0"
    return rows(path, lambda row: _label(row) | {"in_window": window})


def _label(row: dict) -> dict[str, str]:
    """One item's labels as text. A key or problem that was not changed has no original_..."""
    repaired = str(row["answer"]).strip()
    original = str(row.get("original_answer", repaired)).strip()
    problem_changed = "original_question" in row and row["original_question"].strip() != row["question"].strip()
    found = {
        "id": row["id"],
        "text_only": str(int(not row.get("image"))),
        "in_window": "",
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


def number_of(text: str) -> float | None:
    """The number that a text is; commas of thousands are left out. None: it is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _entries(path: Path, key: str) -> list[tuple[str, dict]]:
    """(item, entry) of an object of entries in HLE's official form."""
    return from_json(path, lambda found: list(found[key].items()))


def _run(path: Path) -> str:
    """vendor_model_provider of judged_hle_<vendor>_<model>_<provider>_<date>_<time>.json."""
    name = path.stem.removeprefix("judged_").removeprefix("hle_")
    return re.sub(r"_\d{8}_\d{6}$", "", name)


def _is_answer(entry: dict) -> bool:
    return "error" not in entry and bool(_reply(entry))


def _reply(entry: dict) -> str:
    return str(entry.get("response", ""))


def _stated(entry: dict) -> str:
    """The last confidence in a reply, as it is written there; "" where there is none."""
    stated = _CONFIDENCE.findall(_reply(entry))
    return str(float(stated[-1])) if stated else ""


def _yes_no(path: Path, item: str, verdict: dict) -> str:
    said = str(verdict.get("correct", "")).lower()
    if said not in ("yes", "no"):
        raise DataError(f"{path}, item {item}: correct is {said!r}, not yes or no. {AGAIN}.")
    return "1" if said == "yes" else "0"


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
