import numpy as np
import pandas as pd
import pytest
from proctor.kina import simulated_boards
from proctor.stats.proportions import wilson
from scipy.stats import t

ASSUMED = (25, 45.0, 38.0), (14, 20.0, 11.0)
SETTINGS = dict(samples=4, difficulty_sd=2.0, interaction_sd=1.0)


@pytest.fixture(scope="module")
def models():
    return simulated_boards.simulated_models(*ASSUMED)


@pytest.fixture(scope="module")
def exams(models):
    return simulated_boards.draw_exams(models["accuracy"], 4, np.random.default_rng(0), **SETTINGS)


def test_names_get_the_digits_that_tell_them_apart():
    models = simulated_boards.simulated_models((25, 45.0, 44.0), (14, 20.0, 11.0))
    assert models["model"].is_unique and models["model"].str.contains(r"\.\d\d %").all()


@pytest.mark.parametrize(
    "strong, low, words",
    [
        ((24, 45.0, 38.0), ASSUMED[1], "38 models: with the 3 printed ones they must be 42"),
        ((25, 49.0, 38.0), ASSUMED[1], "must fall from 48.55 %"),
        (ASSUMED[0], (14, 20.0, 9.0), "stay above chance, 10 %"),
    ],
)
def test_assumptions_that_do_not_fit_the_printed_numbers_are_refused(strong, low, words):
    with pytest.raises(ValueError, match=words):
        simulated_boards.simulated_models(strong, low)


def test_exams_have_the_accuracies_together_and_not_one_by_one(models, exams):
    assert exams.shape == (4, 42, 899)
    assert exams.mean(axis=(0, 2)) == pytest.approx(models["accuracy"].to_numpy(), abs=0.02)
    assert np.ptp(exams.mean(axis=2), axis=0).max() > 0.01


def test_numbers_have_students_interval_over_exams():
    values = pd.Series([3.0, 5.0, 4.0, 8.0, np.nan])
    found = simulated_boards.over_exams(values, "points", family=2)
    reach = t.ppf(1 - 0.0125, 3) * values.std() / 2
    assert (found.low, found.high) == pytest.approx((5 - reach, 5 + reach))
    assert (found.n, found.of, found.level, found.family) == (4, "simulated exams", 0.975, 2)


def test_equal_numbers_have_an_interval_of_some_width():
    found = simulated_boards.over_exams(pd.Series(np.full(10, 50.0)), "%")
    assert found.low < 50 < found.high


def test_flags_are_in_percent_with_wilsons_interval():
    found = simulated_boards.over_exams(pd.Series([True, False, np.nan, True, True]), "%")
    assert found.estimate == 75 and (found.low, found.high) == pytest.approx([100 * x for x in wilson(3, 4)])
