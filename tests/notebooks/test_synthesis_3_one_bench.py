"""The notebook of all methods on one bench, at one budget: its sets, its corrections and the numbers of its papers."""

import asyncio

import pytest
from proctor.cbu import arms
from proctor.models.session import Session

NAME = "synthesis/3_one_bench"


def test_utility_ranks_as_the_rollouts_of_the_first_nine_families_say(read):
    rates = arms.solve_rates(asyncio.run(arms.core(Session("replay", progress=False))))
    table = read("one_bench")
    found = table[table["set"] == "pairs"].set_index("method")["within"]
    assert found["utility"] == pytest.approx(arms.ranks_right(rates["right"], rates["wrong"]).mean())


def test_the_claim_on_the_best_method_is_corrected_for_all_of_them(read, claims_made):
    compared, claim = read("one_bench_chance"), claims_made["synthesis/3_above_chance"]
    assert claim.family == len(compared) and claim.low == pytest.approx(100 * compared["low"].max())


def test_calls_count_what_candidates_share_in_equal_parts(read):
    calls = read("one_bench").drop_duplicates(["set", "method"]).set_index(["set", "method"])["calls"]
    assert calls["pairs", "utility"] == 4 and calls["pairs", "own samples"] == 1 and calls["pairs", "own answer"] == 0.5
    assert calls["answers", "B"] == 2 and calls["answers", "C with reasons"] == 1 and calls["pairs", "length"] == 0


def test_a_gain_over_other_methods_is_that_of_the_best_against_the_best_of_the_rest(read, claims_made):
    table = read("one_bench")
    within = table[table["set"] == "pairs"].set_index("method")[["within", "calls"]]
    dear = within["calls"] >= 1.4
    gain = 100 * (within.loc[dear, "within"].max() - within.loc[within["calls"] <= 1, "within"].max())
    claim = claims_made["synthesis/3_more_calls"]
    assert claim.estimate == pytest.approx(gain) and claim.family == dear.sum() * (within["calls"] <= 1).sum()


def test_the_gain_of_combining_is_the_mean_over_budgets(read, claims_made):
    chosen = read("one_bench_combinations")
    assert claims_made["synthesis/3_combination"].estimate == pytest.approx(100 * chosen["difference"].mean())
    assert claims_made["synthesis/3_flattery"].estimate == pytest.approx(100 * chosen["flattery"].mean())
