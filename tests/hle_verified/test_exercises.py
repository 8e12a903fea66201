"""What HLE-Verified's exercises expect, against the library."""

import numpy as np
import pytest
from proctor.hle_verified import exercises
from proctor.hle_verified.key_noise import observed_accuracy


@pytest.mark.parametrize("match", [0.0, 0.25])
def test_so_many_wrong_keys_show_what_is_shown(match):
    assert observed_accuracy(0.3, exercises.wrong_keys(match), match) == pytest.approx(0.25)


def test_the_gap_of_two_halves():
    assert exercises.rms_gap(0.1) == pytest.approx(np.sqrt(np.mean(np.square([0.8 - 0.1, 1.0 - 0.1]))))


def test_common_mistakes_have_their_own_hint():
    first, second, third, fourth = exercises.exercises().values()
    assert "reviewed keys" in fourth.mark(53.3) and fourth.mark(88.9) == "right"
    assert "free answers" in first.mark(16.7) and "gain in accuracy" in second.mark(40)
    assert "divides" in third.mark(3.9) and third.mark(39) == "right"
