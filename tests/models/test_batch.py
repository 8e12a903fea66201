"""Batches: rounds, faults of the interface and of single lines, kills. What a call does besides is in test_session.py."""

import asyncio
import sys
import time

import pytest
from proctor.data.schemas import Answer, Question
from proctor.models import batch
from proctor.models.cache import Cache, StoreError
from proctor.models.endings import CallsFailed
from proctor.models.messages import Request
from proctor.models.spending import Budget, BudgetError
from proctor.uq.run_validator import Run, validate

from .batch_server import BatchServer

pytestmark = pytest.mark.filterwarnings("ignore:unread_data")  # aiohttp's, of how it reads an upload itself
QUESTIONS = [Question(id=f"q{i}", question=f"What is {i} + {i}?") for i in range(20)]
ANSWERS = [Answer(id=f"a{i}", question_id=f"q{i}", text=f"The sum is {2 * i}.", correct=True) for i in range(20)]


@pytest.fixture
def serving(serving, monkeypatch):
    """As tests/conftest.py has it, with batches; and their clock goes a thousand times as fast."""
    monkeypatch.setattr(sys.modules["faulty_server"], "Server", BatchServer)
    monkeypatch.setattr(batch, "QUIET", 0.05)
    monkeypatch.setattr(batch, "POLL", 0.02)
    return serving


@pytest.fixture
def session(session):
    return lambda mode="auto", **how: session(mode, **{"batch": True, **how})


def judge(session, validator, model, out=None):
    async def main():
        async with session:
            return await validate(session, Run(validator, [model]), QUESTIONS, ANSWERS, out=out)

    return asyncio.run(main())


def texts(replies):
    return [reply.text for reply in replies]


def unread(cache, model):
    return [row for row in cache.batches(model) if row[3]]


async def stop(asking, come_about):
    """Stop `asking` once that has come about."""
    task = asyncio.create_task(asking)
    while not come_about():
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_round_is_each_stage_of_each_answer_whose_turn_it_is(serving, session, model):
    server = serving(verdicts=0.6, steady=True)
    found = judge(session(), "(CC u2|U) => V", model)
    in_turn = [(found["votes"] >= votes).sum() for votes in (1, 1, 2, 3)]  # CC takes two calls, then it reconsiders
    assert [len(asked) for asked in server.batches] == in_turn and in_turn[0] == 20 > in_turn[2] > in_turn[3]
    assert sum(in_turn) == found["calls"].sum() and set(server.submitted.values()) == {1} and not server.times


def test_a_round_is_cut_where_a_provider_takes_no_more_and_by_models(serving, session, ask, run, monkeypatch):
    server = serving()
    monkeypatch.setattr(batch.OpenAIBatches, "most", 3)
    run(session(), [ask(f"call {n}") for n in range(7)])
    monkeypatch.setattr(batch.OpenAIBatches, "size", 2500)
    assert texts(run(session(), [ask(x * 1000) for x in "abc"])) == [x * 1000 for x in "ABC"]
    run(session(), [ask("one", "claude"), ask("two", "unpriced")])
    assert sorted(map(len, server.batches[:3])) == [1, 3, 3] and sorted(map(len, server.batches[3:])) == [1, 1, 1, 2]


def test_the_bodies_of_a_batch_are_those_that_are_sent_one_by_one_and_the_replies_are_equal(
    serving, session, run, model
):
    server, begun = serving(), {"role": "assistant", "content": "Accepted: [["}
    told = ({"role": "system", "content": "be brief"}, {"role": "user", "content": "so?"}, begun)
    how = dict(temperature=0.5, max_tokens=7, logprobs=1, schema={"type": "object"} if model == "open" else None)
    calls = [Request(model, talk, **how) for talk in (told, ({"role": "user", "content": "a\u2028b\x85c"},))]
    replies, sent = run(session(), calls), list(server.bodies)
    assert texts(replies) == ["Accepted: [[ACCEPTED: [[", "A\u2028B\x85C"] and not server.times
    assert run(session("live", batch=False), calls) == replies and sorted(server.bodies[2:], key=str) == sorted(
        sent, key=str
    )
    assert model == "open" or any(body.get("system") == "be brief" for body in sent)  # which gets the system apart


