"""The notebook on thresholds, reasons, checks and judges, run once with params/quick.yaml."""

import pandas as pd
import pytest

NAME = "uq/3_reasons_and_thresholds"


def test_four_checks_have_their_verdicts_in_three_styles(done):
    table = pd.read_csv(done / "figures/uq/3_verdicts.csv")
    assert table.groupby("check")["style"].nunique().to_dict() == dict.fromkeys(["B", "C", "CC", "FLC"], 3)
    assert table["right"].eq(50).all() and table["wrong"].eq(50).all()
    balanced = (table["right_accepted"] + table["wrong_rejected"]) / 2
    assert table["balanced"].to_numpy() == pytest.approx(balanced.to_numpy())


def test_planned_gains_are_those_of_the_verdicts(done, claims_made):
    table = pd.read_csv(done / "figures/uq/3_verdicts.csv").pivot(index="check", columns="style", values="balanced")
    mean = table.loc[["C", "B"]].mean()
    fitted, half, reasoned = (mean[name] for name in ("bare, fitted threshold", "bare, one half", "reasoned"))
    assert claims_made["uq/3_threshold"].estimate == pytest.approx(100 * (fitted - half))
    assert claims_made["uq/3_reasons"].estimate == pytest.approx(100 * (reasoned - half))
    assert {claims_made[f"uq/3_{name}"].family for name in ("threshold", "reasons", "rejected")} == {3}


def test_means_stand_next_to_what_they_are_of(done, claims_made):
    table = pd.read_csv(done / "figures/uq/3_aucs.csv").set_index(["judge", "check"])
    assert len(table) == 4 + 1 + 2 + 2 and table["answers"].le(100).all()
    assert claims_made["uq/3_auc.B"].family == len(table)
    found = [claims_made[f"uq/3_gain.{name}"] for name in ("mean", "two_judges")]
    assert [claim.level for claim in found] == pytest.approx([0.975, 0.975])


def test_results_box_states_what_the_claims_print(box_numbers):
    said, printed = box_numbers
    assert said and said <= printed
