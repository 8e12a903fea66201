import numpy as np
import pytest
from proctor.kina import simulated_field as lib
from proctor.kina.max_coverage import at_most, greedy, optimum, value

FIELD = lib.Field(disciplines=3, topics=10, reach=2)
SMALL = lib.Settings(namings=30, skew=1.0, proposals=40)


def test_an_item_tests_its_neighbours_within_its_discipline_only():
    row = FIELD.similarity(np.array([10])).toarray()[0]
    assert row[10:13] == pytest.approx([1, 2 / 3, 1 / 3]) and row.sum() == pytest.approx(2)  # none of discipline 0
    assert FIELD.similarity(np.array([15])).toarray()[0, 13:18] == pytest.approx([1 / 3, 2 / 3, 1, 2 / 3, 1 / 3])


def test_topics_are_drawn_less_often_in_each_next_discipline():
    found = np.bincount(FIELD.discipline[FIELD.draw(30_000, 1.0, np.random.default_rng(1))])
    assert found[1:] / found[:-1] == pytest.approx(np.exp([-1, -1]), rel=0.06)


def test_weights_of_anchors_are_how_often_they_were_named():
    proxy = FIELD.anchors(np.array([0, 29]), np.array([5, 5, 20]))
    assert proxy.weights.tolist() == [2, 1] and proxy.similarity.shape == (2, 2)


def test_a_choice_never_proves_more_than_it_reaches():
    trial = lib.draw_trial(FIELD, SMALL, np.random.default_rng(6))
    chosen = greedy(trial.proxy, at_most(40, 6)).chosen
    best = optimum(trial.proxy, at_most(40, 6)).value
    assert lib.proven_share(trial.proxy, chosen) <= value(trial.proxy, chosen) / best + 1e-9
