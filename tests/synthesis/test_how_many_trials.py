"""The simulations of how_many: what they draw, and what they compare it with."""

import numpy as np
import pandas as pd
import pytest
from proctor.stats.agreement import alpha
from proctor.stats.paired_proportions import cluster_t_interval
from proctor.synthesis import how_many_trials as trials

TRIES = [trials.try_items, trials.try_repeats, trials.try_votes, trials.try_rollouts, trials.try_agreement]


@pytest.mark.parametrize("run", [*TRIES, trials.try_splits])
def test_simulations_find_what_is_promised(run):
    table = run(2_000, np.random.default_rng(5))
    off = (table["simulated"] - table["promised"]).abs()
    assert (table["low"] <= table["simulated"]).all() and (table["simulated"] <= table["high"]).all()
    assert off.max() < (6 if run is trials.try_splits else 3.5)


def test_a_wrong_size_would_be_seen(monkeypatch):
    """Without the design effect the exams of families have too little power."""
    monkeypatch.setattr("proctor.synthesis.how_many.effect_of_families", lambda size, icc: 1.0)
    table = trials.try_items(1_000, np.random.default_rng(5), designs=[(0.6, 0.5, 0.4, 20, 0.1)])
    assert table["high"].iloc[0] < 60


def test_checks_hold_at_least_the_level():
    table = trials.try_checks(2_000, np.random.default_rng(5))
    assert (table["high"] > 95).all() and trials.most_passed(0.05, 1143)[1] <= 0.05


def test_alpha_of_counts_is_krippendorff_s():
    ratings = np.random.default_rng(2).random((3, 12)) < 0.4
    found = trials.alpha_of_counts(ratings.sum(axis=0)[None], 3)[0]
    assert found == pytest.approx(alpha(ratings.astype(int).tolist()))


def test_student_s_limit_is_that_of_the_library():
    differences = np.random.default_rng(3).integers(-1, 2, (8, 5))
    low = trials._student_low(differences.sum(axis=1)[None])[0] / 5
    assert low == pytest.approx(cluster_t_interval(differences.ravel(), np.repeat(range(8), 5)).low)


def test_the_square_root_rule_loses_nothing():
    assert trials.rule_loss(ratios=(2,), costs=(0, 10), budgets=(500,))["loss"].max() < 0.5


def test_worst_holds_the_limits_of_all_rows():
    table = pd.DataFrame(
        dict(promised=[80.0, 80], simulated=[81.0, 78], low=[79.0, 77], high=[83.0, 79], trials=[9, 9])
    )
    assert trials.worst(table) == dict(n=9, level=0.975, family=2, unit="points", estimate=-2.0, interval=(-3.0, 3.0))
