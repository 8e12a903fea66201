import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats import bootstrap, calibration
from proctor.stats.proportions import clopper_pearson
from scipy import stats


def in_words(confidence, correct, kind, size):
    """Sort, ties as given; bins of `size`, the remainder joined to the last; weights over all n."""
    pairs = sorted(zip(confidence, correct), key=lambda pair: pair[0])
    n_bins = max(len(pairs) // size, 1)
    bins = [pairs[i * size : (i + 1) * size if i + 1 < n_bins else None] for i in range(n_bins)]
    total = 0.0
    for held in bins[:-1] if kind == "official" else bins:
        n, right = len(held), sum(r for _, r in held) / len(held)
        luck = right * (1 - right) / (n - 1) if kind == "debiased" else 0
        total += n / len(pairs) * ((sum(c for c, _ in held) / n - right) ** 2 - luck)
    return math.sqrt(max(total, 0))


def draw(rng, n, steps=None):
    confidence = rng.random(n) if steps is None else rng.integers(0, steps + 1, n) / steps
    return confidence, (rng.random(n) < confidence**2).astype(float)


@pytest.mark.parametrize("kind", calibration.KINDS)
@given(rows=st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=40))
def test_each_kind_follows_its_definition_in_bins_of_three(kind, rows):
    confidence, correct = np.array([c / 4 for c, _ in rows]), np.array([float(r) for _, r in rows])
    if kind == "official" and len(rows) < 3:
        with pytest.raises(ValueError, match="2 answers do not fill one bin of 3"):
            calibration.calibration_error(confidence, correct, kind, 3)
        return
    found = calibration.calibration_error(confidence, correct, kind, 3)
    assert found == pytest.approx(in_words(confidence, correct, kind, 3))


@pytest.mark.parametrize("kind", calibration.KINDS)
def test_replicates_are_the_statistic_of_the_resampled_items(kind):
    confidence, correct = draw(np.random.default_rng(1), 250, 5)
    order = np.argsort(confidence, kind="stable")
    confidence, correct = confidence[order], correct[order]
    found = calibration.calibration_interval(confidence, correct, np.random.default_rng(2), kind, 50, 300)
    assert found.estimate == calibration.calibration_error(confidence, correct, kind, 50)
    drawn = np.concatenate(list(bootstrap.draws(250, 300, np.random.default_rng(2))))
    loop = []
    for row in drawn:
        row = np.sort(row)
        loop.append(calibration.calibration_error(confidence[row], correct[row], kind, 50) ** 2)
    shifted = np.quantile(loop, [0.025, 0.975]) - np.mean(loop) + found.estimate**2
    assert (found.low, found.high) == pytest.approx(tuple(np.sqrt(np.maximum(shifted, 0))))


def test_debiased_interval_covers_the_true_error():
    # Simulated: seed 3, true gap 0.15, 400 answers, 200 trials.
    def data(rng):
        confidence = 0.3 + 0.6 * rng.random(400)
        return confidence, (rng.random(400) < confidence - 0.15).astype(float)

    rng = np.random.default_rng(3)
    found = [calibration.calibration_interval(*data(rng), rng, bin_size=50, resamples=200) for _ in range(200)]
    assert 0.91 < np.mean([one.low <= 0.15 <= one.high for one in found]) < 0.98


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30))
def test_auc_is_the_mann_whitney_statistic(rows):
    score, correct = np.array([s for s, _ in rows], float), np.array([float(r) for _, r in rows])
    if correct.all() or not correct.any():
        assert calibration.auc(score, correct) is None
        return
    right, wrong = score[correct == 1], score[correct == 0]
    u = stats.mannwhitneyu(right, wrong).statistic
    assert calibration.auc(score, correct) == pytest.approx(u / (len(right) * len(wrong)))


@pytest.mark.parametrize("correct", [np.arange(60) % 2, np.arange(60) < 2])  # resamples of one class are left out
@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(40), [1, 2] * 20)])
def test_auc_interval_by_weights_is_that_of_the_plain_statistic_to_the_last_bit(correct, clusters):
    score = np.round(np.random.default_rng(0).normal(correct, 1.5))
    fast = calibration.auc_interval(score, correct, np.random.default_rng(1), 400, clusters=clusters)
    slow = bootstrap.statistic_interval(
        calibration.auc, [score, correct], np.random.default_rng(1), 400, clusters=clusters
    )
    assert fast == slow and (fast.undefined > 0) == (correct.sum() == 2)


def test_separated_classes_get_an_exact_interval_and_no_information_the_whole_range():
    found = calibration.auc_interval(np.arange(20), np.arange(20) >= 12, np.random.default_rng(1))
    assert found.method == "exact" and (found.low, found.high) == pytest.approx(clopper_pearson(8, 8))
    turned = calibration.auc_interval(-np.arange(20), np.arange(20) >= 12, np.random.default_rng(1))
    assert (turned.low, turned.high) == pytest.approx(clopper_pearson(0, 8))
    found = calibration.calibration_interval(*draw(np.random.default_rng(0), 150), np.random.default_rng(1), "official")
    assert (found.estimate, found.low, found.high, found.method) == (0, 0, 1, "range")


def test_auc_over_few_clusters_is_student_on_the_jackknife():
    rng = np.random.default_rng(5)
    correct, labels = rng.integers(0, 2, 60), np.arange(60) // 6
    score = np.round(rng.normal(correct, 1.5), 1)
    found = calibration.auc_interval(score, correct, rng, clusters=labels, level=0.9)
    without = [calibration.auc(score[labels != label], correct[labels != label]) for label in range(10)]
    half = stats.t.ppf(0.95, 9) * np.sqrt(9 / 10 * ((np.array(without) - np.mean(without)) ** 2).sum())
    assert (found.low, found.high) == pytest.approx((max(found.estimate - half, 0), min(found.estimate + half, 1)))
    assert found.method == "jackknife t"
    alone = calibration.auc_interval([1, 3, 2, 4], [0, 1, 0, 0], rng, clusters=["a", "b", "b", "b"])
    assert alone.estimate == pytest.approx(2 / 3) and np.isnan(alone.low)  # without b one class is left


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=2, max_size=12))
def test_no_other_threshold_is_better(rows):
    p, right = np.array([n / 10 for n, _ in rows]), np.array([yes for _, yes in rows])
    if right.all() or not right.any():
        with pytest.raises(ValueError, match="right and wrong"):
            calibration.best_threshold(p, right)
        return
    youden = [(p > t)[right].mean() - (p > t)[~right].mean() for t in np.arange(0, 1, 0.05)]
    found = calibration.best_threshold(p, right)
    assert (p > found)[right].mean() - (p > found)[~right].mean() == pytest.approx(max(youden))
    assert 0 <= found < 1 and float(f"{found:.6f}") == found  # as the notation writes it: C>0.55
