"""Importers of proofs: theorems made false (BrokenMath), and proofs that people graded (Open Proof Corpus).

As in `proctor.logs.importers`: an importer gets the folder of the raw files and returns {tidy file: table of text}.
"""

from pathlib import Path

import pandas as pd

from proctor.logs.raw_files import Say, Tables, csv_table, from_json, rows

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


def broken_math(raw: Path, say: Say = print) -> Tables:
    """BrokenMath: one row per reply to a theorem made false, and the solvers' scores on the true versions.

    `-partK` at the end of a problem is sample K of it. A true version that another model answered gives its solver no
    score. Raises DataError with the file.
    """
    folder = raw / "data" / "results"
    scores = read_scores(folder / "utility_recent_comps.csv")
    own = ~((scores["solver"] == NOT_THE_SOLVER[0]) & (scores["model"] == NOT_THE_SOLVER[1]))
    say(f"  {int((~own).sum())} true versions were answered by another model: no score of their solver")
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


def open_proofs(raw: Path, say: Say = print) -> Tables:
    """Open Proof Corpus: proofs with a human label, and attempts with o4-mini's list of issues.

    A proof without a list was graded without one; nobody looked for issues there, so it has none of 0. A proof that
    stands in both files (same problem, model, tokens and day) is marked in the second. Raises DataError with the file.
    """
    labelled = pd.DataFrame(rows(raw / "data/train/discrete/long/test.parquet", _labelled))
    paths = (raw / "data/solved/proof_verification").glob("*/*.json")
    listed = [attempt for path in sorted(paths) for attempt in from_json(path, _attempts)]
    keys = ["problem", "model", "output_tokens", "proof_date"]
    both = labelled[[*keys, "human_correct", "has_issue_list"]].rename(columns={"has_issue_list": "list_in_tidy"})
    lists = pd.DataFrame(listed).merge(both, "left", keys, indicator="in_tidy")
    lists["in_tidy"] = (lists["in_tidy"] == "both").map({True: "1", False: "0"})
    lists = lists.drop(columns=["graded_date", "added_date"]).fillna("")
    say(f"  {(lists['in_tidy'] == '1').sum()} of {len(lists)} attempts with a list are labelled proofs too")
    say(f"  {(labelled['has_issue_list'] == '0').sum()} of {len(labelled)} labelled proofs have no list")
    last = ["in_tidy", "human_correct", "list_in_tidy"]
    lists = lists[[*lists.columns.difference(last, sort=False), *last]]
    by = ["problem", "model"]
    return {"tidy.csv.gz": labelled.sort_values(by), "with_lists.csv.gz": lists.sort_values(by)}


def _labelled(row: dict) -> dict:
    """A proof with its human label, which stands third."""
    attempt = _attempt(row)
    label = {"human_correct": VERDICTS[row["reward_model"]["ground_truth"]]}
    return {name: attempt.pop(name) for name in ("problem", "model")} | label | attempt


def _attempts(whole: dict) -> list[dict]:
    """The attempts at the problem of a file."""
    return [
        _attempt(whole | each) | {"proof_empty": str(int(not (each["solution"] or "").strip()))}
        for each in whole["attempts"]
    ]


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
