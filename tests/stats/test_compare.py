from itertools import combinations, product

import numpy as np
import pytest
from proctor.stats import compare
from proctor.stats.proportions import Confusion, confusion
from proctor.stats.rank_sets import all_pairs, holm_p
from scipy.stats import binomtest, norm
from statsmodels.stats.contingency_tables import mcnemar as theirs
from statsmodels.stats.multitest import multipletests

NEAR = 1e-9  # rounding in p


def choices(k, n):
    """Every way of being right on k of n items, rows of 0/1."""
    return [np.isin(np.arange(n), chosen) for chosen in combinations(range(n), k)]


def p_of(a, b):
    """McNemar's exact p of the items of two."""
    return compare.exact_p((a > b).sum(), (a < b).sum())


def test_pairs_agree_with_statsmodels_pair_by_pair():
    rng = np.random.default_rng(5)
    scores = (rng.random((9, 70)) < rng.random((9, 1))).astype(float)
    scores[3], scores[4], scores[5] = scores[2], 1, 0  # twins, all right, none right
    i, j = np.triu_indices(9, 1)
    tables = [[[((scores[a] == x) & (scores[b] == y)).sum() for y in (0, 1)] for x in (0, 1)] for a, b in zip(i, j)]
    raw = [theirs(table, exact=True).pvalue for table in tables]
    pairs = all_pairs(scores)
    assert [[pairs.only[a, b], pairs.only[b, a]] for a, b in zip(i, j)] == [[t[1][0], t[0][1]] for t in tables]
    assert [p_of(scores[a], scores[b]) for a, b in zip(i, j)] == pytest.approx(raw)
    found = holm_p(pairs)
    assert np.allclose(found[i, j], multipletests(raw, method="holm")[1], rtol=1e-11, atol=0)
    assert np.array_equal(found, found.T) and (np.diag(found) == 1).all() and holm_p(all_pairs(scores[:1])) == [[1]]
    for x, y in ((4_000, 4_200), (100_000, 101_000), (0, 900)):
        assert compare.exact_p(x, y) == pytest.approx(binomtest(x, x + y).pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Confusion(tp=1, fp=2, fn=2, tn=2), Confusion(tp=3, fp=3, fn=0, tn=1)),
        (Confusion(tp=2, fp=1, fn=1, tn=3), Confusion(tp=1, fp=0, fn=2, tn=4)),
        (Confusion(tp=0, fp=0, fn=3, tn=4), Confusion(tp=2, fp=2, fn=1, tn=2)),
        (Confusion(tp=2, fp=2, fn=1, tn=2), Confusion(tp=2, fp=2, fn=1, tn=2)),
        (Confusion(tp=6, fp=0, fn=0, tn=0), Confusion(tp=2, fp=0, fn=4, tn=0)),  # two must be shared
    ],
)
def test_bounds_are_the_ends_over_every_joint_table_of_two_confusion_tables(a, b):
    positives, negatives = a.tp + a.fn, a.fp + a.tn
    # Every pair of verdict lists with these counts, so nothing is taken from the strata or their order.
    on_right = list(product(choices(a.tp, positives), choices(b.tp, positives)))
    on_wrong = list(product(choices(a.tn, negatives), choices(b.tn, negatives)))
    every = [p_of(np.append(r_a, w_a), np.append(r_b, w_b)) for (r_a, r_b), (w_a, w_b) in product(on_right, on_wrong)]
    assert compare.confusion_bounds(a, b) == pytest.approx((min(every), max(every)))


def simulated(rng, n=300):
    """Five validators of varied strictness and shared luck on the same items: accept (5, n) and correct (n,)."""
    correct = rng.random(n) < 0.2
    ease = rng.normal(size=n) + correct
    accept = ease + rng.normal(size=(5, n)) * rng.choice([0.1, 1, 3]) > np.linspace(-1, 1.5, 5)[:, None]
    return accept.astype(float), correct.astype(float)


def test_simulated_pairings_stay_inside_the_bounds_and_the_verdicts():
    rng, verdicts = np.random.default_rng(4), set()
    for _ in range(10):
        accept, correct = simulated(rng)
        true = holm_p(all_pairs(accept == correct))
        tables, names = [confusion(row, correct) for row in accept], list("abcde")
        for pair in compare.comparable(tables, names).itertuples():
            i, j = names.index(pair.a), names.index(pair.b)
            alone = p_of(accept[i] == correct, accept[j] == correct)
            assert pair.p_low - NEAR <= alone <= pair.p_high + NEAR
            assert pair.holm_low - NEAR <= true[i, j] <= pair.holm_high + NEAR
            assert pair.points == pytest.approx(100 * ((accept[i] == correct).mean() - (accept[j] == correct).mean()))
            if pair.verdict != "cannot be told from margins":
                assert (true[i, j] < 0.05) == (pair.verdict == "differs whatever the pairing")
            verdicts.add(pair.verdict)
    assert len(verdicts) == 3


