import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.hle_verified.key_noise import (
    calibration_under_noise,
    correct_for_keys,
    key_limits,
    noisy_exam,
    observed_accuracy,
    shrinkage,
    true_accuracy,
)
from proctor.stats import bootstrap
from proctor.stats.calibration import calibration_error
from proctor.stats.judge_error import METHODS
from proctor.stats.simulate import item_responses
from scipy import optimize

SHARE = st.floats(0, 1)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("accuracy, wrong_keys, options", [(0.3, 0.1, 3), (0.8, 0.3, 3), (0.05, 0.5, 1), (0.9, 0.2, 9)])
def test_observed_accuracy_is_the_sum_over_all_answers_and_keys(accuracy, wrong_keys, options):
    """Brute force: option 0 is right, each wrong one as likely as another, for answer and key."""
    answer = np.r_[accuracy, np.full(options, (1 - accuracy) / options)]
    key = np.r_[1 - wrong_keys, np.full(options, wrong_keys / options)]
    agree = sum(answer[i] * key[j] for i, j in itertools.product(range(options + 1), repeat=2) if i == j)
    assert observed_accuracy(accuracy, wrong_keys, 1 / options) == pytest.approx(agree)


@settings(deadline=None)  # a loaded machine must not fail the test
@given(SHARE, SHARE, SHARE)
def test_true_accuracy_undoes_the_noise(accuracy, wrong_keys, wrong_key_match_rate):
    if wrong_keys * (1 + wrong_key_match_rate) > 0.999:
        return
    seen = np.clip(observed_accuracy(accuracy, wrong_keys, wrong_key_match_rate), 0, 1)
    assert true_accuracy(seen, wrong_keys, wrong_key_match_rate) == pytest.approx(accuracy, abs=1e-9)


@settings(deadline=None)
@given(SHARE, SHARE, st.floats(0, 0.49), SHARE)
def test_a_difference_shrinks_by_the_same_factor_whatever_the_accuracies(a, b, wrong_keys, wrong_key_match_rate):
    seen = observed_accuracy(a, wrong_keys, wrong_key_match_rate) - observed_accuracy(
        b, wrong_keys, wrong_key_match_rate
    )
    assert seen == pytest.approx((a - b) * shrinkage(wrong_keys, wrong_key_match_rate), abs=1e-12)


@pytest.mark.parametrize("appeal", [[1.0], [0.25] * 4, [0.7, 0.2, 0.1], [0.001] * 1000])
def test_the_formula_holds_on_simulated_exams(appeal):
    chance = item_responses([0.1, 0.4, 0.8], 40_000, rng(1)).chance
    exam = noisy_exam(chance, 0.2, appeal, rng(2))
    assert exam.wrong_key_match_rate == pytest.approx(np.sum(np.square(appeal)))
    assert exam.flawed.mean() == pytest.approx(0.2, abs=0.01)
    assert exam.scores.mean(axis=1) == pytest.approx(
        observed_accuracy([0.1, 0.4, 0.8], 0.2, exam.wrong_key_match_rate), abs=0.012
    )


def test_sound_keys_score_the_truth_and_wrong_ones_never_a_right_answer():
    exam = noisy_exam(np.full((2, 500), 0.5), 0.4, [0.5, 0.5], rng())
    assert np.array_equal(exam.scores[:, ~exam.flawed], exam.truth[:, ~exam.flawed])
    assert not (exam.scores[:, exam.flawed] * exam.truth[:, exam.flawed]).any()


def test_flaws_on_hard_items_spare_the_weaker_model_and_may_turn_the_order():
    """The better model's lead is on hard items only, and there the keys are wrong."""
    hard = np.arange(20_000) < 10_000
    chance = np.where(hard, [[0.30], [0.05]], [[0.80], [0.85]])
    wrong_keys = np.where(hard, 0.9, 0.0)
    seen = observed_accuracy(chance, wrong_keys).mean(axis=-1)
    assert chance.mean(axis=1)[0] > chance.mean(axis=1)[1] and seen[0] < seen[1]
    exam = noisy_exam(chance, wrong_keys, [0.001] * 1000, rng(3))
    assert exam.scores.mean(axis=1) == pytest.approx(seen, abs=0.01)
    even = observed_accuracy(chance.mean(axis=1), 0.45)  # as many wrong keys, at random: the order stays
    assert even[0] > even[1]


