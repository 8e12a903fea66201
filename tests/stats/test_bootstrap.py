import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from proctor.stats import bootstrap
from proctor.stats.interval import Interval, by_group
from proctor.stats.proportions import clopper_pearson, wilson
from scipy import stats


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.mark.parametrize("n_items, resamples, entries", [(1, 3, 9), (5, 65, 1), (100, 500, 40_000), (70_000, 2, 2**24)])
def test_tables_count_the_draws_across_the_edges_of_blocks_and_are_bounded(n_items, resamples, entries):
    tables = list(bootstrap.counts(n_items, resamples, np.random.default_rng(1), entries=entries))
    assert max(table.size for table in tables) <= max(entries, n_items * bootstrap.BLOCK)
    drawn = np.concatenate(list(bootstrap.draws(n_items, resamples, np.random.default_rng(1))))
    assert np.array_equal(np.concatenate(tables), [np.bincount(row, minlength=n_items) for row in drawn])


def test_resample_means_are_those_of_the_drawn_items_across_tables_and_fewer_are_the_first_of_more(monkeypatch):
    scores = np.random.default_rng(0).integers(0, 2, (2, 90)).astype(float)
    many = bootstrap.resample_means(scores, 900, np.random.default_rng(4))
    drawn = np.concatenate(list(bootstrap.draws(90, 900, np.random.default_rng(4))))
    assert many == pytest.approx(scores[:, drawn].mean(axis=2), abs=1e-7)
    monkeypatch.setattr(bootstrap, "counts", partial(bootstrap.counts, entries=10_000))
    assert np.array_equal(bootstrap.resample_means(scores, 200, np.random.default_rng(4)), many[:, :200])


def test_equal_accuracies_of_thirds_tie_exactly():
    a, b = np.array([1 / 3, 1 / 3, 1 / 3, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])
    gathered = bootstrap.units(np.stack([a, b]))
    assert gathered.means[0] == gathered.means[1] and gathered.denominator == 3


def test_arbitrary_real_scores_keep_double_precision(rng):
    scores = 1e6 + rng.normal(size=(2, 90))
    means = bootstrap.resample_means(scores, 100, np.random.default_rng(8))
    drawn = np.concatenate(list(bootstrap.draws(90, 100, np.random.default_rng(8))))
    assert means.dtype == np.float64 and np.allclose(means, scores[:, drawn].mean(axis=2), rtol=1e-14)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
@pytest.mark.parametrize("kind", ["skewed", "binary"])
def test_interval_agrees_with_scipy(method, kind, defined):
    source = np.random.default_rng(11)
    scores = source.exponential(size=80) if kind == "skewed" else (source.random(80) < 0.15).astype(float)
    resamples, rng = 20_000, np.random.default_rng(1)
    if method == "BCa":
        bca = defined("synthesis/0_bootstrap", np=np, norm=stats.norm).bca
        low, high = bca(scores, bootstrap.resample_means([scores], resamples, rng)[0])
    else:
        ours = bootstrap.interval(scores, rng, resamples)
        low, high = ours.low, ours.high
        assert ours.method == method and ours.estimate == pytest.approx(scores.mean())
    settings = dict(n_resamples=resamples, method=method, axis=-1, vectorized=True, rng=np.random.default_rng(2))
    theirs = stats.bootstrap((scores,), np.mean, **settings).confidence_interval
    # The 2.5 % quantile of a normal from B resamples has standard error about sd * 2.7 / sqrt(B); allow for
    # two of them, the discreteness of 1/80 steps and, in BCa, the noise of the bias correction.
    sd = scores.std() / math.sqrt(80)
    tolerance = 4 * math.sqrt(2) * 2.7 * sd / math.sqrt(resamples) + (1 / 80 if kind == "binary" else 0)
    assert abs(low - theirs.low) <= tolerance and abs(high - theirs.high) <= tolerance


@pytest.mark.parametrize("n", [1, 2, 50, 899])
def test_scores_that_never_vary_get_the_exact_interval_of_their_items_or_clusters(n, rng):
    for value, k in ((1.0, n), (0.0, 0)):
        found = bootstrap.interval(np.full(n, value), rng, 200)
        assert found.method == "exact" and (found.low, found.high) == pytest.approx(clopper_pearson(k, n))
    share = bootstrap.interval(np.full(n, 0.1234567), rng, 200)
    assert share.method == "exact" and 0 < share.low < 0.1234567 < share.high < 1
    clustered = bootstrap.interval(np.ones(4 * n), rng, 200, clusters=np.repeat(np.arange(n), 4))
    assert (clustered.low, clustered.high) == pytest.approx(clopper_pearson(n, n))
    assert bootstrap.interval(np.full(n, 7.0), rng, 200, bounds=(0, 10)).method == "exact"
    rows = bootstrap.intervals([[1, 1, 1, 1], [1, 0, 1, 0]], rng, 100)
    assert [one.method for one in rows] == ["exact", "percentile"]


