import numpy as np
import pytest
from proctor.cbu.rollout_budget import (
    always_falls,
    at_equal_calls,
    counts_of_small_error,
    error_curve,
    frontier,
    schemes,
    simulated_metrics,
    try_schemes,
    violation_rate,
)
from proctor.cbu.rollout_error import transfer
from scipy.stats import hypergeom

SIZES = (4, 8, 16, 32, 64)


@pytest.fixture(scope="module")
def tried():
    rng = np.random.default_rng(0)
    rates, correct = transfer(150, rng)
    return try_schemes(schemes(SIZES, (640, 320, 40), (0.0, 0.25), 0.05, rng), rates, correct, rng)


def test_error_is_small_only_where_scipy_says_so():
    small = counts_of_small_error(64, 8, 0.05)
    errors = [np.abs(hypergeom(64, k, 8).rvs(4000, random_state=k) / 8 - k / 64).mean() for k in (2, 3, 61, 62)]
    assert errors[0] < 0.05 < errors[1] and errors[3] < 0.05 < errors[2] and set(small) == {0, 1, 2, 62, 63, 64}


def test_error_falls_with_each_doubling_but_not_with_every_rollout():
    assert always_falls(64, SIZES) and not always_falls(64, (8, 8))


def test_curve_falls_to_nothing_without_replacement_and_stays_under_its_bound():
    rng = np.random.default_rng(1)
    outcomes = (rng.random((60, 64)) < rng.random((60, 1))).astype(int)
    found = error_curve(outcomes, SIZES, rng, 100)
    assert (np.diff(found["without"]) < 0).all() and found["without"].iloc[-1] < 1e-12 < found["replaced"].iloc[-1]
    assert (found["without"] <= found["bound"] + 1e-12).all()
    assert found["sampled"].to_numpy() == pytest.approx(found["without"].to_numpy(), abs=0.01)


def test_simulated_candidates_lie_near_the_published_figures():
    rng = np.random.default_rng(2)
    rates, correct = transfer(800, rng)
    outcomes = (rng.random((800, 10, 64)) < rates[:, :, None]).astype(int)
    found = simulated_metrics(outcomes, correct, rng).set_index("metric")
    near = found.loc[["Acc@1", "AUC", "HumanWin"]]
    assert (abs(near["estimate"] - near["paper"]) < 0.02 + near["high"] - near["low"]).all()
    assert found.loc["Recall@5", "high"] < found.loc["Recall@5", "paper"]


def test_frontier_has_every_scheme_with_simultaneous_intervals(tried):
    found = frontier(tried, np.random.default_rng(3)).set_index("scheme")
    assert len(found) == 10 and found.loc["uniform 64", "share"] == 1 and (found["share"] <= 1).all()
    inside = found.drop("uniform 64")
    for metric in ("acc1", "regret"):
        assert (inside[f"{metric} low"] <= inside[f"{metric} gap"]).all()
        assert (inside[f"{metric} gap"] <= inside[f"{metric} high"]).all()
        gap = found[metric] - found.loc["uniform 64", metric]
        assert inside[f"{metric} gap"].to_numpy() == pytest.approx(gap.drop("uniform 64").to_numpy(), abs=1e-6)


def test_schemes_are_compared_at_equal_calls_at_every_budget_that_both_have(tried):
    found = at_equal_calls(tried, "regret", np.random.default_rng(4))
    assert found["calls"].tolist() == [40, 320]
    mean = tried.groupby("scheme")["regret"].mean()
    assert found["difference"].tolist() == pytest.approx(
        [mean["uniform 4"] - mean["halving 40"], mean["uniform 32"] - mean["halving 320"]], abs=1e-6
    )


def test_violations_are_counted_for_racing_only(tried):
    found = violation_rate(tried)
    assert found["n"] == 150 and found["family"] == 2 and found["interval"][0] <= found["estimate"] <= 0.05
    assert not tried.loc[~tried["scheme"].str.startswith("racing"), "violated"].any()
