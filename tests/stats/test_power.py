import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.stats.compare import mcnemar_power
from proctor.stats.interval import Interval
from proctor.stats.power import (
    corridor,
    items_needed,
    mcnemar_items,
    mcnemar_needed,
    needed_by,
    power_of,
    t_power,
    units_needed,
)
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestPower

# power


@pytest.mark.parametrize("gap, sd, n, level", [(0.03, 0.45, 899, 0.95), (-0.1, 0.6, 100, 0.9), (0.001, 1.0, 10, 0.99)])
def test_power_is_that_of_statsmodels(gap, sd, n, level):
    expected = NormalIndPower(ddof=0).power(gap / sd, n, 1 - level, ratio=0)
    assert power_of(gap, sd, n, level) == pytest.approx(expected, abs=1e-12)
    assert power_of(gap, sd, n, level) == pytest.approx(TTestPower().power(gap / sd, n, 1 - level), abs=0.03)


@settings(deadline=None)  # a loaded machine must not fail the test
@given(st.floats(0.005, 0.5), st.floats(0.05, 1), st.floats(0.5, 0.99), st.floats(0.8, 0.999))
def test_items_needed_are_the_fewest_that_have_the_power(gap, sd, power, level):
    n = items_needed(gap, sd, power, level)
    assert power_of(gap, sd, n, level) >= power - 1e-9
    # the chance of the wrong sign, which the formula leaves out, is all that one item less may still have
    bar = stats.norm.ppf((1 + level) / 2)
    wrong = stats.norm.cdf(-bar - gap / sd * np.sqrt(max(n - 1, 1)))
    assert n == 1 or power_of(gap, sd, n - 1, level) - wrong < power


@pytest.mark.parametrize("gap, sd, n, level", [(0.34, 0.25, 9, 0.95), (-0.1, 0.2, 5, 0.99), (0.02, 0.3, 9, 0.975)])
def test_power_of_few_units_is_that_of_statsmodels(gap, sd, n, level):
    expected = TTestPower().power(abs(gap) / sd, n, (1 - level) / 2, alternative="larger")
    assert t_power(gap, sd, n, level) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("gap, sd, n, level", [(0.0, 0.12, 9, 0.95), (0.08, 0.1, 9, 0.975), (0.0, 0.2, 5, 0.9)])
def test_the_power_of_a_margin_is_how_often_simulated_intervals_lie_within_it(gap, sd, n, level):
    drawn = np.random.default_rng(3).normal(gap, sd, (40_000, n))
    half = stats.t.ppf((1 + level) / 2, n - 1) * drawn.std(axis=1, ddof=1) / np.sqrt(n)
    within = (abs(drawn.mean(axis=1)) + half < 0.17).mean()
    assert t_power(gap, sd, n, level, margin=0.17) == pytest.approx(within, abs=0.01)  # four standard errors
    assert t_power(0, sd, n, level) == pytest.approx(1 - level)


@settings(deadline=None)
@given(st.floats(0.02, 2), st.floats(0.05, 1), st.floats(0.8, 0.9999))
def test_units_needed_are_the_fewest_with_the_power_of_student_s_test(gap, sd, level):
    n = float(units_needed(-gap, sd, level))
    if np.isinf(n):  # above MOST
        return
    assert n >= 2 and t_power(gap, sd, int(n), level) >= 0.8 - 1e-9
    assert n == 2 or t_power(gap, sd, int(n) - 1, level) < 0.8


def test_more_units_are_needed_than_an_undecided_study_had_at_most_10_000_are_counted_and_no_gap_has_none():
    assert units_needed([0.5, 0.5], 0.1, had=[0, 40]).tolist() == [3, 41]
    assert units_needed([1e-6, 0.0], 0.3).tolist() == [np.inf, np.inf]
    assert np.isnan(units_needed(0.1, np.nan)) and np.isnan(needed_by(Interval(0.1, 0.1, 0.1, 0.95, "exact"), 9))
    undecided = Interval(0.1, -0.05, 0.25, 0.95, "cluster t")
    assert needed_by(undecided, 9) > 9 > needed_by(Interval(0.1, 0.06, 0.14, 0.95, "cluster t"), 9)
    sd = 0.15 / stats.t.ppf(0.975, 8) * 3
    assert needed_by(undecided, 9) == units_needed(0.1, sd)
    assert items_needed([0.0, 0.5], [0.3, 0.0]).tolist() == [np.inf, 1]


@pytest.mark.parametrize("cells", [(0.2, 0.1), (0.15, 0.08), (0.1, 0.04), (0.3, 0.2)])
@pytest.mark.parametrize("level", [0.95, 1 - 0.05 / 66])
def test_items_needed_for_the_exact_test_have_its_power(cells, level):
    n, score = int(mcnemar_needed(*cells, level)), int(np.ceil(mcnemar_items(*cells, level, exact=False)))
    assert 0.8 <= mcnemar_power(*cells, n, level, exact=True) < 0.85
    assert score < n and mcnemar_power(*cells, score, level, exact=True) < 0.8
    assert mcnemar_needed(*cells, level, had=5 * n) == 5 * n + 1


# design effect


def test_design_effect_is_the_ratio_of_statsmodels_variances(defined):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 12, 150)
    scores = rng.random((3, 150)) + 0.3 * rng.standard_normal((3, 12))[:, labels]
    effects = defined("kina/3_leaderboard", np=np).design_effect(scores, labels)
    for row, found in zip(scores, effects, strict=True):
        clustered = sm.OLS(row, np.ones(150)).fit(cov_type="cluster", cov_kwds={"groups": labels}).bse[0]
        single = row.std(ddof=1) / np.sqrt(150)
        assert found == pytest.approx(clustered**2 / single**2)


# stopping early


@pytest.mark.parametrize(
    "looks, level, last",
    [
        (1, 0.95, 1.960),
        (2, 0.95, 1.977),
        (3, 0.95, 2.004),
        (4, 0.95, 2.024),
        (5, 0.95, 2.040),
        (10, 0.95, 2.087),
        (20, 0.95, 2.126),
        (5, 0.9, 1.751),
    ],
)
def test_corridor_is_that_of_the_printed_tables(looks, level, last):
    """Constants of the O'Brien-Fleming test: Jennison and Turnbull, Group Sequential Methods (2000), table 2.3."""
    bars = corridor(looks, level)
    assert bars[-1] == pytest.approx(last, abs=6e-4)
    assert np.allclose(bars * np.sqrt(np.arange(1, looks + 1)), bars[0])
