"""What a session does with faults, modes, event loops and a full disk."""

import asyncio
import time

import pytest
from proctor.models import session as module
from proctor.models.cache import StoreError, recording_path, write_recording
from proctor.models.endings import CallsFailed, MissingReply
from proctor.models.registry import ModelError

KEY = "PROCTORFAKE-7f3a9c2d41"


# faults that pass

REFUSED = ["429", "429:0", "429:soon"]  # which costs nothing
FAILED = ["500", "503", "reset", "cut", "short", "html", "empty"]


def test_passing_faults_are_answered_in_the_end_and_once(serving, session, ask, quick, run, model):
    server = serving(faults={fault: [fault, fault] for fault in REFUSED + FAILED})
    texts, asking = ["good", *REFUSED, *FAILED, "better"], session()
    assert [reply.text for reply in run(asking, [ask(text, model) for text in texts])] == [t.upper() for t in texts]
    assert server.asked == {"good": 1, "better": 1} | dict.fromkeys(REFUSED + FAILED, 3)
    assert set(server.answered.values()) == {1} and len(asking.cache) == len(texts)
    assert asking.spent.calls == len(texts) + 2 * len(FAILED)  # it may have been charged for, except a 429


def test_what_a_server_asks_to_wait_is_waited_unless_it_is_an_hour(serving, session, ask, quick, run, monkeypatch):
    pauses, sleep = [], asyncio.sleep

    async def pause(seconds, *more):
        pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", pause)
    server = serving(faults={"seconds": ["429:70"], "date": ["429:+90"], "later": ["429:3600"]})
    error = run(session(), [ask("seconds"), ask("date", "claude"), later := ask("later")])
    pauses = [seconds for seconds in pauses if seconds > 1]
    assert min(pauses) == 70 and 85 < max(pauses) <= 90 and len(pauses) == 2
    assert list(error.errors) == [later.key] and "asked to wait 3600 s" in str(error)
    assert server.asked == {"seconds": 2, "date": 2, "later": 1}


def test_a_call_without_a_reply_in_time_is_asked_again_at_its_price_and_holds_up_no_other(
    serving, session, ask, quick, run
):
    server = serving(faults={"hung": ["hang"] * 2, "drip": ["drip"]})
    calls = [ask("hung"), ask("drip"), *(ask(f"call {n}") for n in range(20))]
    asking = session(timeout=1.5, retries=1, concurrency=4)
    error = run(asking, calls)
    assert isinstance(error, CallsFailed) and list(error.errors) == [calls[0].key] and "no reply in time" in str(error)
    assert server.asked == {"hung": 2, "drip": 2} | {f"call {n}": 1 for n in range(20)}
    others = max(times[0] for text, times in server.times.items() if text.startswith("call"))
    assert others < server.times["hung"][1], "the others had to wait for the hung call"
    most = ask("hung").most_tokens * 1e-6 + 512 * 2e-6
    assert asking.spent.calls == 24 and asking.spent.dollars == pytest.approx(3 * most + 21 * (10e-6 + 5 * 2e-6))


# faults that stay


def test_permanent_faults_name_the_model_and_keep_the_other_replies(serving, session, ask, run, model):
    faults = ["400", "401", "404"]
    server = serving(faults={fault: [fault] for fault in faults})
    requests = [ask(text, model) for text in ("one", *faults, "two")]
    error = run(session(), requests)
    assert isinstance(error, CallsFailed) and set(error.errors) == {request.key for request in requests[1:-1]}
    for part in (model, f"{len(faults)} of {len(requests)}", "told to fail with 400", "401"):
        assert part in str(error)
    assert set(server.asked.values()) == {1}
    assert [reply.text for reply in run(session(), requests)] == ["ONE", *map(str.upper, faults), "TWO"]
    assert server.asked == {"one": 1, "two": 1} | dict.fromkeys(faults, 2)  # the faults had passed


