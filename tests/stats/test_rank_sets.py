from itertools import combinations

import numpy as np
import pytest
from proctor.stats import bootstrap
from proctor.stats import rank_sets as module
from proctor.stats.compare import exact_p, mcnemar_power, score_interval
from proctor.stats.power import t_power
from proctor.stats.proportions import clopper_pearson
from proctor.stats.rank_sets import (
    LARGEST,
    MCNEMAR,
    STUDENT,
    all_pairs,
    holm_p,
    holm_pairwise,
    items_needed,
    kendall,
    pair_p,
    possible_winners,
    rank_sets,
    ranking,
)
from proctor.stats.simulate import item_responses
from scipy import stats
from statsmodels.stats.multitest import multipletests


def boards(rng, systems, items, samples=1, labels=None):
    """Scores of equal systems on items of different difficulty; with labels each system has its strong ones."""
    own = np.zeros((systems, 1)) if labels is None else rng.normal(0, 0.6, (systems, labels.max() + 1))[:, labels]
    chance = 1 / (1 + np.exp(-rng.normal(0, 1, items) - own))
    return rng.binomial(samples, chance, (systems, items)) / samples


def test_exact_sets_count_the_systems_that_holm_sets_above_and_below():
    scores = item_responses([0.2, 0.5, 0.55, 0.8], 60, np.random.default_rng(1)).scores
    found = rank_sets(scores, np.random.default_rng(2))
    pairs = all_pairs(scores)
    assert found.method == MCNEMAR and np.array_equal(found.above, found.low > 0)
    assert np.array_equal(found.above, (holm_p(pairs) < 0.05) & (pairs.gap > 0))
    assert found.rank_low.tolist() == [1 + found.above[:, b].sum() for b in range(4)]
    assert found.rank_high.tolist() == [4 - found.above[a].sum() for a in range(4)]
    assert found.tier[3] == 1 and found.tier[0] > 1


