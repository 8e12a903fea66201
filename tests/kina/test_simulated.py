"""Simulated leaderboards of KINA's size, the example among them, and a simulated field of knowledge."""

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.kina import simulated
from proctor.stats.proportions import wilson
from scipy.stats import t

ASSUMED = (25, 45.0, 38.0), (14, 20.0, 11.0)
SETTINGS = dict(samples=4, difficulty_sd=2.0, interaction_sd=1.0)


def test_names_get_the_digits_that_tell_them_apart():
    models = simulated.simulated_models((25, 45.0, 44.0), (14, 20.0, 11.0))
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
        simulated.simulated_models(strong, low)


def test_exams_have_the_accuracies_together_and_not_one_by_one():
    accuracy = simulated.simulated_models(*ASSUMED)["accuracy"]
    exams = simulated.draw_exams(accuracy, 4, np.random.default_rng(0), **SETTINGS)
    assert exams.shape == (4, 42, 899)
    assert exams.mean(axis=(0, 2)) == pytest.approx(accuracy.to_numpy(), abs=0.02)
    assert np.ptp(exams.mean(axis=2), axis=0).max() > 0.01


def test_the_example_that_ships_is_every_third_of_42_drawn_models():
    models = simulated.simulated_models(*ASSUMED)
    (scores,) = simulated.draw_exams(models["accuracy"], 1, np.random.default_rng(20260101), **SETTINGS)
    made = pd.DataFrame(scores[::3].T, columns=models["model"][::3]).map("{:g}".format)
    made.insert(0, "discipline", [f"discipline {label}" for label in simulated.disciplines()])
    text = made.to_csv(index_label="item", lineterminator="\n")
    assert (paths.ROOT / "data/examples/leaderboard.csv").read_text() == text


def test_numbers_have_students_interval_over_exams():
    values = pd.Series([3.0, 5.0, 4.0, 8.0, np.nan])
    found = simulated.over_exams(values, "points", family=2)
    reach = t.ppf(1 - 0.0125, 3) * values.std() / 2
    assert (found.low, found.high) == pytest.approx((5 - reach, 5 + reach))
    assert (found.n, found.of, found.level, found.family) == (4, "simulated exams", 0.975, 2)
    equal = simulated.over_exams(pd.Series(np.full(10, 50.0)), "%")
    assert equal.low < 50 < equal.high


def test_flags_are_in_percent_with_wilsons_interval():
    found = simulated.over_exams(pd.Series([True, False, np.nan, True, True]), "%")
    assert found.estimate == 75 and (found.low, found.high) == pytest.approx([100 * x for x in wilson(3, 4)])


# a field of knowledge

FIELD = simulated.Field(disciplines=3, topics=10, reach=2, namings=30, skew=1.0, proposals=40)


def test_an_item_tests_its_neighbours_within_its_discipline_only():
    row = FIELD.similarity(np.array([10])).toarray()[0]
    assert row[10:13] == pytest.approx([1, 2 / 3, 1 / 3]) and row.sum() == pytest.approx(2)  # none of discipline 0
    assert FIELD.similarity(np.array([15])).toarray()[0, 13:18] == pytest.approx([1 / 3, 2 / 3, 1, 2 / 3, 1 / 3])


def test_topics_are_drawn_less_often_in_each_next_discipline():
    found = np.bincount(FIELD.discipline[FIELD.draw(30_000, 1.0, np.random.default_rng(1))])
    assert found[1:] / found[:-1] == pytest.approx(np.exp([-1, -1]), rel=0.06)


def test_weights_of_anchors_are_how_often_they_were_named():
    proxy = FIELD.anchors(np.array([0, 29]), np.array([5, 5, 20]))
    assert proxy.weights.tolist() == [2, 1] and proxy.similarity.shape == (2, 2)
