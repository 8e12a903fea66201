"""The notebook on the gain by a tool, run once with params/quick.yaml."""

import pandas as pd
import pytest

NAME = "kina/4_tool_gain"


def test_three_arms_have_the_same_questions(done, claims_made):
    gains = pd.read_csv(done / "figures/kina/4b_gain.csv").set_index("effect")
    costs = pd.read_csv(done / "figures/kina/4b_costs.csv").set_index("arm")
    assert (gains["items"] == 70).all() and costs["calls"].notna().tolist() == [False, True, True]
    assert gains.loc["calls alone less no tool", "difference"] == pytest.approx(
        costs.loc["with", "right"] - costs.loc["without", "right"]
    )
    assert claims_made["kina/4b_tool_gain"].verdict == "does not hold"


def test_the_spread_of_the_gains_is_compared_with_chance(done):
    found = pd.read_csv(done / "figures/kina/4b_uneven.csv").iloc[0]
    assert found["families"] == 9 and 0 < found["p"] <= 1 and found["by_chance"] > 0
