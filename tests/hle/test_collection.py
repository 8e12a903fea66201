"""The check in one equation against quadrature and all patterns counted."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.hle.submission import Solving, fit_difficulty, guess_passes
from scipy import integrate


@settings(max_examples=30, deadline=None)
@given(st.floats(0.3, 5), st.floats(0.3, 5), st.integers(1, 6))
def test_shares_equal_the_integrals_over_all_chances(a, b, models):
    def mean(f):
        return integrate.quad(f, 0, 1, weight="alg", wvar=(a - 1, b - 1))[0]

    whole, passing = mean(lambda p: 1), mean(lambda p: (1 - p) ** models)
    one = Solving(a, b)
    assert one.passes(models) == pytest.approx(passing / whole)
    assert one.before == pytest.approx(mean(lambda p: p) / whole)
    assert one.retest_accuracy(models) == pytest.approx(mean(lambda p: p * (1 - p) ** models) / passing)


@given(st.floats(0.01, 0.95), st.floats(0.01, 0.6), st.integers(1, 8))
def test_fit_difficulty_finds_the_chances_or_says_why_there_are_none(passes, again, models):
    if passes >= (1 - again) ** models:
        with pytest.raises(ValueError, match="all alike"):
            fit_difficulty(passes, again, models)
    elif passes < 0.99 * (1 - again) ** models:
        found = fit_difficulty(passes, again, models)
        assert found.passes(models) == pytest.approx(passes) and found.retest_accuracy(models) == pytest.approx(again)


def test_chance_that_a_guessed_question_passes_equals_all_patterns_counted():
    for models, options in ((4, 5), (6, 5), (4, 10)):
        none, one = (1 - 1 / options) ** models, models / options * (1 - 1 / options) ** (models - 1)
        assert guess_passes(models, options, "all but one") == pytest.approx(none + one)
    assert guess_passes(4, 5, "below chance") == pytest.approx(0.8**4)
