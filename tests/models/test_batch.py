"""Batch mode against a local server that speaks both interfaces: rounds, faults, kills, budgets, keys."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from proctor import paths
from proctor.data.schemas import Answer, Question
from proctor.models import batch, batch_api
from proctor.models import session as module
from proctor.models.cache import Cache, Journal, StoreError
from proctor.models.endings import CallError, CallsFailed
from proctor.models.messages import Reply, Request
from proctor.models.spending import Budget, BudgetError
from proctor.uq.run_validator import Run, validate

from .batch_server import BatchServer

pytestmark = pytest.mark.filterwarnings("ignore:unread_data")  # aiohttp's, of how it reads an upload itself
KEY = "PROCTORFAKE-7f3a9c2d41"
BOTH = pytest.mark.parametrize("model", ["open", "claude"])
QUESTIONS = [Question(id=f"q{i}", question=f"What is {i} + {i}?") for i in range(20)]
ANSWERS = [Answer(id=f"a{i}", question_id=f"q{i}", text=f"The sum is {2 * i}.", correct=True) for i in range(20)]


@pytest.fixture
def serving(serving, monkeypatch):
    """As conftest's, with batches; and a clock that goes a thousand times as fast."""
    monkeypatch.setattr(sys.modules["faulty_server"], "Server", BatchServer)
    monkeypatch.setattr(batch, "QUIET", 0.05)
    monkeypatch.setattr(batch_api, "POLL", 0.02)
    return serving


@pytest.fixture
def session(session):
    return lambda mode="auto", **how: session(mode, **{"batch": True, **how})


def run(session, requests):
    async def main():
        async with session:
            try:
                return await session.ask_many(requests)
            except Exception as error:
                return error

    return asyncio.run(main())


def judge(session, validator, model="open", out=None, **how):
    async def main():
        async with session:
            return await validate(session, Run(validator, [model], **how), QUESTIONS, ANSWERS, out=out)

    return asyncio.run(main())


def texts(replies):
    return [reply.text for reply in replies]


async def stop(server, asking):
    """Stop `asking` once its batch is looked at."""
    task = asyncio.create_task(asking)
    while not server.calls["look"]:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# what is sent and what comes back


@BOTH
def test_calls_go_as_one_batch_and_come_back_in_order(serving, session, ask, model):
    server = serving()
    asking = session()
    calls = [ask(f"call {n}", model) for n in range(30)]
    assert texts(run(asking, calls)) == [f"CALL {n}" for n in range(30)]
    assert len(server.batches) == 1 and not server.asked  # none the direct way
    assert set(server.submitted) == {call.key for call in calls} and len(asking.cache) == asking.spent.calls == 30
    assert asking.spent.dollars == pytest.approx(30 * 20e-6)


@BOTH
def test_a_batch_holds_the_bodies_that_are_sent_the_direct_way_and_the_replies_are_equal(serving, session, model):
    server = serving()
    talks = [
        (
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "so?"},
            {"role": "assistant", "content": "Accepted: [["},
        ),
        ({"role": "user", "content": "a\u2028b\x85c"},),
    ]
    schema = {"type": "object"} if model == "open" else None
    calls = [Request(model, talk, temperature=0.5, max_tokens=7, logprobs=1, schema=schema) for talk in talks]
    batched = run(session(retries=0), calls)
    sent = sorted(server.bodies, key=str)
    server.bodies.clear()
    direct = run(session("live", batch=False), calls)
    assert sorted(server.bodies, key=str) == sent and direct == batched
    assert texts(batched) == ["Accepted: [[ACCEPTED: [[", "A\u2028B\x85C"]


def test_a_round_is_cut_where_a_provider_takes_no_more(serving, session, ask, monkeypatch):
    server = serving()
    monkeypatch.setattr(batch_api.OpenAIBatches, "most", 3)
    run(session(), [ask(f"call {n}") for n in range(7)])
    assert sorted(map(len, server.batches)) == [1, 3, 3]
    monkeypatch.setattr(batch_api.OpenAIBatches, "size", 2500)
    assert texts(run(session(), [ask(x * 1000) for x in "abc"])) == [x * 1000 for x in "ABC"]
    assert sorted(map(len, server.batches[3:])) == [1, 2]


