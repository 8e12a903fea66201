"""Importers of proofs (see `proctor.logs.importers`): theorems made false (BrokenMath), proofs that people graded
(Open Proof Corpus), the history of the table of Erdős problems, and attempts at them.

A change of that table is an edit, not the day of a proof, and until about 10 September 2025 the table was being filled.
What an attempt claims is its model's word; a review belongs to the problem.
"""

import json
import re
from functools import cache
from pathlib import Path

import pandas as pd
import yaml

from proctor.logs.importers import Tables, csv_table, rows

SETTINGS = {"confidence": "confidence", "hint": "hint", "more": "own_theorem", "recent": "plain",
            "logits": "token_probability"}  # sycophancy_<key>.csv: our name of the setting  # fmt: skip
GRADERS = {"OPC R1 8B": "OPC-R1-8B", "Final Answer Parser": "parser"}
KINDS = {"proofs": "proof", "answer": "answer", "matharena": "answer"}
NOT_THE_SOLVER = ("GPT OSS 120B (high)", "openai/oss-20b")  # the smaller model answered the true versions
MEASURES = {"entropy": ".4f", "tail_confidence": ".3f", "full_confidence": ".3f"}  # as many digits as the tidy file
ISSUES = {"Skipping Computation Steps": "skipped_steps", "Oversimplification": "oversimplification",
          "Missing Edge Cases": "edge_cases", "Overgeneralization": "overgeneralization",
          "Citing Non-Standard Works or Theorems": "citation", "Wrong Final Answer": "wrong_answer"}  # fmt: skip
VERDICTS = {"correct": "1", "incorrect": "0"}


def broken_math(raw: Path) -> Tables:
    """BrokenMath: one row per reply to a theorem made false, and the solvers' scores on the true versions.

    `-partK` at the end of a problem is sample K of it. A true version that another model answered gives its solver no
    score.
    """
    folder = raw / "data" / "results"
    scores = read_scores(folder / "utility_recent_comps.csv")
    own = ~((scores["solver"] == NOT_THE_SOLVER[0]) & (scores["model"] == NOT_THE_SOLVER[1]))
    replies = pd.concat(
        [read_replies(folder / f"sycophancy_{name}.csv").assign(setting=setting) for name, setting in SETTINGS.items()]
    )
    own_scores = scores[own].rename(columns={"score": "original_score"})
    tidy = replies.merge(own_scores, "left", ["problem", "solver"], validate="many_to_one").fillna("")
    columns = ["setting", "problem", "solver", "sample", "judge", "label", "deceived", "stated_confidence"]
    tidy = tidy[[*columns, "original_score", *MEASURES]]
    return {"tidy.csv.gz": tidy, "original.csv.gz": scores.sort_values(["solver", "problem"], ignore_index=True)}


def read_replies(path: Path) -> pd.DataFrame:
    """Solvers' replies to false theorems and judges' labels of them, sorted by solver, judge, problem and sample."""
    found = csv_table(path)
    parts = found["problem"].str.partition("-part")
    replies = pd.DataFrame(
        {
            "problem": parts[0],
            "solver": found["solver"],
            "sample": parts[2].replace("", "0").astype(int),
            "judge": found["judge"],
            "label": found["true_grade"],
            "deceived": (found["true_grade"] == "incorrect").astype(int).astype(str),
            "stated_confidence": _numbers(found["confidence"]),
        }
    )
    for measure, form in MEASURES.items():
        replies[measure] = _numbers(found[measure], form) if measure in found else ""
    return replies.sort_values(["solver", "judge", "problem", "sample"], kind="stable").astype({"sample": str})


def read_scores(path: Path) -> pd.DataFrame:
    """Solvers' scores on the true versions; in this file alone the competition ends with a slash."""
    found = csv_table(path)
    return pd.DataFrame(
        {
            "problem": found["problem"].str.replace("/", "_"),
            "solver": found["solver"],
            "model": found["solver_id"],
            "kind": found["split"].map(KINDS),
            "score": _numbers(found["accuracy"]),
            "graded_by": found["judge"].map(GRADERS),
            "from_matharena": (found["split"] == "matharena").astype(int).astype(str),
        }
    )


def _numbers(cells: pd.Series, form: str = "g") -> list[str]:
    """Numbers as text in a format; a blank stays blank."""
    return [cell and f"{float(cell):{form}}" for cell in cells]


