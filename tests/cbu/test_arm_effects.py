"""Effects of candidates on made-up rollouts: what a question's AUC is, and that families are the units."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from proctor.cbu import arm_effects, arms
from proctor.cbu.utility import NONE
from proctor.stats.paired_proportions import chances, score_power
from proctor.stats.power import t_power

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


def test_judges_without_probabilities_have_an_auc_that_is_not_known(rolled):
    rows = [
        dict(question_id=question, answer_id=f"{question}-{arm}", method="judge yes/no")
        | dict(score=1.0, expectation=np.nan, chances=None)
        for question in rolled["question_id"].unique()
        for arm in ("right", "wrong")
    ]
    auc = arm_effects.auc_by_method(rolled, pd.DataFrame(rows), 4, np.random.default_rng(1))
    assert auc["utility"].notna().all() and auc[["judge yes/no", "judge yes/no, 4 calls"]].isna().all(axis=None)
    table = arm_effects.auc_table(auc, arm_effects.families_of(rolled)).set_index("effect")
    assert table.loc["judge yes/no", ["difference", "low", "here_low"]].isna().all()


@pytest.fixture
def all_rolled():
    """Of the eight arms, of which natural candidates exist in some families only: tank has one of each a question."""
    right, wrong = dict.fromkeys(FAMILIES, 3), dict.fromkeys(FAMILIES, 1)
    table = rollouts(
        {NONE: dict.fromkeys(FAMILIES, 2), "right": right, "wrong": wrong, "right again": right, "confident": wrong}
        | {"lucky": wrong | {"tank": 2}, "natural right": right, "natural wrong": wrong}
    )
    gone = (table["kind"] == "natural right") & table["category"].isin(["ages", "mean"])
    gone |= (table["kind"] == "natural wrong") & ~table["category"].isin(["tank", "ages", "mean"])
    table = table[~gone].reset_index(drop=True)
    return table.assign(candidate=table["question_id"].where(table["kind"] != NONE, "") + table["kind"])


def test_effects_of_a_group_are_paired_over_the_questions_that_have_both(all_rolled):
    found = arm_effects.effects_by_group(all_rolled)
    table = pd.concat(found.values()).set_index("effect")
    assert list(found) == ["words", "derivation", "natural", "AUC"]
    assert set(table.index) - {"planted AUC"} == set(arms.OTHER_EXPECTED)
    assert table.loc["right again less right", "difference"] == 0
    assert table.loc["right less lucky", "difference"] == pytest.approx((2 * 5 + 1) / 24)
    assert table.loc["lucky less wrong", "difference"] == pytest.approx(1 / 24)
    assert table.loc["midway less lucky", "difference"] == pytest.approx((11 / 24 - 1 / 24) / 2)
    assert table.loc["natural right less wrong", ["items", "families"]].tolist() == [2, 1]
    assert table.loc["natural right less none", ["items", "families"]].tolist() == [8, 4]
    # of tank's two candidates the mean, of the others the one that there is
    assert table.loc["natural less none", "difference"] == pytest.approx((0 + 3 * 1 - 2 * 1) / 24)


def test_each_arm_is_told_with_its_questions_and_candidates(all_rolled):
    table = arm_effects.arm_table(all_rolled.assign(candidate=all_rolled["candidate"].replace(NONE, ""))).set_index(
        "arm"
    )
    assert table.index.tolist() == list(arm_effects.ALL_ARMS)
    assert table.loc[NONE, ["questions", "candidates", "rollouts", "solved"]].tolist() == [12, 0, 48, 0.5]
    assert table.loc["natural wrong", ["questions", "candidates", "rollouts", "solved"]].tolist() == [6, 6, 24, 0.25]
    lucky = table.loc["lucky"]
    assert (lucky["answer_right"], lucky["derivation_right"]) == ("yes", "no")


def test_an_arm_without_a_candidate_has_no_share_and_no_effect(rolled):
    assert arm_effects.arm_table(rolled.assign(candidate=""))["arm"].tolist() == [NONE, "right", "wrong"]
    found = arm_effects.arm_effects(rolled, arm_effects.OTHER_EFFECTS["natural"])
    assert found["difference"].isna().all() and (found["items"] == 0).all()


def test_a_study_of_fewer_arms_has_fewer_groups(all_rolled):
    first = all_rolled[~all_rolled["kind"].isin(["right again", "confident"])]
    assert list(arm_effects.effects_by_group(first)) == ["derivation", "natural", "AUC"]


def test_natural_and_planted_candidates_are_ranked_on_the_same_questions(all_rolled):
    auc = arm_effects.natural_auc(all_rolled)
    assert auc.index.tolist() == ["tank-1-01", "tank-1-02"] and (auc == 1).all(axis=None)
    more = pd.DataFrame({"natural": [1, 0.5, 0.0, 1], "planted": [1, 1, 1, 0.5]}, index=list("abcd"))
    table = arm_effects.natural_auc_table(more, pd.Series(list("uuvv"), more.index)).set_index("effect")
    assert table["difference"].tolist() == pytest.approx([0.125, 0.375, -0.25])
    assert table["ties"].tolist() == [0.25, 0.25, 0.25] and (table["here_low"] <= table["difference"]).all()


def test_power_is_that_of_the_level_of_the_group(all_rolled):
    groups = {"words": arm_effects.arm_effects(all_rolled, arm_effects.OTHER_EFFECTS["words"])}
    table = arm_effects.power_of_effects(groups, arms.OTHER_EXPECTED).set_index("effect")
    row, told = table.loc["right again less right"], arms.OTHER_EXPECTED["right again less right"]
    assert (row["neighbours"], row["families"], row["shows"]) == (24, 6, "within 17 points")
    assert row["by_family"] == t_power(0.0, told.spread, 6, 0.975, arms.MARGIN)
    assert row["by_neighbour"] == score_power(chances(0.79, 0.79, 0.5), 24, 0.975, arms.MARGIN)[0]
    assert np.isnan(row["detectable"])
    alone = {"one": pd.DataFrame([dict(effect="midway less lucky", items=40, families=9), dict(effect="other")])}
    table = arm_effects.power_of_effects(alone, arms.OTHER_EXPECTED)
    assert len(table) == 1 and np.isnan(table["by_neighbour"][0])
    assert table["by_family"][0] == t_power(0.62 - 0.45, 0.15, 9, 0.975)
    assert t_power(table["detectable"][0], 0.15, 9, 0.975) == pytest.approx(0.8)


def test_judges_score_the_candidates_of_the_first_study(fake_model, monkeypatch):
    asked = []

    async def noted(session, models, questions, answers, judges):
        asked.extend(answers)

    monkeypatch.setattr(arms, "ask_judges", noted)
    asyncio.run(arms.core_judges(fake_model))
    assert len(asked) == 2 * arms.QUESTIONS and {answer.label for answer in asked} == {"right", "wrong"}


@pytest.mark.filterwarnings("error")
def test_groups_without_any_spread_have_no_interval():
    found = arm_effects.group_difference(pd.Series([0.5, 0.5, 0.5, 0.5]), np.array([True, True, False, False]))
    assert np.isnan([found.estimate, found.low, found.high]).all() and found.families == (2, 2)
