"""The notebook on anchored confidence, run once with params/quick.yaml."""

import pandas as pd

NAME = "hle/3b_anchored_confidence"


def test_both_ways_of_asking_have_the_same_answers(done):
    table = pd.read_csv(done / "figures/hle/3b_styles.csv").set_index("style")
    assert list(table.index) == ["plain", "anchored", "low"] and table["answers"].nunique() == 1
    assert table.loc["anchored", "full"] == 1 and table["repeats_example"].eq(0).all()


def test_the_anchor_is_told_with_its_family_of_three(claims_made):
    assert claims_made["hle/3b_anchor"].family == 3 and claims_made["hle/3b_anchor"].unit == "points"
