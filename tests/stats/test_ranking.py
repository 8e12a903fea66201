import numpy as np
import pytest
from proctor.stats import bootstrap
from proctor.stats.proportions import clopper_pearson
from proctor.stats.ranking import budget_curve, ranking, ranks, tiers
from proctor.stats.simulate import item_responses
from scipy import stats


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    return (rng.random((6, 40)) < np.array([0.8, 0.5, 0.5, 0.45, 0.3, 0.7])[:, None]).astype(float)


def test_ranks_agree_with_scipy_including_ties():
    means = np.random.default_rng(0).integers(0, 5, (7, 300)) / 5
    assert np.array_equal(ranks(means), stats.rankdata(-means, method="min", axis=0))


def test_more_models_than_a_byte_counts_are_ranked():
    means = np.random.default_rng(0).random((300, 2))
    assert np.array_equal(ranks(means), stats.rankdata(-means, method="min", axis=0))


def test_ranking_agrees_with_a_slow_loop_over_the_same_resamples(scores):
    resamples, n_models = 400, len(scores)
    found = ranking(scores, np.random.default_rng(3), resamples)
    drawn = np.concatenate(list(bootstrap.draws(scores.shape[1], resamples, np.random.default_rng(3))))
    right = np.array([[sum(int(model[i]) for i in row) for model in scores] for row in drawn])
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


def test_ranking_reports_observed_means_and_shared_ranks(scores):
    scores[2] = np.roll(scores[1], 1)  # the same accuracy on other items
    found = ranking(scores, np.random.default_rng(0), 300)
    assert np.array_equal(found.mean, scores.mean(axis=1))
    assert np.array_equal(found.rank, stats.rankdata(-scores.mean(axis=1), method="min"))
    assert found.rank[1] == found.rank[2]


def test_probabilities_are_consistent(scores):
    found = ranking(scores, np.random.default_rng(0), 500)
    assert found.p_first.sum() == pytest.approx(1)
    assert np.allclose(found.p_beats + found.p_beats.T, 1) and np.allclose(np.diag(found.p_beats), 0.5)
    assert (np.diff(found.p_top) >= 0).all() and (found.p_top[:, -1] == 1).all()
    assert (found.p_first <= found.p_top[:, 0]).all() and (found.p_top.sum(axis=0) >= np.arange(1, 7) - 1e-9).all()
    assert (found.rank_low <= found.rank).all() and (found.rank <= found.rank_high).all()


def test_identical_models_share_first_place(scores):
    found = ranking(np.stack([scores[0], scores[0], scores[4]]), np.random.default_rng(0), 500)
    assert found.p_first[0] == found.p_first[1] and found.p_beats[0, 1] == 0.5
    assert found.rank.tolist() == [1, 1, 3]


def test_model_that_is_always_right_gets_an_exact_interval(scores):
    scores[0], scores[1] = 1, 0
    found = ranking(scores, np.random.default_rng(0), 200)
    assert found.exact.tolist() == [True, True, False, False, False, False]
    assert (found.low[0], found.high[0]) == pytest.approx(clopper_pearson(40, 40))
    assert (found.low[1], found.high[1]) == pytest.approx(clopper_pearson(0, 40))


def test_ranking_resamples_clusters(scores):
    labels = np.arange(40) // 8
    found = ranking(scores, np.random.default_rng(0), 500, clusters=labels)
    means = bootstrap.resample_means(scores, 500, np.random.default_rng(0), labels)
    assert np.allclose(found.low, np.quantile(means, 0.025, axis=1))
    assert np.allclose(found.p_beats[0, 1], (means[0] > means[1]).mean() + (means[0] == means[1]).mean() / 2)


def test_tiers_part_models_that_differ_and_join_those_that_do_not():
    rng = np.random.default_rng(0)
    scores = (rng.random((4, 600)) < np.array([0.2, 0.8, 0.5, 0.2])[:, None]).astype(float)
    scores[3] = np.roll(scores[0], 1)
    assert tiers(ranking(scores, rng, 500)).tolist() == [3, 1, 2, 3]


