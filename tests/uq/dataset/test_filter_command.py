"""The command filter-llm: plan, budget, exit codes, and a run through files."""

import json

import pandas as pd
import pytest
from proctor.models import registry
from proctor.uq.dataset.__main__ import main

ROW = ("cs", "Problem?", "<p>Prove it.</p>", ["sets"], 9, 900, 0, pd.Timestamp("2015-01-01"))
MODEL = "openai/m@http://node:8000/v1"


@pytest.fixture
def kept(tmp_path):
    names = ["site", "title", "body", "tags", "score", "views", "comments", "created"]
    table = pd.DataFrame([ROW, ROW], columns=names).assign(question_id=[1, 2])
    table["title"] = ["Problem 1?", "Problem 2?"]
    table.to_parquet(tmp_path / "kept.parquet")
    return tmp_path / "kept.parquet"


def run(kept, *arguments, model="open"):
    folder = kept.parent
    models = ("--answering", model, "--judge", model, "--cache", folder / "c.sqlite", "--out", folder / "v.jsonl")
    return main([str(a) for a in ("filter-llm", kept, *models, *arguments)])


def test_a_plan_asks_nothing_and_a_run_needs_a_budget(kept, serving, capsys):
    server = serving(verdicts=1.0)
    assert run(kept, "--plan") == 0 and "2 questions, 32 calls (at most $" in capsys.readouterr().out
    assert run(kept) == 2 and "no budget: give --dollars or --calls" in capsys.readouterr().err
    assert run(kept, "--dollars", "0.0001") == 2 and "budget" in capsys.readouterr().err.lower()
    assert run(kept, "--mode", "replay") == 2 and "neither recorded nor cached" in capsys.readouterr().err
    assert server.arrived == 0 and not (kept.parent / "v.jsonl").exists()


def test_undecided_questions_are_exit_code_1_and_written(kept, serving, capsys):
    """The server gives a verdict also where a criterion asks for percent: these replies can't be read."""
    server = serving(verdicts=1.0)
    assert run(kept, "--dollars", "1") == 1
    shown = capsys.readouterr().out
    assert "0 keep, 0 drop, 2 undecided" in shown and "12 replies unreadable, 0 calls failed" in shown
    rows = [json.loads(line) for line in (kept.parent / "v.jsonl").read_text().splitlines()]
    assert [row["missing_on"] for row in rows] == [["correctness", "solvability"]] * 2
    asked = server.arrived
    assert run(kept, "--dollars", "1") == 1 and server.arrived == asked == 32


def test_mistakes_are_exit_code_2_with_one_message(kept, serving, capsys, tmp_path):
    serving(verdicts=1.0)
    (tmp_path / "bad.parquet").write_text("no")
    for arguments, told in (
        (("--repeats", "1", "--calls", "9"), "2 replies are needed and 1 are asked for"),
        (("--temperature", "0", "--calls", "99"), "at temperature 0"),
        (("--prompts", "none", "--plan"), "is no folder"),
    ):
        assert run(kept, *arguments) == 2
        said = capsys.readouterr().err
        assert told in said and said.count("\n") == 1
    assert run(kept, "--plan", model="unknown-model") == 2 and "unknown-model" in capsys.readouterr().err
    assert run(tmp_path / "bad.parquet", "--plan") == 2


def test_a_run_through_files(kept, monkeypatch, capsys):
    monkeypatch.setattr(registry, "_table", {"models.yaml": {}, "prices.yaml": {}}.__getitem__)
    requests, replies = kept.parent / "q.jsonl", kept.parent / "r.jsonl"
    assert run(kept, "--requests", requests, model=MODEL) == 1
    for code in (1, 0):
        with replies.open("w") as file:
            for line in map(json.loads, requests.read_text().splitlines()):
                system = line["body"]["messages"][0]["content"]
                said = (
                    "Score: [[20]]" if "Score" in system else "Accepted: [[Y]]" if "Accepted" in system else "A proof."
                )
                body = {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
                response = {"status_code": 200, "body": body}
                file.write(json.dumps({"custom_id": line["custom_id"], "response": response, "error": None}) + "\n")
        assert run(kept, "--requests", requests, "--replies", replies, model=MODEL) == code
    assert "2 keep, 0 drop, 0 undecided" in capsys.readouterr().out
