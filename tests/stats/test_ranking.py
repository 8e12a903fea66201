import numpy as np
import pytest
from proctor.stats import bootstrap
from proctor.stats.proportions import clopper_pearson
from proctor.stats.ranking import kendall, ranking, ranks, tiers_of
from scipy import stats


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    return (rng.random((6, 40)) < np.array([0.8, 0.5, 0.5, 0.45, 0.3, 0.7])[:, None]).astype(float)


@pytest.mark.parametrize("shape", [(7, 300), (300, 2)])  # the second: more models than a byte counts
def test_ranks_agree_with_scipy_including_ties(shape):
    means = np.random.default_rng(0).integers(0, shape[0] - 2, shape) / 5
    assert np.array_equal(ranks(means), stats.rankdata(-means, method="min", axis=0))


@pytest.mark.parametrize("size", [1, 8])
def test_ranking_agrees_with_a_slow_loop_over_the_same_resamples_of_items_or_clusters(scores, size):
    scores[2] = np.roll(scores[1], size)  # the same accuracy on other items
    resamples, n_models, labels = 400, len(scores), np.arange(40) // size
    found = ranking(scores, np.random.default_rng(3), resamples, clusters=None if size == 1 else labels)
    drawn = np.concatenate(list(bootstrap.draws(40 // size, resamples, np.random.default_rng(3))))
    right = np.array([[sum(int(model[labels == i].sum()) for i in row) for model in scores] for row in drawn])
    rank = np.array([[1 + sum(other > mine for other in row) for mine in row] for row in right])
    first = np.array([(row == 1) / (row == 1).sum() for row in rank]).mean(axis=0)
    beats = np.array(
        [
            [np.mean([(r[i] > r[j]) + (r[i] == r[j]) / 2 for r in right]) for j in range(n_models)]
            for i in range(n_models)
        ]
    )
    assert np.allclose(found.p_first, first) and np.allclose(found.p_beats, beats)
    assert np.allclose(
        found.p_top, [[np.mean([row[i] <= k for row in rank]) for k in range(1, n_models + 1)] for i in range(n_models)]
    )
    assert np.array_equal(found.rank_low, np.quantile(rank, 0.025, axis=0, method="inverted_cdf"))
    assert np.array_equal(found.rank_high, np.quantile(rank, 0.975, axis=0, method="inverted_cdf"))
    limits = np.quantile(right / scores.shape[1], [0.025, 0.975], axis=0)
    assert np.allclose([found.low, found.high], limits, atol=1e-6)
    assert np.array_equal(found.mean, scores.mean(axis=1)) and found.rank[1] == found.rank[2]
    assert np.array_equal(found.rank, stats.rankdata(-scores.mean(axis=1), method="min"))


def test_model_that_is_always_right_gets_an_exact_interval(scores):
    scores[0], scores[1] = 1, 0
    found = ranking(scores, np.random.default_rng(0), 200)
    assert found.exact.tolist() == [True, True, False, False, False, False]
    assert (found.low[0], found.high[0]) == pytest.approx(clopper_pearson(40, 40))
    assert (found.low[1], found.high[1]) == pytest.approx(clopper_pearson(0, 40))


def test_tiers_part_models_that_differ_and_join_those_that_do_not():
    rng = np.random.default_rng(0)
    scores = (rng.random((4, 600)) < np.array([0.2, 0.8, 0.5, 0.2])[:, None]).astype(float)
    scores[3] = np.roll(scores[0], 1)
    found = ranking(scores, rng, 500)
    assert tiers_of(found.mean, found.p_beats >= 0.95).tolist() == [3, 1, 2, 3]


@pytest.mark.parametrize("entries", [1, 700, 2**17])
def test_kendall_is_scipys_of_each_column_in_blocks_of_any_size(entries, monkeypatch):
    monkeypatch.setattr("proctor.stats.ranking.ENTRIES", entries)
    rng = np.random.default_rng(2)
    order, sums = rng.integers(0, 9, (15, 1)), rng.integers(0, 12, (15, 40)) / 4
    found = [stats.kendalltau(order[:, 0], column).statistic for column in sums.T]
    assert kendall(order, sums) == pytest.approx(found)
    assert kendall(np.array([[1], [2]]), np.ones((2, 1))).tolist() == [0]  # all models tied