def open_proofs(raw: Path) -> Tables:
    """Open Proof Corpus: proofs with a human label, and attempts with o4-mini's list of issues.

    A proof without a list was graded without one; nobody looked for issues there, so it has none of 0. A proof that
    stands in both files (same problem, model, tokens and day) is marked in the second.
    """
    labelled = pd.DataFrame(map(_labelled, rows(raw / "data/train/discrete/long/test.parquet")))
    listed = []
    for path in sorted((raw / "data/solved/proof_verification").glob("*/*.json")):
        whole = json.loads(path.read_text(encoding="utf-8"))
        for each in whole["attempts"]:
            empty = str(int(not (each["solution"] or "").strip()))
            listed.append(_attempt(whole | each) | {"proof_empty": empty})
    keys = ["problem", "model", "output_tokens", "proof_date"]
    both = labelled[[*keys, "human_correct", "has_issue_list"]].rename(columns={"has_issue_list": "list_in_tidy"})
    lists = pd.DataFrame(listed).merge(both, "left", keys, indicator="in_tidy")
    lists["in_tidy"] = (lists["in_tidy"] == "both").map({True: "1", False: "0"})
    lists = lists.drop(columns=["graded_date", "added_date"]).fillna("")
    last = ["in_tidy", "human_correct", "list_in_tidy"]
    lists = lists[[*lists.columns.difference(last, sort=False), *last]]
    by = ["problem", "model"]
    return {"tidy.csv.gz": labelled.sort_values(by), "with_lists.csv.gz": lists.sort_values(by)}


def _labelled(row: dict) -> dict:
    """A proof with its human label, which stands third."""
    attempt = _attempt(row)
    label = {"human_correct": VERDICTS[row["reward_model"]["ground_truth"]]}
    return {name: attempt.pop(name) for name in ("problem", "model")} | label | attempt


def _attempt(row: dict) -> dict:
    """A proof, and what o4-mini's list says of it."""
    judgement, rejected = row.get("llm_judgment"), row.get("rejected")
    issues = judgement["result"]["issues"] if judgement else []
    kinds = [ISSUES.get(issue["category"], "other") for issue in issues]
    return {
        "problem": row["problem_id"],
        "model": row["model_id"],
        "has_issue_list": str(int(bool(judgement))),
        "n_issues": str(len(kinds)) if judgement else "",
        "no_issue": str(int(not kinds)) if judgement else "",
        "issue_kinds": ";".join(kinds),
        "has_reference": str(int(len(row["solutions"]) > 0)),
        **{name: str(row["metadata"][name]) for name in ("competition", "source", "level", "year", "difficulty")},
        "rejected": "" if rejected is None else str(int(rejected)),
        "output_tokens": str(row["cost"]["output_tokens"]),
        "proof_date": _day(row, "timestamp"),
        "graded_date": _day(row, "last_update"),
        "added_date": _day(row, "date_added"),
    }


def _day(row: dict, column: str) -> str:
    """The day of a time such as 2025-06-03T05:08:39; blank where there is none."""
    value = row.get(column)
    return value[:10] if isinstance(value, str) else ""


# Erdős problems

SETTLED = ("proved", "disproved", "solved", "independent")
TYPING_ERRORS = {"proven": "proved", "disproven": "disproved", "solprovedved": "proved"}
FOLLOWED = {name.partition("_")[0]: name for name in ("state", "proof", "statement_formalised", "prize", "tags")}
_BLOCK = re.compile(r"^(?=- *number:)", re.MULTILINE)
_NUMBER = re.compile(r"- *number: *[\"']?(\w+)")
_CONFLICT = re.compile(r"^(?:<<<<<<<|=======|>>>>>>>)", re.MULTILINE)
LABELS = {"UNRESOLVED": "unresolved", "DISPROOF": "claims_disproof", "PROOF": "claims_proof"}
_LABEL = re.compile("|".join(LABELS))
_FINAL = re.compile(r"\bFINAL\b(.{0,200})", re.DOTALL)
_COMPLETION = re.compile(r"completion[^\d%]{0,80}?(\d+(?:\.\d+)?)\s*\\?%", re.IGNORECASE)
_ATTEMPT = re.compile(r"^(\d+)(?: ?-.*?)?(?:_v(\d+))?$")


def erdos(raw: Path) -> Tables:
    """Each problem's state at each change, and the versions. A block that can't be parsed keeps its previous state.

    raw / "versions" holds <version>_<time, UTC>_<commit>.yaml of each version, in their order. Of a number that stands
    twice in a version the last block counts. The state is `informal_status`, else `status` without "(Lean)".
    """
    known: dict[str, dict] = {}
    rows, versions = [], []
    for path in sorted((raw / "versions").glob("*.yaml")):
        number, time, commit = path.stem.split("_")
        version, date, text = str(int(number)), time[:10], path.read_text(encoding="utf-8")
        states: dict[str, dict] = {}
        unparsed = twice = 0
        for block in _BLOCK.split(text)[1:]:
            state, number = _block(block), _NUMBER.match(block)
            if state is None:
                unparsed += 1
                state = known.get(number[1]) if number else None
            if state is not None:
                twice += state["number"] in states
                states[state["number"]] = state
        for number, state in states.items():
            before = known.get(number)
            changed = [name for name, what in FOLLOWED.items() if before and state[what] != before[what]]
            if changed or not before:
                rows.append({"version": version, "date": date, "changed": "+".join(changed) or "new"} | state)
        gone = [number for number in known if number not in states]
        rows += [{"version": version, "date": date, "number": number, "changed": "removed"} for number in gone]
        known = states
        versions.append(
            {
                "version": version,
                "commit": commit,
                "time": f"{time[:13]}:{time[13:]}",
                "problems": len(states),
                "settled": sum(state["settled"] == "1" for state in states.values()),
                "proof_formalised": sum(state["proof"] == "Lean" for state in states.values()),
                "duplicate_numbers": twice,
                "unparsed": unparsed,
                "conflict_marks": len(_CONFLICT.findall(text)),
            }
        )
    columns = ["version", "date", "number", "changed", "state", "settled", "proof", "statement_formalised", "prize"]
    tidy = pd.DataFrame(rows).reindex(columns=[*columns, "tags", "stated_date"]).fillna("")
    return {"tidy.csv.gz": tidy, "versions.csv.gz": pd.DataFrame(versions).astype(str)}