def test_models_have_batches_of_their_own_and_local_ones_none(serving, session, ask, monkeypatch, tmp_path):
    class Local:
        def __init__(self, model, timeout):
            assert timeout == 5.0

        async def send(self, request):
            return Reply("from here")

        async def close(self):
            pass

    server = serving()
    monkeypatch.setitem(module.KINDS, "gguf", Local)
    monkeypatch.setattr(module, "weights_file", lambda model: tmp_path)
    calls = [ask("one", "open"), ask("two", "here.gguf"), ask("three", "claude"), ask("four", "unpriced")]
    assert texts(run(session(), calls)) == ["ONE", "from here", "THREE", "FOUR"]
    assert sorted(server.batches) == [["four"], ["one"], ["three"]]


# rounds


@BOTH
def test_a_round_is_each_stage_of_each_answer_whose_turn_it_is(serving, session, model):
    server = serving(verdicts=0.6, steady=True)
    found = judge(session(), "(CC u2|U) => V", model)
    in_turn = [(found["votes"] >= votes).sum() for votes in (1, 1, 2, 3)]  # CC takes two calls, then it reconsiders
    assert [len(texts) for texts in server.batches] == in_turn and in_turn[0] == 20 > in_turn[2] > in_turn[3]
    last = json.dumps(server.bodies[-len(server.batches[-1]) :])
    assert [f"The sum is {2 * i}." in last for i in range(20)] == list(found["votes"] == 3)  # early exits are not in it
    assert sum(in_turn) == found["calls"].sum() and set(server.submitted.values()) == {1}


def test_batch_mode_and_the_direct_way_write_the_same_file(serving, session, tmp_path):
    serving(verdicts=0.7, steady=True)
    judge(session(), "(C u2|U) => V", out=tmp_path / "batch.jsonl")
    judge(session(batch=False, cache=tmp_path / "other.sqlite"), "(C u2|U) => V", out=tmp_path / "direct.jsonl")
    assert (tmp_path / "batch.jsonl").read_bytes() == (tmp_path / "direct.jsonl").read_bytes()


# faults of single requests


@BOTH
def test_requests_that_failed_in_passing_are_in_the_next_round(serving, session, ask, quick, model):
    bad = ["429", "500", "529", "expired", "missing", "malformed", "strange"]
    server = serving(faults={text: [text] for text in bad})
    asked = ["good", *bad, "better"]
    assert texts(run(session(), [ask(text, model) for text in asked])) == [text.upper() for text in asked]
    assert server.batches[0] == asked and sorted(server.batches[1]) == sorted(bad) and len(server.batches) == 2


@BOTH
def test_requests_that_failed_for_good_are_named_and_the_others_are_kept(serving, session, ask, model):
    server = serving(faults={"bad": ["400"], "stopped": ["cancelled"]})
    calls = [ask(text, model) for text in ("good", "bad", "stopped", "better")]
    error = run(session(), calls)
    assert isinstance(error, CallsFailed) and set(error.errors) == {call.key for call in calls[1:3]}
    assert "2 of 4" in str(error) and "told to fail with 400" in str(error) and "cancel" in str(error)
    assert len(server.batches) == 1
    assert len(run(session(), calls)) == 4 and server.batches[1:] == [["bad", "stopped"]]


@BOTH
def test_an_unreadable_line_is_told_by_its_request_when_it_stays(serving, session, ask, quick, model):
    serving(faults={"bad": ["malformed"] * 3})
    calls = [ask("good", model), ask("bad", model)]
    error = run(session(retries=2), calls)
    assert f"no readable line for request {calls[1].key[:12]}" in str(error) and list(error.errors) == [calls[1].key]


# faults of the interface


