import asyncio
import re
import time

import pytest
from proctor.models import session as module
from proctor.models.cache import StoreError, recording_path, write_recording
from proctor.models.endings import CallsFailed, MissingReply
from proctor.models.messages import Request
from proctor.models.registry import ModelError
from proctor.models.session import Session
from proctor.models.spending import Budget, BudgetError

KEY = "PROCTORFAKE-7f3a9c2d41"


def run(session: Session, requests):
    """Ask, close, and return the replies or the error."""

    async def main():
        async with session:
            try:
                return await session.ask_many(requests)
            except Exception as error:
                return error

    return asyncio.run(main())


# faults that pass


@pytest.mark.parametrize("model", ["open", "claude"])
def test_passing_faults_are_answered_in_the_end_and_once(serving, session, ask, quick, model):
    refused, failed = ["429", "429:0", "429:soon"], ["500", "503", "reset", "cut", "short", "html", "empty"]
    server = serving(faults={fault: [fault, fault] for fault in refused + failed})
    texts, asking = ["good", *refused, *failed, "better"], session()
    assert [reply.text for reply in run(asking, [ask(text, model) for text in texts])] == [t.upper() for t in texts]
    assert server.asked == {"good": 1, "better": 1} | dict.fromkeys(refused + failed, 3)
    assert set(server.answered.values()) == {1} and len(asking.cache) == len(texts)
    assert asking.spent.calls == len(texts) + 2 * len(failed)  # it may have been charged for, except a 429


def test_retry_after_is_waited_for(serving, session, ask, quick):
    server = serving(faults={"seconds": ["429:0.7"], "date": ["429:+3"]})
    run(session(), [ask("seconds", "open"), ask("date", "claude")])
    waits = {text: times[1] - times[0] for text, times in server.times.items()}
    assert waits["seconds"] > 0.69 and waits["date"] >= 1.5  # without being told: some hundredths


def test_a_wait_of_an_hour_fails_at_once_and_says_so(serving, session, ask):
    serving(faults={"later": ["429:3600"]})
    error = run(session(), [ask("later")])
    assert isinstance(error, CallsFailed) and "asked to wait 3600 s" in str(error)


def test_dripping_body_costs_its_timeout_and_is_asked_again(serving, session, ask, quick):
    server = serving(faults={"slow": ["drip"]})
    assert [r.text for r in run(session(timeout=0.6), [ask("slow"), ask("quick")])] == ["SLOW", "QUICK"]
    assert server.times["slow"][1] - server.times["slow"][0] > 0.3


def test_hung_call_costs_its_own_timeout_only(serving, session, ask, quick):
    server = serving(faults={"hung": ["hang"] * 2}, latency=0.02)
    requests = [ask("hung"), *(ask(f"call {n}") for n in range(20))]
    error = run(session(timeout=1.5, retries=1, concurrency=4), requests)
    assert isinstance(error, CallsFailed) and list(error.errors) == [requests[0].key]
    assert "no reply in time" in str(error) and sum(server.answered.values()) == 20
    others = max(times[0] for text, times in server.times.items() if text != "hung")
    assert others < server.times["hung"][1], "the others had to wait for the hung call"


def test_a_fifth_of_429_at_concurrency_64_loses_nothing(serving, session, ask, quick):
    server = serving(every=5, latency=0.01)
    requests = [ask(f"call {n}") for n in range(400)]
    asking = session(concurrency=64)
    assert [reply.text for reply in run(asking, requests)] == [f"CALL {n}" for n in range(400)]
    assert set(server.answered.values()) == {1} and len(server.answered) == len(asking.cache) == 400
    assert sum(server.asked.values()) == 499 and server.busiest <= 64


# faults that stay


