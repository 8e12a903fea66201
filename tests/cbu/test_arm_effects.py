"""Effects of candidates on made-up rollouts: what a question's AUC is, and that families are the units."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from proctor.cbu import arm_effects, arms
from proctor.cbu.utility import NONE

FAMILIES = ["tank", "ages", "mean", "change", "long_sum", "letter_count"]


def rollouts(solved):
    """Four rollouts of two questions a family; solved: arm -> how many succeed in a family."""
    return pd.DataFrame(
        [
            dict(question_id=f"{family}-1-0{q}", category=family, kind=arm, correct=i < many[family])
            for arm, many in solved.items()
            for family in FAMILIES
            for q in (1, 2)
            for i in range(4)
        ]
    )


@pytest.fixture
def rolled():
    helped = dict(zip(FAMILIES, (4, 3, 4, 3, 2, 2)))
    return rollouts({NONE: dict.fromkeys(FAMILIES, 2), "right": helped, "wrong": dict.fromkeys(FAMILIES, 2)})


def test_effects_are_differences_of_solve_rates(rolled):
    found = arm_effects.arm_effects(rolled).set_index("effect")
    assert found.loc["right less wrong", "difference"] == pytest.approx(6 / 24)
    assert found.loc["none less wrong", "difference"] == 0 and set(found["families"]) == {6}


def test_auc_of_a_question_is_one_half_for_a_tie_and_missing_without_a_score():
    right, wrong = pd.Series([1.0, 0.5, 0.2, np.nan]), pd.Series([0.5, 0.5, 0.4, 0.1])
    assert arm_effects.ranks_right(right, wrong).tolist()[:3] == [1, 0.5, 0]
    assert np.isnan(arm_effects.ranks_right(right, wrong)[3])


def test_the_effect_is_larger_where_the_method_carries_over(rolled):
    found = arm_effects.effect_by_transfer(rolled)
    assert found.estimate == pytest.approx(np.mean([2, 1, 2, 1]) / 4) and found.families == (4, 2)
    table = arm_effects.by_family(rolled)
    assert table["carries_over"].tolist() == [True] * 4 + [False] * 2
    assert table["category"].iloc[0] in ("tank", "mean") and (table["questions"] == 2).all()


def test_a_judge_at_some_calls_is_drawn_and_one_that_writes_first_is_not(rolled):
    rows = []
    for question in rolled["question_id"].unique():
        for arm, chance in (("right", 0.9), ("wrong", 0.2)):
            name = dict(question_id=question, answer_id=f"{question}-{arm}")
            chances = np.array([1 - chance, chance])
            rows.append(name | dict(method="judge yes/no", score=1.0, expectation=chance, chances=chances))
            rows.append(name | dict(method="generative reward", score=3.0, expectation=np.nan, chances=None))
    auc = arm_effects.auc_by_method(rolled, pd.DataFrame(rows), 4, np.random.default_rng(1))
    assert list(auc) == ["utility", "judge yes/no", "judge yes/no, 4 calls", "generative reward"]
    assert (auc["judge yes/no"] == 1).all() and (auc["generative reward"] == 0.5).all()
    assert 0.5 < auc["judge yes/no, 4 calls"].mean() <= 1
    lead = arm_effects.lead_over_judges(auc, arm_effects.families_of(rolled), 4)
    assert lead["effect"].tolist() == ["judge yes/no"] and lead["difference"].iloc[0] < 0
    table = arm_effects.auc_table(auc, arm_effects.families_of(rolled))
    assert table["first"].tolist() == auc.mean().tolist()


def test_judges_score_the_candidates_of_the_first_study(fake_model, monkeypatch):
    asked = []

    async def noted(session, models, questions, answers, judges):
        asked.extend(answers)

    monkeypatch.setattr(arms, "ask_judges", noted)
    asyncio.run(arms.core_judges(fake_model))
    assert len(asked) == 2 * arms.QUESTIONS and {answer.label for answer in asked} == {"right", "wrong"}