@BOTH
def test_passing_faults_of_the_interface_are_survived_and_nothing_is_submitted_twice(serving, session, ask, model):
    plans = dict(upload=["500"], create=["429:0", "reset"], list=["503"], look=["500", "429:0", "reset"], read=["500"])
    server = serving(bad_calls=plans)
    assert texts(run(session(), [ask("one", model), ask("two", model)])) == ["ONE", "TWO"]
    assert set(server.submitted.values()) == {1} and len(server.batches) == 1
    assert not [call for call, plan in server.bad_calls.items() if plan and (model, call) != ("claude", "upload")]


@BOTH
def test_a_creation_whose_answer_is_lost_is_found_and_not_repeated(serving, session, ask, model):
    server = serving(bad_calls=dict(create=["lost"]))
    run(session(), [ask(f"other {n}", model) for n in range(4)])  # earlier batches, so that the list has pages
    server.bad_calls["create"] = ["ok", "ok", "lost"]
    for n in range(3):
        assert texts(run(session(), [ask(f"call {n}", model), ask("same", model)])) == [f"CALL {n}", "SAME"]
    assert set(server.submitted.values()) == {1} and len(server.batches) == 4


@BOTH
def test_an_interface_that_stays_down_is_an_error_and_the_next_run_waits_for_the_batch(
    serving, session, ask, quick, model, monkeypatch
):
    monkeypatch.setattr(batch_api, "FAULTS", 3)
    server = serving(bad_calls=dict(look=["500"] * 3))
    asking, calls = session(), [ask("one", model), ask("two", model)]
    error = run(asking, calls)
    assert "3 times in a row" in str(error) and "told to fail with 500" in str(error) and len(error.errors) == 2
    assert texts(run(asking, calls)) == ["ONE", "TWO"] and len(server.batches) == 1


def test_a_batch_that_is_refused_as_a_whole_tells_why_once(serving, session, ask):
    server = serving(refused=("invalid_model", "the model `m` is not for batches"))
    calls = [ask("one"), ask("two")]
    error = run(session(), calls)
    assert str(error).count("the model `m` is not for batches") == 1 and "2 of 2" in str(error)
    assert len(server.batches) == 1 and texts(run(session(), calls)) == ["ONE", "TWO"]


def test_a_full_queue_at_the_provider_is_waited_for(serving, session, ask, quick):
    server = serving(refused=("token_limit_exceeded", "Enqueued token limit reached"))
    start = time.monotonic()
    assert texts(run(session(), [ask("one"), ask("two")])) == ["ONE", "TWO"]
    assert time.monotonic() - start > 20 * batch_api.POLL and len(server.batches) == 2


@BOTH
def test_a_batch_that_is_not_there_any_more_is_told_before_its_requests_are_paid_anew(serving, session, ask, model):
    server = serving(bad_calls=dict(look=["404"]))
    error = run(session(), [ask("one", model)])
    assert "submit these requests anew" in str(error) and len(server.batches) == 1
    assert texts(run(session(), [ask("one", model)])) == ["ONE"] and len(server.batches) == 2


@BOTH
@pytest.mark.parametrize("call", ["create", "look"])
def test_the_key_shows_nowhere(serving, session, ask, model, call, tmp_path, capfd):
    serving(bad_calls={call: ["echo"]})
    asking = session()
    error = run(asking, [ask("one", model)])
    assert "<key>" in str(error)
    shown = [repr(error), repr(vars(error)), repr(vars(asking)), *capfd.readouterr()]
    shown += [path.read_bytes().decode(errors="replace") for path in tmp_path.iterdir()]
    assert len(shown) > 5 and not [text for text in shown if KEY in text or KEY[8:20] in text]


def test_pauses_grow_and_keep_what_the_server_asked():
    assert batch_api.pause(5, CallError("x")) > batch_api.pause(0, CallError("x"))
    assert batch_api.pause(0, CallError("x", wait=10_000)) >= 10_000


# stopped, killed, resumed

