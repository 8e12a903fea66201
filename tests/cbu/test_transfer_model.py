import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.cbu.rollout_error import order_chance


@settings(max_examples=25, deadline=None)
@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.integers(1, 20))
def test_chance_of_the_right_order_is_that_of_two_binomials(r, w, n):
    rng = np.random.default_rng(0)
    right, wrong = rng.binomial(n, r, 20_000), rng.binomial(n, w, 20_000)
    assert order_chance(r, w, n) == pytest.approx(((right > wrong) + (right == wrong) / 2).mean(), abs=0.02)
    assert order_chance(r, w, n) + order_chance(w, r, n) == pytest.approx(1)
