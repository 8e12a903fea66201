"""notebooks/kina/4_scaling_cost_tools.ipynb, run by papermill on the recording with the quick parameters."""

import asyncio

import numpy as np
import pytest
from proctor.exam import recorded as exam_recorded
from proctor.models.session import Session
from scipy.stats import linregress

NAME = "kina/4_scaling_cost_tools"
MILLIONS = {"smollm2-135m": 134.5, "qwen2.5-coder-0.5b": 494.0, "qwen2.5-coder-1.5b": 1543.7}


def replayed(study):
    async def replay():
        async with Session("replay", progress=False) as session:
            return await study(session)

    return asyncio.run(replay())


@pytest.fixture(scope="module")
def answers():
    return replayed(exam_recorded.answers)


@pytest.fixture(scope="module")
def worked():
    return replayed(exam_recorded.worked_answers)


def test_slopes_are_those_of_a_line_through_the_recorded_accuracies(read, answers, worked):
    slopes = read("scaling_slopes").set_index("exam")
    easy = answers[answers["level"] == 1]
    parts = {"generated": answers, "generated, level 1": easy, "generated, level 1, in steps": worked}
    for name, part in parts.items():
        accuracy = 100 * part.groupby("model")["correct"].mean()[list(MILLIONS)]
        assert slopes.loc[name, "slope"] == pytest.approx(linregress(np.log10(list(MILLIONS.values())), accuracy).slope)
        assert slopes.loc[name, "low"] < slopes.loc[name, "slope"] < slopes.loc[name, "high"]


def test_slope_difference_in_steps_is_that_of_the_table(read, claims_made):
    slopes = read("scaling_slopes").set_index("exam")["slope"]
    wanted = slopes["generated, level 1, in steps"] - slopes["generated, level 1"]
    found = claims_made["kina/4_slope_in_steps"]
    assert found.estimate == pytest.approx(wanted) and found.n == 27 and found.of == "families of questions"


def test_costs_of_a_right_answer_are_a_recount(read, answers, claims_made):
    costs = read("cost_table").set_index("model")
    for model, part in answers.groupby("model"):
        tokens = (part["prompt_tokens"] + part["completion_tokens"]).sum()
        each = MILLIONS[model] / 1000 * tokens / part["correct"].sum() if part["correct"].any() else np.inf
        assert costs.loc[model, "each_right"] == pytest.approx(each)
    ratio = costs.loc["qwen2.5-coder-1.5b", "each_right"] / costs.loc["qwen2.5-coder-0.5b", "each_right"]
    assert claims_made["kina/4_cost_per_right_answer"].estimate == pytest.approx(ratio)


def test_what_a_right_answer_of_a_model_that_is_never_right_costs_is_bounded_from_below(read, answers):
    row = read("cost_table").set_index("model").loc["smollm2-135m"]
    part = answers[answers["model"] == "smollm2-135m"]
    tokens = (part["prompt_tokens"] + part["completion_tokens"]).mean()
    most = 1 - 0.025 ** (1 / 27)  # the exact upper limit of 0 of 27 families
    assert np.isinf([row["each_right"], row["high"]]).all()
    assert row["low"] == pytest.approx(MILLIONS["smollm2-135m"] / 1000 * tokens / most, rel=0.01)


def test_the_luck_of_five_gains_is_that_of_drawn_ones(claims_made):
    drawn = np.random.default_rng(0).standard_normal((200_000, 5))
    chance = 100 * (abs(100 * np.sqrt(0.4 / 899) * drawn).max(axis=1) >= 5.17).mean()
    assert claims_made["kina/claim_tool_gain.largest"].estimate == pytest.approx(chance, abs=0.2)
    spread = 100 * np.sqrt(0.2 / 899) * np.ptp(drawn, axis=1).mean()
    assert claims_made["kina/claim_tool_gain.spread"].estimate == pytest.approx(spread, rel=0.01)
