"""What is paid for is asked once, kept, and charged: equal calls, several sessions and processes, faults, Ctrl-C."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from proctor.models.endings import CallsFailed, Halt
from proctor.models.registry import ModelError
from proctor.models.spending import Budget, BudgetError

SERVER = Path(__file__).with_name("faulty_server.py")


def together(*calls):
    return asyncio.run(_together(calls))


async def _together(calls):
    return await asyncio.gather(*calls, return_exceptions=True)


# one process


def test_equal_calls_are_asked_once_however_they_wait(serving, session, ask):
    server, asking = serving(latency=0.02), session(concurrency=1)
    replies = together(asking.ask(ask("A")), asking.ask(ask("B")), asking.ask(ask("A")))
    assert [reply.text for reply in replies] == ["A", "B", "A"] and server.asked == {"A": 1, "B": 1}


@pytest.mark.parametrize("concurrency", [1, 8])
def test_two_runs_of_the_same_calls_ask_each_once(serving, session, ask, concurrency):
    server, asking = serving(latency=0.002), session(concurrency=concurrency)
    requests = [ask(f"call {n}") for n in range(100)]
    found = together(asking.ask_many(requests), asking.ask_many(requests))
    assert [len(replies) for replies in found] == [100, 100] and sum(server.asked.values()) == 100


def test_two_sessions_on_one_cache_ask_each_once(serving, session, ask):
    server, one, other = serving(latency=0.01), session(), session()
    requests = [ask(f"call {n}") for n in range(60)]
    together(one.ask_many(requests), other.ask_many(requests))
    assert sum(server.asked.values()) == 60


# two processes

CHILD = """
import asyncio, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is started with it ignored
from proctor.models import registry
from proctor.models.messages import Request
from proctor.models.session import Session
url, cache, order = sys.argv[1:]
registry._table = {"models.yaml": {"open": {"kind": "openai", "base_url": url + "/v1"}}, "prices.yaml": {}}.__getitem__
calls = [Request(model="open", messages=({"role": "user", "content": f"call {n}"},)) for n in range(150)]
async def main():
    async with Session("auto", cache=Path(cache), recorded=None, budget="none", progress=False, concurrency=8) as session:
        print(len(await session.ask_many(calls[:: int(order)])))
