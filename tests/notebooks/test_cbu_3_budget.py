"""notebooks/cbu/3_budget.ipynb, run by papermill with the quick parameters."""

import pytest
from scipy.stats import hypergeom

NAME = "cbu/3_budget"


def test_tokens_under_the_two_readings_differ_by_the_neighbours_of_an_original(read):
    budget = read("same_budget")
    assert budget.iloc[:, 3].div(budget.iloc[:, 2]).to_numpy() == pytest.approx(122 / 70)


def test_eight_rollouts_err_little_at_six_counts_alone(claims_made):
    errors = [hypergeom(64, k, 8).expect(lambda x, k=k: abs(x / 8 - k / 64)) for k in range(65)]
    assert sum(error < 0.05 for error in errors) == 6
    assert "for 6 of 65 counts" in claims_made["cbu/claim_eight_rollouts.every_candidate"].finding