def test_faults_of_single_requests_are_answered_in_the_end_and_once_or_told(serving, session, ask, quick, run, model):
    passing = ["429", "500", "529", "expired", "missing", "malformed", "strange"]
    server = serving(faults={fault: [fault, fault] for fault in passing} | {"400": ["400"], "cancelled": ["cancelled"]})
    calls, asking = [ask(text, model) for text in ("good", *passing, "better", "400", "cancelled")], session()
    error = run(asking, calls)
    assert isinstance(error, CallsFailed) and set(error.errors) == {call.key for call in calls[-2:]}
    assert "told to fail with 400" in str(error) and "cancel" in str(error) and model in str(error)
    assert server.asked == dict.fromkeys(["good", "better", "400", "cancelled"], 1) | dict.fromkeys(passing, 3)
    assert set(server.answered.values()) == {1} and len(asking.cache) == 9
    assert asking.spent.calls == 11 + 2 * len(passing)  # what was in a batch may have been charged for
    assert texts(run(session(), calls)) == ["GOOD", *map(str.upper, passing), "BETTER", "400", "CANCELLED"]
    server.faults["bad"] = ["malformed"] * 3
    assert f"no readable line for request {ask('bad').key[:12]}" in str(run(session(retries=2), [ask("bad")]))


@pytest.mark.parametrize(
    "plans",
    [
        dict(upload=["500"], create=["429:0", "reset"], look=["500", "429:0", "reset"], read=["500"], list=["503"]),
        dict(create=["lost:0"], list=["500"]),
    ],
    ids=["faults", "lost answer"],
)
def test_faults_of_the_interface_are_survived_and_nothing_is_submitted_twice(serving, session, ask, run, model, plans):
    server = serving()
    for n in range(4):  # earlier batches, so that the list has pages
        run(session(), [ask(f"call {n}", model)])
    server.bad_calls = {call: list(plan) for call, plan in plans.items()}
    assert texts(run(session(), [ask("one", model), ask("two", model)])) == ["ONE", "TWO"]
    assert set(server.submitted.values()) == {1} and len(server.batches) == 5
    assert not [call for call, plan in server.bad_calls.items() if plan and (model, call) != ("claude", "upload")]


FULL = ("token_limit_exceeded", "Enqueued token limit reached")


@pytest.mark.parametrize(
    ("how", "told", "made"),
    [
        (dict(bad_calls=dict(look=["500"] * 3)), "3 times in a row (InternalServerError: Error code: 500", 1),
        (dict(bad_calls=dict(look=["404"])), "submit these requests anew", 2),  # it is not there any more
        (dict(bad_calls=dict(create=["401"])), "told to fail with 401", 1),
        (dict(bad_calls=dict(create=["echo"])), "<key>", 1),
        (dict(bad_calls=dict(look=["echo"])), "<key>", 1),
        (dict(refused=("invalid_model", "the model is not for batches")), "failed: the model is not for batches).", 2),
        (dict(refused=FULL), "", 2),
    ],
    ids=str,
)
def test_what_stays_is_told_and_the_next_run_goes_on(serving, session, ask, quick, run, monkeypatch, how, told, made):
    monkeypatch.setattr(batch, "FAULTS", 3)
    server, asking, calls = serving(**how), session(), [ask("one"), ask("two")]
    began, found = time.monotonic(), run(asking, calls)
    if told:
        assert told in str(found) and len(found.errors) == 2 and "PROCTORFAKE" not in str(found)
        found = run(asking, calls)
    else:  # a full queue is waited for
        assert time.monotonic() - began > 20 * batch.POLL
    assert texts(found) == ["ONE", "TWO"] and len(server.batches) == made and not unread(asking.cache, "open")


# stopped, killed, resumed


@pytest.mark.parametrize("model, where", [("open", "creating"), ("claude", "creating"), ("claude", "waiting")])
def test_a_run_killed_in_a_round_goes_on_and_writes_the_file_of_an_undisturbed_one(
    serving, session, forked, tmp_path, model, where
):
    bad = {"create": ["ok", "lost:60"]} if where == "creating" else {}
    server = serving(verdicts=0.8, steady=True, held=[1], bad_calls=bad)
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


def test_what_a_killed_process_asked_another_one_that_asks_already_reads(serving, session, ask, run, forked):
    server = serving(held=[1])

    async def main():
        async with session() as asking:
            await asking.ask(ask("first"))
            child = forked(run, session(), [ask("same"), ask("other")])
            while len(server.batches) < 2:
                await asyncio.sleep(0.01)
            task = asyncio.create_task(asking.ask_many([ask("same"), ask("mine")]))
            await asyncio.sleep(0.1)
            child.kill()
            child.join()
            server.held.clear()
            return await task

    assert texts(asyncio.run(main())) == ["SAME", "MINE"] and set(server.submitted.values()) == {1}