@pytest.mark.parametrize("model", ["open", "claude"])
def test_permanent_faults_name_the_model_and_keep_the_other_replies(serving, session, ask, model):
    server = serving(faults={fault: [fault] for fault in ("400", "401", "404")})
    requests = [ask(text, model) for text in ("one", "400", "401", "404", "two")]
    error = run(session(), requests)
    assert isinstance(error, CallsFailed) and model in str(error) and "3 of 5" in str(error)
    assert set(error.errors) == {request.key for request in requests[1:4]} and set(server.asked.values()) == {1}
    assert [r.text for r in run(session(), requests)] == ["ONE", "400", "401", "404", "TWO"]  # the faults have passed
    assert server.asked == {"one": 1, "two": 1, "400": 2, "401": 2, "404": 2}


def test_retries_end(serving, session, ask, quick):
    server = serving(faults={"bad": ["500"] * 9})
    assert isinstance(run(session(retries=2), [ask("bad")]), CallsFailed) and server.asked["bad"] == 3


@pytest.mark.parametrize("model", ["open", "claude"])
def test_the_key_shows_nowhere(serving, session, ask, model, tmp_path, capfd):
    serving(faults={"bad": ["echo"]})
    asking = session()
    error = run(asking, [ask("bad", model), ask("good", model)])
    assert "<key>" in str(error)
    chain, shown = error, []
    while chain is not None:
        shown += [str(chain), repr(chain), repr(vars(chain))]
        chain = chain.__cause__ or chain.__context__
    shown += [repr(asking), repr(vars(asking)), *capfd.readouterr()]
    shown += [path.read_bytes().decode(errors="replace") for path in tmp_path.iterdir()]
    assert len(shown) > 6 and not [text for text in shown if KEY in text or KEY[8:20] in text]


def test_a_newline_after_the_key_is_left_out(serving, session, ask, monkeypatch):
    serving()
    monkeypatch.setenv("FAKE_KEY", KEY + "\n")
    assert run(session(), [ask("hello")])[0].text == "HELLO"


def test_missing_key_is_told_before_anything_is_sent(serving, session, ask, monkeypatch):
    server = serving()
    monkeypatch.delenv("FAKE_KEY")
    error = run(session(), [ask("free", "unpriced"), ask("dear")])
    assert isinstance(error, ModelError) and "FAKE_KEY" in str(error) and not server.asked


def test_unknown_model_is_told_before_anything_is_sent(serving, session, ask):
    server = serving()
    assert isinstance(run(session(), [ask("one"), ask("two", "nobody")]), ModelError) and not server.asked


# budget


def test_budget_of_calls_is_not_passed_under_concurrency(serving, session, ask):
    server = serving(latency=0.01)
    requests = [ask(f"call {n}") for n in range(60)]
    asking = session(budget=Budget(calls=25), concurrency=32)
    error = run(asking, requests)
    assert isinstance(error, BudgetError) and "raise the budget" in str(error) and "25 calls" in str(error)
    assert sum(server.asked.values()) == 25 == len(asking.cache)
    asking.budget = Budget(calls=60)
    assert len(run(asking, requests)) == 60 and sum(server.asked.values()) == 60


def test_budget_in_dollars_is_not_passed_under_concurrency(serving, session, ask):
    server = serving(latency=0.01, usage=(10, 5))  # 10 + 2 * 5 = 20 millionths of a dollar a call
    requests = [ask(f"call {n:03}", max_tokens=20) for n in range(60)]
    most = 8 + 16 + len('""') + 2 * 20  # bytes in, tokens out, in millionths
    asking = session(budget=Budget(dollars=500e-6), concurrency=32)
    error = run(asking, requests)
    assert isinstance(error, BudgetError) and "the budget for this run, $0.0005:" in str(error)
    spent = sum(server.answered.values()) * 20e-6
    assert 500e-6 - most * 1e-6 < spent <= 500e-6 and asking.spent.dollars == pytest.approx(spent)
    asking.budget = Budget(dollars=1.0)
    assert len(run(asking, requests)) == 60 and set(server.asked.values()) == {1}


