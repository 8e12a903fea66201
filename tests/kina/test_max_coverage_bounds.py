"""What greedy is promised, the best choice by an integer program, and instances on which greedy is worst."""

import numpy as np
import pytest
from proctor.kina.max_coverage import at_most, coverage, greedy, per_group, value
from proctor.kina.max_coverage_bounds import guarantee, optimum, tight


@pytest.mark.parametrize("k", [2, 3, 5, 30])
def test_tight_family_leaves_greedy_with_what_the_theorem_promises(k):
    proxy = tight(k)
    found = greedy(proxy, at_most(2 * k, k))
    assert sorted(found.chosen) == list(range(k)) and proxy.weights.sum() == pytest.approx(k)
    assert value(proxy, range(k, 2 * k)) == pytest.approx(k)  # all there is
    assert found.value / k == pytest.approx(guarantee(at_most(2 * k, k)), abs=1e-6)
    if k <= 5:
        assert optimum(proxy, at_most(2 * k, k)).chosen.tolist() == list(range(k, 2 * k))


def test_under_quotas_greedy_can_be_left_with_half():
    proxy = coverage([[1, 0], [0, 1], [1, 0]], [1.001, 1])
    budget = per_group(["law", "law", "physics"], 1)
    found, best = greedy(proxy, budget), optimum(proxy, budget)
    assert found.chosen.tolist() == [0, 2] and best.chosen.tolist() == [1, 2]
    assert 0.5 <= found.value / best.value < 0.501 and found.bound >= best.value


def test_a_quota_for_one_group_alone_is_a_plain_number_of_items():
    assert guarantee(per_group(list("aab"), {"a": 2, "b": 0})) == guarantee(at_most(3, 2)) == 0.75
    assert guarantee(at_most(2000, 2000)) == pytest.approx(1 - 1 / np.e, abs=1e-3)


def test_integer_program_that_does_not_end_says_so():
    rng = np.random.default_rng(0)
    proxy = coverage(rng.random((300, 200)) < 0.05)
    with pytest.raises(TimeoutError, match="300 items .* compare with upper_bound"):
        optimum(proxy, at_most(300, 20), seconds=0.01)
