"""From the history of the table of Erdős problems, and from attempts at them, to tidy rows. See `importers`.

A change of the table is an edit, not the day of a proof, and until about 10 September 2025 the table was being filled.
What an attempt claims is its model's word; a review belongs to the problem.
"""

import re
from pathlib import Path

import pandas as pd
import yaml

from proctor.data.tabular import DataError, problem
from proctor.logs.raw_files import AGAIN, Say, Tables, csv_table, from_json

SETTLED = ("proved", "disproved", "solved", "independent")
STATES = (*SETTLED, "open", "falsifiable", "verifiable", "decidable", "not provable", "not disprovable", "unknown")
TYPING_ERRORS = {"proven": "proved", "disproven": "disproved", "solprovedved": "proved"}
FOLLOWED = {name.partition("_")[0]: name for name in ("state", "proof", "statement_formalised", "prize", "tags")}
_BLOCK = re.compile(r"^- *number:", re.MULTILINE)
_NUMBER = re.compile(r"- *number: *[\"']?(\w+)")
_CONFLICT = re.compile(r"^(?:<<<<<<<|=======|>>>>>>>)", re.MULTILINE)
LABELS = {"UNRESOLVED": "unresolved", "DISPROOF": "claims_disproof", "PROOF": "claims_proof"}
_LABEL = re.compile("|".join(LABELS))
_FINAL = re.compile(r"\bFINAL\b(.{0,200})", re.DOTALL)
_COMPLETION = re.compile(r"completion[^\d%]{0,80}?(\d+(?:\.\d+)?)\s*\\?%", re.IGNORECASE)
_ATTEMPT = re.compile(r"^(\d+)(?: ?-.*?)?(?:_v(\d+))?$")


def erdos(raw: Path, say: Say = print) -> Tables:
    """Each problem's state at each change, and the versions. A block that can't be parsed keeps its previous state.

    raw / "versions" holds <version>_<time, UTC>_<commit>.yaml of each version, in their order. Of a number that stands
    twice in a version the last block counts. The state is `informal_status`, else `status` without "(Lean)".
    """
    known: dict[str, dict] = {}
    blocks: dict[str, dict | None] = {}  # by text: most blocks are the same from version to version
    rows, versions = [], []
    for path in sorted((raw / "versions").glob("*.yaml")):
        number, time, commit = path.stem.split("_")
        version, date, text = str(int(number)), time[:10], path.read_text(encoding="utf-8")
        starts = [block.start() for block in _BLOCK.finditer(text)]
        states: dict[str, dict] = {}
        unparsed = twice = 0
        for start, end in zip(starts, [*starts[1:], len(text)]):
            block = text[start:end]
            if block not in blocks:
                blocks[block] = _block(path, text.count("\n", 0, start) + 1, block)
            state, number = blocks[block], _NUMBER.match(block)
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
    if unparsed := sum(version["unparsed"] for version in versions):
        say(f"  {unparsed} blocks can't be parsed: their problems keep the previous state")
    columns = ["version", "date", "number", "changed", "state", "settled", "proof", "statement_formalised", "prize"]
    tidy = pd.DataFrame(rows).reindex(columns=[*columns, "tags", "stated_date"]).fillna("")
    return {"tidy.csv.gz": tidy, "versions.csv.gz": pd.DataFrame(versions).astype(str)}


def erdos_attempts(raw: Path, say: Say = print) -> Tables:
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
    if double := int((first != name).sum()):
        say(f"  {double} attempts are word for word those of another model: see duplicate_of")
    by_problem = reviews[["set", "problem", "review", "reviewers", "review_date"]].drop_duplicates(["set", "problem"])
    tidy = found.drop(columns="text").merge(by_problem, "left", ["set", "problem"]).fillna("")
    return {"tidy.csv.gz": tidy.astype(str), "reviews.csv": reviews}


def _block(path: Path, line: int, text: str) -> dict | None:
    """One problem of the table; None where the block is no YAML. Raises DataError for a state that nobody knows."""
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
    if state not in STATES:
        what = f"{state!r} is none of {', '.join(STATES)}"
        raise DataError(problem(path, line, "state", what, AGAIN))
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
        rows.append({"set": path.parent.name, "problem": path.stem, **from_json(path, _review)})
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
