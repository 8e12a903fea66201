"""notebooks/synthesis/0_bootstrap.ipynb, run by papermill with the quick parameters."""

import numpy as np
import pytest
from proctor.stats.proportions import clopper_pearson, wilson
from scipy import stats

NAME = "synthesis/0_bootstrap"


@pytest.fixture(scope="module")
def coverage(read):
    return read("coverage_table").set_index(["method", "n", "p"]).sort_index()


@pytest.mark.parametrize("method, interval", [("Wilson", wilson), ("Clopper-Pearson", clopper_pearson)])
def test_coverage_agrees_with_the_exact_sum_over_counts(coverage, claims_made, method, interval):
    exact = {}
    for (n, p), row in coverage.loc[method].iterrows():
        k = np.arange(n + 1)
        held = np.array([low <= p <= high for low, high in (interval(i, n) for i in k)])
        exact[n, p] = stats.binom.pmf(k, n, p)[held].sum()
        assert abs(row["coverage"] - exact[n, p]) < 4 * np.sqrt(exact[n, p] * (1 - exact[n, p]) / 5000) + 1e-3
    claim = claims_made[f"synthesis/0_closed_form.{method}"]
    assert claim.estimate == pytest.approx(100 * min(exact.values())) and claim.verdict == "holds"


def test_wilson_is_honest_at_200_items_and_the_half_width_fails_at_20(coverage):
    assert 0.93 < coverage.loc[("Wilson", 200, 0.5), "coverage"] < 0.97
    # All 20 right has chance 0.98**20 = 0.67, and then neither has any width.
    for method in ("normal", "plain percentile"):
        assert coverage.loc[(method, 20, 0.98), "coverage"] == pytest.approx(1 - 0.98**20, abs=0.03)


def test_exact_fallback_is_all_that_divides_the_two_percentile_rows(coverage):
    plain, ours = coverage.loc["plain percentile", "coverage"], coverage.loc["percentile", "coverage"]
    assert (ours >= plain).all()
    assert (ours - plain).loc[[(100, 0.5), (200, 0.5), (500, 0.5)]].tolist() == [0, 0, 0]
