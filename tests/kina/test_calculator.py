"""The calculator: what it computes, how a conversation with it goes, and that both arms have the same questions."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from proctor.kina import calculator
from proctor.models.messages import Reply
from proctor.models.prompts import load


@pytest.mark.parametrize(
    "turn, told",
    [("Calculate: 17 x 24", "408"), ("Calculate: 3 - 8", "-5"), ("Calculate: 10 / 4", "2.5"),
     ("Calculate: 1 / 0", "not defined"), ("Exact Answer: 4", None), ("Calculate: 2 ** 9", None),
     ("All rolls: 60 + 8 =", "68")],
)  # fmt: skip
def test_results(turn, told):
    assert calculator.result(turn) == told


def test_a_conversation_is_told_results_until_it_answers(fake_model):
    found = asyncio.run(calculator.tool_gain(fake_model, n=12))
    assert len(found) == 12 and (found["calls"] == 1).all()
    last = next(r for r in fake_model.asked if r.messages[-1]["content"].startswith("Result"))
    assert [m["role"] for m in last.messages[-3:]] == ["user", "assistant", "user"]
    assert last.messages[-1]["content"] == "Result: 6"


def test_an_answer_that_is_the_last_result_is_known():
    call, answer = Reply("Calculate: 2 x 3"), Reply("Exact Answer: 6")
    assert calculator.copies_last_result([call, answer])
    assert not calculator.copies_last_result([call, Reply("Exact Answer: 7")])
    assert not calculator.copies_last_result([answer])


def test_a_model_that_never_answers_ends_and_is_wrong(fake_model, monkeypatch):
    reply = fake_model.reply
    never = Reply("Calculate: 1 + 1")
    monkeypatch.setattr(fake_model, "reply", lambda r: never if "calculator" in r.prompt else reply(r))
    found = asyncio.run(calculator.tool_gain(fake_model, n=3))
    assert (found["calls"] == calculator.TURNS).all() and not found["with"].any()


@pytest.mark.parametrize("prompt", [calculator.PROMPT, calculator.STEPS])
def test_worked_examples_of_the_prompts_are_computed_rightly(prompt):
    messages = load(prompt).messages
    for (_, call), (_, told) in zip(messages, messages[1:]):
        if told.startswith("Result"):
            assert calculator.result(call) == told.removeprefix("Result: ")


def gains(by_family: dict[str, tuple[int, int]]) -> pd.DataFrame:
    """Ten questions a family: how many are right alone and with the calculator, in both ways of calling it."""
    known = {
        "calls": 2,
        "calls with steps": 3,
        "copies": True,
        "copies with steps": False,
        "tokens without": 90,
        "tokens with": 30,
        "tokens with steps": 45,
    }
    return pd.DataFrame(
        [
            dict(category=family, without=i < alone, **{"with": i < helped, "with steps": i < helped}, **known)
            for family, (alone, helped) in by_family.items()
            for i in range(10)
        ]
    )


def test_families_and_arms_have_their_shares_and_costs():
    rows = gains({"tank": (4, 5), "ages": (3, 9)})
    table = calculator.by_family(rows)
    assert table["category"].tolist() == ["ages", "tank"] and table["with steps"].tolist() == [0.9, 0.5]
    costs = calculator.costs(rows).set_index("arm")
    assert costs["right"].tolist() == pytest.approx([0.35, 0.7, 0.7]) and costs["calls"].tolist()[1:] == [2, 3]
    assert costs["copies"].tolist()[1:] == [1, 0] and costs.loc["without", ["calls", "copies"]].isna().all()
    assert costs.loc["with steps", "tokens for each right"] == pytest.approx(45 / 0.7)


def test_gains_of_one_family_alone_are_uneven_and_equal_ones_are_not():
    uneven = calculator.spread_of_gains(
        gains({"tank": (5, 5), "ages": (0, 10), "mean": (5, 5)}), np.random.default_rng(1), 500
    )
    even = calculator.spread_of_gains(
        gains(dict.fromkeys(("tank", "ages", "mean"), (3, 6))), np.random.default_rng(1), 500
    )
    assert uneven["p"].iloc[0] < 0.01 and uneven["spread"].iloc[0] > uneven["by_chance"].iloc[0]
    assert even["p"].iloc[0] == 1 and even["spread"].iloc[0] == 0


def test_steps_in_words_are_asked_of_the_same_questions(fake_model):
    alone = asyncio.run(calculator.tool_gain(fake_model, n=6))
    steps = asyncio.run(calculator.tool_steps(fake_model, n=6))
    assert steps["question_id"].tolist() == alone["question_id"].tolist() and (steps["calls with steps"] == 1).all()
    assert {"alone", "with", "with steps"} - set(alone.merge(steps)) == {"alone"}
