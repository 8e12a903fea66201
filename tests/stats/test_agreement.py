from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.agreement import alpha
from statsmodels.stats.inter_rater import cohens_kappa

LABELS = st.sampled_from(["Y", "N", "maybe", None])


def alpha_by_pairs(ratings):
    """The definition, pair by pair: ordered pairs of labels within items against ordered pairs of all pairable
    labels."""
    items = [[x for x in item if x is not None] for item in zip(*ratings)]
    items = [item for item in items if len(item) > 1]
    pool = [x for item in items for x in item]
    within = sum(sum(a != b for a, b in permutations(item, 2)) / (len(item) - 1) for item in items) / max(len(pool), 1)
    across = [a != b for a, b in permutations(pool, 2)]
    return 1 - within / (sum(across) / len(across)) if any(across) else None


@given(st.integers(2, 4).flatmap(lambda raters: st.lists(st.tuples(*[LABELS] * raters), min_size=1, max_size=8)))
def test_alpha_is_that_of_its_definition(items):
    ratings = list(zip(*items))
    found, expected = alpha(ratings), alpha_by_pairs(ratings)
    assert (found is None) == (expected is None) and (found is None or found == pytest.approx(expected))


def test_alpha_of_a_published_example():
    """Krippendorff's own: two observers, ten items, 0 or 1; alpha is 0.095."""
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert alpha([a, b]) == pytest.approx(0.095, abs=5e-4)


def test_alpha_of_two_raters_without_gaps_is_near_kappa_for_many_items():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 4000)
    b = np.where(rng.random(4000) < 0.8, a, 1 - a)
    table = np.bincount(2 * a + b).reshape(2, 2)
    assert alpha([a.tolist(), b.tolist()]) == pytest.approx(cohens_kappa(table, return_results=False), abs=2e-3)


def test_alpha_is_undefined_where_no_labels_differ():
    assert alpha([["Y", "Y"], ["Y", None]]) is None and alpha([[None], ["Y"]]) is None
