"""Intervals of paired 0/1 differences: published values, inversion of the likelihood by brute force, exact coverage."""

import numpy as np
import pytest
from proctor.stats import compare as pairs
from scipy.stats import norm

RATES = [(0.5, 0.5), (0.6, 0.5), (0.8, 0.6), (0.95, 0.9), (0.95, 0.7)]
POSSIBLE = [(rates, r) for rates in RATES for r in (0.0, 0.3, 0.5) if (rates, r) != ((0.95, 0.7), 0.5)]


def scores(both, only_a, only_b, neither):
    a = np.repeat([1, 1, 0, 0], [both, only_a, only_b, neither])
    return a, np.repeat([1, 0, 1, 0], [both, only_a, only_b, neither])


def score_coverage(cells, n):
    """Exact chance that Tango's interval over n items holds the true difference, and its mean width."""
    weights, low, high = pairs._all_tables(cells[1], cells[2], n, 0.95)
    inside = (low - 1e-9 <= cells[1] - cells[2]) & (cells[1] - cells[2] <= high + 1e-9)
    return float(weights[inside].sum()), float(weights @ (high - low))


# Cavo et al. (2012), as in Fagerland, Lydersen and Laake (2017), chapter 8.
def test_published_limits_of_both_methods():
    a, b = scores(59, 6, 16, 80)
    found = pairs.score_interval(a, b)
    assert (round(found.low, 4), round(found.high, 4)) == (-0.1240, -0.0054)
    assert found.estimate == pytest.approx(-10 / 161)
    assert np.round(pairs.newcombe_limits(59, 6, 16, 80), 4).tolist() == [-0.1186, -0.0046]


def test_no_and_full_disagreement_give_finite_limits_within_the_range():
    z2 = norm.ppf(0.975) ** 2
    low, high = pairs.score_limits([0, 20, 0], [0, 0, 20], 20)
    assert high[0] == pytest.approx(z2 / (20 + z2)) == -low[0]
    assert high[1] == pytest.approx(1) and low[2] == pytest.approx(-1) and low[1] > 0
    assert np.isnan(pairs.score_interval([], []).low)


@pytest.mark.parametrize("rates, correlation", POSSIBLE)
def test_it_holds_for_15_to_60_items_where_five_differ_and_is_conservative_below(rates, correlation):
    cells = pairs.chances(*rates, correlation)
    for n in (15, 18, 30, 60):
        coverage, _ = score_coverage(cells, n)
        most = 0.975 if n * (cells[1] + cells[2]) >= 5 else 1
        assert 0.93 <= coverage <= most, n


def family_trial(rng, n_clusters, size, spread):
    """0/1 scores of two models whose true difference varies between families by `spread`; the mean is 0.1."""
    shift = rng.uniform(-spread, spread, (n_clusters, 1))
    a = rng.random((n_clusters, size)) < 0.55 + shift
    b = rng.random((n_clusters, size)) < 0.45 - shift
    return (a.astype(float) - b).ravel()


@pytest.mark.parametrize("n_clusters, spread", [(6, 0.0), (9, 0.2), (30, 0.1)])
def test_cluster_t_holds_for_few_families(n_clusters, spread):
    rng, clusters, hits, trials = np.random.default_rng(7), np.repeat(np.arange(n_clusters), 5), 0, 1_200
    for _ in range(trials):
        found = pairs.cluster_t_interval(family_trial(rng, n_clusters, 5, spread), clusters)
        hits += found.low <= 0.1 <= found.high
    assert 0.93 <= hits / trials <= 0.975


def test_cluster_t_is_students_interval_where_each_item_is_a_cluster():
    values = np.array([0.2, -0.1, 0.4, 0.3, 0.0, 0.1])
    found = pairs.cluster_t_interval(values, np.arange(6))
    half = 2.570582 * values.std(ddof=1) / np.sqrt(6)
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half))


def test_cluster_t_without_spread_or_with_one_cluster():
    assert pairs.cluster_t_interval([0, 0, 0, 0], [1, 1, 2, 2]).method == "exact"
    assert np.isnan(pairs.cluster_t_interval([0, 1], [1, 1]).high)
    assert np.isnan(pairs.cluster_t_interval([], []).high)


@pytest.mark.parametrize("rates, n, margin", [((0.6, 0.4, 0.3), 40, None), ((0.8, 0.75, 0.5), 60, 0.2)])
def test_power_and_width_are_those_of_simulated_studies(rates, n, margin):
    cells = pairs.chances(*rates)
    drawn = np.random.default_rng(2).multinomial(n, cells, 20_000)
    low, high = pairs.score_limits(drawn[:, 1], drawn[:, 2], n)
    shown = low > 0 if margin is None else (low > -margin) & (high < margin)
    power, width = pairs.score_power(cells, n, margin=margin)
    assert abs(shown.mean() - power) < 0.01 and abs((high - low).mean() - width) < 0.005
    assert pairs.score_power(pairs.chances(0.5, 0.5, 0.3), 40)[0] < 0.07


def test_the_power_table_names_the_size_that_is_enough():
    table = pairs.power_table({"large": (0.7, 0.2, 0.3), "none": (0.5, 0.45, 0.3)}, [10, 20, 40])
    assert table["n = 10"][0] < table["n = 20"][0] < table["n = 40"][0]
    assert table["needed"].tolist()[0] in (10, 20) and table["needed"].isna()[1]


@pytest.mark.parametrize("rates", [(0.6, 0.5, 0.4), (0.5, 0.6, 0.4), (0.5, 0.5, 0.2), (0.67, 0.19, 0.3)])
def test_mcnemar_power_is_the_chance_of_score_power(rates):
    cells = pairs.chances(*rates)
    for n in (1, 13, 60):
        assert pairs.mcnemar_power(cells[1], cells[2], n) == pytest.approx(pairs.score_power(cells, n)[0], abs=1e-12)
    assert pairs.mcnemar_power(0.0, 0.0, 10) == 0
