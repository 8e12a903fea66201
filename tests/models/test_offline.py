"""Files of requests and replies; whole studies go through them in uq/test_run_validator.py and test_cli.py."""

import asyncio
import json

import pytest
from proctor.models import registry
from proctor.models.cache import Cache
from proctor.models.messages import Request
from proctor.models.offline import OfflineError, export, import_replies, write_requests
from proctor.models.session import Session
from proctor.models.spending import BudgetError

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


def test_a_batch_holds_the_bodies_that_are_sent_one_by_one_and_its_replies_are_equal(
    serving, session, run, model, files, tmp_path
):
    server, begun = serving(), {"role": "assistant", "content": "Accepted: [["}
    told = ({"role": "system", "content": "be brief"}, {"role": "user", "content": "so?"}, begun)
    how = dict(temperature=0.5, max_tokens=7, logprobs=1, schema={"type": "object"} if model == "open" else None)
    calls = [Request(model, talk, **how) for talk in (told, ({"role": "user", "content": "a\u2028b\x85c"},))]
    [requests, replies], lines = files, []
    write_requests(calls, requests)
    for line in map(json.loads, requests.read_text().splitlines()):
        body = line.pop("params" if model == "claude" else "body")
        said = body["messages"][-1]["content"].upper()
        if model == "claude":
            line["result"] = {"type": "succeeded", "message": server._reply(said, "/v1/messages")}
        else:
            line["response"] = {"status_code": 200, "body": server._reply(said, "/v1/chat/completions")}
        lines.append(json.dumps(line, ensure_ascii=False))
        server.bodies.append(body)
    replies.write_text("\n".join(lines))
    batched, server.bodies[:] = list(server.bodies), []
    cache = Cache(tmp_path / "c.sqlite")
    assert import_replies([replies], requests, cache).complete
    assert run(session(cache=tmp_path / "c.sqlite"), calls) == [cache.get(call.key) for call in calls]
    assert not server.bodies
    direct = run(session("live"), calls)
    assert [vars(reply) | dict(source="live") for reply in map(cache.get, [c.key for c in calls])] == list(
        map(vars, direct)
    )
    assert sorted(server.bodies, key=str) == sorted(batched, key=str)
    assert [reply.text for reply in direct] == ["Accepted: [[ACCEPTED: [[", "A\u2028B\x85C"]
    if model == "claude":  # which gets the system apart
        assert batched[0]["system"] == "be brief"
        assert {m["role"] for body in batched for m in body["messages"]} == {"user", "assistant"}


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (dict(result=dict(type="errored", error=dict(error=dict(message="overloaded")))), "errored: overloaded"),
        (dict(result=dict(type="expired")), "expired"),
        (dict(result=dict(type="succeeded", message=dict(content=None))), "no message"),
        (dict(response=None, error=dict(code="batch_expired", message="too late")), "too late"),
        (dict(response=dict(status_code=200, body=dict(choices="none"))), "no chat completion"),
    ],
)
def test_a_result_that_is_no_reply_is_told(files, tmp_path, result, why):
    requests, replies = files
    write_requests([call("a")], requests)
    replies.write_text(json.dumps(dict(custom_id=call("a").key) | result))
    found = import_replies([replies], requests, Cache(tmp_path / "c.sqlite"))
    assert found.missing == 0 and why in str(found)


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