CHILD = """
import asyncio, sys
from pathlib import Path
from proctor.data.schemas import Answer, Question
from proctor.models import batch, batch_api, registry
from proctor.models.session import Session
from proctor.uq.run_validator import Run, validate
url, folder, model = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
batch.QUIET, batch_api.POLL = 0.05, 0.02
models = {"open": {"kind": "openai", "model": "m", "base_url": url + "/v1", "key_env": "FAKE_KEY"},
          "claude": {"kind": "anthropic", "model": "m", "base_url": url, "key_env": "FAKE_KEY"}}
registry._table = {"models.yaml": models, "prices.yaml": {}}.__getitem__
questions = [Question(id=f"q{i}", question=f"What is {i} + {i}?") for i in range(20)]
answers = [Answer(id=f"a{i}", question_id=f"q{i}", text=f"The sum is {2 * i}.", correct=True) for i in range(20)]
async def main():
    async with Session("auto", cache=folder / "replies.sqlite", recorded=None, budget="none", progress=False, batch=True) as session:
        await validate(session, Run("(C u2|U) => V", [model]), questions, answers, out=folder / "v.jsonl")
asyncio.run(main())
"""


@pytest.mark.parametrize("model, where", [("open", "creating"), ("claude", "waiting")])
def test_a_run_killed_in_a_round_goes_on_and_writes_the_file_of_an_undisturbed_one(
    serving, session, tmp_path, model, where
):
    server = serving(verdicts=0.8, steady=True, held=[1], slow={1: 60} if where == "creating" else {})
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, server.url, str(tmp_path), model],
        env={**os.environ, "PYTHONPATH": str(paths.ROOT / "lib")},
    )
    while len(server.batches) < 2 or (where == "waiting" and server.calls["look"] < 8):  # 3 of them in the first round
        assert child.poll() is None
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait()
    server.held.clear()
    assert not (tmp_path / "v.jsonl").exists() and len(server.batches) == 2
    found = judge(session(), "(C u2|U) => V", model, out=tmp_path / "v.jsonl")
    assert set(server.submitted.values()) == {1} and sum(server.submitted.values()) == found["calls"].sum()
    judge(session(cache=tmp_path / "whole.sqlite"), "(C u2|U) => V", model, out=tmp_path / "whole.jsonl")
    assert (tmp_path / "v.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert len((tmp_path / "v.jsonl").read_text().splitlines()) == 20


@BOTH
def test_a_stopped_run_says_that_the_batch_goes_on_and_the_next_reads_all_of_it(serving, session, model):
    server, begun = serving(held=[0]), {"role": "assistant", "content": "Well"}
    calls = [Request(model, ({"role": "user", "content": f"call {n}"}, begun)) for n in range(3)]

    async def stopped():
        async with session() as asking:
            await stop(server, asking.ask_many(calls))

    with pytest.warns(UserWarning, match="3 requests to .* goes on at the provider"):
        asyncio.run(stopped())
    server.held.clear()
    asking = session()
    assert texts(run(asking, calls[:1])) == ["WellWELL"]  # nobody asks for the other two
    assert len(asking.cache) == 3 and texts(run(session("replay"), calls)) == ["WellWELL"] * 3
    assert len(server.batches) == 1 and not Journal(asking.cache).unread(model)


@BOTH
def test_a_batch_of_someone_else_is_not_taken_for_one_that_was_never_created(serving, session, ask, model, tmp_path):
    server = serving()
    run(session(cache=tmp_path / "another.sqlite"), [ask("theirs", model)])
    journal = Journal(Cache(tmp_path / "replies.sqlite"))
    journal.write("killed before it got there", model, time.time(), None, [(ask("ours", model).key, "", 0, "")])
    assert texts(run(session(), [ask("ours", model)])) == ["OURS"]
    assert server.batches == [["theirs"], ["ours"]] and not journal.unread(model)


def test_a_batch_that_bears_no_name_is_known_by_its_results(serving, session, ask, tmp_path):
    server, killed = serving(), time.time()
    for text in ("ours", "theirs"):  # both as large, theirs the newer
        run(session(cache=tmp_path / f"{text}.sqlite"), [ask(text, "claude")])
    journal = Journal(Cache(tmp_path / "replies.sqlite"))
    journal.write("killed before it heard", "claude", killed, None, [(ask("ours", "claude").key, "", 0, "")])
    assert texts(run(session(), [ask("ours", "claude")])) == ["OURS"] and len(server.batches) == 2
    assert journal.batches() == {"batch_0000"}


def test_live_asks_anew_but_a_killed_live_run_waits_for_its_batch(serving, session, ask):
    server = serving()
    start = time.time()
    run(session(), [ask("one")])
    assert run(session("live"), [ask("one")])[0].source == "live" and len(server.batches) == 2
    assert run(session("live", since=start), [ask("one")])[0].source == "cache" and len(server.batches) == 2


def test_a_cancelled_call_is_in_no_later_round(serving, session, ask):
    server = serving()

    async def main():
        async with session() as asking:
            task = asyncio.create_task(asking.ask(ask("one")))
            while "open" not in asking._providers or not asking._providers["open"]._room:  # it waits for its round
                await asyncio.sleep(0)
            task.cancel()
            return await asking.ask(ask("two"))

    assert asyncio.run(main()).text == "TWO" and server.batches == [["two"]]


def test_a_call_cancelled_and_asked_again_waits_for_the_batch_that_it_is_in(serving, session, ask):
    server = serving(held=[0])

    async def main():
        async with session() as asking:  # as in a notebook: the session lives on after a cell is stopped
            await stop(server, asking.ask_many([ask("one"), ask("two")]))
            server.held.clear()
            return texts([await asking.ask(ask("two")), await asking.ask(ask("one"))])

    assert asyncio.run(main()) == ["TWO", "ONE"] and server.batches == [["one", "two"]]


# budget and disk


@BOTH
def test_no_more_is_submitted_than_the_budget_allows(serving, session, ask, model):
    server = serving()
    calls = [ask(f"call {n}", model, max_tokens=20) for n in range(12)]
    asking = session(budget=Budget(calls=5))
    assert isinstance(run(asking, calls), BudgetError) and sum(server.submitted.values()) == len(asking.cache) == 5
    asking = session(budget=Budget(dollars=120e-6))  # a call can cost 6 + 16 + 2 + 40 at most, and has cost 0.3 of that
    assert isinstance(run(asking, calls), BudgetError) and list(map(len, server.batches)) == [5, 1, 1, 1]
    asking.budget = Budget(dollars=1)
    assert len(run(asking, calls)) == 12 and set(server.submitted.values()) == {1}


def test_a_full_disk_hands_over_the_paid_replies_and_the_next_run_reads_the_batch_again(serving, session, ask, quick):
    server, asking = serving(), session()
    calls = [ask(f"{n} " + "x" * 3000) for n in range(20)]
    Journal(asking.cache)
    pages = asking.cache._db.execute("PRAGMA page_count").fetchone()[0]
    asking.cache._db.execute(f"PRAGMA max_page_count = {pages + 4}")
    error = run(asking, calls)
    assert isinstance(error, StoreError) and "Free the disk" in str(error)
    assert all(reply.text.endswith("XXX") for reply in error.replies.values()) and len(server.batches) == 1
    assert len(asking.cache) + len(error.replies) == 20
    asking.cache._db.execute("PRAGMA max_page_count = 1000000")
    assert len(run(asking, calls)) == 20 and len(server.batches) == 1


def test_nothing_is_submitted_that_the_journal_can_not_hold(serving, session, ask):
    server, asking = serving(), session()
    Journal(asking.cache)
    pages = asking.cache._db.execute("PRAGMA page_count").fetchone()[0]
    asking.cache._db.execute(f"PRAGMA max_page_count = {pages}")
    error = run(asking, [ask(f"call {n}") for n in range(200)])
    assert isinstance(error, StoreError) and "Free the disk" in str(error) and not server.batches
