"""notebooks/cbu/4_what_the_scores_do.ipynb, run by papermill with the quick parameters."""

import pytest
from scipy.stats import binomtest

NAME = "cbu/4_what_the_scores_do"


def test_bounds_of_the_human_solutions_are_those_of_every_sharing(read):
    for row in read("human_solutions").itertuples():
        p = [
            binomtest(row.judge - both, row.judge + row.utility - 2 * both).pvalue
            for both in range(max(0, row.judge + row.utility - 70), min(row.judge, row.utility) + 1)
        ]
        assert (row.p_min, row.p_max) == pytest.approx((min(p), max(p)))
