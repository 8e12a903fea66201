"""A screen that learns from reviews."""

import numpy as np
import pytest
from proctor.uq import screen_learning
from proctor.uq.screen_learning import Rounds


def test_weights_find_the_check_that_tells_and_stay_at_the_prior_without_labels():
    rng = np.random.default_rng(0)
    labels = rng.random(2000) < 0.5
    scores = rng.normal(size=(2000, 3)) + labels[:, None] * np.array([2.0, 0.0, 0.0])
    found = screen_learning.fisher_weights(scores, labels, np.ones(3), worth=1.0)
    assert found[0] > 0.95 and np.abs(found[1:]).max() < 0.15
    assert screen_learning.fisher_weights(scores, np.ones(2000, bool), np.ones(3), 1.0).tolist() == [1, 1, 1]


def test_screens_start_alike_and_the_learning_one_ends_nearer_the_best():
    runs = screen_learning.run_rounds(Rounds(rounds=4), 30, seed=1)
    assert (runs["fixed"][:, 0] == runs["learning"][:, 0]).all()
    last = {name: values[:, -1].mean() for name, values in runs.items()}
    assert last["fixed"] < last["learning"] <= last["best possible"] + 0.5
    gain = screen_learning.gain(runs, np.random.default_rng(0), 200)
    assert gain.estimate == pytest.approx(last["learning"] - last["fixed"]) and gain.low > 0
    lead = (runs["learning"] - runs["fixed"]).mean(axis=0)
    later = screen_learning.later_gain(runs, np.random.default_rng(0), 200)
    assert later.estimate == pytest.approx((lead[3] - lead[1]) - (lead[1] - lead[0]))
    table = screen_learning.round_table(runs, np.random.default_rng(0), 100)
    assert len(table) == 12 and (table["low"] <= table["resolutions"]).all()