@pytest.mark.parametrize("hit_options", [1, 4, 500])
@pytest.mark.parametrize("bias", [0.0, 0.25, -0.25])
def test_calibration_error_under_noise_is_that_of_a_simulated_exam(hit_options, bias):
    draw = rng(6)
    confidence = np.round(draw.uniform(0.25, 0.75, 60_000), 2)
    chance = confidence - bias  # overconfident for a positive bias
    exam = noisy_exam(chance[None], 0.2, [1 / hit_options] * hit_options, draw)
    true, seen = calibration_under_noise(confidence, chance, 0.2, exam.wrong_key_match_rate)
    assert calibration_error(confidence, exam.truth[0], "debiased", 1000) == pytest.approx(true, abs=0.01)
    assert calibration_error(confidence, exam.scores[0], "debiased", 1000) == pytest.approx(seen, abs=0.01)


def test_noise_makes_a_calibrated_model_overconfident_and_a_modest_one_calibrated():
    confidence = np.linspace(0, 0.9, 50)
    calibrated = calibration_under_noise(confidence, confidence, 0.1)
    assert calibrated == pytest.approx((0, 0.1 * np.sqrt(np.mean(confidence**2))), abs=1e-12)
    modest = calibration_under_noise(confidence, confidence / 0.9, 0.1)
    assert modest[0] > 0.05 and modest[1] == pytest.approx(0, abs=1e-12)
    hits = calibration_under_noise(confidence, confidence, 0.1, 0.3)
    assert hits[1] == pytest.approx(0.1 * np.sqrt(np.mean((confidence - 0.3 * (1 - confidence)) ** 2)))


@pytest.mark.parametrize("wrong_key_match_rate", [0.0, 0.3])
def test_delta_interval_for_keys_has_the_variance_of_numerical_propagation(wrong_key_match_rate):
    shares, sizes = np.array([0.3, 0.2]), np.array([500, 80])
    gradient = optimize.approx_fprime(
        shares, lambda x: float((x[0] - x[1] * wrong_key_match_rate) / (1 - x[1] * (1 + wrong_key_match_rate))), 1e-7
    )
    sd = np.sqrt((gradient**2 * shares * (1 - shares) / sizes).sum())
    found = correct_for_keys(150, 500, 16, 80, rng(), wrong_key_match_rate, "delta")
    assert found.raw == pytest.approx(true_accuracy(0.3, 0.2, wrong_key_match_rate)) and found.observed == 0.3
    assert (found.raw_low, found.raw_high) == pytest.approx((found.raw - 1.96 * sd, found.raw + 1.96 * sd), abs=1e-4)


def test_correction_for_keys_holds_the_truth_as_often_as_it_says():
    draw = rng(7)
    for accuracy, wrong_keys in ((0.3, 0.1), (0.8, 0.3)):
        k = draw.binomial(500, observed_accuracy(accuracy, wrong_keys, 0.25), 1500)
        wrong = draw.binomial(60, wrong_keys, 1500)
        low, high, undefined = key_limits(k, 500, wrong, 60, draw, 0.25, resamples=400)
        assert 0.93 <= bootstrap.held(low, high, accuracy).estimate <= 0.97 and not undefined.any()


@pytest.mark.parametrize("method", METHODS)
def test_single_correction_for_keys_is_the_row_of_the_vectorised_limits(method):
    low, high, undefined = key_limits([150], 500, [8], 80, rng(8), 0.2, method, 300)
    found = correct_for_keys(150, 500, 8, 80, rng(8), 0.2, method, 300)
    assert (found.raw_low, found.raw_high, found.undefined) == (low[0], high[0], undefined[0])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: shrinkage(0.5, 1.0), "must be below 1.*repair the keys"),
        (lambda: true_accuracy(0.3, 0.8, 0.25), "must be below 1"),
        (lambda: observed_accuracy(30, 0.1), r"accuracy\[0\] is 30"),
        (lambda: observed_accuracy(0.3, -0.1), r"wrong_keys\[0\] is -0.1"),
        (lambda: correct_for_keys(5, 10, 4, 3, rng()), "wrong is 4.*audited = 3"),
        (lambda: correct_for_keys(5, 10, 3, 3, rng()), "must be below 1"),
        (lambda: correct_for_keys(5, 10, 1, 30, rng(), method="exact"), "method is 'exact'"),
        (lambda: noisy_exam([[0.5]], 0.1, [0.5, 0.4], rng()), "appeal sums to 0.9"),
        (lambda: noisy_exam([[0.5, 0.5]], [0.1, 0.1, 0.1], [1.0], rng()), r"wrong_keys has shape \(3,\)"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