@pytest.mark.parametrize(
    "usage, most", [((0, 5), 8 + 16 + 2 + 10), ((10, 0), 10 + 2 * 20), (None, 8 + 16 + 2 + 2 * 20)]
)
def test_of_a_count_that_is_missing_the_most_is_charged(serving, session, ask, usage, most):
    serving(usage=usage)
    asking = session(budget=Budget(dollars=1))
    run(asking, [ask("call 01", max_tokens=20)])
    assert asking.spent.dollars == pytest.approx(most * 1e-6, rel=0.05)


def test_no_price_with_a_budget_in_dollars_is_told_before_any_call(serving, session, ask):
    server = serving()
    error = run(session(budget=Budget(dollars=1)), [ask("one"), ask("two", "unpriced")])
    assert (
        isinstance(error, ModelError) and "unpriced" in str(error) and "prices.yaml" in str(error) and not server.asked
    )


def test_a_total_budget_stops_the_second_run_where_both_together_reach_it(serving, session, ask):
    server = serving(usage=(10, 5))  # 20 millionths of a dollar a call
    most = 8 + 16 + 2 + 2 * 20  # of a call, in millionths
    total = Budget(total=(10 * 20 + most) * 1e-6)  # what ten calls cost leaves room for one more
    assert len(run(session(budget=total), [ask(f"call {n:03}", max_tokens=20) for n in range(8)])) == 8
    error = run(session(budget=total), [ask(f"call {n:03}", max_tokens=20) for n in range(20)])
    assert isinstance(error, BudgetError) and "could pass the total budget, $0.0003 over all runs: 3 calls in" in str(
        error
    )
    assert sum(server.asked.values()) == 11 and session().cache.paid() == pytest.approx(11 * 20e-6)


def test_what_was_in_flight_at_a_kill_counts_at_its_most_in_the_total(session):
    cache = session().cache
    assert cache.reserve("killed", "open", 0.5) and cache.reserve("done", "open", 0.5)
    cache.settle("done", 0.1)
    again = session().cache
    assert again.paid() == pytest.approx(0.6) and not again.reserve("next", "open", 0.5, total=1.0)
    assert again.reserve("next", "open", 0.4, total=1.0)


@pytest.mark.parametrize(("model", "why"), [("open", "open costs money"), ("unpriced", "unpriced has no price")])
def test_a_model_that_costs_is_not_asked_without_a_budget(serving, session, ask, monkeypatch, model, why):
    server = serving()
    for asking in (lambda one: one.ask(ask("one", model)), lambda one: one.ask_many([ask("one", model)])):
        with pytest.raises(ModelError, match=f"nothing was asked: {why}.*there is no budget"):
            asyncio.run(asking(session(budget=None)))
    assert not server.asked
    monkeypatch.setenv("PROCTOR_MAX_CALLS", "1")
    assert len(run(session(budget=None), [ask("one", model)])) == 1


# plan


def test_plan_agrees_with_a_hand_calculation_and_sends_nothing(serving, session, ask):
    server = serving()
    asking = session()
    requests = [ask("x" * 40, max_tokens=100), ask("y" * 80, max_tokens=50), ask("x" * 40, max_tokens=100)]
    plan = asking.plan(requests)
    assert (plan.calls, plan.recorded, plan.cached, plan.to_ask) == (2, 0, 0, 2)
    assert (plan.prompt_tokens, plan.completion_tokens) == (10 + 20, 150)
    sent = 40 + 80 + 2 * (16 + 2)  # a token a byte; what the message and a schema take beside
    assert plan.dollars == pytest.approx(sent * 1e-6 + 150 * 2e-6) and not server.asked
    assert asking.plan([ask("z", "unpriced")]).dollars is None
    run(asking, requests[:1])
    plan = asking.plan(requests)
    assert (plan.calls, plan.cached, plan.to_ask, plan.prompt_tokens) == (2, 1, 1, 20) and "1 cached" in str(plan)
    assert session(mode="live").plan(requests).to_ask == 2


# modes


