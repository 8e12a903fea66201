"""Agreement of people and validator: the counts behind the printed percentages, and what kappa can show."""

from fractions import Fraction

import numpy as np
import pytest
from proctor.stats.agreement import agreement
from proctor.uq import human_agreement as ha


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="module")
def table():
    return ha.rated_answers(25)


def test_counts_give_back_the_printed_kappa(table):
    assert (table[ha.CELLS].sum(axis=1) == 25).all()
    gemini = table.set_index("answer_model").loc["Gemini 2.5 Pro"]
    assert Fraction(gemini["kappa"]) == Fraction(22, 47) and gemini["kappa_printed"] == "0.468"
    assert ha.kappa(*ha.verdicts_of(gemini)) == pytest.approx(22 / 47)


def test_a_number_of_people_that_no_table_fits_is_an_error():
    with pytest.raises(ValueError):
        ha.rated_answers(24)


def test_rejecting_everything_agrees_once_more_than_the_validator(table, rng):
    together = table[ha.CELLS].sum()
    found = ha.gain_over_rejecting(together, rng, 4000)
    assert found.estimate == pytest.approx(98 / 100 - 99 / 100)
    # +1 with chance 1/100, -1 with 2/100: 3 differing answers are too few for the normal interval, which is narrower
    assert 2 * 1.96 * np.sqrt(0.03 - 0.01**2) / 10 < found.high - found.low < 0.11
    assert found.low < 0 < found.high and found.method == "score"


def test_kappa_interval_counts_the_resamples_without_kappa(table, rng):
    gemini = table.set_index("answer_model").loc["Gemini 2.5 Pro"]
    found = ha.kappa_interval(gemini, rng, 4000)
    assert found.undefined / 4000 == pytest.approx((22 / 25) ** 25, abs=0.015)  # no passed answer is drawn
    assert found.low <= 0.01 and found.high > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_kappa_is_that_of_the_library(seed):
    a, b = np.random.default_rng(seed).integers(0, 3, (2, 30))
    assert ha.kappa(a, b) == pytest.approx(agreement(a.tolist(), b.tolist()).kappa)
    assert np.isnan(ha.kappa(np.ones(5), np.ones(5)))


def test_kappa_of_equal_raters_is_that_of_many_drawn_ones(rng):
    right = rng.random(200_000) < 0.2
    one, two = (right ^ (rng.random(right.size) < 0.05) for _ in range(2))
    agree, kappa = ha.kappa_of_equal_raters(0.2, 0.05)
    assert agree == pytest.approx((one == two).mean(), abs=0.005)
    assert kappa == pytest.approx(ha.kappa(one, two), abs=0.01)