asyncio.run(main())
"""


@pytest.fixture
def start(tmp_path):
    """`start(url, order)`: a process that asks; all of a test have one cache."""

    def start(url, order="1"):
        environment = {**os.environ, "PYTHONPATH": str(SERVER.parents[2] / "lib")}
        command = [sys.executable, "-c", CHILD, url, str(tmp_path / "replies.sqlite"), order]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


def test_two_processes_on_one_cache_ask_each_once(serving, start):
    server = serving(latency=0.01)
    children = [start(server.url, order) for order in ("1", "-1")]
    printed = [child.communicate(timeout=240) for child in children]
    assert [out for out, _ in printed] == ["150\n", "150\n"], printed
    assert sum(server.asked.values()) == 150 and set(server.asked.values()) == {1}


def test_what_a_killed_process_was_asking_is_asked_by_the_other_at_once(serving, start):
    server = serving(latency=0.05)
    first = start(server.url)
    while sum(server.answered.values()) < 40:
        time.sleep(0.01)
    second = start(server.url)
    time.sleep(0.5)
    first.kill()
    first.wait()
    assert second.communicate(timeout=240)[0] == "150\n"  # it did not wait until the leases of the dead end
    assert sum(server.asked.values()) <= 150 + 8


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_waits_for_the_calls_in_flight_and_keeps_them(serving, session, start, number):
    server = serving(hold=0)
    child = start(server.url)
    while sum(server.asked.values()) < 8:
        time.sleep(0.01)
    child.send_signal(number)
    while int(re.search(r"ShdPnd:\s+(\w+)", Path(f"/proc/{child.pid}/status").read_text())[1], 16):
        time.sleep(0.01)  # it has not heard of it yet
    server.hold = None
    child.communicate(timeout=240)
    asked = sum(server.asked.values())
    assert child.returncode == -number and asked == 8 and len(session().cache) == 8


# budgets


@pytest.mark.parametrize("budget", [Budget(calls=50), Budget(dollars=0.02)], ids=str)
def test_attempts_that_failed_count_against_a_budget(serving, session, ask, quick, budget):
    faults = ["500", "cut", "short", "html", "empty", "reset"]
    server = serving(faults={f"call {n}": [faults[n % 6]] * 20 for n in range(40)})
    asking = session(budget=budget, concurrency=8)
    [error] = together(asking.ask_many([ask(f"call {n}", max_tokens=512) for n in range(40)]))
    assert isinstance(error, BudgetError | CallsFailed)
    assert 0 < sum(server.asked.values()) == asking.spent.calls <= (budget.calls or 40)
    assert asking.spent.calls * 512 * 2e-6 <= asking.spent.dollars <= (budget.dollars or 1)


def test_what_was_refused_or_never_sent_costs_nothing(serving, session, ask, quick):
    serving(faults={"busy": ["429:0", "429:0"]})
    asking = session(budget=Budget(calls=1))
    assert together(asking.ask(ask("busy")))[0].text == "BUSY" and asking.spent.calls == 1


def test_a_reply_that_is_none_is_asked_for_three_times_at_most(serving, session, ask, quick):
    server = serving(faults={"odd": ["html"] * 20})
    assert isinstance(together(session().ask(ask("odd")))[0], CallsFailed) and server.asked["odd"] == 3


def test_a_call_abandoned_after_its_time_out_counts_at_its_price(serving, session, ask, quick):
    server = serving(faults={"slow": ["hang", "hang"]})
    asking = session(timeout=1.0)
    assert together(asking.ask(ask("slow")))[0].text == "SLOW" and server.asked["slow"] == 3
    most = ask("slow").most_tokens * 1e-6 + 512 * 2e-6
    assert asking.spent.calls == 3 and asking.spent.dollars == pytest.approx(2 * most + 10e-6 + 5 * 2e-6)


# keys


@pytest.mark.parametrize("model", ["open", "claude"])
def test_a_refused_key_is_told_before_anything_is_sent(serving, session, ask, model, monkeypatch):
    server, asking = serving(listing=401), session()
    many, one = together(asking.ask_many([ask(f"call {n}", model) for n in range(9)]), asking.ask(ask("one", model)))
    for error in (many, one):
        assert isinstance(error, ModelError) and "FAKE_KEY" in str(error) and "Nothing was sent" in str(error)
        assert os.environ["FAKE_KEY"] not in str(error)
    assert not server.asked and server.listed == 1
    server.listing = 200
    assert together(asking.ask(ask("one", model)))[0].text == "ONE", server.asked


@pytest.mark.parametrize("status", [200, 403, 404, 429, 500])
@pytest.mark.parametrize("model", ["open", "claude"])
def test_a_key_is_tried_once_and_a_server_without_a_list_is_accepted(serving, session, ask, model, status):
    server, asking = serving(listing=status), session()

    async def main():
        async with asking:
            first = await asyncio.gather(*(asking.ask(ask(f"call {n}", model)) for n in range(9)))
            return [*first, *await asking.ask_many([ask("more", model), ask("free", "unpriced")])]

    assert len(asyncio.run(main())) == 11 and server.listed == 1


def test_replies_that_are_kept_need_no_key(serving, session, ask):
    server = serving()
    together(session().ask(ask("one")))
    server.listing = 401
    assert together(session().ask(ask("one")))[0].text == "ONE" and server.listed == 1


# pace


def test_calls_keep_below_the_limit_a_minute(serving, session, ask, monkeypatch):
    from proctor.models import registry

    server = serving()
    tables = {name: dict(registry._table(name)) for name in ("models.yaml", "prices.yaml")}
    tables["models.yaml"]["open"] = tables["models.yaml"]["open"] | {"requests_per_minute": 600}
    monkeypatch.setattr(registry, "_table", tables.__getitem__)
    together(session(concurrency=16).ask_many([ask(f"call {n}") for n in range(12)]))
    times = sorted(at for times in server.times.values() for at in times)
    assert times[-1] - times[0] > 0.6  # a tenth of a second apart; all at once without the limit


def test_a_halted_run_does_not_sit_out_its_pause():
    async def main():
        halt, began = Halt(), time.monotonic()
        asyncio.get_running_loop().call_later(0.05, halt.call, KeyboardInterrupt())
        await halt.pause(30)
        return time.monotonic() - began

    assert asyncio.run(main()) < 25


# the clock


def test_a_clock_that_is_set_back_makes_a_live_run_ask_nothing_twice(serving, session, ask, monkeypatch):
    server, asking = serving(), session("live")
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() - 3600)
    together(asking.ask(ask("one")))
    together(asking.ask(ask("one")))
    assert server.asked["one"] == 1