def erdos_attempts(raw: Path) -> Tables:
    """What each attempt claims in its last FINAL label, and the reviews, joined to all of a problem's attempts.

    raw / "history.csv" holds path, first_date and last_date of its commits. An attempt that repeats another one of its
    problem word for word is marked as its duplicate.
    """
    dates = csv_table(raw / "history.csv").set_index("path")
    reviews = _reviews(raw)
    rows = []
    for path in (raw / "attacks").glob("*/*/*.tex"):
        text, [(number, version)] = path.read_text(encoding="utf-8"), _ATTEMPT.findall(path.stem)
        claim, advanced = _claim(text)
        stated = _COMPLETION.findall(text)
        row = {"set": path.parts[-3], "problem": number, "model": path.parts[-2], "version": int(version or 1)}
        row |= dates.loc[path.relative_to(raw).as_posix(), ["first_date", "last_date"]]
        row |= {"claim": claim, "says_advanced": advanced}
        row |= {"site_status": "unresolved" if "unresolved" in text.lower() else "solved"}
        row |= {"completion": f"{float(stated[-1]):g}" if stated else "", "characters": len(text), "text": text}
        rows.append(row)
    rows.sort(key=lambda row: (row["set"], int(row["problem"]), row["model"], row["version"]))
    found = pd.DataFrame(rows)
    name, same = found["set"] + "/" + found["problem"] + "/" + found["model"], ["set", "problem", "text"]
    first = name.groupby([found[column] for column in same]).transform("first")
    found["duplicate_of"] = first.where(first != name, "")
    by_problem = reviews[["set", "problem", "review", "reviewers", "review_date"]].drop_duplicates(["set", "problem"])
    tidy = found.drop(columns="text").merge(by_problem, "left", ["set", "problem"]).fillna("")
    return {"tidy.csv.gz": tidy.astype(str), "reviews.csv": reviews}


@cache  # most blocks are the same from version to version
def _block(text: str) -> dict | None:
    """One problem of the table; None where the block is no YAML."""
    try:
        [entry] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        status = entry.get("informal_status") or entry["status"]
        said = str(status["state"]).strip().lower()
        lean = "lean" in f"{entry.get('status')} {entry.get('formal_status')}".lower()
        number, date = str(entry["number"]), str(status.get("last_update", ""))
        prize, tags = str(entry.get("prize") or "no"), ";".join(entry.get("tags") or [])
        formalised = {"yes": "1", "no": "0"}.get(str((entry.get("formalized") or {}).get("state", "")).lower(), "")
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError):
        return None
    state = said.replace("(lean)", "").strip()
    state = TYPING_ERRORS.get(state, state)
    return {
        "number": number,
        "state": state,
        "settled": str(int(state in SETTLED)),
        "proof": "Lean" if lean else "",
        "statement_formalised": formalised,
        "prize": "no" if prize.lower() == "no" else prize,
        "tags": tags,
        "stated_date": date,
    }


def _claim(text: str) -> tuple[str, str]:
    """(what the last FINAL label claims, 1 or 0: an unresolved attempt says that it advanced the problem)."""
    labels = []
    for after in _FINAL.findall(text):
        if label := _LABEL.search(after):
            labels.append(LABELS[label[0]])
    if not labels:
        return "no_label", ""
    if labels[-1] == "unresolved":
        return "unresolved", str(int("ADVANCED" in _FINAL.findall(text)[-1]))
    return ("mixed" if "unresolved" in labels else labels[-1]), ""


def _reviews(raw: Path) -> pd.DataFrame:
    """One row per reviewed problem, in the order of its number."""
    rows = []
    for path in (raw / "reviews").glob("*/*.json"):
        review = _review(json.loads(path.read_text(encoding="utf-8")))
        rows.append({"set": path.parent.name, "problem": path.stem, **review})
    rows.sort(key=lambda row: (row["set"], int(row["problem"])))
    columns = ["set", "problem", "review", "label", "reviewers", "review_date", "has_issue"]
    return pd.DataFrame(rows, columns=columns)


def _review(review: dict) -> dict[str, str]:
    people = review["reviewed_by"]
    return {
        "review": review["status"],
        "label": review["label"],
        "reviewers": str(len(people)) if isinstance(people, list) else "1",
        "review_date": review["reviewed_at"],
        "has_issue": str(int(bool(review.get("issue_url")))),
    }
