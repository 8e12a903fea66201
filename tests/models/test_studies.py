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
from proctor.cbu import candidates
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
from proctor.uq.run_validator import Run, validate

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

    async def close(self):
        pass


@pytest.fixture
def speaking(monkeypatch, tmp_path):
    """Models "open", "claude" and "third", priced, that no server stands behind."""
    monkeypatch.setattr("proctor.paths.REPLIES", tmp_path / "replies.sqlite")
    models = {name: {"kind": "openai", "base_url": "http://nowhere/v1"} for name in ("open", "claude", "third")}
    table = {"models.yaml": models, "prices.yaml": {name: {"input": 1.0, "output": 2.0} for name in models}}
    monkeypatch.setattr(registry, "_table", table.__getitem__)
    monkeypatch.setitem(KINDS, "openai", Speaks)
    monkeypatch.setattr(Speaks, "sent", 0)


def asked(session, study, settings=SMALL):
    """What a study plans and then asks. A second plan finds all kept."""

    async def run():
        async with session(settings=settings) as here:
            before, plan = Speaks.sent, (await rehearsed(here, study)).plan_so_far
            assert Speaks.sent == before
            await study(here)
            return plan, here.spent, (await rehearsed(here, study)).plan_so_far

    plan, spent, again = asyncio.run(run())
    assert 0 < spent.calls <= plan.to_ask and spent.completion_tokens <= plan.completion_tokens
    assert 0 < spent.dollars <= plan.dollars
    assert again.to_ask == 0 and again.dollars == 0 and again.cached == spent.calls
    return plan


@pytest.mark.parametrize(
    ("validator", "calls"),
    [("CC => FLC => C", 4), ("(CC u3|U) => B", 6), ("[C, FLC, V] |M", 3), ("C u3 |M", 3), ("Debate", 4)],
)
def test_a_plan_bounds_a_validator_that_ends_early(speaking, session, validator, calls):
    judges = ["open", "claude"] if validator == "Debate" else ["open"]
    study = partial(validate, run=Run(validator, judges), questions=QUESTIONS, answers=ANSWERS)
    assert asked(session, study).to_ask == calls * len(ANSWERS)


REPAIRED = 3 * (stages.ATTEMPTS + 1) + 3 + 3 * 3 * stages.AUDITS  # of three models: attempts, repairs, their audits


@pytest.mark.parametrize(
    ("function", "more", "calls"),
    [
        (run_exam.sit, lambda: dict(setup=run_exam.Setup(QUESTIONS, ["open"], "claude")), 4 + 4),  # with its judge
        (stages.audits, lambda: dict(models=["open", "claude", "third"], items=damaged_exam()[0][:3]), 3 * REPAIRED),
        (item_refinement.refinements, lambda: dict(models=["open"], n=4, rounds=2), 2 * 4 * (3 + 2)),  # audits, changes
        (candidates.drafted, lambda: dict(questions=QUESTIONS, writer="open", solvers=["open", "claude"]), 4 + 2 * 4),
    ],
)
@pytest.mark.parametrize("style", ["free", "paper"])
def test_a_plan_bounds_what_asks_about_its_replies(speaking, session, function, more, calls, style):
    settings = SMALL.model_copy(update=dict(style=style))
    assert asked(session, partial(function, **more()), settings).to_ask == calls


def test_over_budget_nothing_is_asked_and_what_is_needed_is_told(speaking, capsys, monkeypatch, tmp_path):
    def sit(budget: float | None):
        exam = study(run_exam.sit, run_exam.Setup(QUESTIONS, ["open"], "claude"))
        return asyncio.run(ask_all(exam, mode="auto", budget=budget, settings={"max_tokens": 3000}))

    too_much = r"nothing was asked: this may need up to \$0\.\d\d, and the budget is \$0\.00"
    with pytest.raises(BudgetError, match=too_much):
        sit(0.0001)
    monkeypatch.setenv("PROCTOR_BUDGET", "0.0001")  # of a sweep: the lower of both holds
    with pytest.raises(BudgetError, match=too_much):
        sit(5.0)
    monkeypatch.delenv("PROCTOR_BUDGET")
    monkeypatch.setenv("PROCTOR_PLAN", str(tmp_path / "plan.json"))
    with pytest.raises(OnlyPlanned):
        sit(None)
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert len(plan["to_ask"]) == 8 and "8 to ask" in plan["plan"] and all(cost > 0 for cost in plan["to_ask"].values())
    monkeypatch.delenv("PROCTOR_PLAN")
    assert Speaks.sent == 0
    [answers] = sit(5.0)
    assert len(answers) == 4 and 4 <= Speaks.sent <= 8 and "8 to ask" in capsys.readouterr().out
    sit(0.0)  # all is kept


