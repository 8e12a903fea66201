"""Importers of HLE: runs of models, their answers and tokens, and the labels and keys of HLE-Verified.

All three read the runs in HLE's official formats. The texts of questions and replies stay in the raw files, which are
deleted after the import: HLE carries a canary.
"""

import re
import zipfile
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from proctor.data.tabular import DataError
from proctor.logs.importers import AGAIN, Say, Tables, files_by_name, from_json, number_of, rows

RUNS = "results/20250922_122904"
PARTS = ("problem", "answer", "rationale")
_WINDOW = re.compile(r"Full_.*\.part2[123]\.")  # these parts hold 300 consecutive items, whole in all three classes
_CLASS = {"Gold subset": "gold", "Revision subset": "revision", "Uncertain subset": "uncertain"}
_CONFIDENCE = re.compile(r"confidence\W*?(\d+(?:\.\d+)?)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|(?<![\w.])-?\.\d+")
_ANSWER = re.compile(r"^\W*(?:exact )?answer\W*?:\W*?(.*?)\W*$", re.IGNORECASE | re.MULTILINE)


def read_runs(raw: Path, say: Say, only: Collection[str] = ()) -> tuple[pd.DataFrame, dict[str, str]]:
    """(one row per run and item, in their order, all cells text; {item: the key that the judge was given, in any run}).

    A judge's call that failed is written by the source as "no" with confidence 0, without reasoning and with an
    `error`: it is no verdict. only: the runs to read, all where none is named. Raises DataError.
    """
    judged, predicted = _entries(raw, "judged"), _entries(raw, "predictions")
    there = {run for run, _, _ in [*judged, *predicted]}
    wanted = set(only) & there if only else there
    if left := len(there - wanted):
        say(
            f"  {left} of {len(there)} runs are left out: data/logs/sources.yaml names {len(only)}; --every-run has all"
        )
    keys: dict[str, str] = {}
    verdicts: dict[tuple[str, str], tuple[str, str]] = {}  # the mark and the confidence
    failed = 0
    for run, item, entry in judged:
        if verdict := entry.get("judge_response"):
            keys.setdefault(item, str(verdict.get("correct_answer", "")).strip())
            if run in wanted and (verdict.get("error") or verdict.get("reasoning") == ""):
                failed += 1
            elif run in wanted:
                mark = _yes_no(f"{raw / RUNS}, run {run}, item {item}", verdict)
                verdicts[run, item] = mark, str(verdict.get("confidence", ""))
    answers = {
        (run, item): entry
        for run, item, entry in [*judged, *predicted]
        if run in wanted and "error" not in entry and entry.get("response")
    }
    if not answers:
        raise DataError(f"{raw / RUNS}: no predictions. {AGAIN}.")
    if failed:
        say(f"  {failed} calls of the judge failed: their verdicts are blank")
    return pd.DataFrame([_row(*at, answers[at], keys, verdicts) for at in sorted(answers)]), keys


def _row(run: str, item: str, entry: dict, keys: dict[str, str], verdicts: dict) -> dict[str, str]:
    """One answer: what it says, how sure it is, and what the judge and the program say of it."""
    reply, usage = str(entry["response"]), entry.get("usage") or {}
    judge_correct, judge_confidence = verdicts.get((run, item), ("", ""))
    reasoning = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    return {
        "id": item,
        "run": run,
        "answered": "1",
        "answer": _short_answer(reply),
        "stated_confidence": _stated(reply),
        "judge_correct": judge_correct,
        "judge_confidence": judge_confidence,
        "exact_original_key": _matches_key(reply, keys.get(item, "")),
        "completion_tokens": str(usage.get("completion_tokens", "")),
        "reasoning_tokens": "" if reasoning is None else str(reasoning),
        "reply": reply,
    }


def hle_runs(raw: Path, say: Say = print, only: Collection[str] = ()) -> Tables:
    """Runs of HLE: what was answered, how sure, and the judge's verdict; one row per run and item.

    The keys are those that the judge was given. Where a key is one letter or one number, the program marks the
    answer too.
    """
    found, keys = read_runs(raw, say, only)
    kinds = [(item, _key_kind(keys.get(item, ""))) for item in sorted(found["id"].unique())]
    tidy = found.drop(columns=["answer", "reasoning_tokens", "reply"])
    return {"tidy.csv.gz": tidy, "items.csv": pd.DataFrame(kinds, columns=["id", "key_kind"])}


def hle_answers(raw: Path, say: Say = print, only: Collection[str] = ()) -> Tables:
    """The rows of `hle_runs` for every run, with what was answered and the reasoning's tokens.

    answer: blank where it is neither one letter nor one number. completion_tokens: as the provider counts them, some
    with and some without the reasoning_tokens.
    """
    return {"answers.csv.gz": read_runs(raw, say, only)[0].drop(columns="reply")}


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
    items = pd.DataFrame([labels[item] for item in sorted(labels)])
    keys = ["original_key", "repaired_key"]
    tidy = read_runs(raw, say, only)[0].merge(items[["id", *keys]], on="id")
    order = {run: place for place, run in enumerate(only or sorted(tidy["run"].unique()))}
    tidy = tidy.sort_values(["id", "run"], key=lambda cells: cells.map(order) if cells.name == "run" else cells)
    for key in keys:
        tidy[f"exact_{key}"] = [*map(_matches_key, tidy["reply"], tidy[key])]
    tidy = tidy.rename(columns={"judge_correct": "judge_original_key"})
    say(
        f"  {int((items['in_window'] == '1').sum())} of {len(items):,} items are in the window; shares hold there alone"
    )
    say(f"  {int((items['problem_changed'] == '1').sum())} items have another problem: leave them out of marking")
    if false := int((items["repaired_key"] == "False").sum()):
        say(f"  {false} repaired keys are the JSON value false")
    columns = ["id", "run", "stated_confidence", "exact_original_key", "exact_repaired_key", "judge_original_key"]
    return {"items.csv": items.drop(columns=keys), "tidy.csv.gz": tidy[columns]}


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


def _entries(raw: Path, kind: str) -> list[tuple[str, str, dict]]:
    """(run, item, entry) of each entry of the files in HLE's official form. kind: judged or predictions."""
    key, found = "judged_predictions" if kind == "judged" else kind, []
    for path in files_by_name(raw / RUNS, f"{kind}/*.json"):
        entries = from_json(path, lambda whole: list(whole[key].items()))
        found += [(_run(path), item, entry) for item, entry in entries]
    return found


def _run(path: Path) -> str:
    """vendor_model_provider of judged_hle_<vendor>_<model>_<provider>_<date>_<time>.json."""
    name = path.stem.removeprefix("judged_").removeprefix("hle_")
    return re.sub(r"_\d{8}_\d{6}$", "", name)


def _stated(reply: str) -> str:
    """The last confidence in a reply, as it is written there; "" where there is none."""
    stated = _CONFIDENCE.findall(reply)
    return str(float(stated[-1])) if stated else ""


def _yes_no(where: str, verdict: dict) -> str:
    said = str(verdict.get("correct", "")).lower()
    if said not in ("yes", "no"):
        raise DataError(f"{where}: correct is {said!r}, not yes or no. {AGAIN}.")
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
