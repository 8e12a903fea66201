"""What is particular to batches: rounds, faults of the interface, kills. What both ways share is in test_session.py."""

import asyncio
import json
import time

import pytest
from proctor.data.schemas import Answer, Question
from proctor.models import batch
from proctor.models import session as module
from proctor.models.cache import Cache, Journal, StoreError
from proctor.models.endings import CallError
from proctor.models.messages import Reply, Request
from proctor.uq.run_validator import Run, validate

pytestmark = pytest.mark.filterwarnings("ignore:unread_data")  # aiohttp's, of how it reads an upload itself
QUESTIONS = [Question(id=f"q{i}", question=f"What is {i} + {i}?") for i in range(20)]
ANSWERS = [Answer(id=f"a{i}", question_id=f"q{i}", text=f"The sum is {2 * i}.", correct=True) for i in range(20)]


@pytest.fixture
def session(session):
    return lambda mode="auto", **how: session(mode, **{"batch": True, **how})


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


def test_a_round_is_cut_where_a_provider_takes_no_more(serving, session, ask, run, monkeypatch):
    server = serving()
    monkeypatch.setattr(batch.OpenAIBatches, "most", 3)
    run(session(), [ask(f"call {n}") for n in range(7)])
    assert sorted(map(len, server.batches)) == [1, 3, 3]
    monkeypatch.setattr(batch.OpenAIBatches, "size", 2500)
    assert texts(run(session(), [ask(x * 1000) for x in "abc"])) == [x * 1000 for x in "ABC"]
    assert sorted(map(len, server.batches[3:])) == [1, 2]


def test_models_have_batches_of_their_own_and_local_ones_none(serving, session, ask, run, monkeypatch, tmp_path):
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


def test_a_round_is_each_stage_of_each_answer_whose_turn_it_is(serving, session, model):
    server = serving(verdicts=0.6, steady=True)
    found = judge(session(), "(CC u2|U) => V", model)
    in_turn = [(found["votes"] >= votes).sum() for votes in (1, 1, 2, 3)]  # CC takes two calls, then it reconsiders
    assert [len(texts) for texts in server.batches] == in_turn and in_turn[0] == 20 > in_turn[2] > in_turn[3]
    last = json.dumps(server.bodies[-len(server.batches[-1]) :])
    assert [f"The sum is {2 * i}." in last for i in range(20)] == list(found["votes"] == 3)  # early exits are not in it
    assert sum(in_turn) == found["calls"].sum() and set(server.submitted.values()) == {1}


# faults


def test_an_unreadable_line_is_told_by_its_request_when_it_stays(serving, session, ask, quick, run, model):
    serving(faults={"bad": ["malformed"] * 3})
    calls = [ask("good", model), ask("bad", model)]
    error = run(session(retries=2), calls)
    assert f"no readable line for request {calls[1].key[:12]}" in str(error) and list(error.errors) == [calls[1].key]


def test_passing_faults_of_the_interface_are_survived_and_nothing_is_submitted_twice(serving, session, ask, run, model):
    plans = dict(upload=["500"], create=["429:0", "reset"], list=["503"], look=["500", "429:0", "reset"], read=["500"])
    server = serving(bad_calls=plans)
    assert texts(run(session(), [ask("one", model), ask("two", model)])) == ["ONE", "TWO"]
    assert set(server.submitted.values()) == {1} and len(server.batches) == 1
    assert not [call for call, plan in server.bad_calls.items() if plan and (model, call) != ("claude", "upload")]


def test_a_creation_whose_answer_is_lost_is_found_and_not_repeated(serving, session, ask, run, model):
    server = serving(bad_calls=dict(create=["lost"]))
    run(session(), [ask(f"other {n}", model) for n in range(4)])  # earlier batches, so that the list has pages
    server.bad_calls["create"] = ["ok", "ok", "lost"]
    for n in range(3):
        assert texts(run(session(), [ask(f"call {n}", model), ask("same", model)])) == [f"CALL {n}", "SAME"]
    assert set(server.submitted.values()) == {1} and len(server.batches) == 4


def test_an_interface_that_stays_down_is_an_error_and_the_next_run_waits_for_the_batch(
    serving, session, ask, quick, run, model, monkeypatch
):
    monkeypatch.setattr(batch, "FAULTS", 3)
    server = serving(bad_calls=dict(look=["500"] * 3))
    asking, calls = session(), [ask("one", model), ask("two", model)]
    error = run(asking, calls)
    assert "3 times in a row" in str(error) and "told to fail with 500" in str(error) and len(error.errors) == 2
    assert texts(run(asking, calls)) == ["ONE", "TWO"] and len(server.batches) == 1


