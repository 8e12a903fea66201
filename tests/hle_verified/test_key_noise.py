"""What wrong keys do to accuracy, against brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.hle_verified.key_noise import observed_accuracy

SHARE = st.floats(0, 1)


@pytest.mark.parametrize("accuracy, wrong_keys, options", [(0.3, 0.1, 3), (0.8, 0.3, 3), (0.05, 0.5, 1), (0.9, 0.2, 9)])
def test_observed_accuracy_is_the_sum_over_all_answers_and_keys(accuracy, wrong_keys, options):
    """Brute force: option 0 is right, each wrong one as likely as another, for answer and key."""
    answer = np.r_[accuracy, np.full(options, (1 - accuracy) / options)]
    key = np.r_[1 - wrong_keys, np.full(options, wrong_keys / options)]
    agree = sum(answer[i] * key[j] for i, j in itertools.product(range(options + 1), repeat=2) if i == j)
    assert observed_accuracy(accuracy, wrong_keys, 1 / options) == pytest.approx(agree)


@given(SHARE, SHARE, st.floats(0, 0.49), SHARE)
def test_a_difference_shrinks_by_the_same_factor_whatever_the_accuracies(a, b, wrong_keys, wrong_key_match_rate):
    seen = observed_accuracy(a, wrong_keys, wrong_key_match_rate) - observed_accuracy(
        b, wrong_keys, wrong_key_match_rate
    )
    assert seen == pytest.approx((a - b) * (1 - wrong_keys * (1 + wrong_key_match_rate)), abs=1e-12)


def test_bad_input_is_named():
    for accuracy, wrong, message in ((30, 0.1, r"accuracy\[0\] is 30"), (0.3, -0.1, r"wrong_keys\[0\] is -0.1")):
        with pytest.raises(ValueError, match=message):
            observed_accuracy(accuracy, wrong)
