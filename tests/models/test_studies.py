import asyncio
import json
import random
import re
import sqlite3
from collections import Counter
from dataclasses import replace
from datetime import date
from functools import partial

import pytest
from proctor.cbu import neighbours
from proctor.data.schemas import Answer, Question
from proctor.exam import run_exam
from proctor.hle_verified import stages
from proctor.hle_verified.planted_defects import damaged_exam
from proctor.kina import item_refinement
from proctor.models import registry, studies
from proctor.models.messages import Reply
from proctor.models.providers import KINDS
from proctor.models.registry import ModelError
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError, Plan
from proctor.models.studies import OnlyPlanned, ask_all, refuse_over_budget, rehearsed, shown_plan, study
from proctor.uq.run_validator import Run, bill, validate

QUESTIONS = [Question(id=f"q{n}", question=f"What is {n} + 1?", answer=str(n + 1)) for n in range(4)]
ANSWERS = [Answer(id=f"a{n}", question_id=f"q{n}", text=f"It is {n + 1}.") for n in range(4)]
SMALL = Settings(max_tokens=150)
LINES = [
    *("Accepted: [[Y]]", "Accepted: [[N]]", "Sound: [[Y]]", "Choice: [[B]]", "Exact Answer: 3\nConfidence: 60%", "", "No."),
    *("Problem: SAME\nSolution: so\nAnswer: 5", "Why: so\nWhere: question\nIssue: stem", "Change: question\nText: Which?"),
]  # fmt: skip


