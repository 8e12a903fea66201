"""What is paid for is asked once, kept, and charged: equal calls, several sessions and processes, Ctrl-C, budgets."""

import asyncio
import os
import re
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from proctor.models import registry
from proctor.models.endings import all_home
from proctor.models.registry import ModelError
from proctor.models.spending import Budget, BudgetError, Spent, narrower

# equal calls


@pytest.mark.parametrize("concurrency", [1, 8])
def test_equal_calls_are_asked_once_whoever_asks_and_other_samples_again(serving, session, ask, concurrency):
    server = serving(latency=0.005)
    one, other = (session(concurrency=concurrency) for _ in range(2))
    calls = [ask(f"call {n}") for n in range(20)]
    same = [ask("same"), ask("same"), ask("same", prefix=1)]

    async def main():
        asking = (
            one.ask_many(calls),
            one.ask_many([*reversed(calls), *same]),
            other.ask_many(calls),
            *map(one.ask, same),
        )
        return await asyncio.gather(*asking)

    found = asyncio.run(main())
    assert [len(replies) for replies in found[:3]] == [20, 23, 20] and {reply.text for reply in found[3:]} == {"SAME"}
    assert server.asked == {"same": 1} | {f"call {n}": 1 for n in range(20)}
    asyncio.run(one.ask(ask("same", sample=1)))
    assert server.asked["same"] == 2 and server.busiest <= 2 * concurrency


# stopped


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_waits_for_the_calls_in_flight_and_keeps_them(serving, session, ask, forked, number):
    server, calls = serving(hold=0), [ask(f"call {n}") for n in range(100)]
    asking = session(concurrency=9, budget=0.009, timeout=60.0)  # eight at most: the ninth waits until one costs less
    child = forked(lambda: asyncio.run(all_home(*map(asking.ask, calls))))
    while sum(server.asked.values()) < 8:
        time.sleep(0.01)
    os.kill(child.pid, number)
    while int(re.search(r"ShdPnd:\s+(\w+)", Path(f"/proc/{child.pid}/status").read_text())[1], 16):
        time.sleep(0.01)  # it has not heard of it yet
    server.hold = None
    child.join(240)
    assert child.exitcode == -number and sum(server.asked.values()) == 8 == len(session().cache)


def test_who_handles_sigterm_already_keeps_it(serving, session, ask):
    async def main():
        serving()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, print)
        await session().ask(ask("one"))
        return asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)

    assert asyncio.run(main())


def test_a_call_that_is_refused_while_its_run_is_stopped_costs_nothing(serving, session, ask):
    server, asking = serving(hold=0, faults={"one": ["429"]}), session()

    async def main():
        task = asyncio.create_task(asking.ask(ask("one")))
        while not server.arrived:
            await asyncio.sleep(0.01)
        task.cancel()
        server.hold = None
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert server.asked == {"one": 1} and asking.spent.calls == asking.cache.paid() == 0


# budgets


def test_no_more_is_asked_than_a_budget_allows(serving, session, ask, run, model):
    server = serving(latency=0.01, usage=(10, 5))  # 10 + 2 * 5 = 20 millionths of a dollar a call
    calls = [ask(f"call {n:02}", model, max_tokens=20) for n in range(20)]
    most = 7 + 16 + len('""') + 2 * 20  # of a call: bytes in, tokens out, in millionths
    asking = session(budget=Budget(calls=5), concurrency=32)
    error = run(asking, calls)
    assert isinstance(error, BudgetError) and "raise the budget" in str(error) and "5 calls" in str(error)
    assert sum(server.asked.values()) == len(asking.cache) == 5
    asking = session(budget=Budget(dollars=200e-6), concurrency=32)
    error = run(asking, calls)
    assert isinstance(error, BudgetError) and "the budget for this run, $0.0002:" in str(error)
    spent = sum(server.answered.values()) * 20 - 100
    assert 200 - most < spent <= 200 and asking.spent.dollars == pytest.approx(spent * 1e-6)
    asking.account.budget = Budget(dollars=1.0)
    assert len(run(asking, calls)) == 20 and set(server.asked.values()) == {1}


@pytest.mark.parametrize(
    "usage, most", [((0, 5), 8 + 16 + 2 + 10), ((10, 0), 10 + 2 * 20), (None, 8 + 16 + 2 + 2 * 20)]
)
def test_of_a_count_that_is_missing_the_most_is_charged(serving, session, ask, run, usage, most):
    serving(usage=usage)
    asking = session(budget=Budget(dollars=1))
    run(asking, [ask("call 01", max_tokens=20)])
    assert asking.spent.dollars == pytest.approx(most * 1e-6, rel=0.05)


