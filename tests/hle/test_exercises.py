"""What HLE's exercises expect, against formulas."""

import numpy as np
import pandas as pd
import pytest
from proctor.hle import exercises
from scipy.stats import binom

ANSWERS = pd.DataFrame({"confidence": [0.9, 1.0, 0.95, 0.2, np.nan], "correct": [True, False, False, True, True]})


def test_options_needed_is_the_first_number_that_loses_few():
    lost = [binom.sf(1, 6, 1 / options) for options in (exercises.options_needed() - 1, exercises.options_needed())]
    assert lost[0] > 0.1 >= lost[1]


def test_least_confidence():
    assert exercises.least_confidence("GPT-4o") == pytest.approx(100 * (0.925**2 - 0.033))


def test_only_sure_answers_count():
    assert exercises.right_among_sure(ANSWERS) == pytest.approx(100 / 3)


def test_common_mistakes_have_their_own_hint():
    first, second, third, fourth = exercises.exercises(ANSWERS).values()
    assert "equal text" in fourth.mark(-50) and "before" in fourth.mark(100) and fourth.mark(50) == "right"
    assert "second one" in first.mark(58) and "square" in second.mark(89.2) and "all answers" in third.mark(60)
