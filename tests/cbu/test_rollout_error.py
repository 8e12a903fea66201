from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.cbu.ranking_metrics import expected_error, order_chance


@pytest.mark.parametrize("k, pool, n", [(0, 6, 3), (1, 6, 2), (3, 7, 3), (5, 6, 6), (6, 6, 1)])
def test_exact_errors_are_means_over_every_subsample(k, pool, n):
    outcomes = np.arange(pool) < k
    every = [abs(outcomes[list(taken)].mean() - k / pool) for taken in combinations(range(pool), n)]
    assert expected_error(k, pool, n) == pytest.approx(np.mean(every))


def test_errors_with_replacement_are_means_over_every_draw():
    outcomes = np.arange(5) < 2
    every = [abs(outcomes[list(taken)].mean() - 2 / 5) for taken in product(range(5), repeat=4)]
    assert expected_error(2, 5, 4, replace=True) == pytest.approx(np.mean(every))


def test_the_error_vanishes_at_the_whole_pool():
    assert expected_error(np.arange(65), 64, 64) == pytest.approx(0)


@pytest.mark.parametrize("k, n, words", [(65, 8, "from 0 to the pool of 64"), (3, 65, "has no more")])
def test_bad_input_is_named(k, n, words):
    with pytest.raises(ValueError, match=words):
        expected_error(k, 64, n)


@settings(max_examples=25, deadline=None)
@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.integers(1, 20))
def test_chance_of_the_right_order_is_that_of_two_binomials(r, w, n):
    rng = np.random.default_rng(0)
    right, wrong = rng.binomial(n, r, 20_000), rng.binomial(n, w, 20_000)
    assert order_chance(r, w, n) == pytest.approx(((right > wrong) + (right == wrong) / 2).mean(), abs=0.02)
    assert order_chance(r, w, n) + order_chance(w, r, n) == pytest.approx(1)
