import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats import bootstrap
from proctor.stats.calibration import (
    auc,
    auc_interval,
    best_threshold,
    calibration_error,
    calibration_interval,
    resampled_auc,
)
from proctor.stats.proportions import clopper_pearson
from scipy import stats


def official_in_words(confidence, correct, size=100):
    """Sort; bins of `size`, the remainder joined to the last; the last left out of the sum; weights over all n."""
    pairs = sorted(zip(confidence, correct), key=lambda pair: pair[0])
    bins = []
    while len(pairs) - len(bins) * size >= size:
        bins.append(pairs[len(bins) * size : (len(bins) + 1) * size])
    bins[-1] = pairs[(len(bins) - 1) * size :]
    total = 0.0
    for held in bins[:-1]:
        gap = sum(c for c, _ in held) / len(held) - sum(r for _, r in held) / len(held)
        total += len(held) / len(pairs) * gap**2
    return math.sqrt(total)


def draw(rng, n, steps=None):
    confidence = rng.random(n) if steps is None else rng.integers(0, steps + 1, n) / steps
    return confidence, (rng.random(n) < confidence**2).astype(float)


@pytest.mark.parametrize("n", [200, 201, 299, 300, 457, 1000])
@pytest.mark.parametrize("steps", [None, 4])
def test_official_follows_the_definition_ties_and_all(n, steps):
    confidence, correct = draw(np.random.default_rng(n), n, steps)
    found = calibration_error(confidence, correct)
    assert found == pytest.approx(official_in_words(confidence, correct)) and found > 0


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=3, max_size=40))
def test_official_follows_the_definition_in_bins_of_three(rows):
    confidence, correct = np.array([c / 4 for c, _ in rows]), np.array([float(r) for _, r in rows])
    found = calibration_error(confidence, correct, bin_size=3)
    assert found == pytest.approx(official_in_words(confidence, correct, 3))


def test_official_does_not_exist_below_one_bin():
    confidence, correct = draw(np.random.default_rng(0), 99)
    with pytest.raises(ValueError, match="99 answers do not fill one bin"):
        calibration_error(confidence, correct)


@pytest.mark.parametrize("n", [100, 150, 199])
def test_official_is_zero_below_two_bins_whatever_the_answers(n):
    assert calibration_error(np.ones(n), np.zeros(n)) == 0
    assert calibration_error(np.ones(n), np.zeros(n), "all_bins") == 1


def test_official_leaves_out_the_most_confident_answers():
    confidence = np.r_[np.full(100, 0.2), np.full(150, 0.9)]
    correct = np.zeros(250)
    assert calibration_error(confidence, correct) == pytest.approx(math.sqrt(100 / 250 * 0.04))
    assert calibration_error(confidence, correct, "all_bins") == pytest.approx(
        math.sqrt(100 / 250 * 0.04 + 150 / 250 * 0.81)
    )


def test_ties_keep_the_order_of_the_items():
    correct = np.r_[np.ones(100), np.zeros(100)]
    assert calibration_error(np.ones(200), correct) == 0
    assert calibration_error(np.ones(200), correct[::-1]) == pytest.approx(math.sqrt(0.5))


def test_all_bins_of_few_answers_is_the_gap_of_the_means():
    confidence, correct = draw(np.random.default_rng(0), 60)
    assert calibration_error(confidence, correct, "all_bins") == pytest.approx(abs(confidence.mean() - correct.mean()))


def test_debiased_is_nearly_unbiased_where_all_bins_is_not():
    rng = np.random.default_rng(5)  # simulated: 600 answers in bins of 20, true gap 0.1 everywhere
    squares = {"all_bins": [], "debiased": []}
    for _ in range(400):
        confidence = 0.3 + 0.6 * rng.random(600)
        correct = (rng.random(600) < confidence - 0.1).astype(float)
        for kind, values in squares.items():
            values.append(calibration_error(confidence, correct, kind, 20) ** 2)
    all_bins, debiased = np.mean(squares["all_bins"]), np.mean(squares["debiased"])
    assert debiased == pytest.approx(0.01, abs=0.0006)
    assert all_bins == pytest.approx(0.01 + 0.225 / 20, abs=0.002) and all_bins > 1.8 * debiased


