from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.stats import judge_error
from proctor.stats.proportions import Confusion
from scipy import optimize, stats
from statsmodels.stats.proportion import proportion_confint

CALIBRATION = Confusion(tp=45, fn=5, fp=8, tn=42)
SHARE = st.floats(0, 1)


def rng(seed=0):
    return np.random.default_rng(seed)


def judged(n, others, accuracy=0.3, sensitivity=0.85, specificity=0.9, seed=0, trials=()):
    """Truth and verdicts, 0/1, of n verified items and verdicts of others."""
    draw = rng(seed)
    truth = draw.random((*trials, n + others)) < accuracy
    verdict = draw.random(truth.shape) < np.where(truth, sensitivity, 1 - specificity)
    return truth[..., :n].astype(float), verdict[..., :n].astype(float), verdict[..., n:].astype(float)


@settings(deadline=None)  # a loaded machine must not fail the test
@given(SHARE, SHARE, SHARE)
def test_correcting_undoes_what_the_judge_did(accuracy, sensitivity, specificity):
    if sensitivity + specificity < 1.001:
        return
    seen = judge_error.pass_rate(accuracy, sensitivity, specificity)
    assert judge_error.rogan_gladen(np.clip(seen, 0, 1), sensitivity, specificity) == pytest.approx(accuracy, abs=1e-9)


@pytest.fixture(scope="module")
def others(defined):
    """Limits by other methods, of 4_corrections: others("delta", k, n), calibrated as here."""
    names = dict(np=np, norm=stats.norm, percentiles=judge_error.percentiles, SENSITIVITY=0.9, SPECIFICITY=0.9)
    known = defined("hle_verified/4_corrections", **names)
    by = {"delta": known.by_delta, "bootstrap": known.by_bootstrap}
    return lambda name, k, n: np.ravel(by[name]([k], n, [45], 50, [42], 50, rng(2), 4000, 0.95))


def test_delta_interval_has_the_variance_of_numerical_propagation(others):
    k, n = 60, 200
    shares = np.array([k / n, CALIBRATION.recall, CALIBRATION.specificity])
    gradient = optimize.approx_fprime(shares, lambda x: float((x[0] + x[2] - 1) / (x[1] + x[2] - 1)), 1e-7)
    sd = np.sqrt((gradient**2 * shares * (1 - shares) / [n, 50, 50]).sum())
    raw = judge_error.rogan_gladen(k / n, CALIBRATION.recall, CALIBRATION.specificity)
    assert others("delta", k, n) == pytest.approx([raw - 1.959964 * sd, raw + 1.959964 * sd])


def test_bootstrap_interval_is_that_of_resampling_answers_one_by_one(others):
    """The counts are binomial because each sample's answers are drawn with replacement, apart from each other."""
    draw, k, n = rng(1), 60, 200
    samples = [np.arange(n) < k, np.arange(50) < CALIBRATION.tp, np.arange(50) < CALIBRATION.tn]
    p, sensitivity, specificity = (draw.choice(x, (4000, len(x))).mean(axis=1) for x in samples)
    by_hand = np.quantile((p + specificity - 1) / (sensitivity + specificity - 1), [0.025, 0.975])
    assert others("bootstrap", k, n) == pytest.approx(by_hand, abs=0.015)


def test_jeffreys_interval_is_statsmodels_when_the_judge_is_faultless_and_well_calibrated():
    many = 10**7
    found = judge_error.estimated_judge(13, 40, Confusion(tp=many, fn=0, fp=0, tn=many), rng(), resamples=100_000)
    assert (found.low, found.high) == pytest.approx(proportion_confint(13, 40, method="jeffreys"), abs=3e-3)


def test_estimates_are_clipped_and_the_draws_that_weak_judges_lose_are_counted():
    found = judge_error.estimated_judge(5, 200, CALIBRATION, rng())
    assert found.estimate == found.low == 0 and judge_error.rogan_gladen(5 / 200, 0.9, 0.84) < 0
    found = judge_error.estimated_judge(60, 200, Confusion(tp=14, fn=6, fp=10, tn=10), rng(), resamples=2000)
    assert 0 < found.undefined < 1000
    counts, formula = np.array([[60, 60], [14, 10], [10, 10]]), judge_error.corrected_or_nan
    low, _, undefined = judge_error.drawn_limits(formula, counts, (200, 20, 20), rng(), 200, 0.95)
    assert np.isfinite(low[0]) and np.isnan(low[1]) and (undefined > 0).all()
    counts = np.array([[60], [45], [42]])
    low, high, undefined = judge_error.drawn_limits(formula, counts, (200, 50, 50), rng(9), 500, 0.95)
    found = judge_error.estimated_judge(60, 200, CALIBRATION, rng(9), resamples=500)
    assert (found.low, found.high, found.undefined) == (low[0], high[0], undefined[0])


