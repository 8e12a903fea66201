import numpy as np
import pytest
from proctor.stats.simulate import item_responses


def test_mean_chance_over_the_drawn_items_is_the_accuracy_asked_for():
    wanted = np.array([0.001, 0.05, 0.3, 0.5317, 0.9, 0.999])
    found = item_responses(wanted, 899, np.random.default_rng(0), clusters=np.arange(899) % 30, discrimination_sd=0.6)
    assert found.chance.mean(axis=1) == pytest.approx(wanted, abs=1e-9)
    assert (np.diff(found.ability) > 0).all()


def test_scores_scatter_around_the_accuracy_as_binomials_do():
    rng, wanted = np.random.default_rng(1), np.array([0.2, 0.6])
    z = []
    for _ in range(300):
        found = item_responses(wanted, 100, rng)
        sd = np.sqrt((found.chance * (1 - found.chance)).sum(axis=1)) / 100
        z.append((found.scores.mean(axis=1) - wanted) / sd)
    z = np.array(z)
    assert np.abs(z.mean(axis=0)).max() < 0.2 and z.std(axis=0) == pytest.approx(1, abs=0.12)


def test_scores_are_means_over_samples():
    found = item_responses([0.4], 200, np.random.default_rng(0), samples=4)
    assert set(np.unique(found.scores)) == {0, 0.25, 0.5, 0.75, 1}


def test_items_that_are_hard_for_one_model_are_hard_for_another():
    varied = item_responses([0.5, 0.5], 2000, np.random.default_rng(2), difficulty_sd=2)
    flat = item_responses([0.5, 0.5], 2000, np.random.default_rng(2), difficulty_sd=0, discrimination_sd=0)
    assert np.corrcoef(varied.scores)[0, 1] > 0.3 > 0.08 > abs(np.corrcoef(flat.scores)[0, 1])


def test_clusters_share_difficulty():
    labels = np.repeat(np.arange(50), 20)
    found = item_responses([0.5], 1000, np.random.default_rng(0), labels, difficulty_sd=1, cluster_sd=2)
    between = found.difficulty.reshape(50, 20).mean(axis=1).std()
    within = found.difficulty.reshape(50, 20).std(axis=1).mean()
    assert between == pytest.approx(2, rel=0.3) and within == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize(
    "accuracies, change, message",
    [
        ([0.5, 1.0], {}, r"accuracies\[1\] is 1"),
        ([53.17], {}, r"accuracies\[0\] is 53.17"),
        ([0.5], dict(samples=0), "samples"),
        ([0.5], dict(difficulty_sd=-1), "difficulty_sd"),
        ([0.5], dict(interaction_sd=-1), "interaction_sd"),
    ],
)
def test_bad_input_is_named(accuracies, change, message):
    with pytest.raises(ValueError, match=message):
        item_responses(accuracies, 10, np.random.default_rng(0), **change)


def test_interaction_makes_models_disagree_and_keeps_the_accuracy():
    alike, own = (
        item_responses([0.4, 0.4], 3000, np.random.default_rng(5), difficulty_sd=2, interaction_sd=sd) for sd in (0, 2)
    )
    assert own.chance.mean(axis=1) == pytest.approx([0.4, 0.4], abs=1e-9)
    assert np.allclose(alike.chance[0], alike.chance[1])
    assert 0.2 < np.corrcoef(own.chance)[0, 1] < 0.8
