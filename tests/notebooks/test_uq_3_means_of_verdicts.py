"""The notebook on several checks and judges, run once with params/quick.yaml."""

import pandas as pd
import pytest

NAME = "uq/3_means_of_verdicts"


def test_four_checks_have_their_verdicts_in_three_styles(done):
    table = pd.read_csv(done / "figures/uq/3e_checks.csv")
    assert table.groupby("check")["style"].nunique().to_dict() == dict.fromkeys(["B", "C", "CC", "FLC"], 3)
    assert table["right"].eq(50).all()


def test_means_stand_beside_what_they_are_of(done):
    table = pd.read_csv(done / "figures/uq/3e_aucs.csv").set_index(["judge", "check"])
    assert len(table) == 4 + 2 + 1 + 2 and table["answers"].le(100).all()
    assert (table["auc_low"] <= table["auc"]).all() and (table["auc"] <= table["auc_high"]).all()


def test_the_planned_gains_are_told_together(claims_made):
    found = [claims_made[f"uq/3e_gain.{name}"] for name in ("mean", "two_judges")]
    assert {claim.family for claim in found} == {2}
    assert [claim.level for claim in found] == pytest.approx([0.975, 0.975])