def test_a_total_budget_stops_the_second_run_where_both_together_reach_it(serving, session, ask, run):
    server = serving(usage=(10, 5))  # 20 millionths of a dollar a call
    most = 8 + 16 + 2 + 2 * 20  # of a call, in millionths
    total = Budget(total=(10 * 20 + most) * 1e-6)  # what ten calls cost leaves room for one more
    assert len(run(session(budget=total), [ask(f"call {n:03}", max_tokens=20) for n in range(8)])) == 8
    error = run(session(budget=total), [ask(f"call {n:03}", max_tokens=20) for n in range(20)])
    assert isinstance(error, BudgetError)
    assert "could pass the total budget, $0.0003 over all runs: 3 calls in" in str(error)
    assert sum(server.asked.values()) == 11 and session().cache.paid() == pytest.approx(11 * 20e-6)


def test_what_was_in_flight_at_a_kill_counts_at_its_most_in_the_total(session):
    cache = session().cache
    assert cache.reserve("killed", "open", 0.5) and cache.reserve("done", "open", 0.5)
    cache.settle("done", 0.1)
    again = session().cache
    assert again.paid() == pytest.approx(0.6) and not again.reserve("next", "open", 0.5, total=1.0)
    assert again.reserve("next", "open", 0.4, total=1.0)


@pytest.mark.parametrize(
    ("model", "why"),
    [("open", "nothing was asked: open costs money.*there is no budget"),
     ("unpriced", "nothing was asked: unpriced has no price.*there is no budget")],
)  # fmt: skip
def test_a_model_that_costs_is_not_asked_without_a_budget_that_bounds_it(
    serving, session, ask, run, monkeypatch, model, why
):
    server = serving()
    for asking in (lambda one: one.ask(ask("one", model)), lambda one: one.ask_many([ask("one", model)])):
        with pytest.raises(ModelError, match=why):
            asyncio.run(asking(session(budget=None)))
    error = run(session(budget=Budget(dollars=1)), [ask("one"), ask("two", "unpriced")])
    assert isinstance(error, ModelError) and re.search("unpriced has no price.*prices.yaml", str(error))
    assert not server.asked
    monkeypatch.setenv("PROCTOR_MAX_CALLS", "1")
    assert len(run(session(budget=None), [ask("one", model)])) == 1


@pytest.mark.parametrize(
    ("given", "budget"),
    [
        (None, None),
        (5, Budget(dollars=5)),
        ("0.5", Budget(dollars=0.5)),
        ("500 calls", Budget(calls=500)),
        ("None", Budget()),
        *((wrong, ValueError) for wrong in ("", "much", -1, "-3 calls", "2.5 calls", "5 euros", float("nan"), True)),
    ],
)
def test_a_budget_is_dollars_calls_or_no_limit_in_words(given, budget):
    if budget is not ValueError:
        assert Budget.of(given) == budget
        return
    with pytest.raises(ValueError, match="give dollars .*calls.*none"):
        Budget.of(given)


def test_of_two_budgets_the_lower_bounds_hold():
    assert narrower(None, None) is None and narrower(None, Budget()) == Budget()
    assert narrower(Budget(5, None), Budget(9, 2.0)) == Budget(5, 2.0)
    Budget(9, 2.0).keep()
    Budget(5).keep()  # what is kept before is not widened
    Budget(total=7.0).keep()
    assert Budget.here() == Budget(5, 2.0, 7.0)
    os.environ["PROCTOR_TOTAL_BUDGET"] = "500 calls"
    with pytest.raises(ValueError, match="PROCTOR_TOTAL_BUDGET '500 calls': give dollars"):
        Budget.here()


def test_calls_to_models_without_a_price_do_not_count_as_free():
    none, some = (
        Spent(2, 10, 10, 0.0, Counter(mine=2)), Spent(4, 10, 10, 0.02, Counter(mine=2, ours=1)),
    )  # fmt: skip
    assert str(none) == "2 new calls, 20 tokens, no price, 1 model without a price"
    assert str(some) == "4 new calls, 20 tokens, $0.02 and 2 models without a price"


# pace


def test_calls_keep_below_the_limit_a_minute(serving, session, ask, run, monkeypatch):
    server = serving()
    tables = {name: dict(registry._table(name)) for name in ("models.yaml", "prices.yaml")}
    tables["models.yaml"]["open"] = tables["models.yaml"]["open"] | {"requests_per_minute": 1200}
    monkeypatch.setattr(registry, "_table", tables.__getitem__)
    run(session(concurrency=16), [ask(f"call {n}") for n in range(12)])
    times = sorted(at for times in server.times.values() for at in times)
    assert times[-1] - times[0] > 0.4  # a twentieth of a second apart; all at once without the limit


# the clock


def test_a_clock_that_is_set_back_makes_a_live_run_ask_nothing_twice(serving, session, ask, monkeypatch):
    server, asking = serving(), session("live")
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() - 3600)
    for _ in range(2):
        asyncio.run(asking.ask(ask("one")))
    assert server.asked["one"] == 1
