"""The commands of stage 3 with their exit codes, and a real dump through to a reviewed sample."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest
from proctor.uq.dataset.__main__ import main

COFFEE = Path(os.environ.get("PROCTOR_SHARED", "/work/shared")) / "data/coffee_posts.xml"
RULES = "default: {min_age_years: 0, min_views: 5, min_votes: 2, max_views_per_vote: 5000, top_percent: 100, off_topic_tags: [], tag_match: whole}"
BAD_QUOTAS = "default: {top: 3}"


def run(*arguments) -> int:
    return main([str(argument) for argument in arguments])


@pytest.mark.skipif(not COFFEE.is_file(), reason="the shared dump is not here")
def test_a_real_dump_goes_through_to_a_reviewed_sample(tmp_path, fill_in, capsys):
    (tmp_path / "rules.yaml").write_text(RULES)
    pool, kept, rules = tmp_path / "pool", tmp_path / "kept/kept.parquet", tmp_path / "rules.yaml"
    assert run("ingest", COFFEE, "--site", "coffee", "--pool", pool, "--answers") == 0
    assert run("filter", "--pool", pool, "--out", tmp_path / "kept", "--rules", rules) == 0
    assert run("duplicates", kept, "--pool", pool, "--out", tmp_path / "near.csv") in (0, 1)
    near = ("--duplicates", tmp_path / "near.csv", "--released", tmp_path / "releases")
    assert run("queue", kept, *near, "--out", tmp_path / "review") == 0
    sheet = fill_in(tmp_path / "review")
    made = ("--kept", kept, "--review", sheet, "--out", tmp_path / "releases", "--version", "1")
    assert run("release", *made, "--pool", pool, "--rules", rules, "--dev", "10") == 0
    assert run("check-release", tmp_path / "releases") == 0
    questions = [json.loads(line) for line in (tmp_path / "releases/1/questions.jsonl").read_text().splitlines()]
    decided = pd.read_csv(sheet)
    accepted = decided[decided["decision"] == "accept"].sort_values("place")["question_id"]
    assert {row["question_id"] for row in questions} == set(accepted[:5]) and len(questions) == 5
    credits = pd.read_csv(tmp_path / "releases/1/attribution.csv")
    assert set(credits["licence"]) == {"CC BY-SA 3.0"}  # all posts are of 2015
    assert credits["link"].str.match(r"https://coffee\.stackexchange\.com/questions/\d+$").all()
    dev = [json.loads(line) for line in (tmp_path / "releases/1/dev.jsonl").read_text().splitlines()]
    assert len(dev) == 10 and not {row["question_id"] for row in dev} & {row["question_id"] for row in questions}
    assert "dev set: 10 questions" in capsys.readouterr().out


def test_questions_without_a_verdict_are_counted(two_versions, tmp_path, capsys):
    lines = (two_versions.parent / "verdicts.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "v.jsonl").write_text("".join(lines[5:]))
    kept = two_versions.parent / "kept/kept.parquet"
    arguments = ("--verdicts", tmp_path / "v.jsonl", "--out", tmp_path / "q", "--released", tmp_path / "none")
    assert run("queue", kept, *arguments) == 0
    assert ", 5 without a verdict (left out)" in capsys.readouterr().out


def test_releases_with_a_fault_are_exit_code_1(two_versions, tmp_path, capsys):
    for path in two_versions.rglob("*.*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(two_versions)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    assert run("check-release", tmp_path) == 0
    (tmp_path / "2/diamond.csv").write_text("site,question_id\nmath,999999\n")
    assert run("check-release", tmp_path) == 1
    told = capsys.readouterr()
    assert "question 999999 of math is not in the release" in told.err and "3 PROBLEMS" in told.out


def test_a_replacement_that_is_missing_is_said(two_versions, tmp_path, capsys):
    """Version 2 on the first queue again: what it accepts is released already."""
    folder = two_versions.parent
    (tmp_path / "1").mkdir()
    for path in (two_versions / "1").iterdir():
        (tmp_path / "1" / path.name).write_bytes(path.read_bytes())
    sheet = pd.read_csv(folder / "review/review.csv", dtype=str, keep_default_na=False)
    sheet[sheet["place"].astype(int) <= 6].to_csv(tmp_path / "sheet.csv", index=False)
    made = ("--kept", folder / "kept/kept.parquet", "--review", tmp_path / "sheet.csv", "--out", tmp_path)
    assert run("release", *made, "--version", "2", "--solved", folder / "solved.csv") == 0
    assert "SHORT by" in capsys.readouterr().out
    assert run("check-release", tmp_path) == 0


def test_bad_input_is_exit_code_2_with_one_message_and_changes_nothing(two_versions, tmp_path, capsys):
    folder = two_versions.parent
    kept, sheet, empty = folder / "kept/kept.parquet", folder / "review/review.csv", tmp_path / "empty"
    (tmp_path / "quotas.yaml").write_text(BAD_QUOTAS)
    (tmp_path / "verdicts.jsonl").write_text('{"site": "cs", "question_id": 1, "outcome": "perhaps"}\n')
    (tmp_path / "answers.jsonl").write_text('{"site": "cs", "question_id": 1, "model": "m"}\n')
    (tmp_path / "twice.jsonl").write_text('{"site": "cs", "question_id": 1, "outcome": "keep"}\n' * 2)
    (tmp_path / "near.csv").write_text("site,question_id\ncs,1\n")
    (tmp_path / "similar.csv").write_text(
        "site,question_id,other_site,other_id,similarity,relation\ncs,1,math,2,much,asked twice\n"
    )
    uncredited = pd.read_parquet(kept).drop(columns=["owner_id"])
    uncredited.to_parquet(tmp_path / "uncredited.parquet")
    pd.read_csv(sheet, dtype=str, keep_default_na=False).assign(decision="reject", reason="no").to_csv(
        tmp_path / "none.csv"
    )
    before = sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))
    queue = ("queue", kept, "--out", tmp_path / "q", "--released", empty)
    release = ("release", "--kept", kept, "--review", sheet)
    for arguments, told in (
        (("queue", sheet, "--out", tmp_path / "q"), "not a readable Parquet file"),
        (("queue", kept, "--out", folder / "review", "--released", empty), "is there already, perhaps filled in"),
        ((*queue, "--quotas", tmp_path / "quotas.yaml"), "no category"),
        ((*queue, "--verdicts", tmp_path / "verdicts.jsonl"), "row 1, column outcome: 'perhaps'"),
        ((*queue, "--verdicts", tmp_path / "twice.jsonl"), "row 2, column question_id: question 1 of cs stands"),
        ((*queue, "--answers", tmp_path / "answers.jsonl"), "row 1, column answer: empty or not there"),
        ((*queue, "--duplicates", tmp_path / "near.csv"), "row 2, column other_site: empty or not there"),
        ((*queue, "--duplicates", tmp_path / "similar.csv"), "column similarity: 'much' is no similarity"),
        (
            ("release", "--kept", tmp_path / "uncredited.parquet", *release[3:], "--version", "1", "--out", empty),
            "no column owner_id",
        ),
        (
            (*release[:3], "--review", tmp_path / "none.csv", "--version", "1", "--out", empty),
            "no question of the review is accepted (",
        ),
        ((*release, "--version", "3", "--out", two_versions), "Say what it replaces: --solved"),
        ((*release, "--version", "x", "--out", empty), "not a version"),
        ((*release, "--version", "1", "--out", empty, "--solved", folder / "solved.csv"), "Leave --solved out"),
        (("check-release", empty), "no release there"),
        (("next-version", empty, "--pool", folder / "pool", "--out", tmp_path / "p.csv"), "no release there"),
        (("next-version", two_versions), "give --pool and --out"),
        (("next-version", two_versions, "--pool", folder / "pool", "--out", folder / "solved.csv"), "is there already"),
    ):
        assert run(*arguments) == 2, arguments
        assert told in (said := capsys.readouterr().err) and said.count("\n") == 1, (arguments, said)
    assert before == sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))
    assert not (tmp_path / "q").exists() and not empty.exists()