@pytest.mark.parametrize("labels", [None, np.arange(90) // 2])
def test_largest_deviations_are_a_slow_loop_over_the_resamples(labels):
    rng = np.random.default_rng(4)
    scores = boards(rng, 4, 90, samples=3)
    pairs, (either, above) = module._largest(scores, np.random.default_rng(5), 50, labels)
    units = np.arange(90) if labels is None else labels
    n = units.max() + 1
    drawn = np.concatenate(list(bootstrap.counts(n, 50, np.random.default_rng(5), np.float64)))

    def mean_and_error(d, weight):
        sums, sizes = np.bincount(units, d, n), np.bincount(units)
        mean = (weight * sums).sum() / (weight * sizes).sum()
        off = (weight * (sums - mean * sizes) ** 2).sum()
        return mean, np.sqrt(off * n / (n - 1)) / (weight * sizes).sum()

    for r, weight in enumerate(drawn):
        worst = np.zeros((4, 4))
        for a in range(4):
            for b in range(4):
                if a != b:
                    d = scores[a] - scores[b]
                    mean, error = mean_and_error(d, weight)
                    worst[a, b] = (mean - d.mean()) / error
        assert either[r] == pytest.approx(np.abs(worst).max(), rel=1e-4)
        assert above[:, r] == pytest.approx(worst.max(axis=0), rel=1e-4, abs=1e-5)
    over_items = stats.sem(scores[0] - scores[1])
    assert pairs.error[0, 1] == pytest.approx(max(mean_and_error(scores[0] - scores[1], np.ones(n))[1], over_items))
    assert rank_sets(scores, rng, 100, labels).method == LARGEST


@pytest.mark.parametrize(
    "systems, items, samples, clusters",
    [(12, 50, 1, 0), (8, 50, 4, 0), (8, 96, 1, 8), (8, 120, 1, 40)],
)
def test_equal_systems_are_told_apart_in_at_most_5_percent_and_the_best_is_a_possible_winner(
    systems, items, samples, clusters
):
    rng, trials = np.random.default_rng(6), 100  # more in benchmarks/rank_sets.py
    labels = np.arange(items) % clusters if clusters else None
    wrong, out = 0, 0.0
    for _ in range(trials):
        scores = boards(rng, systems, items, samples, labels)
        wrong += rank_sets(scores, rng, 200, labels).above.any()
        out += (~possible_winners(scores, rng, 200, labels)).mean()
    assert wrong / trials < 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
    assert out / trials < 0.07


def test_the_marginal_set_is_no_larger_than_the_simultaneous_first_places():
    rng, smaller = np.random.default_rng(7), 0
    for _ in range(10):
        scores = item_responses(np.linspace(0.4, 0.6, 15), 300, rng).scores
        winners, sets = possible_winners(scores, rng, 200), rank_sets(scores, rng)
        first = sets.rank_low == 1
        assert winners[sets.mean.argmax()]
        smaller += first.sum() - winners.sum()
    assert smaller > 10  # over one system a board


def test_few_clusters_and_shares_that_lack_some_are_decided_by_student_and_too_few_items_not_at_all():
    rng = np.random.default_rng(8)
    scores = boards(rng, 4, 200)
    assert rank_sets(scores, rng, clusters=np.arange(200) // 25).method == STUDENT
    scores[rng.random(scores.shape) < 0.05] = np.nan
    assert rank_sets(scores * 2 / 3, rng).method == STUDENT and possible_winners(scores, rng).any()


def test_items_needed_have_the_power_of_the_test_at_the_level_of_all_pairs():
    rng = np.random.default_rng(9)
    scores = boards(rng, 6, 400)
    scores[0] = np.maximum(scores[0], rng.random(400) < 0.2)
    i, j = np.triu_indices(6, 1)
    for values in (scores, 0.8 * scores + 0.1 * rng.random(scores.shape)):
        pairs = all_pairs(values)
        needed = items_needed(pairs, i, j, np.zeros(15, bool))
        assert (needed > 400).all()
        needed, level = items_needed(pairs, i, j, np.ones(15, bool)), 1 - 0.05 / 15
        for a, b, n in zip(i, j, needed):
            if np.isinf(n):
                continue
            if pairs.only is None:
                gap, sd = pairs.gap[a, b], pairs.error[a, b] * 20
                assert t_power(gap, sd, n, level) >= 0.8 > t_power(gap, sd, n - 1, level)
            else:
                cells = pairs.only[a, b] / 400, pairs.only[b, a] / 400
                assert 0.795 < mcnemar_power(*cells, int(n), level, exact=True) < 0.85


def test_rank_sets_use_the_exact_interval_where_a_difference_never_varies():
    many, few = np.stack([np.ones(30), np.zeros(30), np.zeros(30)]), np.array([[1.0, 1], [0, 0]])
    found = rank_sets(many, np.random.default_rng(0), 100)
    assert found.above.tolist() == [[False, True, True], [False] * 3, [False] * 3]
    assert found.tier.tolist() == [1, 2, 2] and found.rank_high.tolist() == [1, 3, 3]
    assert not rank_sets(few, np.random.default_rng(0), 100).above.any()


def test_several_levels_of_possible_winners_are_those_of_one_each():
    scores = (np.random.default_rng(3).random((6, 80)) < np.linspace(0.4, 0.7, 6)[:, None]).astype(float)
    both = possible_winners(scores, np.random.default_rng(1), 300, level=[0.8, 0.99])
    for row, level in zip(both, (0.8, 0.99)):
        assert row.tolist() == possible_winners(scores, np.random.default_rng(1), 300, level=level).tolist()
    assert both[0].sum() < both[1].sum()


# bootstrap ranks, tiers, agreement of orders


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    return (rng.random((6, 40)) < np.array([0.8, 0.5, 0.5, 0.45, 0.3, 0.7])[:, None]).astype(float)


@pytest.mark.parametrize("size", [1, 8])
def test_ranking_agrees_with_a_slow_loop_over_the_same_resamples_of_items_or_clusters(scores, size):
    scores[2] = np.roll(scores[1], size)  # the same accuracy on other items
    resamples, labels = 100, np.arange(40) // size
    found = ranking(scores, np.random.default_rng(3), resamples, clusters=None if size == 1 else labels)
    drawn = np.concatenate(list(bootstrap.draws(40 // size, resamples, np.random.default_rng(3))))
    right = np.array([[sum(int(model[labels == i].sum()) for i in row) for model in scores] for row in drawn])
    first = right == right.max(axis=1, keepdims=True)
    assert np.allclose(found["p_first"], (first / first.sum(axis=1, keepdims=True)).mean(axis=0))
    limits = np.quantile(right / scores.shape[1], [0.025, 0.975], axis=0)
    assert np.allclose([found["low"], found["high"]], limits, atol=1e-6)
    assert np.array_equal(found["mean"], scores.mean(axis=1)) and found["rank"][1] == found["rank"][2]
    assert np.array_equal(found["rank"], stats.rankdata(-scores.mean(axis=1), method="min"))


def test_model_that_is_always_right_gets_an_exact_interval(scores):
    scores[0], scores[1] = 1, 0
    found = ranking(scores, np.random.default_rng(0), 200)
    assert (found.low[0], found.high[0]) == pytest.approx(clopper_pearson(40, 40))
    assert (found.low[1], found.high[1]) == pytest.approx(clopper_pearson(0, 40))


def test_kendall_is_scipys_of_each_column():
    rng = np.random.default_rng(2)
    order, sums = rng.integers(0, 9, (15, 1)), rng.integers(0, 12, (15, 40)) / 4
    found = [stats.kendalltau(order[:, 0], column).statistic for column in sums.T]
    assert kendall(order, sums) == pytest.approx(found)
    assert kendall(np.array([[1], [2]]), np.ones((2, 1))).tolist() == [0]  # all models tied


# tests and intervals of pairs, upper triangle


def upper(table):
    return table[np.triu_indices(len(table), 1)]


def test_shares_and_clusters_are_tested_by_student_over_their_units():
    rng = np.random.default_rng(1)
    scores, labels = rng.random((5, 40)), np.repeat(np.arange(10), 4)
    pairs = all_pairs(scores)
    p = [stats.ttest_rel(one, other).pvalue for one, other in combinations(scores, 2)]
    assert upper(pair_p(pairs)) == pytest.approx(p)
    assert upper(holm_p(pairs)) == pytest.approx(multipletests(p, method="holm")[1])
    gaps = [one - other for one, other in combinations(scores, 2)]
    errors = np.array([[stats.sem(gap.reshape(10, 4).mean(axis=1)), stats.sem(gap)] for gap in gaps])
    assert set(errors.argmax(axis=1)) == {0, 1}  # clusters that agree by chance are no surer than their items
    means = np.array([gap.mean() for gap in gaps])
    wanted = 2 * stats.t.sf(np.abs(means) / errors.max(axis=1), 9)
    assert upper(pair_p(all_pairs(scores, labels))) == pytest.approx(wanted)


def test_twins_do_not_differ():
    scores = np.repeat(np.random.default_rng(2).binomial(1, 0.5, (1, 100)), 2, axis=0).astype(float)
    pairs = all_pairs(scores)
    assert [pairs.gap[0, 1], pair_p(pairs)[0, 1], holm_p(pairs)[0, 1]] == [0, 1, 1]


def test_intervals_of_pairs_hold_0_exactly_where_holm_does_not_decide():
    rng = np.random.default_rng(3)
    for scores in (rng.binomial(1, np.linspace(0.3, 0.7, 14)[:, None], (14, 120)), rng.random((14, 50)) ** 2):
        p, low, high = holm_pairwise(all_pairs(scores))
        assert ((upper(low) > 0) | (upper(high) < 0)).tolist() == (upper(p) < 0.05).tolist()
        assert (low <= scores.mean(axis=1)[:, None] - scores.mean(axis=1) + 1e-12).all() and (
            upper(p) > 0.05
        ).sum() > 10


def test_pairs_are_compared_on_the_items_that_both_have_with_intervals_of_all_at_once():
    rng = np.random.default_rng(4)
    scores = rng.binomial(1, [[0.8], [0.6], [0.5]], (3, 80)).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    for values in (scores, scores * 0.7 + 0.1 * rng.random(scores.shape)):
        pairs = all_pairs(values)
        p, low, high = holm_pairwise(pairs)
        for i, j in combinations(range(3), 2):
            both = ~np.isnan(values[i]) & ~np.isnan(values[j])
            one, other = values[i, both], values[j, both]
            whole = np.isin(one, (0, 1)).all()
            wanted = exact_p((one > other).sum(), (one < other).sum()) if whole else stats.ttest_rel(one, other).pvalue
            assert pair_p(pairs)[i, j] == pytest.approx(wanted) and pairs.n[i, j] == both.sum()
            assert pairs.gap[i, j] == pytest.approx((one - other).mean())
            if whole:
                limits = score_interval(one, other, 1 - 0.05 / 3)
                assert high[i, j] == pytest.approx(limits.high)
                assert low[i, j] == pytest.approx(limits.low) or (low[i, j] > 0) == (p[i, j] < 0.05)
