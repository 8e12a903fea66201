"""UQ's recorded studies replay, with the columns and sizes that notebooks read."""

import asyncio

import pytest
from proctor.models.session import Session
from proctor.uq import recorded

JUDGE = ["smollm2-135m"]


@pytest.fixture
def session():
    return Session("replay", progress=False)


def test_worked_solutions_are_one_right_and_one_wrong_to_each_question(session):
    found = asyncio.run(recorded.solution_checks(session, JUDGE, ["V"]))
    assert len(found) == 54 and found["correct"].sum() == 27 and set(found["check"]) == {"V"}


def test_models_answers_are_judged_with_their_authors(session):
    found = asyncio.run(recorded.model_checks(session, JUDGE, ["C"]))
    assert found["author"].value_counts().tolist() == [27, 27, 27] and found["correct"].sum() == 15


def test_stages_are_judged_on_every_answer_whatever_the_stage_before_said(session):
    found = asyncio.run(recorded.stages(session, JUDGE))
    assert found.groupby("validator").size().tolist() == [81, 81, 81] and (found["votes"] == 3).all()


def test_open_questions_are_labelled_by_people(session):
    found = asyncio.run(recorded.open_checks(session, JUDGE, ["V"], n=recorded.OPEN))
    assert found["question_id"].nunique() == 12 and found["correct"].isin([True, False]).all()