def test_a_batch_that_is_refused_as_a_whole_tells_why_once(serving, session, ask, run):
    server = serving(refused=("invalid_model", "the model `m` is not for batches"))
    calls = [ask("one"), ask("two")]
    error = run(session(), calls)
    assert str(error).count("the model `m` is not for batches") == 1 and "2 of 2" in str(error)
    assert len(server.batches) == 1 and texts(run(session(), calls)) == ["ONE", "TWO"]


def test_a_full_queue_at_the_provider_is_waited_for(serving, session, ask, quick, run):
    server = serving(refused=("token_limit_exceeded", "Enqueued token limit reached"))
    start = time.monotonic()
    assert texts(run(session(), [ask("one"), ask("two")])) == ["ONE", "TWO"]
    assert time.monotonic() - start > 20 * batch.POLL and len(server.batches) == 2


def test_a_batch_that_is_not_there_any_more_is_told_before_its_requests_are_paid_anew(
    serving, session, ask, run, model
):
    server = serving(bad_calls=dict(look=["404"]))
    error = run(session(), [ask("one", model)])
    assert "submit these requests anew" in str(error) and len(server.batches) == 1
    assert texts(run(session(), [ask("one", model)])) == ["ONE"] and len(server.batches) == 2


def test_pauses_grow_and_keep_what_the_server_asked():
    assert batch.pause(5, CallError("x")) > batch.pause(0, CallError("x"))
    assert batch.pause(0, CallError("x", wait=10_000)) >= 10_000


# stopped, killed, resumed


@pytest.mark.parametrize("model, where", [("open", "creating"), ("claude", "waiting")])
def test_a_run_killed_in_a_round_goes_on_and_writes_the_file_of_an_undisturbed_one(
    serving, session, forked, tmp_path, model, where
):
    server = serving(verdicts=0.8, steady=True, held=[1], slow={1: 60} if where == "creating" else {})
    child = forked(lambda: judge(session(), "(C u2|U) => V", model, out=tmp_path / "v.jsonl"))
    while len(server.batches) < 2 or (where == "waiting" and server.calls["look"] < 8):  # 3 of them in the first round
        assert child.is_alive()
        time.sleep(0.005)
    child.kill()
    child.join()
    server.held.clear()
    assert not (tmp_path / "v.jsonl").exists() and len(server.batches) == 2
    found = judge(session(), "(C u2|U) => V", model, out=tmp_path / "v.jsonl")
    assert set(server.submitted.values()) == {1} and sum(server.submitted.values()) == found["calls"].sum()
    direct = session(batch=False, cache=tmp_path / "whole.sqlite")  # asked one by one, the same file is written
    judge(direct, "(C u2|U) => V", model, out=tmp_path / "whole.jsonl")
    assert (tmp_path / "v.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert len((tmp_path / "v.jsonl").read_text().splitlines()) == 20


def test_a_stopped_run_says_that_the_batch_goes_on_and_the_next_reads_all_of_it(serving, session, run, model):
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


def test_a_batch_of_someone_else_is_not_taken_for_one_that_was_never_created(
    serving, session, ask, run, model, tmp_path
):
    server = serving()
    run(session(cache=tmp_path / "another.sqlite"), [ask("theirs", model)])
    journal = Journal(Cache(tmp_path / "replies.sqlite"))
    journal.write("killed before it got there", model, time.time(), None, [(ask("ours", model).key, "", 0, "")])
    assert texts(run(session(), [ask("ours", model)])) == ["OURS"]
    assert server.batches == [["theirs"], ["ours"]] and not journal.unread(model)


def test_a_batch_that_bears_no_name_is_known_by_its_results(serving, session, ask, run, tmp_path):
    server, killed = serving(), time.time()
    for text in ("ours", "theirs"):  # both as large, theirs the newer
        run(session(cache=tmp_path / f"{text}.sqlite"), [ask(text, "claude")])
    journal = Journal(Cache(tmp_path / "replies.sqlite"))
    journal.write("killed before it heard", "claude", killed, None, [(ask("ours", "claude").key, "", 0, "")])
    assert texts(run(session(), [ask("ours", "claude")])) == ["OURS"] and len(server.batches) == 2
    assert journal.batches() == {"batch_0000"}


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


def test_nothing_is_submitted_that_the_journal_can_not_hold(serving, session, ask, run):
    server, asking = serving(), session()
    Journal(asking.cache)
    pages = asking.cache._db.execute("PRAGMA page_count").fetchone()[0]
    asking.cache._db.execute(f"PRAGMA max_page_count = {pages}")
    error = run(asking, [ask(f"call {n}") for n in range(200)])
    assert isinstance(error, StoreError) and "Free the disk" in str(error) and not server.batches