def test_replay_names_the_missing_request_and_sends_nothing(serving, session, ask):
    server = serving()
    error = run(session("replay"), [ask("what is it?", sample=3, prompt="hle/judge@1-abc")])
    assert isinstance(error, MissingReply) and not server.asked
    for part in ("open", "hle/judge@1-abc", "sample 3", "what is it?", "mode auto"):
        assert part in str(error)


def test_auto_asks_once_and_replay_then_finds_it(serving, session, ask):
    server = serving()
    assert run(session(), [ask("one")])[0].source == "live"
    assert run(session(), [ask("one")])[0].source == "cache"
    assert run(session("replay"), [ask("one")])[0].text == "ONE" and server.asked == {"one": 1}


def test_kept_reply_equals_the_live_one(serving, session, ask):
    serving()
    live, kept = run(session(), [ask("one", logprobs=1)])[0], run(session(), [ask("one", logprobs=1)])[0]
    assert live.tokens == (("ONE", -0.25),) and live.first == {"ONE": -0.25}
    assert {**vars(live), "source": ""} == {**vars(kept), "source": ""}


def test_live_asks_again_and_since_resumes(serving, session, ask):
    server = serving()
    requests = [ask("one"), ask("two")]
    run(session(), requests)
    start = time.time()
    run(session("live"), requests[:1])
    assert server.asked == {"one": 2, "two": 1}
    assert [r.source for r in run(session("live", since=start), requests)] == ["cache", "live"]
    assert server.asked == {"one": 2, "two": 2}


def test_recording_comes_before_the_cache_and_live_passes_it_by(serving, session, ask, tmp_path):
    server = serving()
    write_recording(recording_path(tmp_path, "open"), {}, {ask("one").key: '{"text":"recorded"}'})
    reply = run(session("replay", recorded=tmp_path), [ask("one")])[0]
    assert (reply.text, reply.source) == ("recorded", "recording") and not server.asked
    assert run(session("live", recorded=tmp_path), [ask("one")])[0].text == "ONE"
    assert session(recorded=tmp_path).plan([ask("one")]).recorded == 1


def test_what_a_study_rests_on_is_taken_as_recorded_in_mode_live_too(serving, session, ask, tmp_path):
    server = serving()
    write_recording(recording_path(tmp_path, "open"), {}, {ask("one").key: '{"text":"recorded"}'})
    asking = session("live", recorded=tmp_path)
    with pytest.raises(ZeroDivisionError), asking.as_recorded():
        assert run(asking, [ask("one")])[0].text == "recorded" and not server.asked
        raise ZeroDivisionError
    assert asking.mode == "live" and run(asking, [ask("one")])[0].text == "ONE"
    with session("replay").as_recorded():
        assert isinstance(run(session("replay"), [ask("two")]), MissingReply)


def test_unknown_mode_is_an_error(session):
    with pytest.raises(ValueError, match="replay, auto, live"):
        session("rplay")


def test_equal_requests_are_asked_once_and_other_samples_again(serving, session, ask):
    server = serving(latency=0.02)
    requests = [ask("one"), ask("one"), ask("one", prefix=1), ask("one", sample=1)]
    assert len(run(session(), requests)) == 4 and server.asked == {"one": 2}


def test_concurrency_bounds_all_calls_of_a_session(serving, session, ask):
    server = serving(latency=0.02)

    async def main():
        async with session(concurrency=3) as asking:
            await asyncio.gather(*(asking.ask(ask(f"call {n}")) for n in range(20)))

    asyncio.run(main())
    assert server.busiest == 3


# event loops


def test_session_serves_a_second_event_loop(serving, session, ask):
    server, asking = serving(), session()
    for text in ("one", "two"):
        assert asyncio.run(asking.ask(ask(text))).text == text.upper()  # not closed in between
    asyncio.run(asking.close())
    assert server.asked == {"one": 1, "two": 1}


