"""The notebook on rules of decision, run once with params/quick.yaml; what it leaves in figures/."""

import json

import pandas as pd
import pytest
from proctor.stats.proportions import clopper_pearson

NAME = "hle_verified/1b_decisions"
FIGURES = {
    "agreement_no_proof": "measured + simulated",
    "false_corrections_figure": "measured + simulated",
    "cross_audit_figure": "measured",
    "decision_principles": "simulated",
}


def saved(done, name, **how):
    return pd.read_csv(done / f"figures/hle_verified/{name}.csv", **how)


def test_strict_rules_keep_fewer_items(done):
    rules = saved(done, "inclusion_rules")
    assert (rules.groupby("case")["size"].apply(lambda size: size.is_monotonic_decreasing)).all()
    strict = rules[rules["quorum"] == 5].set_index("case")
    assert strict.loc["independent reviewers", "purity"] > 0.95 > strict.loc["shared blind spot", "purity"]


def test_shares_of_right_and_wrong_repairs_have_exact_intervals(done):
    for row in saved(done, "cross_audit").itertuples():
        assert (row.right_low, row.right_high) == pytest.approx(clopper_pearson(row.right, row.right_n))
        assert (row.wrong_low, row.wrong_high) == pytest.approx(clopper_pearson(row.wrong, row.wrong_n))
        assert row.right_n + row.wrong_n == 50


def test_most_settled_repairs_change_nothing_and_eight_judgements_are_one_probability(done):
    repaired = saved(done, "repairs_by_change").set_index("changed")
    assert repaired["repairs"].to_dict() == {False: 45, True: 5}
    assert (saved(done, "audit_samples")["probabilities"] == 1).all()


def test_by_probability_the_largest_auditor_ranks_repairs_but_not_as_one_of_six(done):
    row = saved(done, "audit_auc").set_index(["repairs", "auditor"]).loc[("all repairs", "qwen2.5-coder-1.5b")]
    assert row["auc"] == pytest.approx(0.686, abs=0.001) and row["low"] < 0.5 < row["alone_low"]
    assert (row["alone_low"], row["alone_high"]) == pytest.approx((0.54, 0.89), abs=0.04)


def test_the_figure_of_false_corrections_has_both_rates(done):
    text = (done / "figures/hle_verified/false_corrections_figure.svg").read_text()
    assert "mended, of 18 damaged items" in text and "spoiled, of 32 sound items" in text


@pytest.mark.parametrize("artifact", FIGURES)
def test_figures_are_there_with_their_evidence(done, artifact):
    record = json.loads((done / f"figures/hle_verified/{artifact}.json").read_text())
    assert record["evidence"] == FIGURES[artifact] and record["claim"] and record["alt"]
    assert (done / f"figures/hle_verified/{artifact}.png").stat().st_size > 10_000
