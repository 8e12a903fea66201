"""Krippendorff's alpha for ordered scores, against its definition pair by pair and the textbook's own example."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.agreement import alpha, alpha_interval

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four coders, twelve units
TEXTBOOK = np.array(
    [
        [float(x) if x != "*" else np.nan for x in row.split()]
        for row in (
            "1 2 3 3 2 1 4 1 2 * * *",
            "1 2 3 3 2 2 4 1 2 5 * 3",
            "* 3 3 3 2 3 4 2 2 5 1 *",
            "1 2 3 3 2 4 4 1 2 5 1 *",
        )
    ]
)


def by_definition(table):
    """Every pair of scores of an item, and every pair of all scores, one after the other."""
    units = [[x for x in column if x == x] for column in np.asarray(table, float).T]
    units = [unit for unit in units if len(unit) > 1]
    pool = [x for unit in units for x in unit]

    def distance(a, b):
        a, b = min(a, b), max(a, b)
        return (sum(a <= x <= b for x in pool) - (pool.count(a) + pool.count(b)) / 2) ** 2 if a != b else 0

    expected = sum(distance(pool[i], pool[j]) for i in range(len(pool)) for j in range(len(pool)) if i != j)
    if not expected:
        return None
    observed = sum(
        distance(unit[i], unit[j]) / (len(unit) - 1)
        for unit in units
        for i in range(len(unit))
        for j in range(len(unit))
        if i != j
    )
    return 1 - (observed / len(pool)) / (expected / (len(pool) * (len(pool) - 1)))


def test_the_textbook_example():
    assert alpha(TEXTBOOK, ordered=True) == pytest.approx(0.815, abs=0.0005)


@given(
    st.integers(2, 4).flatmap(
        lambda raters: st.lists(
            st.lists(st.sampled_from([0, 1, 2, 5, float("nan")]), min_size=raters, max_size=raters),
            min_size=1,
            max_size=7,
        )
    )
)
def test_equals_the_definition_pair_by_pair(rows):
    table = np.array(rows).T
    mine, expected = alpha(table, ordered=True), by_definition(table)
    assert mine == (None if expected is None else pytest.approx(expected))


def test_only_the_order_of_the_scale_matters():
    assert alpha(TEXTBOOK**3 + 7, ordered=True) == pytest.approx(alpha(TEXTBOOK, ordered=True))


def test_full_agreement_is_one_and_shuffled_scores_are_near_none():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 6, 4000).astype(float)
    assert alpha([scores, scores], ordered=True) == 1
    assert abs(alpha([scores, rng.permutation(scores)], ordered=True)) < 0.05


def test_undefined_without_two_scores_of_an_item_or_a_difference():
    assert alpha([[1, np.nan], [np.nan, 2]], ordered=True) is None
    assert alpha([[3, 3], [3, 3]], ordered=True) is None


@pytest.mark.parametrize("table", ([1, 2], [[1, np.inf], [1, 2]]))
def test_refuses_what_is_no_finite_table(table):
    with pytest.raises(ValueError, match="raters, items"):
        alpha(table, ordered=True)


def test_interval_resamples_items_and_covers():
    rng, held = np.random.default_rng(1), 0
    quality = np.random.default_rng(2).normal(size=20_000)
    everyone = np.clip(np.round(2.5 + quality + rng.normal(size=(2, 20_000))), 0, 5)
    truth = alpha(everyone, ordered=True)
    for _ in range(40):
        few = alpha_interval(everyone[:, rng.choice(20_000, 60)], rng, resamples=150)
        held += few.low <= truth <= few.high
    assert 33 <= held <= 40
