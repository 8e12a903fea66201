"""Importers of proofs: theorems made false (BrokenMath), and proofs that people graded (Open Proof Corpus).

As in `proctor.logs.importers`: an importer gets the folder of the raw files and returns {tidy file: table of text}.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from proctor.data.tabular import DataError, Row, Wrong, made, read
from proctor.logs.raw_files import AGAIN, Say, Tables, cell, from_json

SETTINGS = {"confidence": "confidence", "hint": "hint", "more": "own_theorem", "recent": "plain",
            "logits": "token_probability"}  # sycophancy_<key>.csv: our name of the setting  # fmt: skip
LABELS = {"incorrect": "True", "detected": "False", "corrected": "False", "correct": "False"}  # label: deceived
GRADERS = {"OPC R1 8B": "OPC-R1-8B", "Final Answer Parser": "parser"}
KINDS = {"proofs": ("proof", "0"), "answer": ("answer", "0"), "matharena": ("answer", "1")}
NOT_THE_SOLVER = {("GPT OSS 120B (high)", "openai/oss-20b")}  # the smaller model answered the true versions
MEASURES = {"entropy": ".4f", "tail_confidence": ".3f", "full_confidence": ".3f"}  # as many digits as the tidy file
ISSUES = {"Skipping Computation Steps": "skipped_steps", "Oversimplification": "oversimplification",
          "Missing Edge Cases": "edge_cases", "Overgeneralization": "overgeneralization",
          "Citing Non-Standard Works or Theorems": "citation", "Wrong Final Answer": "wrong_answer"}  # fmt: skip
VERDICTS = {"correct": "1", "incorrect": "0"}


def broken_math(raw: Path, say: Say = print) -> Tables:
    """BrokenMath: one row per reply to a theorem made false, and the solvers' scores on the true versions.

    `-partK` at the end of a problem is sample K of it. A true version that another model answered gives its solver no
    score. Raises DataError with file and row.
    """
    folder = raw / "data" / "results"
    scores = pd.DataFrame(_make(folder / "utility_recent_comps.csv", _score))
    original = scores.sort_values(["solver", "problem"], ignore_index=True)
    own = ~scores[["solver", "model"]].apply(tuple, axis=1).isin(NOT_THE_SOLVER)
    say(f"  {int((~own).sum())} true versions were answered by another model: no score of their solver")
    replies = []
    for name, setting in SETTINGS.items():
        table = pd.DataFrame(_make(folder / f"sycophancy_{name}.csv", _reply)).assign(setting=setting)
        order = table.assign(sample=table["sample"].astype(int)).sort_values(["solver", "judge", "problem", "sample"])
        replies.append(table.loc[order.index])
    keys = ["problem", "solver"]
    tidy = pd.concat(replies).merge(scores[own].rename(columns={"score": "original_score"}), "left", keys).fillna("")
    columns = ["setting", "problem", "solver", "sample", "judge", "label", "deceived", "stated_confidence"]
    return {"tidy.csv.gz": tidy[[*columns, "original_score", *MEASURES]], "original.csv.gz": original}


def open_proofs(raw: Path, say: Say = print) -> Tables:
    """Open Proof Corpus: proofs with a human label, and attempts with o4-mini's list of issues.

    A proof without a list was graded without one; nobody looked for issues there, so it has none of 0. A proof that
    stands in both files (same problem, model, tokens and day) is marked in the second. Raises DataError.
    """
    labelled = pd.DataFrame(_make(raw / "data/train/discrete/long/test.parquet", _labelled))
    listed = []
    for path in sorted((raw / "data/solved/proof_verification").glob("*/*.json")):
        rows = from_json(path, _attempts, "problem with attempts")
        listed += made(path, rows, [], lambda _, row: _attempt(row) | _empty(row))
    if not listed:
        raise DataError(f"{raw / 'data/solved/proof_verification'}: no attempts. {AGAIN}.")
    keys = ["problem", "model", "output_tokens", "proof_date"]
    both = labelled[[*keys, "human_correct", "has_issue_list"]].rename(columns={"has_issue_list": "list_in_tidy"})
    lists = pd.DataFrame(listed).merge(both, "left", keys, indicator="in_tidy")
    lists["in_tidy"] = (lists["in_tidy"] == "both").map({True: "1", False: "0"})
    lists = lists.drop(columns=["graded_date", "added_date"]).fillna("")
    say(f"  {(lists['in_tidy'] == '1').sum()} of {len(lists)} attempts with a list are labelled proofs too")
    say(f"  {(labelled['has_issue_list'] == '0').sum()} of {len(labelled)} labelled proofs have no list")
    order = [name for name in lists if name not in ("in_tidy", "human_correct", "list_in_tidy")]
    lists = lists[[*order, "in_tidy", "human_correct", "list_in_tidy"]]
    by = ["problem", "model"]
    return {"tidy.csv.gz": labelled.sort_values(by), "with_lists.csv.gz": lists.sort_values(by)}


def _make(path: Path, make: Callable[[dict], dict]) -> list[dict]:
    """One record per row of a file, none twice. Raises DataError with file and row."""

    def place(record: dict) -> tuple:
        return tuple(record[name] for name in ("problem", "model", "solver", "sample", "judge") if name in record)

    once = ("problem", place, "problem, solver, sample and judge", AGAIN)
    return read(path, make, once=once, empty=f"no rows. {AGAIN}.")


def _one_of(row: dict, names: tuple[str, ...], allowed: Iterable[str]) -> str:
    if (value := cell(row, *names)) not in (allowed := list(allowed)):
        raise Wrong(".".join(names), f"{value!r} is not {', '.join(allowed)}", AGAIN)
    return value


def _number(row: dict, column: str, low: float = 0, high: float = float("inf"), form: str = "g") -> str:
    """A number in [low, high] as text; blank stays blank."""
    if not (text := cell(row, column)):
        return ""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise Wrong(column, f"{text!r} is no number from {low:g} to {high:g}", AGAIN)
    return f"{value:{form}}"


def _reply(row: dict) -> dict:
    """A solver's reply to a false theorem and a judge's label of it."""
    label = _one_of(row, ("true_grade",), LABELS)
    if cell(row, "incorrect") != LABELS[label]:
        raise Wrong("incorrect", f"{row['incorrect']!r} does not fit the label {label!r}", AGAIN)
    name, _, sample = cell(row, "problem").partition("-part")
    if sample and not sample.isdecimal():
        raise Wrong("problem", f"{row['problem']!r} does not end in -part and a number", AGAIN)
    reply = {"problem": name, "solver": cell(row, "solver"), "sample": sample or "0", "judge": cell(row, "judge")}
    reply |= {"label": label, "deceived": str(int(label == "incorrect"))}
    reply["stated_confidence"] = _number(row, "confidence", high=100)
    return reply | {each: _number(row, each, form=form) if each in row else "" for each, form in MEASURES.items()}


def _score(row: dict) -> dict:
    """A solver's score on the true version; in this file alone the competition ends with a slash."""
    kind, from_matharena = KINDS[_one_of(row, ("split",), KINDS)]
    score = _number(row, "accuracy", high=1) or None
    if score is None:
        raise Wrong("accuracy", "blank", AGAIN)
    return {
        "problem": cell(row, "problem").replace("/", "_"),
        "solver": cell(row, "solver"),
        "model": cell(row, "solver_id"),
        "kind": kind,
        "score": score,
        "graded_by": GRADERS[_one_of(row, ("judge",), GRADERS)],
        "from_matharena": from_matharena,
    }