def test_retries_end_and_a_reply_that_is_none_is_asked_for_three_times_at_most(serving, session, ask, quick, run):
    server = serving(faults={"bad": ["500"] * 9, "odd": ["html"] * 20})
    error = run(session(retries=4), [ask("bad"), ask("odd")])
    assert isinstance(error, CallsFailed) and server.asked == {"bad": 5, "odd": 3}


def test_the_key_shows_nowhere(serving, session, ask, run, model, tmp_path, capfd):
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


# plan


def test_plan_agrees_with_a_hand_calculation_and_sends_nothing(serving, session, ask, run):
    server, asking = serving(), session()
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


def test_replay_names_the_missing_request_and_sends_nothing(serving, session, ask, run):
    server = serving()
    error = run(session("replay"), [ask("what is it?", sample=3, prompt="hle/judge@1-abc")])
    assert isinstance(error, MissingReply) and not server.asked
    for part in ("open", "hle/judge@1-abc", "sample 3", "what is it?", "mode auto"):
        assert part in str(error)
    with pytest.raises(ValueError, match="replay, auto, live"):
        session("rplay")


def test_what_was_asked_is_kept_as_it_came_live_asks_again_and_since_resumes(serving, session, ask, run):
    server, requests = serving(), [ask("one", logprobs=1), ask("two")]
    [live, _] = run(session(), requests)
    for mode in ("auto", "replay"):
        [kept, _] = run(session(mode), requests)
        assert kept.source == "cache" and {**vars(live), "source": ""} == {**vars(kept), "source": ""}
    assert live.tokens == (("ONE", -0.25),) and live.first == {"ONE": -0.25} and server.asked == {"one": 1, "two": 1}
    start = time.time()
    assert run(session("live"), requests[:1])[0].source == "live"
    replies = run(session("live", since=start), requests)
    assert [reply.source for reply in replies] == ["cache", "live"] and server.asked == {"one": 2, "two": 2}


def test_a_recording_comes_before_the_cache_and_live_passes_it_by_but_not_what_a_study_rests_on(
    serving, session, ask, run, tmp_path
):
    server = serving()
    write_recording(recording_path(tmp_path, "open"), {}, {ask("one").key: '{"text":"recorded"}'})
    reply = run(session("replay", recorded=tmp_path), [ask("one")])[0]
    assert (reply.text, reply.source) == ("recorded", "recording")
    assert session(recorded=tmp_path).plan([ask("one")]).recorded == 1
    asking = session("live", recorded=tmp_path)
    with pytest.raises(ZeroDivisionError), asking.as_recorded():
        assert run(asking, [ask("one")])[0].text == "recorded" and not server.asked
        raise ZeroDivisionError
    assert asking.mode == "live" and run(asking, [ask("one")])[0].text == "ONE"
    with session("replay").as_recorded():
        assert isinstance(run(session("replay"), [ask("two")]), MissingReply)


# event loops


def test_a_session_serves_one_event_loop_after_another_as_in_a_notebook(serving, session, ask):
    server, asking = serving(), session()
    for text in ("one", "two"):
        assert asyncio.run(asking.ask(ask(text))).text == text.upper()  # not closed in between
    loop = asyncio.new_event_loop()  # as a notebook's kernel: one loop, one await a cell
    try:
        assert loop.run_until_complete(asking.ask(ask("three"))).text == "THREE"
        found = loop.run_until_complete(asking.ask_many([ask("four"), ask("one")]))
        assert [reply.text for reply in found] == ["FOUR", "ONE"]
        loop.run_until_complete(asking.close())
        assert loop.run_until_complete(asking.ask(ask("five"))).text == "FIVE"
        loop.run_until_complete(asking.close())
    finally:
        loop.close()
    assert set(server.asked.values()) == {1}


def test_cancelled_run_keeps_what_came_and_goes_on(serving, session, ask, model):
    server = serving(hold=1)
    asking = session(concurrency=1)

    async def main():
        async with asking:
            task = asyncio.create_task(asking.ask_many([ask("one", model), ask("held", model), ask("two", model)]))
            while server.arrived < 2:
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.sleep(0)
            server.hold = None
            with pytest.raises(asyncio.CancelledError):
                await task
            assert len(asking.cache) == 2  # what was in flight came home
            return await asking.ask_many([ask(text, model) for text in ("held", "one", "two")])

    assert [reply.text for reply in asyncio.run(main())] == ["HELD", "ONE", "TWO"]
    assert server.asked == {"one": 1, "held": 1, "two": 1}


