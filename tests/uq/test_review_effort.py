"""Closed forms of review effort against enumeration and simulation."""

from itertools import product

import numpy as np
import pytest
from proctor.uq import review_effort
from proctor.uq.community import VALIDATORS
from proctor.uq.resolution import Rule
from proctor.uq.review_effort import Crowd


@pytest.mark.parametrize("skill, n", [(0.8, 3), (0.6, 5)])
def test_condorcets_formula_is_the_sum_over_all_votes(skill, n):
    by_hand = sum(
        np.prod([skill if vote else 1 - skill for vote in votes])
        for votes in product([0, 1], repeat=n)
        if 2 * sum(votes) < n
    )
    assert review_effort.majority_error(skill, n) == pytest.approx(by_hand)


def test_an_even_number_of_reviews_is_refused():
    with pytest.raises(ValueError, match="odd"):
        review_effort.majority_error(0.8, [2])


def test_simulated_majority_meets_the_formula_and_knows_its_panel():
    table = review_effort.majority_table({"one": (np.full(9, 0.8), 0.0)}, [1, 5], 4000, np.random.default_rng(0))
    assert table["error"].to_numpy() == pytest.approx(table["formula"].to_numpy(), abs=0.03)
    gap, family = review_effort.largest_gap(table)
    assert family == 2 and gap.low <= gap.estimate <= gap.high and gap.level == 0.975
    with pytest.raises(ValueError, match="5 reviews by 3 people"):
        review_effort.simulated_majority(np.full(3, 0.8), 5, 10, np.random.default_rng(0), right=True)


def test_recursion_is_the_sum_over_all_sequences():
    rule, yes, most = Rule(2, 0.6), 0.7, 5
    ended, reviews = dict.fromkeys(("right", "wrong", "undecided"), 0.0), 0.0
    for votes in product([1, 0], repeat=most):
        chance = np.prod([yes if vote else 1 - yes for vote in votes])
        for k in range(1, most + 1):
            state = str(rule.state(sum(votes[:k]), k - sum(votes[:k])))
            if state in ("right", "wrong") or k == most:
                ended[state if state in ended else "undecided"] += chance
                reviews += k * chance
                break
    found = review_effort.until_decided(rule, yes, most, unsure=0.2)
    assert (found.right, found.wrong, found.undecided) == pytest.approx(tuple(ended.values()))
    assert found.reviews == pytest.approx(reviews / 0.8)


@pytest.mark.parametrize("screen", [None, VALIDATORS[0]])
def test_simulated_effort_meets_the_closed_form(screen):
    crowd, rule = Crowd(0.85, 0.2, tempting=0.2, fooled=0.3), Rule(3, 0.75)
    exact = review_effort.effort(crowd, rule, screen)
    found, counts = review_effort.simulated_effort(crowd, rule, screen, 20_000, np.random.default_rng(1), 200)
    assert found.estimate == pytest.approx(exact["reviews_per_resolution"], rel=0.06)
    assert counts.sum(axis=0) / 20_000 == pytest.approx([exact["reviews"], exact["resolved"]], rel=0.06)


def test_a_screen_saves_reviews_and_hides_right_answers():
    crowd, rule = Crowd(0.85, 0.05), Rule()
    table = review_effort.screen_table(crowd, rule, VALIDATORS[0], [0.05]).set_index("screen")
    with_screen, without = table.loc["three stages"], table.loc["none"]
    assert with_screen["reviews_per_resolution"] < 0.5 * without["reviews_per_resolution"]
    assert with_screen["found"] == pytest.approx(VALIDATORS[0].recall * without["found"])
    points, ratios = review_effort.simulated_screen(
        crowd, rule, VALIDATORS[0], [0.05], 20_000, np.random.default_rng(0), 200
    )
    cost, kept = ratios[0.05]
    assert cost.low < points["reviews"][1] / points["reviews"][0] < cost.high
    assert kept.low < VALIDATORS[0].recall < kept.high