def test_a_stopped_run_says_that_the_batch_goes_on_and_the_next_reads_all_of_it(serving, session, ask, run, model):
    server, calls = serving(held=[0]), [ask(f"call {n}", model) for n in range(3)]

    async def stopped():
        async with session() as asking:
            await stop(asking.ask_many(calls), lambda: server.calls["look"])

    with pytest.warns(UserWarning, match="3 requests to .* goes on at the provider"):
        asyncio.run(stopped())
    live = session("live")  # asks anew, and what it has asked no more
    assert texts(run(live, calls[:1])) == texts(run(session("live", since=live.since), calls[:1])) == ["CALL 0"]
    server.held.clear()
    asking = session()
    assert texts(run(asking, calls[1:2])) == ["CALL 1"]  # nobody asks for the third
    assert len(asking.cache) == 3 and texts(run(session("replay"), calls)) == ["CALL 0", "CALL 1", "CALL 2"]
    assert list(map(len, server.batches)) == [3, 1] and not unread(asking.cache, model)


@pytest.mark.parametrize("created", [True, False])
def test_a_batch_of_someone_else_is_not_taken_for_ours(serving, session, ask, run, model, tmp_path, created):
    server, killed = serving(), time.time()
    if created:
        run(session(cache=tmp_path / "lost.sqlite"), [ask("ours", model)])
    run(session(cache=tmp_path / "another.sqlite"), [ask("theirs", model)])  # as large, and newer
    journal, name = Cache(tmp_path / "replies.sqlite"), "killed before it heard"
    for made in server._made.values():
        made.metadata = {"proctor": name} if made.number == 0 and created else {}
    journal.note_batch(name, model, killed, None, [(ask("ours", model).key, "", 0, "")])
    assert texts(run(session(), [ask("ours", model)])) == ["OURS"] and not unread(journal, model)
    assert sorted(server.batches) == [["ours"], ["theirs"]]


def test_a_cancelled_call_is_in_no_later_round_but_waits_for_the_batch_that_it_is_in(serving, session, ask):
    server = serving(held=[1])

    async def main():
        async with session() as asking:  # as in a notebook: the session lives on after a cell is stopped
            await stop(asking.ask(ask("none")), lambda: asking._providers and asking._providers["open"]._gathered)
            assert (await asking.ask(ask("zero"))).text == "ZERO"
            await stop(asking.ask_many([ask("one"), ask("two")]), lambda: server.calls["look"] > 4)
            server.held.clear()
            return texts([await asking.ask(ask("two")), await asking.ask(ask("one"))])

    assert asyncio.run(main()) == ["TWO", "ONE"] and server.batches == [["zero"], ["one", "two"]]


# budget and disk


def test_no_more_is_submitted_than_a_budget_allows(serving, session, ask, run, model):
    server = serving(usage=(10, 5))  # 10 + 2 * 5 = 20 millionths of a dollar a call, 65 at most
    calls, asking = [ask(f"call {n:02}", model, max_tokens=20) for n in range(20)], session(budget=Budget(dollars=2e-4))
    assert isinstance(run(asking, calls), BudgetError) and list(map(len, server.batches)) == [3, 2, 1, 1]
    asking.account.budget = Budget(dollars=1.0)
    assert len(run(asking, calls)) == 20 and set(server.asked.values()) == {1}


@pytest.mark.parametrize("room, submitted", [(0, 0), (40, 1)])
def test_a_full_disk_leaves_nothing_that_is_paid_unread(serving, session, ask, run, room, submitted):
    server, asking, calls = serving(), session(), [ask(f"{n} " + "x" * 3000) for n in range(200)]
    pages = asking.cache._db.execute("PRAGMA page_count").fetchone()[0]
    asking.cache._db.execute(f"PRAGMA max_page_count = {pages + room}")
    error = run(asking, calls)
    assert isinstance(error, StoreError) and "Free the disk" in str(error) and len(server.batches) == submitted
    asking.cache._db.execute("PRAGMA max_page_count = 1000000")
    assert len(run(session(), calls)) == 200 and set(server.asked.values()) == {1}