def many(n: int = 30):
    return study(
        run_exam.run_exam, ["open"], [Question(id=f"q{i}", question=f"What is {i} + 2?", answer="2") for i in range(n)]
    )


def test_the_first_five_calls_of_a_run_say_what_it_is_expected_to_cost(speaking, capsys, monkeypatch, tmp_path):
    before = []
    monkeypatch.setattr(studies, "in_dollars", lambda dollars: before.append(Speaks.sent) or f"${dollars:.6f}")
    asyncio.run(ask_all(many(), mode="auto", budget=1.0, settings=SMALL))
    said = re.search(r"plan: expected about \$([\d.]+), from the first 5 replies\n", capsys.readouterr().out)
    assert before == [5] and Speaks.sent == 30  # each call once
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


def test_a_pilot_keeps_a_smaller_budget(speaking):

    async def run():
        async with Session("auto", budget=Budget(calls=3), settings=SMALL, progress=False) as here:
            await studies.pilot(here, await rehearsed(here, many()), many())
            assert here.account.budget == Budget(calls=3)

    asyncio.run(run())
    assert Speaks.sent == 3


def test_a_plan_says_when_old_prices_were_known_and_what_models_do_not_take(speaking, session, monkeypatch, capsys):
    prices = registry._table("prices.yaml")
    months = {"open": "2025-02", "claude": "2025-01"}
    for name, month in months.items():
        monkeypatch.setitem(prices, name, prices[name] | {"known": month})
    assert registry.old_prices(months, date(2025, 6, 1)) == ""
    assert registry.old_prices(months, date(2025, 7, 1)) == "2025-01"
    assert registry.old_prices(["open", "third"], date(2025, 7, 1)) == ""
    asyncio.run(shown_plan(session(settings=Settings(effort="high", thinking=2000)), many(1)))
    [plan, old, left_out] = capsys.readouterr().out.splitlines()
    assert "1 to ask" in plan and old.startswith("plan: prices as known in 2025-02: compare")
    assert left_out == "plan: open thinks as long as it finds right: the number of tokens is left out"


def test_calls_may_be_bounded_too_and_a_plan_without_a_price_is_not():
    plan = Plan(3, 0, 0, 3, 10, 10, None)
    refuse_over_budget(plan, Budget(calls=3, dollars=0.0))
    with pytest.raises(BudgetError, match="up to 3 calls, and the budget is 2"):
        refuse_over_budget(plan, Budget(calls=2))
    with pytest.raises(BudgetError, match=r"up to \$2.00, and \$1.50 are left of \$5.00 over all runs"):
        refuse_over_budget(replace(plan, dollars=2.0), Budget(total=5.0), paid=3.5)


def test_a_missing_key_is_told_before_the_first_study_is_asked(speaking, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    first, second = (study(run_exam.sit, run_exam.Setup(QUESTIONS, [model])) for model in ("open", "openai/o3"))
    with pytest.raises(ModelError, match="set the environment variable OPENAI_API_KEY"):
        asyncio.run(ask_all(first, second, mode="auto", budget=100))
    assert Speaks.sent == 0


def test_replay_plans_nothing_and_says_one_line(capsys):
    async def study(session):
        return session.mode

    assert asyncio.run(ask_all(study, study)) == ["replay", "replay"]
    assert capsys.readouterr().out.count("\n") == 1


def test_a_live_run_that_was_stopped_goes_on_and_the_next_one_asks_everything_anew(speaking, monkeypatch, capsys):
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
