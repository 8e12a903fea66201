import asyncio
import random
from functools import partial

import pytest
from proctor.data.schemas import Answer, Question
from proctor.exam import own_exam
from proctor.hle_verified import stages
from proctor.kina import recorded as kina_recorded
from proctor.models import studies
from proctor.models.messages import Reply
from proctor.models.registry import ModelError
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError, Plan
from proctor.models.studies import announced, ask_all, refuse_over_budget, rehearsed
from proctor.uq import run_validator

QUESTIONS = [Question(id=f"q{n}", question=f"What is {n} + 1?", answer=str(n + 1)) for n in range(4)]
ANSWERS = [Answer(id=f"a{n}", question_id=f"q{n}", text=f"It is {n + 1}.") for n in range(4)]
SMALL = Settings(max_tokens=120)


def many_shapes(seed: int):
    """Replies of all kinds, of a length that the settings allow."""
    draw = random.Random(seed)
    lines = ["Accepted: [[Y]]", "Accepted: [[N]]", "Sound: [[Y]]", "Choice: [[B]]", "Exact Answer: 3\nConfidence: 60%"]
    lines += ["Problem: SAME\nSolution: so\nAnswer: 5", "Why: so\nWhere: question\nIssue: stem", "", "No."]
    lines += ["Change: question\nText: Which is right?"]
    return lambda text: f"{'so ' * draw.randrange(30)}\n{draw.choice(lines)}"


def asked(session, server, *several) -> tuple[Plan, Plan]:
    """The plan, and what was then sent; a second plan must find everything kept."""

    async def run():
        async with session(settings=SMALL) as here:
            plan = (await rehearsed(here, *several)).plan_so_far
            assert here.spent.calls == 0
            for study in several:
                await study(here)
            again = (await rehearsed(here, *several)).plan_so_far
            return plan, here.spent, again

    plan, spent, again = asyncio.run(run())
    assert 0 < spent.calls <= plan.to_ask and 0 < spent.dollars <= plan.dollars
    assert spent.completion_tokens <= plan.completion_tokens
    assert again.to_ask == 0 and again.dollars == 0 and again.cached == spent.calls
    return plan, spent


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("validator", ["CC => FLC => C", "(CC u3|U) => B", "[C, FLC, V] |M", "C u3 |M", "Debate"])
def test_a_plan_bounds_a_validator_that_ends_early(serving, session, quick, validator, seed):
    server = serving(reply=many_shapes(seed))
    judges = ["open", "claude"] if validator == "Debate" else ["open"]
    study = partial(run_validator.validate, validator=validator, judges=judges, questions=QUESTIONS, answers=ANSWERS)
    asked(session, server, study)


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_bounds_an_exam_and_its_judge(serving, session, quick, seed):
    server = serving(reply=many_shapes(seed))
    plan, _ = asked(session, server, partial(own_exam.sit, setup=own_exam.Setup(QUESTIONS, ["open"], "claude")))
    assert plan.to_ask == 8