def test_debiased_of_a_calibrated_model_is_often_zero_and_never_nan():
    rng = np.random.default_rng(6)
    found = []
    for _ in range(60):
        confidence = rng.random(300)
        found.append(calibration_error(confidence, (rng.random(300) < confidence).astype(float), "debiased"))
    assert 0.2 < np.mean(np.array(found) == 0) < 0.8 and np.isfinite(found).all()


def test_debiased_subtracts_the_variance_of_each_bins_accuracy():
    confidence = np.r_[np.full(5, 0.2), np.full(5, 0.9)]
    correct = np.array([0, 0, 0, 0, 1, 0, 0, 0, 1, 1.0])
    bins = [(0.0, 0.2 * 0.8 / 4), (0.5**2, 0.4 * 0.6 / 4)]
    assert calibration_error(confidence, correct, "debiased", 5) == pytest.approx(
        math.sqrt(sum(gap - luck for gap, luck in bins) / 2)
    )


@pytest.mark.parametrize("kind", ["official", "all_bins", "debiased"])
def test_replicates_are_the_statistic_of_the_resampled_items(kind):
    confidence, correct = draw(np.random.default_rng(1), 250, 5)
    order = np.argsort(confidence, kind="stable")
    confidence, correct = confidence[order], correct[order]
    found = calibration_interval(confidence, correct, np.random.default_rng(2), kind, 50, 300)
    assert found.estimate == calibration_error(confidence, correct, kind, 50)
    drawn = np.concatenate(list(bootstrap.draws(250, 300, np.random.default_rng(2))))
    loop = []
    for row in drawn:
        row = np.sort(row)
        loop.append(calibration_error(confidence[row], correct[row], kind, 50) ** 2)
    shifted = np.quantile(loop, [0.025, 0.975]) - np.mean(loop) + found.estimate**2
    assert (found.low, found.high) == pytest.approx(tuple(np.sqrt(np.maximum(shifted, 0))))


def test_debiased_interval_covers_the_true_error():
    # Simulated: seed 3, true gap 0.15, 400 answers, 300 trials.
    def data(rng):
        confidence = 0.3 + 0.6 * rng.random(400)
        return confidence, (rng.random(400) < confidence - 0.15).astype(float)

    rng = np.random.default_rng(3)
    found = [calibration_interval(*data(rng), rng, bin_size=50, resamples=200) for _ in range(300)]
    assert 0.91 < np.mean([one.low <= 0.15 <= one.high for one in found]) < 0.98


def test_interval_without_information_is_the_whole_range():
    found = calibration_interval(*draw(np.random.default_rng(0), 150), np.random.default_rng(1), "official")
    assert (found.estimate, found.low, found.high, found.method) == (0, 0, 1, "range")


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30))
def test_auc_is_the_mann_whitney_statistic(rows):
    score, correct = np.array([s for s, _ in rows], float), np.array([float(r) for _, r in rows])
    if correct.all() or not correct.any():
        assert auc(score, correct) is None
        return
    right, wrong = score[correct == 1], score[correct == 0]
    u = stats.mannwhitneyu(right, wrong).statistic
    assert auc(score, correct) == pytest.approx(u / (len(right) * len(wrong)))