def test_tuned_weight_gives_the_least_variance_of_all_weights():
    truth, proxy, rest = judged(100, 400, seed=5)
    every = np.concatenate([proxy, rest])

    def variance(proxy_weight):  # the proxy's variance taken over all items in both places, as the weight takes it
        var = every.var(ddof=1)
        return (
            truth.var(ddof=1) - 2 * proxy_weight * np.cov(truth, proxy)[0, 1] + proxy_weight**2 * var
        ) / 100 + proxy_weight**2 * var / 400

    best = optimize.minimize_scalar(variance, (0, 1)).x
    assert judge_error.power_weight(truth, proxy, rest) == pytest.approx(best, abs=1e-6)


@settings(deadline=None)
@given(
    st.lists(st.tuples(SHARE, SHARE), min_size=3, max_size=20),
    st.lists(SHARE, min_size=2, max_size=20),
    st.floats(-2, 2),
)
def test_estimate_is_the_definition_for_any_scores_and_weight(pairs, rest, proxy_weight):
    truth, proxy = np.array(pairs).T
    estimate, low, high, used = judge_error.ppi_limits(truth, proxy, rest, proxy_weight)
    assert (
        estimate == pytest.approx(proxy_weight * np.mean(rest) + np.mean(truth - proxy_weight * proxy))
        and used == proxy_weight
    )
    half = 1.959964 * np.sqrt(proxy_weight**2 * stats.sem(rest) ** 2 + stats.sem(truth - proxy_weight * proxy) ** 2)
    assert (low, high) == pytest.approx((estimate - half, estimate + half), abs=1e-6)


def test_smoothed_limits_are_the_normal_ones_of_doubled_data_with_the_four_corners():
    """A half item at each corner is one item at each corner of data in which every item stands twice, but for n."""
    truth, proxy, rest = judged(50, 200, seed=7)
    both = [np.concatenate([x, x, corners]) for x, corners in ((truth, [0, 0, 1, 1]), (proxy, [0, 1, 0, 1]))]
    doubled = both[0] - 0.7 * both[1]
    centre = doubled.mean() + 0.7 * rest.mean()
    half = 1.959964 * np.sqrt(doubled.var() / 51 + 0.49 * rest.var(ddof=1) / 200)  # 52 items, less one
    _, low, high, _ = judge_error.ppi_limits(truth, proxy, rest, 0.7, pseudo=0.5)
    assert (low, high) == pytest.approx((centre - half, centre + half))


def test_vectorised_rows_are_the_single_results_and_a_constant_proxy_has_weight_zero():
    truth, proxy, rest = judged(30, 100, seed=8, trials=(5,))
    limits = np.array(judge_error.ppi_limits(truth, proxy, rest))
    for i in range(5):
        assert limits[:, i] == pytest.approx(np.array(judge_error.ppi_limits(truth[i], proxy[i], rest[i])))
    assert judge_error.power_weight(judged(40, 0)[0], np.full(40, 0.3), np.full(90, 0.3)) == 0


# What wrong keys do to accuracy


@pytest.mark.parametrize("accuracy, wrong_keys, options", [(0.3, 0.1, 3), (0.8, 0.3, 3), (0.05, 0.5, 1), (0.9, 0.2, 9)])
def test_observed_accuracy_is_the_sum_over_all_answers_and_keys(accuracy, wrong_keys, options):
    """Brute force: option 0 is right, each wrong one as likely as another, for answer and key."""
    answer = np.r_[accuracy, np.full(options, (1 - accuracy) / options)]
    key = np.r_[1 - wrong_keys, np.full(options, wrong_keys / options)]
    agree = sum(answer[i] * key[j] for i, j in product(range(options + 1), repeat=2) if i == j)
    assert judge_error.observed_accuracy(accuracy, wrong_keys, 1 / options) == pytest.approx(agree)


@given(SHARE, SHARE, st.floats(0, 0.49), SHARE)
def test_a_difference_shrinks_by_the_same_factor_whatever_the_accuracies(a, b, wrong_keys, wrong_key_match_rate):
    seen = judge_error.observed_accuracy(a, wrong_keys, wrong_key_match_rate) - judge_error.observed_accuracy(
        b, wrong_keys, wrong_key_match_rate
    )
    assert seen == pytest.approx((a - b) * (1 - wrong_keys * (1 + wrong_key_match_rate)), abs=1e-12)


def test_a_share_out_of_range_is_named():
    for accuracy, wrong, message in ((30, 0.1, r"accuracy\[0\] is 30"), (0.3, -0.1, r"wrong_keys\[0\] is -0.1")):
        with pytest.raises(ValueError, match=message):
            judge_error.observed_accuracy(accuracy, wrong)
