"""The commands that export a recorded study and import its replies."""

import json

import pytest
from proctor import cli

MODEL = "openai/m@http://node:8000/v1"


def run(*words) -> int:
    """The exit code of the command."""
    with pytest.raises(SystemExit) as ended:
        cli.main([str(word) for word in words])
    return ended.value.code


def test_a_recorded_study_is_exported_answered_and_replayed(tmp_path, capsys):
    cache, requests, replies = tmp_path / "c.sqlite", tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    ask = ["export", "--study", "exam_answers", "--models", MODEL, "--out", requests, "--cache", cache]
    assert run(*ask) == 0
    lines = [json.loads(line) for line in requests.read_text().splitlines()]
    assert f"{len(lines)} requests" in capsys.readouterr().out and lines[0]["body"]["model"] == "m"
    body = {"choices": [{"message": {"content": "Explanation: x\nAnswer: A\nConfidence: 70%"}}]}
    said = [{"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}} for line in lines]
    read = ["import", requests, replies, "--cache", cache]
    replies.write_text("\n".join(map(json.dumps, said[1:])))
    assert run(*read) == 1 and "1 missing" in capsys.readouterr().out
    replies.write_text("\n".join(map(json.dumps, said)))
    assert run(*read) == 0 and run(*ask) == 0
    assert "nothing to ask" in capsys.readouterr().out


def test_errors_are_sentences(tmp_path, capsys):
    assert run("import", tmp_path / "q.jsonl", tmp_path / "r.jsonl", "--cache", tmp_path / "c.sqlite") == 2
    assert "no tickets of an export" in capsys.readouterr().err
    assert run("export", "--study", "none", "--models", MODEL, "--out", tmp_path / "q.jsonl") == 2
    assert "--study none: there are answers, " in capsys.readouterr().err