class Speaks:
    """A provider that says something else each time, and counts as providers do: four letters a token."""

    sent = 0

    def __init__(self, model, timeout):
        self.draw = random.Random(1)

    async def send(self, request):
        Speaks.sent += 1
        text = f"{'so ' * self.draw.randrange(90)}\n{self.draw.choice(LINES)}"
        return Reply(text, "stop", sum(len(m["content"]) for m in request.messages) // 4, len(text) // 4)

    async def refusal(self):
        return ""

    async def close(self):
        pass


@pytest.fixture
def speaking(monkeypatch):
    """Models "open" and "claude", priced, that no server stands behind."""
    models = {name: {"kind": "openai", "base_url": "http://nowhere/v1"} for name in ("open", "claude", "third")}
    table = {"models.yaml": models, "prices.yaml": {name: {"input": 1.0, "output": 2.0} for name in models}}
    monkeypatch.setattr(registry, "_table", table.__getitem__)
    monkeypatch.setitem(KINDS, "openai", Speaks)
    monkeypatch.setattr(Speaks, "sent", 0)


def asked(session, *several):
    """What several studies plan and then ask. A second plan finds all kept."""

    async def run():
        async with session(settings=SMALL) as here:
            before, plan = Speaks.sent, (await rehearsed(here, *several)).plan_so_far
            assert Speaks.sent == before
            for study in several:
                await study(here)
            return plan, here.spent, (await rehearsed(here, *several)).plan_so_far

    plan, spent, again = asyncio.run(run())
    assert 0 < spent.calls <= plan.to_ask and spent.completion_tokens <= plan.completion_tokens
    assert 0 < spent.dollars <= plan.dollars
    assert again.to_ask == 0 and again.dollars == 0 and again.cached == spent.calls
    return plan, spent


@pytest.mark.parametrize("validator", ["CC => FLC => C", "(CC u3|U) => B", "[C, FLC, V] |M", "C u3 |M", "Debate"])
def test_a_plan_bounds_a_validator_that_ends_early(speaking, session, validator):
    judges = ["open", "claude"] if validator == "Debate" else ["open"]
    study = partial(validate, run=Run(validator, judges), questions=QUESTIONS, answers=ANSWERS)
    plan, _ = asked(session, study)
    cost = bill(Run(validator, judges, settings=SMALL), QUESTIONS, ANSWERS)
    assert plan.to_ask == cost["calls"] and plan.completion_tokens == cost["tokens_received"]


def test_a_plan_bounds_an_exam_with_its_judge(speaking, session):
    plan, _ = asked(session, partial(run_exam.sit, setup=run_exam.Setup(QUESTIONS, ["open"], "claude")))
    assert plan.to_ask == 8


def test_a_plan_bounds_repairs_and_their_audits(speaking, session):
    models, items = ["open", "claude", "third"], damaged_exam()[0][:3]
    plan, spent = asked(session, partial(stages.audits, models=models, items=items))
    each = 3 * (stages.ATTEMPTS + 1)  # attempts and repair of three models
    assert plan.to_ask == len(items) * (each + 3 + 3 * 3 * stages.AUDITS) > spent.calls


def test_a_plan_bounds_rounds_of_refinement_and_drafted_neighbours(speaking, session):
    plan, _ = asked(session, partial(item_refinement.refinements, models=["open"], n=4, rounds=2))
    assert plan.to_ask == 2 * 4 * (3 + 2)  # audits and changes of four items, twice
    asked(session, partial(neighbours.drafted, questions=QUESTIONS, writer="open", solvers=["open", "claude"]))


def test_a_run_that_was_stopped_plans_the_rest_alone(speaking, session):
    study = partial(validate, run=Run("C => FLC", ["open"]), questions=QUESTIONS)

    async def run():
        async with session(settings=SMALL) as here:
            await study(here, answers=ANSWERS[:2])
            return (await rehearsed(here, partial(study, answers=ANSWERS))).plan_so_far

    plan = asyncio.run(run())
    assert plan.to_ask == 4 and plan.cached > 0


def test_over_budget_nothing_is_asked_and_what_is_needed_is_told(speaking, session, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("proctor.paths.REPLIES", tmp_path / "replies.sqlite")
    study = partial(run_exam.sit, setup=run_exam.Setup(QUESTIONS, ["open"], "claude"))
    with pytest.raises(
        BudgetError, match=r"nothing was asked: this may need up to \$0\.\d\d, and the budget is \$0\.00"
    ):
        asyncio.run(ask_all(study, mode="auto", budget=0.0001, settings={"max_tokens": 3000}))
    monkeypatch.setenv("PROCTOR_BUDGET", "0.0001")  # of a sweep: the lower of both holds
    with pytest.raises(BudgetError, match=r"the budget is \$0\.00"):
        asyncio.run(ask_all(study, mode="auto", budget=5.0, settings={"max_tokens": 3000}))
    monkeypatch.delenv("PROCTOR_BUDGET")
    monkeypatch.setenv("PROCTOR_PLAN", str(tmp_path / "plan.json"))
    with pytest.raises(OnlyPlanned):
        asyncio.run(ask_all(study, mode="auto", settings={"max_tokens": 3000}))
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert len(plan["to_ask"]) == 8 and "8 to ask" in plan["plan"] and all(cost > 0 for cost in plan["to_ask"].values())
    monkeypatch.delenv("PROCTOR_PLAN")
    assert Speaks.sent == 0
    [answers] = asyncio.run(ask_all(study, mode="auto", budget=5.0, settings={"max_tokens": 3000}))
    assert len(answers) == 4 and 4 <= Speaks.sent <= 8
    assert "8 to ask" in capsys.readouterr().out
    asyncio.run(ask_all(study, mode="auto", budget=0.0, settings={"max_tokens": 3000}))  # all is kept


def many(n: int = 30):
    return study(
        run_exam.run_exam, ["open"], [Question(id=f"q{i}", question=f"What is {i} + 2?", answer="2") for i in range(n)]
    )


def test_the_first_five_calls_of_a_run_say_what_it_is_expected_to_cost(speaking, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("proctor.paths.REPLIES", tmp_path / "replies.sqlite")
    sent_before_told = []
    monkeypatch.setattr(
        studies, "in_dollars", lambda dollars: sent_before_told.append(Speaks.sent) or f"${dollars:.6f}"
    )
    asyncio.run(ask_all(many(), mode="auto", budget=1.0, settings=SMALL))
    said = re.search(r"plan: expected about \$([\d.]+), from the first 5 replies\n", capsys.readouterr().out)
    assert sent_before_told == [5] and Speaks.sent == 30  # each call once
    with sqlite3.connect(tmp_path / "replies.sqlite") as kept:
        replies = [json.loads(text) for (text,) in kept.execute("SELECT reply FROM replies")]
    paid = sum(reply["prompt_tokens"] + 2 * reply["completion_tokens"] for reply in replies) / 1e6
    assert float(said[1]) == pytest.approx(paid, rel=0.5)  # of 30 calls, from 5


def test_kept_replies_to_the_same_prompt_say_what_a_run_is_expected_to_cost(speaking, session):
    async def run():
        async with session(settings=SMALL) as here:
            before = await rehearsed(here, many(40))
            await many(30)(here)
            return before.plan_so_far, (await rehearsed(here, many(40))).plan_so_far, here.spent

    before, plan, spent = asyncio.run(run())
    assert before.expected is None and "expected" not in str(before)
    assert plan.to_ask == 10 and plan.replies == 30 and "from 30 replies of this kind" in str(plan)
    assert plan.expected == pytest.approx(spent.dollars / 3) and plan.expected < plan.dollars


def test_a_pilot_keeps_a_smaller_budget(speaking, monkeypatch, tmp_path):
    monkeypatch.setattr("proctor.paths.REPLIES", tmp_path / "replies.sqlite")

    async def run():
        async with Session("auto", budget=Budget(calls=3), settings=SMALL, progress=False) as here:
            await studies.pilot(here, await rehearsed(here, many()), many())
            assert here.budget == Budget(calls=3)

    asyncio.run(run())
    assert Speaks.sent == 3


def test_a_plan_says_when_old_prices_were_known(speaking, session, capsys, monkeypatch):
    prices = registry._table("prices.yaml")
    months = {"open": "2025-02", "claude": "2025-01"}
    monkeypatch.setitem(prices, "open", prices["open"] | {"known": months["open"]})
    monkeypatch.setitem(prices, "claude", prices["claude"] | {"known": months["claude"]})
    assert registry.old_prices(months, date(2025, 6, 1)) == ""
    assert registry.old_prices(months, date(2025, 7, 1)) == "2025-01"
    assert registry.old_prices(["open", "third"], date(2025, 7, 1)) == ""

    async def run():
        async with session(settings=SMALL) as here:
            await shown_plan(here, many(1))

    asyncio.run(run())
    assert "plan: prices as known in 2025-02: compare" in capsys.readouterr().out


def test_calls_may_be_bounded_too_and_a_plan_without_a_price_is_not():
    plan = Plan(3, 0, 0, 3, 10, 10, None)
    refuse_over_budget(plan, Budget(calls=3, dollars=0.0))
    with pytest.raises(BudgetError, match="up to 3 calls, and the budget is 2"):
        refuse_over_budget(plan, Budget(calls=2))
    with pytest.raises(BudgetError, match=r"up to \$2.00, and \$1.50 are left of \$5.00 over all runs"):
        refuse_over_budget(replace(plan, dollars=2.0), Budget(total=5.0), paid=3.5)


def test_a_missing_key_is_told_before_the_first_study_is_asked(speaking, session, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    first = partial(run_exam.sit, setup=run_exam.Setup(QUESTIONS, ["open"]))
    second = partial(run_exam.sit, setup=run_exam.Setup(QUESTIONS, ["openai/o3"]))

    with pytest.raises(ModelError, match="set the environment variable OPENAI_API_KEY"):
        asyncio.run(ask_all(first, second, mode="auto", budget=100))
    assert Speaks.sent == 0


def test_what_models_do_not_take_is_told_with_the_plan(speaking, session, capsys):
    async def run():
        async with session(settings=Settings(effort="high", thinking=2000)) as here:
            await shown_plan(here, partial(run_exam.sit, setup=run_exam.Setup(QUESTIONS, ["open"])))

    asyncio.run(run())
    assert capsys.readouterr().out.splitlines()[1:] == [
        "plan: open thinks as long as it finds right: the number of tokens is left out"
    ]


def test_replay_plans_nothing_and_says_one_line(capsys):
    async def study(session):
        return session.mode

    assert asyncio.run(ask_all(study, study)) == ["replay", "replay"]
    assert capsys.readouterr().out.count("\n") == 1


def test_a_live_run_that_was_stopped_goes_on_and_the_next_one_asks_everything_anew(
    speaking, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr("proctor.paths.REPLIES", tmp_path / "replies.sqlite")
    replies, send = Counter(), Speaks.send

    async def counted(self, request):
        if broken and request.messages[-1]["content"].endswith("3 + 1?"):
            raise RuntimeError("the process ends here")
        replies[request.key] += 1
        return await send(self, request)

    def live(budget=1.0) -> set[int]:
        """How often each question was asked, in all."""
        asyncio.run(ask_all(study(run_exam.run_exam, ["open"], QUESTIONS), mode="live", budget=budget, settings=SMALL))
        return set(replies.values())

    monkeypatch.setattr(Speaks, "send", counted)
    broken = False
    with pytest.raises(BudgetError, match="nothing was asked"):
        live(budget=1e-9)
    assert not replies and live() == {1} and live() == {2} and "goes on" not in capsys.readouterr().out
    broken = True
    with pytest.raises(RuntimeError, match="ends here"):
        live()
    broken = False
    assert set(replies.values()) == {2, 3} and live() == {3}
    told = capsys.readouterr().out
    assert "goes on with the run that began on" in told and "3 cached, 1 to ask" in told
    assert live() == {4} and "goes on" not in capsys.readouterr().out
    broken = True
    with pytest.raises(RuntimeError, match="ends here"):
        live()
    broken = False
    monkeypatch.setattr(studies, "GOES_ON", -1.0)  # a week later
    assert live() == {5, 6} and "goes on" not in capsys.readouterr().out
