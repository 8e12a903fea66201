"""The arms of CBU on families-v2: what each candidate says, and that the first study is part of the whole one."""

import asyncio

import pytest
from proctor.cbu import arms
from proctor.cbu.utility import NONE
from proctor.data.questions import load_families
from proctor.data.schemas import Question
from proctor.generated.worked import EQUATION
from proctor.models.read_answer import stated

QUESTIONS = load_families(2, "families-v2")


def by_arm(question):
    return {answer.label: answer for answer in arms.planted([question])}


@pytest.mark.parametrize("question", QUESTIONS[::5], ids=lambda question: question.id)
def test_arms_say_what_they_are(question):
    found = by_arm(question)
    slip = question.extra["wrongs"][0]
    finals = {arm: stated(answer.text).answer for arm, answer in found.items()}
    assert finals == {
        "right": question.answer,
        "right again": question.answer,
        "wrong": slip["answer"],
        "lucky": question.answer,
        "confident": slip["answer"],
    }
    steps = {arm: EQUATION.findall(answer.text) for arm, answer in found.items()}
    assert steps["right"] == steps["right again"] != steps["wrong"] == steps["lucky"] == steps["confident"]
    assert found["right"].text != found["right again"].text
    assert [answer.correct for answer in found.values()] == [True, True, False, False, False]


def test_other_questions_and_arms_are_refused():
    with pytest.raises(ValueError, match="question 'own' has no slips"):
        arms.planted([Question(id="own", question="What is 2 + 2?", answer="4")])
    with pytest.raises(ValueError, match="no arm 'short'"):
        arms.planted(QUESTIONS[:1], ["short"])


def test_the_first_study_is_part_of_the_whole_one(fake_model):
    core = asyncio.run(arms.core(fake_model))
    more = asyncio.run(arms.more_arms(fake_model))
    assert set(more["kind"]) == {NONE, *arms.ARMS, *arms.NATURAL}
    first = {request.key for request in fake_model.asked}
    fake_model.asked.clear()
    found = asyncio.run(arms.all_arms(fake_model))
    assert first <= {request.key for request in fake_model.asked}
    n = core["question_id"].nunique()
    assert n == arms.QUESTIONS and len(core) == n * 2 * arms.FIRST * 3
    assert len(found) == n * 2 * arms.ROLLOUTS * (1 + len(arms.ARMS) + 2)
    assert set(found["kind"]) == {NONE, *arms.ARMS, *arms.NATURAL}
    shown = next(request for request in fake_model.asked if request.prompt.startswith("cbu/rollout_steps"))
    assert shown.seeds == "request" and shown.max_tokens >= 320 and shown.prefix == len(shown.messages) - 1
