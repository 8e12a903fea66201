"""The arms of CBU on families-v2: what each candidate says, the studies of them, and effects on made-up rollouts."""

import asyncio

import numpy as np
import pandas as pd
from proctor.cbu import arms
from proctor.cbu.utility import NONE
from proctor.data.questions import load_families
from proctor.generated.worked import EQUATION
from proctor.models.read_answer import stated

QUESTIONS = load_families(2, "families-v2")


def test_arms_say_what_they_are():
    for question in QUESTIONS[::5]:
        found = {answer.label: answer for answer in arms.planted([question])}
        wrong = question.extra["wrongs"][0]["answer"]
        finals = dict.fromkeys(("right", "right again", "wrong", "lucky"), question.answer) | {"wrong": wrong}
        assert {arm: stated(answer.text).answer for arm, answer in found.items()} == finals | {"confident": wrong}
        steps = {arm: EQUATION.findall(answer.text) for arm, answer in found.items()}
        assert steps["right"] == steps["right again"] != steps["wrong"] == steps["lucky"] == steps["confident"]
        assert found["right"].text != found["right again"].text
        assert [answer.correct for answer in found.values()] == [True, True, False, False, False]


def test_the_first_study_is_part_of_the_larger_ones(fake_model):
    core = asyncio.run(arms.core(fake_model))
    first = {request.key for request in fake_model.asked if request.prompt.startswith("cbu/")}
    n = core["question_id"].nunique()
    assert n == arms.QUESTIONS and len(core) == n * 2 * arms.FIRST * 3
    for study, rollouts in ((arms.more_arms, arms.FIRST), (arms.all_arms, arms.ROLLOUTS)):
        fake_model.asked.clear()
        found = asyncio.run(study(fake_model))
        assert first <= {request.key for request in fake_model.asked}
        assert set(found["kind"]) == {NONE, *arms.ARMS, *arms.NATURAL}
        assert len(found) == n * 2 * rollouts * (1 + len(arms.ARMS) + 2)
    shown = next(request for request in fake_model.asked if request.prompt.startswith("cbu/rollout_steps"))
    assert shown.seeds == "request" and shown.max_tokens >= 320 and shown.prefix == len(shown.messages) - 1


def test_judges_score_the_candidates_of_the_first_study(fake_model, monkeypatch):
    asked = []

    async def noted(session, models, questions, answers, judges):
        asked.extend(answers)

    monkeypatch.setattr(arms, "ask_judges", noted)
    asyncio.run(arms.core_judges(fake_model))
    assert len(asked) == 2 * arms.QUESTIONS and {answer.label for answer in asked} == {"right", "wrong"}


def test_auc_of_a_question_is_one_half_for_a_tie_and_missing_without_a_score():
    right, wrong = pd.Series([1.0, 0.5, 0.2, np.nan]), pd.Series([0.5, 0.5, 0.4, 0.1])
    assert arms.ranks_right(right, wrong).tolist()[:3] == [1, 0.5, 0]
    assert np.isnan(arms.ranks_right(right, wrong)[3])


def test_families_where_the_method_carries_over_come_first_by_their_effect():
    solved = {"ages": {NONE: 2, "right": 3, "wrong": 2}, "tank": {NONE: 2, "right": 4, "wrong": 2}}
    solved["long_sum"] = {NONE: 2, "right": 4, "wrong": 0}  # nothing carries over
    rolled = pd.DataFrame(
        [
            dict(question_id=f"{family}-1-0{q}", category=family, kind=arm, correct=i < many)
            for family, arms_of in solved.items()
            for arm, many in arms_of.items()
            for q in (1, 2)
            for i in range(4)
        ]
    )
    table = arms.by_family(rolled)
    assert table["category"].tolist() == ["tank", "ages", "long_sum"] and (table["questions"] == 2).all()
    assert table["carries_over"].tolist() == [True, True, False] and table["right"].tolist() == [1, 0.75, 1]


def test_ties_and_unknown_scores_have_their_share_and_no_interval():
    index = list("abcd")
    right, half = pd.Series([1, 0.5, 0.0, 1], index), pd.Series(0.5, index)
    pairs = {"known": (right, half), "unknown": (right * np.nan, half)}
    table = arms.over_both_units(pairs, pd.Series(list("uuvv"), index)).set_index("effect")
    assert table.loc["known", "ties"] == 0.25 and table.loc["known", "difference"] == 0.125
    assert table.loc["unknown", ["difference", "low", "here_low"]].isna().all()
