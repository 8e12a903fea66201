"""The notebook on worked candidates, run once with params/quick.yaml, which are its own: nothing in it is drawn small."""

import pandas as pd
import pytest

NAME = "cbu/5_worked_candidates"


def test_effects_are_told_together_over_nine_families(done, claims_made):
    table = pd.read_csv(done / "figures/cbu/5_effects.csv").set_index("effect")
    assert (table["items"] == 40).all() and (table["families"] == 9).all()
    claim = claims_made["cbu/5_right_against_wrong"]
    assert claim.verdict == "holds" and claim.family == 3 and claim.level == pytest.approx(1 - 0.05 / 3)
    assert claim.estimate == pytest.approx(100 * table.loc["right less wrong", "difference"])


def test_utility_and_judges_rank_the_same_forty_questions(done, claims_made):
    table = pd.read_csv(done / "figures/cbu/5_auc.csv").set_index("effect")
    assert {"utility", "judge 1-10", "judge 1-10, 4 calls", "judge yes/no"} <= set(table.index)
    assert (table["items"] == 40).all() and table["first"].between(0, 1).all()
    assert claims_made["cbu/5_lead_marks"].family == claims_made["cbu/5_lead_verdict"].family == 2