def test_budget_curve_agrees_with_a_slow_loop(scores):
    sizes, resamples = [5, 17, 40], 60
    found = budget_curve(scores, sizes, np.random.default_rng(2), resamples)
    rng = np.random.default_rng(2)
    place = [rng.permutation(40) for _ in range(resamples)]
    full = scores.mean(axis=1)
    for s, size in enumerate(sizes):
        tau, rho, same, overlap = [], [], [], []
        for order in place:
            sub = scores[:, order < size].mean(axis=1)
            t = stats.kendalltau(full, sub).statistic
            tau.append(0 if np.isnan(t) else t)
            rho.append(stats.spearmanr(full, np.round(sub, 9)).statistic)
            for k, out in ((1, same), (3, overlap)):
                top = set(np.flatnonzero(stats.rankdata(-np.round(sub, 9), method="min") <= k))
                best = set(np.flatnonzero(stats.rankdata(-full, method="min") <= k))
                out.append(len(top & best) / len(top))
        assert found.tau[s] == pytest.approx(np.mean(tau))
        assert (found.tau_low[s], found.tau_high[s]) == pytest.approx(tuple(np.quantile(tau, [0.025, 0.975])))
        assert found.rho[s] == pytest.approx(np.mean(rho))
        assert found.same_first[s] == pytest.approx(np.mean(same))
        assert found.top3_overlap[s] == pytest.approx(np.mean(overlap))


def test_full_budget_reproduces_the_full_ranking(scores):
    found = budget_curve(scores, [10, 40], np.random.default_rng(0), 50)
    assert found.tau[1] == pytest.approx(1) and found.same_first[1] == 1 and found.top3_overlap[1] == 1
    assert found.tau[0] < found.tau[1]


def test_subsample_that_ties_all_models_has_no_tau():
    found = budget_curve(np.array([[1.0, 0, 1], [0, 0, 1]]), [1], np.random.default_rng(0), 300)
    assert 0 < found.tau[0] == found.rho[0] == pytest.approx(1 / 3, abs=0.1)


@pytest.mark.parametrize("sizes", [[], [0], [41], [2.5]])
def test_impossible_budgets_are_refused(scores, sizes):
    with pytest.raises(ValueError, match="sizes"):
        budget_curve(scores, sizes, np.random.default_rng(0))


def test_one_model_cannot_be_ranked_by_budget():
    with pytest.raises(ValueError, match="one model"):
        budget_curve(np.ones((1, 5)), [2], np.random.default_rng(0))


def test_budget_curve_against_the_truth_stays_below_one_at_all_items(scores):
    truth = np.arange(len(scores), dtype=float)
    found = budget_curve(scores, [scores.shape[1]], np.random.default_rng(0), 20, truth=truth)
    assert found.tau[0] == pytest.approx(stats.kendalltau(truth, scores.mean(axis=1)).statistic)


def test_budget_curve_needs_a_truth_for_every_model(scores):
    with pytest.raises(ValueError, match="lengths differ"):
        budget_curve(scores, [5], np.random.default_rng(0), truth=[0.5])


@pytest.mark.parametrize("entries", [1, 700, 10**9])
def test_blocks_of_pairs_change_no_number(entries, monkeypatch):
    scores = item_responses(np.linspace(0.2, 0.6, 15), 60, np.random.default_rng(7)).scores
    whole = short_curve(scores, np.random.default_rng(1))
    monkeypatch.setattr("proctor.stats.ranking.ENTRIES", entries)
    after = short_curve(scores, np.random.default_rng(1))
    assert all(np.array_equal(getattr(whole, name), getattr(after, name)) for name in vars(whole))


def short_curve(scores, rng):
    return budget_curve(scores, [5, 20, 60], rng, 40)
