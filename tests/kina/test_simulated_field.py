import numpy as np
import pytest
from proctor.kina import simulated_field as lib
from proctor.kina.max_coverage import at_most, value
from proctor.kina.max_coverage_bounds import optimum

FIELD = lib.Field(disciplines=3, topics=10, reach=2)
SMALL = lib.Settings(namings=30, skew=1.0, proposals=40, quota=2, lost=0.25)


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


def test_every_rule_approves_as_many_items_and_quotas_are_kept():
    trial = lib.draw_trial(FIELD, SMALL, np.random.default_rng(2))
    approved = lib.approve(FIELD, SMALL, trial)
    assert set(approved) == set(lib.APPROVALS) and {len(set(chosen)) for chosen in approved.values()} == {6}
    quotas = np.bincount(FIELD.discipline[trial.items[approved["by anchors, with quotas"]]])
    assert quotas.tolist() == [2, 2, 2] and list(lib.approve(FIELD, SMALL, trial, ("by anchors",))) == ["by anchors"]


def test_expected_losses_are_those_of_drawn_losses():
    trial, rng = lib.draw_trial(FIELD, SMALL, np.random.default_rng(3)), np.random.default_rng(4)
    chosen, tests = np.arange(6), trial.population.similarity.toarray() > 0
    drawn = [tests[chosen[rng.random(6) >= 0.25]].any(axis=0).mean() for _ in range(4_000)]
    assert lib.after_losses(trial.population, chosen, 0.25) == pytest.approx(np.mean(drawn), abs=0.01)
    assert lib.after_losses(trial.population, chosen, 0.0) == tests[chosen].any(axis=0).mean()


def test_a_choice_never_proves_more_than_it_reaches():
    trial = lib.draw_trial(FIELD, SMALL, np.random.default_rng(6))
    chosen = lib.approve(FIELD, SMALL, trial, ("by anchors",))["by anchors"]
    best = optimum(trial.proxy, at_most(40, 6)).value
    assert lib.proven_share(trial.proxy, chosen) <= value(trial.proxy, chosen) / best + 1e-9
