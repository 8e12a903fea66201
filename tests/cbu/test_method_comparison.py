import numpy as np
import pandas as pd
import pytest
from proctor.cbu.method_comparison import (
    RIVALS,
    auc_by_question,
    auc_differences,
    compare_by_question,
    count_sides,
    differences_by_transfer,
    family_of,
    group_difference,
    least,
    metric_differences,
    smallest_family_p,
    transfer_effect,
)
from proctor.generated.families import FAMILIES

FAMILY = {name: family.transfers for name, family in FAMILIES.items()}
QUESTIONS = [f"{name}-{level}-01" for name in FAMILY for level in (1, 2)]
KINDS = {"right": True, "wrong": False, "confident": False}


def scores(lead=0.0, seed=0):
    """Utility, ahead by `lead` on right candidates, and every rival; one model."""
    rng, rows = np.random.default_rng(seed), []
    for method in ("utility", *RIVALS):
        for question in QUESTIONS:
            for kind, correct in KINDS.items():
                score = rng.normal() + (lead if correct and method == "utility" else 0)
                rows.append(
                    dict(method=method, model="m", question_id=question, answer_id=f"{question}-{kind}", kind=kind)
                    | dict(correct=correct, score=score, calls=1)
                )
    return pd.DataFrame(rows)


def test_differences_are_those_of_the_mean_aucs_and_their_level_is_that_of_the_family():
    table = scores(lead=5)
    found = auc_differences(table, ["m"])
    auc = auc_by_question(table).mean()
    assert found["difference"].tolist() == pytest.approx([auc["utility, m"] - auc[f"{r}, m"] for r in RIVALS])
    assert (found["low"] <= found["difference"]).all() and (found["difference"] <= found["high"]).all()
    assert ((found["better"] == "utility") == (found["low"] > 0)).all() and (found["better"] == "utility").any()
    claim = least(found)
    assert claim["level"] == pytest.approx(1 - 0.05 / len(RIVALS)) and claim["family"] == len(RIVALS)


def test_both_sides_are_counted():
    found = pd.concat([auc_differences(scores(lead), ["m"]) for lead in (9, -9)])
    sides = count_sides(found)
    assert sides["utility"] > 0 and sides["rival"] > 0 and sum(sides.values()) == 2 * len(RIVALS)


def test_groups_part_the_questions_and_average_to_the_whole():
    table = scores(1)
    groups, whole = differences_by_transfer(table, ["m"]), auc_differences(table, ["m"]).set_index("rival")
    for rival, part in groups.groupby("rival"):
        assert part["questions"].sum() == len(QUESTIONS)
        mean = (part["difference"] * part["questions"]).sum() / len(QUESTIONS)
        assert mean == pytest.approx(whole.loc[rival, "difference"])


def test_no_comparison_of_fifteen_can_be_told_over_nine_families():
    all_better = pd.Series(1.0, [f"{name}-1-01" for name in FAMILY])
    row = compare_by_question([("m", "rival", all_better + np.arange(9), 0 * all_better)], "rival").iloc[0]
    assert row["p_by_family"] == smallest_family_p(9) == 2 / 512 > 0.05 / 15


def test_units_of_the_transfer_effect_are_families_and_not_questions():
    values = pd.Series({name: float(FAMILY[family_of(name)]) + 0.1 * i for i, name in enumerate(QUESTIONS)})
    found, doubled = transfer_effect(values), transfer_effect(pd.concat([values, values]))
    assert found.families == (sum(FAMILY.values()), 9 - sum(FAMILY.values()))
    assert (found.low, found.high) == pytest.approx((doubled.low, doubled.high))  # more of the same tells no more
    each = values.groupby(values.index.map(family_of)).mean()
    carries = each.index.map(FAMILY).to_numpy(bool)
    assert found.estimate == pytest.approx(each[carries].mean() - each[~carries].mean())


@pytest.mark.filterwarnings("error")
def test_groups_without_any_spread_have_no_interval():
    found = group_difference(pd.Series([0.5, 0.5, 0.5, 0.5]), np.array([True, True, False, False]))
    assert np.isnan([found.estimate, found.low, found.high]).all() and found.families == (2, 2)


def test_the_least_difference_decides_a_claim_about_all_metrics():
    found = metric_differences(scores(1), ["m"])
    claim = least(found)
    assert claim["estimate"] == pytest.approx(100 * found["difference"].min())
    assert claim["interval"] == pytest.approx((100 * found["low"].min(), 100 * found["high"].min()))


def test_of_no_differences_none_is_the_least():
    none = least(metric_differences(scores(1), ["m"]).iloc[:0], family=0)
    assert np.isnan([none["estimate"], *none["interval"]]).all() and (none["n"], none["family"]) == (0, 1)
