"""The recorded answers replay, and hold what the studies say that they hold."""

import asyncio

from proctor.exam import recorded
from proctor.models.session import Session


def replay(study, *more):
    return asyncio.run(study(Session("replay", progress=False), recorded.MODELS[:1], *more))


def test_samples_are_further_ones():
    table = replay(recorded.samples)
    assert sorted(table["sample"].unique()) == [1, 2] and len(table) == 2 * len(recorded.families(recorded.SAMPLED))


def test_model_answers_are_candidates_without_their_confidence():
    questions, answers = replay(recorded.model_answers)
    assert [answer.question_id for answer in answers] == [question.id for question in questions]
    assert not any("Confidence:" in answer.text for answer in answers)