def test_paired_difference_of_identical_models_is_exact_and_symmetric(rng):
    a = rng.integers(0, 2, 80)
    for scores in (a, a / 2):
        found = bootstrap.paired_difference(scores, scores, rng, 100)
        assert found.high > 0 and found.high == pytest.approx(-found.low)
        assert found.method == ("score" if scores.max() == 1 else "exact")
    assert found.high == pytest.approx(clopper_pearson(0, 80)[1])


def test_paired_difference_takes_the_interval_that_holds_for_its_size(rng):
    a, b = rng.integers(0, 2, (2, 36))
    clusters = np.arange(36) // 4
    assert bootstrap.paired_difference(a, b, rng).method == "score"
    assert bootstrap.paired_difference(a, b / 2, rng).method == "percentile"
    assert bootstrap.paired_difference(a, b, rng, clusters=clusters).method == "cluster t"
    assert bootstrap.paired_difference(a, b, rng, clusters=np.arange(36)).method == "percentile"


def test_statistic_interval_of_the_mean_is_the_mean_interval():
    scores, labels = np.random.default_rng(0).integers(0, 2, 50).astype(float), np.arange(50) % 7
    for clusters in (None, labels):
        args = dict(resamples=600, clusters=clusters)
        special = bootstrap.interval(scores, np.random.default_rng(1), **args)
        general = bootstrap.statistic_interval(np.mean, [scores], np.random.default_rng(1), **args)
        assert (general.low, general.high) == pytest.approx((special.low, special.high), abs=1e-6)


def test_undefined_resamples_are_left_out_and_counted_and_most_of_them_or_none_that_varies_give_no_interval(rng):
    x = np.r_[np.ones(2), np.zeros(18)]

    def share_of_first_among_ones(a):
        return a[:3].sum() / a.sum() if a.sum() else None

    found = bootstrap.statistic_interval(share_of_first_among_ones, [x], rng, 1000)
    assert found.undefined == pytest.approx(1000 * 0.9**20, abs=60) and np.isfinite([found.low, found.high]).all()
    whole = bootstrap.statistic_interval(
        lambda a: 1.0 if len(np.unique(a)) == len(a) else None, [np.arange(9)], rng, 100
    )
    assert whole.estimate == 1 and np.isnan([whole.low, whole.high]).all() and whole.undefined > 90
    never = bootstrap.statistic_interval(lambda a: None, [np.arange(9)], rng, 100)
    empty = bootstrap.interval([], rng)
    assert np.isnan([never.estimate, never.low, empty.estimate, empty.high]).all() and empty.method == "none"
    found = bootstrap.statistic_interval(np.max, [np.ones(9)], rng, 50, bounds=(0, 1))
    assert (found.low, found.high, found.method) == (0, 1, "range")


def test_intervals_of_rows_are_those_of_each_row_alone():
    scores = np.tri(8, 30, 3)
    clusters = np.arange(30) % 10
    together = bootstrap.intervals(scores, np.random.default_rng(3), 400, clusters=clusters)
    assert together == [bootstrap.interval(row, np.random.default_rng(3), 400, clusters=clusters) for row in scores]


def test_held_counts_a_limit_that_equals_the_truth():
    low, high = np.float32([0.9, 0.8, 0.0, 0.91]), np.float32([1.0, 0.9, 0.5, 1.0])
    found = bootstrap.held(low, high, 0.9)
    assert found.estimate == 0.5 and (found.low, found.high) == wilson(2, 4)


def test_the_jackknife_of_a_mean_is_student_s_interval_and_of_what_no_cluster_changes_exact():
    values = np.random.default_rng(1).normal(size=9)
    found = bootstrap.jackknife_interval(lambda keep: values[keep].mean(), range(9), 0.98, (-np.inf, np.inf))
    wanted = stats.ttest_1samp(values, 0).confidence_interval(0.98)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    same = bootstrap.jackknife_interval(lambda keep: 0.5, list("aabbc"), bounds=(0.0, 1.0))
    share = clopper_pearson(0, 3)[1] / 2
    assert (same.low, same.high) == pytest.approx((0.5 - share, 0.5 + share))
    alone = bootstrap.jackknife_interval(lambda keep: keep.sum() / 2, ["a", "a"])
    assert alone.estimate == 1 and np.isnan(alone.low)


# tables of intervals


FRAME = pd.DataFrame({"judge": ["b", "b", "a", "a"], "check": ["C", "V", "C", "C"], "right": [1, 0, 1, 1]})


def share(rows):
    return Interval(rows["right"].mean(), 0.0, 1.0, 0.95, "none")


def test_an_interval_fills_three_columns_groups_keep_their_order_and_an_empty_table_its_columns():
    table = by_group(FRAME, ["judge"], n=len, share=share)
    assert table.to_dict("list") == {
        "judge": ["b", "a"], "n": [2, 2], "share": [0.5, 1.0], "share_low": [0.0, 0.0], "share_high": [1.0, 1.0]
    }  # fmt: skip
    found = by_group(pd.DataFrame({"model": [], "right": []}), ["model"], n=len)
    assert found.empty and list(found.columns) == ["model", "n"]