def test_one_validator_has_no_pair_and_three_have_three():
    tables = [Confusion(16, 24, 49, 411), Confusion(59, 388, 6, 47), Confusion(17, 38, 48, 397)]
    assert compare.comparable(tables[:1], ["one"]).empty and "verdict" in compare.comparable([], [])
    found = compare.comparable(tables, ["strict", "loose", "middle"])
    assert found[["a", "b"]].to_numpy().tolist() == [["strict", "loose"], ["strict", "middle"], ["loose", "middle"]]
    assert found["verdict"].eq("differs whatever the pairing").tolist() == [True, False, True]


# intervals of paired 0/1 differences: published values, exact coverage


RATES = [(0.5, 0.5), (0.6, 0.5), (0.8, 0.6), (0.95, 0.9), (0.95, 0.7)]
POSSIBLE = [(rates, r) for rates in RATES for r in (0.0, 0.3, 0.5) if (rates, r) != ((0.95, 0.7), 0.5)]


def scores(both, only_a, only_b, neither):
    a = np.repeat([1, 1, 0, 0], [both, only_a, only_b, neither])
    return a, np.repeat([1, 0, 1, 0], [both, only_a, only_b, neither])


def score_coverage(cells, n):
    """Exact chance that Tango's interval over n items holds the true difference, and its mean width."""
    weights, low, high = compare._all_tables(cells[1], cells[2], n, 0.95)
    inside = (low - 1e-9 <= cells[1] - cells[2]) & (cells[1] - cells[2] <= high + 1e-9)
    return float(weights[inside].sum()), float(weights @ (high - low))


# Cavo et al. (2012), as in Fagerland, Lydersen and Laake (2017), chapter 8.
def test_published_limits_of_both_methods():
    a, b = scores(59, 6, 16, 80)
    found = compare.score_interval(a, b)
    assert (round(found.low, 4), round(found.high, 4)) == (-0.1240, -0.0054)
    assert found.estimate == pytest.approx(-10 / 161)
    assert np.round(compare.newcombe_limits(59, 6, 16, 80), 4).tolist() == [-0.1186, -0.0046]


def test_no_and_full_disagreement_give_finite_limits_within_the_range():
    z2 = norm.ppf(0.975) ** 2
    low, high = compare.score_limits([0, 20, 0], [0, 0, 20], 20)
    assert high[0] == pytest.approx(z2 / (20 + z2)) == -low[0]
    assert high[1] == pytest.approx(1) and low[2] == pytest.approx(-1) and low[1] > 0
    assert np.isnan(compare.score_interval([], []).low)


@pytest.mark.parametrize("rates, correlation", POSSIBLE)
def test_it_holds_for_15_to_60_items_where_five_differ_and_is_conservative_below(rates, correlation):
    cells = compare.chances(*rates, correlation)
    for n in (15, 18, 30, 60):
        coverage, _ = score_coverage(cells, n)
        most = 0.975 if n * (cells[1] + cells[2]) >= 5 else 1
        assert 0.93 <= coverage <= most, n


def test_cluster_t_is_students_interval_exact_without_spread_and_none_of_one_cluster():
    values = np.array([0.2, -0.1, 0.4, 0.3, 0.0, 0.1])
    found = compare.cluster_t_interval(values, np.arange(6))
    half = 2.570582 * values.std(ddof=1) / np.sqrt(6)
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half))
    assert compare.cluster_t_interval([0, 0, 0, 0], [1, 1, 2, 2]).method == "exact"
    assert np.isnan(compare.cluster_t_interval([0, 1], [1, 1]).high)
    assert np.isnan(compare.cluster_t_interval([], []).high)


@pytest.mark.parametrize("rates, n, margin", [((0.6, 0.4, 0.3), 40, None), ((0.8, 0.75, 0.5), 60, 0.2)])
def test_power_and_width_are_those_of_simulated_studies(rates, n, margin):
    cells = compare.chances(*rates)
    drawn = np.random.default_rng(2).multinomial(n, cells, 20_000)
    low, high = compare.score_limits(drawn[:, 1], drawn[:, 2], n)
    shown = low > 0 if margin is None else (low > -margin) & (high < margin)
    power, width = compare.score_power(cells, n, margin=margin)
    assert abs(shown.mean() - power) < 0.01 and abs((high - low).mean() - width) < 0.005
    assert compare.score_power(compare.chances(0.5, 0.5, 0.3), 40)[0] < 0.07


def test_the_power_table_names_the_size_that_is_enough():
    table = compare.power_table({"large": (0.7, 0.2, 0.3), "none": (0.5, 0.45, 0.3)}, [10, 20, 40])
    assert table["n = 10"][0] < table["n = 20"][0] < table["n = 40"][0]
    assert table["needed"].tolist()[0] in (10, 20) and table["needed"].isna()[1]


@pytest.mark.parametrize("rates", [(0.6, 0.5, 0.4), (0.5, 0.6, 0.4), (0.5, 0.5, 0.2), (0.67, 0.19, 0.3)])
def test_mcnemar_power_is_the_chance_of_score_power(rates):
    cells = compare.chances(*rates)
    for n in (1, 13, 60):
        assert compare.mcnemar_power(cells[1], cells[2], n) == pytest.approx(
            compare.score_power(cells, n)[0], abs=1e-12
        )
    assert compare.mcnemar_power(0.0, 0.0, 10) == 0
