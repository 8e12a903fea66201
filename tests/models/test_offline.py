"""Files of requests and replies; whole studies go through them in uq/test_run_validator.py and test_cli.py."""

import asyncio
import json

import pytest
from proctor.models import registry
from proctor.models.cache import Cache
from proctor.models.endings import all_home
from proctor.models.messages import Request
from proctor.models.session import Session
from proctor.models.spending import BudgetError
from proctor.models.studies import OfflineError, export, import_replies, write_requests

MODEL = "openai/m@http://node:8000/v1"


def call(text, **more):
    return Request(MODEL, ({"role": "user", "content": text},), prompt="p@1", **more)


def answer(requests, replies, skip=()):
    """What vLLM's run-batch writes, in another order."""
    lines = [json.loads(line) for line in requests.read_text().splitlines()]
    with replies.open("w") as file:
        for n, line in reversed(list(enumerate(lines))):
            said = line["body"]["messages"][-1]["content"].upper()
            body = {"choices": [{"message": {"content": said}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
            if n in skip:
                body = {"error": {"message": "out of memory"}}
            response = {"status_code": 500 if n in skip else 200, "request_id": "r", "body": body}
            found = {"id": "v", "custom_id": line["custom_id"], "response": response, "error": None}
            file.write(json.dumps(found) + "\n")
    return lines


@pytest.fixture
def files(tmp_path):
    return tmp_path / "q.jsonl", tmp_path / "r.jsonl"


def test_what_failed_is_missing_or_not_ours_is_counted_and_asked_again(tmp_path, files):
    requests, replies = files
    write_requests([call(text) for text in "abc"], requests)
    body = {"model": "m", "messages": [{"role": "user", "content": "a"}], "temperature": 0.0, "max_tokens": 512}
    line = {"custom_id": call("a").key, "method": "POST", "url": "/v1/chat/completions", "body": body}
    assert answer(requests, replies, skip=[1])[0] == line  # as in OpenAI's batch
    lines = replies.read_text().splitlines()[1:]  # c is missing
    replies.write_text("\n".join([*lines, '{"custom_id": "another"}', "no JSON", "[]", "{}", ""]))
    cache = Cache(tmp_path / "c.sqlite")
    found = import_replies([replies], requests, cache)
    assert (found.kept, found.missing, found.unknown, found.complete) == (1, 1, 4, False)
    assert list(found.failed.values()) == ["500: out of memory"] and "out of memory" in str(found)
    answer(requests, replies)
    assert import_replies([replies], requests, cache).complete and cache.get(call("a").key).prompt_tokens == 3


def test_what_parts_of_a_study_ask_is_exported_in_one_round(tmp_path, files):
    async def study(session):
        return await all_home(session.ask(call("a")), session.ask_many([call("b"), call("a")]))

    assert asyncio.run(export(Session(cache=tmp_path / "c.sqlite", recorded=None), study, files[0])) == 2


def test_what_does_not_fit_is_told(tmp_path, files, monkeypatch):
    requests, replies = files
    monkeypatch.setattr(registry, "_table", {"models.yaml": {"m": {"kind": "gguf", "file": "x"}}}.__getitem__)
    with pytest.raises(OfflineError, match="m is not asked through OpenAI's interface"):
        write_requests([Request("m", ({"role": "user", "content": "a"},))], requests)
    write_requests([call("a")], requests)
    with pytest.raises(OfflineError, match="r.jsonl: can't be read"):
        import_replies([replies], requests, Cache(tmp_path / "c.sqlite"))
    dear = Session("replay", budget=1e-9, cache=tmp_path / "c.sqlite", recorded=None)
    monkeypatch.setattr(
        registry, "_table", {"models.yaml": {}, "prices.yaml": {MODEL: dict(input=1, output=1)}}.__getitem__
    )
    with pytest.raises(BudgetError, match="nothing was asked: this may need up to"):
        asyncio.run(export(dear, lambda session: session.ask(call("a")), tmp_path / "x.jsonl"))
    assert not (tmp_path / "x.jsonl").exists()
    with pytest.raises(OfflineError, match="mode auto"):
        asyncio.run(export(Session("auto", cache=tmp_path / "d.sqlite", recorded=None), None, tmp_path / "x.jsonl"))