# the disk


def test_a_full_disk_stops_the_calls_and_hands_over_the_paid_replies(serving, session, ask, quick, run):
    server = serving(latency=0.01, faults={"late": ["429:60"]})
    asking, calls = session(concurrency=4), [ask(f"{n} " + "x" * 3000) for n in range(40)]
    pages = asking.cache._db.execute("PRAGMA page_count").fetchone()[0]
    asking.cache._db.execute(f"PRAGMA max_page_count = {pages + 4}")
    began = time.monotonic()
    error = run(asking, [ask("late"), *calls])
    assert isinstance(error, StoreError) and "replies.sqlite" in str(error) and "Free the disk" in str(error)
    asked = sum(server.asked.values()) - server.asked["late"]
    assert asked < 20
    assert error.replies and all(reply.text.endswith("XXX") for reply in error.replies.values())
    assert len(asking.cache) + len(error.replies) == sum(server.answered.values()) == asked  # none paid and lost
    assert time.monotonic() - began < 50 and server.asked["late"] == 1  # what waited is not sent again
    asking.cache._db.execute("PRAGMA max_page_count = 1000000")
    assert len(run(asking, calls)) == 40 and all(server.asked[f"{n} " + "x" * 3000] == 1 for n in range(40))


def test_too_little_room_is_told_before_any_call(serving, session, ask, run, monkeypatch):
    server = serving()
    monkeypatch.setattr(module, "FREE_BYTES", 2**62)
    error = run(session(), [ask("one")])
    assert isinstance(error, StoreError) and "free" in str(error) and not server.asked


# keys


def test_without_a_key_or_a_known_model_nothing_is_sent_and_a_newline_after_the_key_is_left_out(
    serving, session, ask, run, monkeypatch
):
    server = serving()
    assert isinstance(run(session(), [ask("one"), ask("two", "nobody")]), ModelError)
    monkeypatch.delenv("FAKE_KEY")
    error = run(session(), [ask("free", "unpriced"), ask("dear")])
    assert isinstance(error, ModelError) and "FAKE_KEY" in str(error) and not server.asked
    monkeypatch.setenv("FAKE_KEY", KEY + "\n")
    assert run(session(), [ask("hello")])[0].text == "HELLO"


def test_a_refused_key_is_told_before_anything_is_sent_and_kept_replies_need_none(serving, session, ask, run, model):
    server, asking = serving(), session()
    run(asking, [ask("kept", model)])
    server.listing, server.listed, asking = 401, 0, session()

    async def both():
        calls = asking.ask_many([ask(f"call {n}", model) for n in range(9)]), asking.ask(ask("one", model))
        return await asyncio.gather(*calls, return_exceptions=True)

    for error in asyncio.run(both()):
        assert isinstance(error, ModelError) and "FAKE_KEY" in str(error) and "Nothing was sent" in str(error)
        assert KEY not in str(error)
    assert server.asked == {"kept": 1} and server.listed == 1
    assert run(asking, [ask("kept", model)])[0].text == "KEPT" and server.listed == 1
    server.listing = 200
    assert run(asking, [ask("one", model)])[0].text == "ONE"


@pytest.mark.parametrize("status", [200, 403, 404, 429, 500])
def test_a_key_is_tried_once_and_a_server_without_a_list_is_accepted(serving, session, ask, model, status):
    server, asking = serving(listing=status), session()

    async def main():
        async with asking:
            first = await asyncio.gather(*(asking.ask(ask(f"call {n}", model)) for n in range(9)))
            return [*first, *await asking.ask_many([ask("more", model), ask("free", "unpriced")])]

    assert len(asyncio.run(main())) == 11 and server.listed == 1
