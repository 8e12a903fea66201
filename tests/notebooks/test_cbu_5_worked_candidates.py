"""The notebook on worked candidates, run once with params/quick.yaml, which are its own: nothing in it is drawn small."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_ind

NAME = "cbu/5_worked_candidates"


def test_three_effects_share_a_level_over_nine_families(done, claims_made):
    table = pd.read_csv(done / "figures/cbu/5_effects.csv").set_index("effect")
    assert (table["items"] == 40).all() and (table["families"] == 9).all()
    claim = claims_made["cbu/5_right_against_wrong"]
    assert claim.verdict == "holds" and claim.family == 3 and claim.level == pytest.approx(1 - 0.05 / 3)
    assert claim.estimate == pytest.approx(100 * table.loc["right minus wrong", "difference"])


def test_utility_and_judges_rank_the_same_forty_questions(done, claims_made):
    table = pd.read_csv(done / "figures/cbu/5_auc.csv").set_index("effect")
    assert {"utility", "judge 1-10", "judge 1-10, 4 calls", "judge yes/no"} <= set(table.index)
    assert (table["items"] == 40).all() and table["first"].between(0, 1).all()
    assert claims_made["cbu/5_lead_marks"].family == claims_made["cbu/5_lead_verdict"].family == 2


def test_the_effect_is_recounted_from_the_families(done, claims_made):
    """The mean over questions, and Student's interval from the families' summed deviations (nine families, four or
    eight questions each)."""
    table = pd.read_csv(done / "figures/cbu/5_families.csv")
    gap, questions = table["right"] - table["wrong"], table["questions"]
    mean = np.average(gap, weights=questions)
    error = np.sqrt(((questions * (gap - mean)) ** 2).sum() * 9 / 8) / questions.sum()
    claim, half = claims_made["cbu/5_right_against_wrong"], t.ppf(1 - 0.05 / 6, 8) * error
    assert [claim.estimate, claim.low, claim.high] == pytest.approx([100 * x for x in (mean, mean - half, mean + half)])
    carried = claims_made["cbu/5_transfer"]
    limits = ttest_ind(gap[table["carries_over"]], gap[~table["carries_over"]], equal_var=False).confidence_interval()
    assert (carried.low, carried.high) == pytest.approx((100 * limits.low, 100 * limits.high)) and carried.n == 9


def test_a_judge_that_is_asked_again_ranks_nearly_as_its_expectation(done):
    first = pd.read_csv(done / "figures/cbu/5_auc.csv").set_index("effect")["first"]
    lead = pd.read_csv(done / "figures/cbu/5_lead.csv").set_index("effect")
    for judge in ("judge 1-10", "judge yes/no"):
        assert first[f"{judge}, 4 calls"] == pytest.approx(first[judge], abs=0.1)
        assert lead.loc[judge, "difference"] == pytest.approx(first["utility"] - first[f"{judge}, 4 calls"])
