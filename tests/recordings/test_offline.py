"""The commands that export a recorded study and import its replies."""

import json

from proctor.recordings import offline

MODEL = "openai/m@http://node:8000/v1"


def test_a_recorded_study_is_exported_answered_and_replayed(tmp_path, capsys):
    cache, requests, replies = tmp_path / "c.sqlite", tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    ask = ["--cache", str(cache), "export", "--study", "exam_answers", "--models", MODEL, "--out", str(requests)]
    assert offline.main(ask) == 0
    lines = [json.loads(line) for line in requests.read_text().splitlines()]
    assert f"{len(lines)} requests" in capsys.readouterr().out and lines[0]["body"]["model"] == "m"
    body = {"choices": [{"message": {"content": "Explanation: x\nAnswer: A\nConfidence: 70%"}}]}
    said = [{"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}} for line in lines]
    read = ["--cache", str(cache), "import", str(requests), str(replies)]
    replies.write_text("\n".join(map(json.dumps, said[1:])))
    assert offline.main(read) == 1 and "1 missing" in capsys.readouterr().out
    replies.write_text("\n".join(map(json.dumps, said)))
    assert offline.main(read) == 0 and offline.main(ask) == 0
    assert "nothing to ask" in capsys.readouterr().out


def test_errors_are_sentences(tmp_path, capsys):
    wrong = ["--cache", str(tmp_path / "c.sqlite"), "import", str(tmp_path / "q.jsonl"), str(tmp_path / "r.jsonl")]
    assert offline.main(wrong) == 1 and "no tickets of an export" in capsys.readouterr().err
