"""The notebook on bias and ranking, run once with params/quick.yaml; what it leaves in figures/."""

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from scipy.stats import norm

NAME = "uq/4_bias_and_ranking"


def test_over_optimism_is_false_acceptances_less_misses_over_all_answers(read):
    found = read("over_optimism")
    accepted, right = found["tp"] + found["fp"], found["tp"] + found["fn"]
    assert len(found) == 33 and (right == found["positives"]).all()
    assert found["bias"].to_numpy() == pytest.approx(((accepted - right) / found["n"]).to_numpy())
    assert found["precision"].to_numpy() == pytest.approx((found["tp"] / accepted).to_numpy())
    assert ((found["bias_low"] <= found["bias"]) & (found["bias"] <= found["bias_high"])).all()


def test_unanimity_widens_the_preference_of_a_lenient_judge(read):
    found = read("preference_under_unanimity").set_index(["own", "correlation", "votes"])["difference"]
    assert found[0.9, 0, 3] == pytest.approx(0.9**3 - 0.8**3) and found[0.5, 0, 9] == pytest.approx(0.5**9 - 0.4**9)
    assert 0.1 < found[0.9, 0.9, 3] < found[0.9, 0, 3]


def test_more_answers_bring_the_true_order_and_preference_does_not_average_out(read):
    found = read("ranks_simulated")
    assert np.allclose(found["tipping"], 0.035 * found["youden"])  # the first two are assumed 3.5 points apart
    informed = found[found["youden"] > 0.15]
    assert (informed["order_100000"] > 0.9).all() and (informed["order_500"] < 0.4).all()
    assert (found[found["tipping"] < 0.006]["order_preferred"] < 0.2).all()


def test_ranks_and_first_places_are_those_of_answers_drawn_one_by_one():
    """The committed shares against studies of 100 answers, whose latent scores are drawn here in another way."""
    folder, rng, trials = paths.ROOT / "figures/uq", np.random.default_rng(1), 1000
    rows = pd.read_csv(folder / "over_optimism.csv").set_index(["judges", "strategy"])
    pipeline = "(CC x3|U) => (FLC x3|U) => (C x3|U)"
    six = [
        ("o3-mini", "V"),
        ("o3-mini", "C"),
        ("Claude Sonnet 3.7", "C"),
        ("o3", "V"),
        ("o3", "C x3 |M"),
        ("o3", pipeline),
    ]
    recall, specificity = (rows.loc[six, name].to_numpy() for name in ("recall", "specificity"))
    places = pd.read_csv(folder / "first_places_table.csv").set_index(["n", "correlation"])["four_or_more"]
    for correlation in (0.0, 0.5, 0.9):
        latent = np.full((6, 6), correlation) + (1 - correlation) * np.eye(6)
        score = norm.cdf(rng.multivariate_normal(np.zeros(6), latent, (trials, 5, 100)))  # studies, models, answers
        truth = rng.random((trials, 5, 100)) < np.array([0.20, 0.165, 0.13, 0.095, 0.06])[None, :, None]
        accepted = (score < np.where(truth[..., None], recall, 1 - specificity)).sum(axis=2)
        leaders = (accepted == accepted.max(axis=1, keepdims=True)).any(axis=2).sum(axis=1)
        assert (leaders >= 4).mean() == pytest.approx(places[100, correlation], abs=0.05)
        right = truth.sum(axis=2)
        against = [
            (accepted[:, i, 5] - accepted[:, j, 5]) * (right[:, i] - right[:, j]) < 0
            for i in range(5)
            for j in range(i)
        ]
        if correlation == 0:  # the same for each correlation
            kept = pd.read_csv(folder / "ranks_simulated.csv").set_index(["judges", "strategy"])["order_100"]
            assert 1 - np.any(against, axis=0).mean() == pytest.approx(kept["o3", pipeline], abs=0.04)