def _attempt(row: dict) -> dict:
    """A proof, and what o4-mini's list says of it."""
    judgement = row.get("llm_judgment")
    issues = cell(row, "llm_judgment", "result", "issues") if judgement else []
    try:
        kinds = [ISSUES.get(issue["category"], "other") for issue in issues]
    except (KeyError, TypeError):
        raise Wrong("llm_judgment", "an issue without a category", AGAIN) from None
    about = ("competition", "source", "level", "year", "difficulty")
    rejected = row.get("rejected")
    return {
        "problem": cell(row, "problem_id"),
        "model": cell(row, "model_id"),
        "has_issue_list": str(int(bool(judgement))),
        "n_issues": str(len(kinds)) if judgement else "",
        "no_issue": str(int(not kinds)) if judgement else "",
        "issue_kinds": ";".join(kinds),
        "has_reference": str(int(len(cell(row, "solutions")) > 0)),
        **{name: str(cell(row, "metadata", name)) for name in about},
        "rejected": "" if rejected is None else str(int(rejected)),
        "output_tokens": str(cell(row, "cost", "output_tokens")),
        "proof_date": _day(row, "timestamp"),
        "graded_date": _day(row, "last_update"),
        "added_date": _day(row, "date_added"),
    }


def _labelled(row: dict) -> dict:
    """A proof with its human label, which stands third."""
    label = VERDICTS[_one_of(row, ("reward_model", "ground_truth"), VERDICTS)]
    attempt = _attempt(row)
    return {name: attempt.pop(name) for name in ("problem", "model")} | {"human_correct": label} | attempt


def _attempts(whole: dict) -> list[Row]:
    """The attempts at the problem of a file, numbered, each with what the file says of the problem."""
    about = {name: whole[name] for name in ("problem_id", "metadata", "solutions")}
    return [(number, about | attempt) for number, attempt in enumerate(whole["attempts"], 1)]


def _empty(row: dict) -> dict:
    return {"proof_empty": str(int(not (cell(row, "solution") or "").strip()))}


def _day(row: dict, column: str) -> str:
    """The day of a time such as 2025-06-03T05:08:39; blank where there is none."""
    value = row.get(column)
    return value[:10] if isinstance(value, str) else ""