def test_plain_await_works_in_a_running_loop_cell_by_cell(serving, session, ask):
    serving()
    loop = asyncio.new_event_loop()  # as a notebook's kernel: one loop, one await a cell
    asking = session()
    try:
        assert loop.run_until_complete(asking.ask(ask("one"))).text == "ONE"
        assert [r.text for r in loop.run_until_complete(asking.ask_many([ask("two"), ask("one")]))] == ["TWO", "ONE"]
        loop.run_until_complete(asking.close())
        assert loop.run_until_complete(asking.ask(ask("three"))).text == "THREE"
        loop.run_until_complete(asking.close())
    finally:
        loop.close()


def test_cancelled_run_keeps_what_came_and_goes_on(serving, session, ask):
    server = serving(faults={"hung": ["hang"]})
    asking = session(timeout=2, budget=Budget(calls=4))  # the call that hung may be charged for

    async def main():
        async with asking:
            task = asyncio.create_task(asking.ask_many([ask("hung"), ask("one")]))
            while not len(asking.cache):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await asking.ask_many([ask("hung"), ask("one"), ask("two")])

    assert [r.text for r in asyncio.run(main())] == ["HUNG", "ONE", "TWO"] and server.asked["one"] == 1


# the disk


def test_full_disk_stops_the_calls_and_hands_over_the_paid_replies(serving, session, ask):
    server = serving(latency=0.02)
    asking = session(concurrency=4)
    pages = asking.cache._db.execute("PRAGMA page_count").fetchone()[0]
    asking.cache._db.execute(f"PRAGMA max_page_count = {pages + 1}")
    requests = [ask(f"{n} " + "x" * 900) for n in range(100)]
    error = run(asking, requests)
    assert isinstance(error, StoreError) and "replies.sqlite" in str(error) and "Free the disk" in str(error)
    asked = sum(server.asked.values())
    assert asked < 40 and error.replies and all(reply.text.endswith("XXX") for reply in error.replies.values())
    assert len(asking.cache) + len(error.replies) == sum(server.answered.values()) == asked  # none paid and lost


def test_full_disk_also_stops_the_calls_that_wait_to_be_sent_again(serving, session, ask):
    server = serving(faults={"late": ["429:1"]})
    asking = session(concurrency=2)
    pages = asking.cache._db.execute("PRAGMA page_count").fetchone()[0]
    asking.cache._db.execute(f"PRAGMA max_page_count = {pages}")
    error = run(asking, [ask("late"), *(ask(f"{n} " + "x" * 5000) for n in range(9))])
    assert isinstance(error, StoreError) and server.asked["late"] == 1


def test_too_little_room_is_told_before_any_call(serving, session, ask, monkeypatch):
    server = serving()
    monkeypatch.setattr(module, "FREE_BYTES", 2**62)
    error = run(session(), [ask("one")])
    assert isinstance(error, StoreError) and "free" in str(error) and not server.asked


# what is sent


def test_openai_s_own_reasoning_models_get_the_fields_that_they_take(serving, session, ask, monkeypatch):
    server = serving()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    run(
        session(),
        [ask("a", "openai/o3", logprobs=1), ask("b", "openai/gpt-4o", temperature=0.5), ask("c", temperature=0.5)],
    )
    sent = {body["messages"][-1]["content"]: set(body) - {"messages", "model"} for body in server.bodies}
    assert sent == {
        "a": {"max_completion_tokens"},
        "b": {"max_completion_tokens", "temperature"},
        "c": {"max_tokens", "temperature"},
    }


def test_claude_gets_the_system_apart_and_a_beginning_comes_back_whole(serving, session):
    server = serving()
    messages = (
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "so?"},
        {"role": "assistant", "content": "Accepted: [["},
    )
    reply = run(session(), [Request(model="claude", messages=messages)])[0]
    assert reply.text == "Accepted: [[ACCEPTED: [[" and re.fullmatch("be brief", server.bodies[0]["system"])
    assert [m["role"] for m in server.bodies[0]["messages"]] == ["user", "assistant"]
