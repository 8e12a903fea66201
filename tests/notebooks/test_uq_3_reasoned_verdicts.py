"""The notebook on thresholds and reasons, run once with params/quick.yaml."""

import pandas as pd

NAME = "uq/3_reasoned_verdicts"


def test_each_check_has_its_verdicts_in_three_styles(done):
    table = pd.read_csv(done / "figures/uq/3d_verdicts.csv")
    assert table.groupby("check")["style"].nunique().eq(3).all() and table["right"].eq(50).all()
    bare = table[table["style"] == "bare, one half"]
    assert bare["auc"].between(0, 1).all() and (bare["auc_low"] < bare["auc"]).all()


def test_the_planned_effects_are_told_together(claims_made):
    found = [claims_made[f"uq/3d_{name}"] for name in ("threshold", "reasons", "rejected")]
    assert {claim.family for claim in found} == {3} and {claim.of for claim in found} == {"families of questions"}