@pytest.mark.parametrize("clusters", [None, np.arange(120) // 3])
def test_auc_interval_agrees_with_the_general_bootstrap(clusters):
    rng = np.random.default_rng(0)
    correct = rng.integers(0, 2, 60 if clusters is None else 120).astype(float)
    score = np.round(rng.normal(correct, 1.5))
    fast = auc_interval(score, correct, np.random.default_rng(1), 400, clusters=clusters)
    slow = bootstrap.statistic_interval(auc, [score, correct], np.random.default_rng(1), 400, clusters=clusters)
    assert (fast.low, fast.high) == pytest.approx((slow.low, slow.high))


def test_auc_interval_counts_resamples_of_one_class():
    found = auc_interval(np.arange(30) % 7, np.arange(30) < 2, np.random.default_rng(1), 2000)
    assert found.undefined == pytest.approx(2000 * (28 / 30) ** 30, abs=100)


def test_separated_classes_get_an_exact_interval():
    found = auc_interval(np.arange(20), np.arange(20) >= 12, np.random.default_rng(1))
    assert found.method == "exact" and (found.low, found.high) == pytest.approx(clopper_pearson(8, 8))
    turned = auc_interval(-np.arange(20), np.arange(20) >= 12, np.random.default_rng(1))
    assert (turned.low, turned.high) == pytest.approx(clopper_pearson(0, 8))


@pytest.mark.parametrize(
    "confidence, correct, message",
    [
        ([0.5, 80], [1, 0], r"confidence\[1\] is 80"),
        ([0.5, np.nan], [1, 0], r"confidence\[1\] is nan"),
        ([0.5, 0.5], [1, 2], r"correct\[1\] is 2"),
        ([0.5], [1, 0], "lengths differ"),
    ],
)
def test_bad_input_is_named(confidence, correct, message):
    with pytest.raises(ValueError, match=message):
        calibration_error(confidence, correct, "all_bins")


def test_unknown_kind_is_named():
    with pytest.raises(ValueError, match="kind is 'ece'"):
        calibration_error([0.5], [1], "ece")


def test_resampled_auc_is_the_auc_of_each_resample():
    rng = np.random.default_rng(5)
    score, correct = rng.integers(0, 6, 30) / 5, rng.integers(0, 2, 30)  # many ties
    drawn = rng.multinomial(30, np.full(30, 1 / 30), 40).astype(float)
    drawn[0] = np.where(correct == 1, drawn[0], 0)  # one class only
    expected = [auc(np.repeat(score, row), np.repeat(correct, row)) for row in drawn.astype(int)]
    found = resampled_auc(drawn, score, correct)
    assert np.isnan(found[0]) and expected[0] is None
    assert found[1:].tolist() == expected[1:]


def test_auc_over_few_clusters_is_student_on_the_jackknife():
    rng = np.random.default_rng(5)
    correct, labels = rng.integers(0, 2, 60), np.arange(60) // 6
    score = np.round(rng.normal(correct, 1.5), 1)
    found = auc_interval(score, correct, rng, clusters=labels, level=0.9)
    without = [auc(score[labels != label], correct[labels != label]) for label in range(10)]
    half = stats.t.ppf(0.95, 9) * np.sqrt(9 / 10 * ((np.array(without) - np.mean(without)) ** 2).sum())
    assert (found.low, found.high) == pytest.approx((max(found.estimate - half, 0), min(found.estimate + half, 1)))
    assert found.method == "jackknife t"
    alone = auc_interval([1, 3, 2, 4], [0, 1, 0, 0], rng, clusters=["a", "b", "b", "b"])
    assert alone.estimate == pytest.approx(2 / 3) and np.isnan(alone.low)  # without b one class is left


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=2, max_size=12))
def test_no_other_threshold_is_better(rows):
    p, right = np.array([n / 10 for n, _ in rows]), np.array([yes for _, yes in rows])
    if right.all() or not right.any():
        with pytest.raises(ValueError, match="right and wrong"):
            best_threshold(p, right)
        return
    youden = [(p > t)[right].mean() - (p > t)[~right].mean() for t in np.arange(0, 1, 0.05)]
    found = best_threshold(p, right)
    assert (p > found)[right].mean() - (p > found)[~right].mean() == pytest.approx(max(youden))
    assert 0 <= found < 1 and float(f"{found:.6f}") == found  # as the notation writes it: C>0.55
