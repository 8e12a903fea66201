"""The notebook on worked candidates, run once with params/quick.yaml, which are its own: nothing in it is drawn small."""

import numpy as np
import pytest
from scipy.stats import t, ttest_ind

NAME = "cbu/5_worked_candidates"


def test_the_effect_is_recounted_from_the_families(read, claims_made):
    """The mean over questions, and Student's interval from the families' summed deviations (25 families, two to nine
    questions each)."""
    table = read("5_families")
    gap, questions = table["right"] - table["wrong"], table["questions"]
    mean = np.average(gap, weights=questions)
    error = np.sqrt(((questions * (gap - mean)) ** 2).sum() * 25 / 24) / questions.sum()
    claim, half = claims_made["cbu/5_right_against_wrong"], t.ppf(1 - 0.05 / 6, 24) * error
    assert [claim.estimate, claim.low, claim.high] == pytest.approx([100 * x for x in (mean, mean - half, mean + half)])
    carried = claims_made["cbu/5_transfer"]
    limits = ttest_ind(gap[table["carries_over"]], gap[~table["carries_over"]], equal_var=False).confidence_interval()
    assert (carried.low, carried.high) == pytest.approx((100 * limits.low, 100 * limits.high)) and carried.n == 25
