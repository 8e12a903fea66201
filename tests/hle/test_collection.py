"""The check in one equation against draws and quadrature, and the simulated collection."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.hle.submission import (
    CollectionPlan,
    Solving,
    calibrate,
    collect,
    fit_difficulty,
    guess_passes,
    review_scores,
)
from proctor.stats.agreement import alpha
from proctor.stats.proportions import precision_at
from scipy import integrate, stats

PLAN = CollectionPlan(Solving(0.6, 0.4), questions=30_000, accepted=3_000)


@pytest.fixture(scope="module")
def drawn():
    return collect(PLAN, np.random.default_rng(0))


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


def test_a_plain_collection_meets_the_equation():
    plain = collect(replace(PLAN, choice=0, wrong_keys=0, text_models=0), np.random.default_rng(1))
    expected = PLAN.solving
    assert plain.stumped.mean() == pytest.approx(expected.passes(4), abs=0.012)
    assert plain.first.mean() == pytest.approx(expected.before, abs=0.012)
    assert plain.retest_accuracy[plain.stumped].mean() == pytest.approx(expected.retest_accuracy(4), abs=0.012)
    assert plain.first[plain.stumped].max() == 0


def test_the_check_multiplies_wrong_keys_by_bayes(drawn):
    exact = ~drawn.choice
    sound = drawn.stumped[exact & ~drawn.wrong_key].mean()
    assert drawn.stumped[exact & drawn.wrong_key].all()  # no exact answer meets a wrong key
    found = drawn.wrong_key[exact & drawn.stumped].mean()
    assert found == pytest.approx(precision_at(drawn.wrong_key[exact].mean(), 1, 1 - sound))
    assert found > 2 * drawn.wrong_key.mean()


def test_nothing_is_accepted_that_did_not_pass_and_reviews_lift_quality(drawn):
    assert drawn.accepted.sum() == PLAN.accepted and not (drawn.accepted & ~drawn.stumped).any()
    assert abs(drawn.quality[drawn.stumped].mean()) < 0.05 and drawn.quality[drawn.accepted].mean() > 0.3
    assert np.isnan(drawn.scores[:, ~drawn.stumped]).all() and not np.isnan(drawn.scores[0, drawn.stumped]).any()


def test_reviewers_who_see_every_wrong_key_leave_none():
    found = collect(replace(PLAN, detection_rate=1), np.random.default_rng(2))
    assert found.wrong_key[found.stumped].any() and not found.wrong_key[found.accepted].any()


def test_where_models_find_other_questions_hard_the_exam_is_easier_for_a_held_out_model():
    found = collect(replace(PLAN, own=0.5, accepted=1_000, questions=60_000), np.random.default_rng(3))
    assert found.held_out_model[found.stumped].mean() > found.retest_accuracy[found.stumped].mean() + 0.05


def test_scores_are_even_on_the_scale_and_agree_more_with_less_noise():
    rng = np.random.default_rng(4)
    quality = rng.standard_normal(6_000)
    given = review_scores(quality, 1.0, rng)
    values, counts = np.unique(given[~np.isnan(given)], return_counts=True)
    assert list(values) == [0, 1, 2, 3, 4, 5]
    assert stats.chisquare(counts).pvalue > 1e-4 and set(np.isfinite(given).sum(axis=0)) == {1, 2, 3}
    alphas = [alpha(review_scores(quality, noise, rng), ordered=True) for noise in (0.3, 1, 3)]
    assert alphas[0] > 0.8 > alphas[1] > 0.3 > alphas[2]


def test_calibrate_gives_the_three_shares():
    rng = np.random.default_rng(5)
    plan = calibrate(replace(PLAN, wrong_keys=0.03), 13 / 70, 0.054, 0.2, rng)
    found = collect(replace(plan, questions=80_000, accepted=8_000), rng)
    assert found.stumped.mean() == pytest.approx(13 / 70, abs=0.01)
    assert found.retest_accuracy[found.accepted].mean() == pytest.approx(0.054, abs=0.01)
    assert found.choice[found.accepted].mean() == pytest.approx(0.2, abs=0.03)


def test_too_few_questions_left_is_an_error():
    with pytest.raises(ValueError, match="ask for fewer"):
        collect(replace(PLAN, questions=1_000), np.random.default_rng(6))
