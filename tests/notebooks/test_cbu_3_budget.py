"""notebooks/cbu/3_budget.ipynb, run by papermill with the quick parameters."""

import numpy as np
import pytest

NAME = "cbu/3_budget"


def test_tokens_under_the_two_readings_differ_by_the_neighbours_of_an_original(read):
    budget = read("same_budget")
    assert budget.iloc[:, 3].div(budget.iloc[:, 2]).to_numpy() == pytest.approx(122 / 70)


def test_eight_rollouts_err_little_at_six_counts_alone(claims_made):
    """The mean error of eight of 64 rollouts, drawn in place of summed."""
    made = claims_made
    assert "for 6 of 65 counts" in made["cbu/claim_eight_rollouts.every_candidate"].finding
    rng = np.random.default_rng(1)
    errors = [np.abs(rng.hypergeometric(k, 64 - k, 8, 20_000) / 8 - k / 64).mean() for k in (1, 2, 3, 32)]
    assert errors[1] < 0.05 < errors[2] and errors[0] < errors[1] and errors[3] > 0.1
