"""The calculator: what it computes, how a conversation with it goes, and that both arms have the same questions."""

import asyncio

import pytest
from proctor.kina import calculator
from proctor.models.messages import Reply
from proctor.models.prompts import load


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


def test_steps_in_words_are_asked_of_the_same_questions(fake_model):
    alone = asyncio.run(calculator.tool_gain(fake_model, n=6))
    steps = asyncio.run(calculator.tool_steps(fake_model, n=6))
    assert steps["question_id"].tolist() == alone["question_id"].tolist() and (steps["calls with steps"] == 1).all()
    assert {"alone", "with", "with steps"} - set(alone.merge(steps)) == {"alone"}
