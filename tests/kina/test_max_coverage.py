"""kina/max_coverage, against every possible choice on small instances."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from proctor.kina import max_coverage as lib
from proctor.kina.max_coverage import (
    at_most,
    coverage,
    facility_location,
    greedy,
    optimum,
    per_group,
    upper_bound,
    value,
)
from proctor.paths import FIGURES
from scipy import sparse

DEGREES = st.sampled_from([0.0, 0.0, 0.1, 0.3, 0.5, 1.0])
WEIGHTS = st.sampled_from([0.0, 0.1, 0.7, 1.0, 3.0])


@st.composite
def proxies(draw, most_items=7):
    """Small proxies of either kind, with empty rows, columns that nothing covers, and many ties."""
    shape = draw(st.integers(1, most_items)), draw(st.integers(1, 6))
    weights = draw(arrays(float, shape[1], elements=WEIGHTS))
    if draw(st.booleans()):
        return coverage(draw(arrays(bool, shape)), weights)
    return facility_location(draw(arrays(float, shape, elements=DEGREES)), weights)


@st.composite
def budgets(draw, n_items, quotas):
    if not quotas:
        return at_most(n_items, draw(st.integers(1, n_items)))
    groups = np.array(draw(st.lists(st.sampled_from("abc"), min_size=n_items, max_size=n_items)))
    quota = {label: draw(st.integers(0, int((groups == label).sum()))) for label in np.unique(groups).tolist()}
    return per_group(groups, quota if any(quota.values()) else 1)


def dense(proxy, chosen) -> float:
    """f by its definition, anchor by anchor."""
    rows = proxy.similarity.toarray()
    return sum(weight * max((rows[i, a] for i in chosen), default=0) for a, weight in enumerate(proxy.weights))


def best_of_all(proxy, budget) -> float:
    return max(
        dense(proxy, chosen)
        for chosen in combinations(range(len(budget.groups)), budget.size)
        if np.array_equal(np.bincount(budget.groups[list(chosen)], minlength=len(budget.most)), budget.most)
    )


@given(st.data(), proxies())
def test_value_gains_and_curve_follow_the_definition(data, proxy):
    n_items = proxy.similarity.shape[0]
    chosen = data.draw(st.lists(st.integers(0, n_items - 1), max_size=5))
    assert value(proxy, chosen) == pytest.approx(dense(proxy, chosen))
    assert lib.curve(proxy, chosen) == pytest.approx([dense(proxy, chosen[:n]) for n in range(len(chosen) + 1)])
    added = lib.gains(proxy, lib.best_similarity(proxy, chosen))
    assert added == pytest.approx([dense(proxy, [*chosen, i]) - dense(proxy, chosen) for i in range(n_items)])


@given(st.data(), proxies())
def test_a_gain_is_never_negative_and_never_rises_when_more_is_chosen_not_even_by_rounding(data, proxy):
    n_items = proxy.similarity.shape[0]
    some = data.draw(st.lists(st.integers(0, n_items - 1), max_size=4))
    more = some + data.draw(st.lists(st.integers(0, n_items - 1), max_size=4))
    before, after = (lib.gains(proxy, lib.best_similarity(proxy, chosen)) for chosen in (some, more))
    assert (0 <= after).all() and (after <= before).all()


@given(st.data(), proxies(), st.booleans())
def test_greedy_keeps_its_guarantee_and_the_bound_holds_the_optimum(data, proxy, quotas):
    budget = data.draw(budgets(proxy.similarity.shape[0], quotas))
    found, best = greedy(proxy, budget), best_of_all(proxy, budget)
    promised = 0.5 if (budget.most > 0).sum() > 1 else 1 - (1 - 1 / budget.size) ** budget.size
    assert promised * best - 1e-9 <= found.value <= best + 1e-9
    assert best - 1e-9 <= found.bound
    assert np.array_equal(np.bincount(budget.groups[found.chosen], minlength=len(budget.most)), budget.most)
    assert len(set(found.chosen.tolist())) == budget.size
    assert found.value == pytest.approx(dense(proxy, found.chosen)) == pytest.approx(found.gains.sum())


@given(st.data(), proxies(12), st.booleans())
def test_lazy_chooses_what_plain_does(data, proxy, quotas):
    budget = data.draw(budgets(proxy.similarity.shape[0], quotas))
    lazy, plain = greedy(proxy, budget), greedy(proxy, budget, lazy=False)
    assert np.array_equal(lazy.chosen, plain.chosen) and np.array_equal(lazy.gains, plain.gains)
    assert (lazy.value, lazy.bound) == (plain.value, plain.bound)


@given(st.data(), proxies(), st.booleans())
def test_integer_program_finds_the_best_of_all_choices(data, proxy, quotas):
    budget = data.draw(budgets(proxy.similarity.shape[0], quotas))
    best = optimum(proxy, budget)
    assert value(proxy, best) == pytest.approx(best_of_all(proxy, budget)) == pytest.approx(dense(proxy, best))
    assert np.array_equal(np.bincount(budget.groups[best], minlength=len(budget.most)), budget.most)


def test_lazy_is_plain_on_a_large_instance_and_computes_fewer_gains():
    rng = np.random.default_rng(0)
    similarity = sparse.random_array((1_500, 200), density=0.03, rng=rng, format="csr")
    disciplines = rng.integers(0, 12, 1_500)
    for proxy in (coverage(similarity > 0), facility_location(similarity, rng.random(200))):
        for budget in (at_most(1_500, 60), per_group(disciplines, 5)):
            lazy, plain = greedy(proxy, budget), greedy(proxy, budget, lazy=False)
            assert np.array_equal(lazy.chosen, plain.chosen) and lazy.bound >= lazy.value
            assert lazy.evaluated < plain.evaluated / 3
    assert (np.bincount(disciplines[lazy.chosen]) == 5).all()


def test_of_equal_items_the_lowest_index_is_taken_also_when_all_is_covered():
    proxy = coverage([[0, 1], [1, 0], [1, 0], [0, 1], [1, 1]])
    for lazy in (True, False):
        assert greedy(proxy, at_most(5, 4), lazy).chosen.tolist() == [4, 0, 1, 2]
        assert greedy(proxy, per_group(list("aabbb"), {"a": 2, "b": 1}), lazy).chosen.tolist() == [4, 0, 1]


def test_bound_is_that_of_the_best_prefix_and_no_more_than_everything():
    rng = np.random.default_rng(3)
    proxy = facility_location(rng.random((40, 15)) * (rng.random((40, 15)) < 0.3))
    budget = at_most(40, 6)
    found = greedy(proxy, budget)
    by_hand = min(
        value(proxy, found.chosen[:n])
        + np.sort(lib.gains(proxy, lib.best_similarity(proxy, found.chosen[:n])))[-6:].sum()
        for n in range(7)
    )
    assert found.bound == pytest.approx(min(by_hand, value(proxy, range(40))))
    assert found.bound <= upper_bound(proxy, found.chosen, budget, prefixes=1)
    assert found.value <= value(proxy, optimum(proxy, budget)) <= found.bound < found.value / (1 - (1 - 1 / 6) ** 6)
    every = greedy(proxy, at_most(40, 40))
    assert every.value == pytest.approx(every.bound)
    apart = greedy(coverage(np.eye(5), [3, 1, 4, 1, 5]), at_most(5, 3))  # no two items cover the same anchor
    assert apart.value == apart.bound == 12


def test_input_is_left_as_it_was_and_duplicates_are_summed():
    given_matrix = sparse.csr_array((np.array([0.5, 0.25, 0.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    proxy = facility_location(given_matrix)
    assert proxy.similarity.toarray().tolist() == [[0, 0.75]] and given_matrix.nnz == 3
    assert lib.gains(proxy, np.array([0, 0.5])).tolist() == [0.25]


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: coverage([[0, 1], [0.5, 1]]), r"covers\[1, 0\] is 0.5 .* use facility_location"),
        (lambda: facility_location([[0, 1], [0, -1]]), r"similarity\[1, 1\] is -1 .* at least 0"),
        (lambda: facility_location([[0, np.nan]]), r"similarity\[0, 1\] is nan"),
        (lambda: coverage([1, 0]), r"covers has shape \(2,\)"),
        (lambda: coverage(np.empty((0, 3))), r"covers has shape \(0, 3\)"),
        (lambda: at_most(3, 4), "k is 4, but there are 3 items: lower k"),
        (lambda: at_most(3, 0), "k is 0"),
        (lambda: per_group(list("aab"), {"a": 1, "b": 2}), "quota of 'b' is 2, but there are 1 such items"),
        (lambda: per_group(list("aab"), {"a": 1, "b": -1}), "quota of 'b' is -1"),
        (lambda: per_group(list("aab"), 0), "quota is 0 for every group"),
        (lambda: per_group(["a", None], 1), r"clusters\[1\] is missing"),
    ],
)
def test_bad_input_is_refused_with_what_to_mend(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_tight_family_of_the_notebook_leaves_greedy_with_what_the_theorem_promises():
    claims = pd.read_csv(FIGURES / "kina/claims_1_representativeness.csv").set_index("id")
    assert claims.loc["kina/claim_greedy.tight", "estimate"] == pytest.approx(100 * (1 - (1 - 1 / 30) ** 30), abs=1e-3)


def test_integer_program_that_does_not_end_says_so():
    rng = np.random.default_rng(0)
    proxy = coverage(rng.random((300, 200)) < 0.05)
    with pytest.raises(TimeoutError, match="300 items .* compare with upper_bound"):
        optimum(proxy, at_most(300, 20), seconds=0.01)
