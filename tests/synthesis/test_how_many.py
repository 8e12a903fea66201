"""The formulas of how_many against statsmodels, scipy, brute force and their own limits."""

from itertools import product
from math import isinf, isnan

import numpy as np
import pytest
from proctor import cli
from proctor.cbu.ranking_metrics import order_chance
from proctor.stats.compare import chances, mcnemar_power, score_power
from proctor.stats.power import mcnemar_items
from proctor.synthesis import how_many as h
from proctor.synthesis import how_many_checks as checks
from scipy.stats import betabinom, binom, hypergeom
from statsmodels.stats.inter_rater import cohens_kappa
from typer.testing import CliRunner


@pytest.mark.parametrize("rates", [(0.6, 0.5, 0.4), (0.9, 0.8, 0.2), (0.3, 0.25, 0.0)])
def test_items_reach_the_power_of_their_test_and_are_the_fewest_of_the_exact_one(rates):
    score, exact = (
        h.items_for_difference(rates[:2], rates[2], test="score"),
        h.items_for_difference(rates[:2], rates[2]),
    )
    cells = chances(*rates)
    tango = score_power(cells, score.n)[0] if score.n < 300 else mcnemar_power(*cells[1:3], score.n)
    assert score.told["power of McNemar's score test"] == pytest.approx(tango) and 0.8 <= tango < 0.84

    def power(n):  # scipy's test of every number of differing items and of those that one model has right
        of, either = np.arange(n + 1), cells[1] + cells[2]
        k, m = np.meshgrid(of, of)
        seen = (2 * k > m) & (k <= m) & (2 * binom.sf(k - 1, m, 0.5) <= 0.05)
        return float(binom.pmf(of, n, either) @ (seen * binom.pmf(k, m, cells[1] / either)).sum(axis=1))

    assert exact.n > score.n
    if exact.n < 300:
        assert exact.told["power of McNemar's exact test"] == pytest.approx(power(exact.n), abs=1e-3)
        assert power(exact.n) >= 0.8 > power(exact.n - 1) - 1e-3


def test_families_are_whole_and_cost_their_design_effect():
    plan, alone = (h.items_for_difference((0.6, 0.5), 0.4, test="score", **of) for of in (dict(family=20, icc=0.1), {}))
    assert (
        plan.n % 20 == 0 and 0 <= plan.n - 2.9 * (alone.n - 1) < 25 and plan.told["design effect"] == pytest.approx(2.9)
    )


@pytest.mark.parametrize("n, rate, correlation", [(237, 0.6, 0.4), (500, 0.15, 0.8), (3000, 0.091, 0.0)])
def test_smallest_difference_is_the_inverse(n, rate, correlation):
    d = h.smallest_difference(n, rate, correlation)
    _, a, b, _ = chances(rate, rate - d, correlation)
    assert mcnemar_items(a, b, exact=False) == pytest.approx(n)
    assert isnan(h.smallest_difference(70, 0.76, 0.8)) and isinf(mcnemar_items(0.1, 0.1))  # no model can have it


def test_repeats_are_the_fewest():
    for within, between, share in [(2.0, 1.0, 0.1), (0.1, 1.0, 0.2), (7.3, 0.4, 0.25)]:
        k = h.repeats_for_share(within, between, share).n
        left = [within / n / (between + within / n) for n in (k, max(k - 1, 1))]
        assert left[0] <= share + 1e-9 and (left[1] > share or k == 1)


def test_votes_that_correlate_are_beta_binomial_and_have_a_floor():
    assert h.error_of_votes(0.3, 5) == pytest.approx(binom.sf(2, 5, 0.3))
    a, b = h.beta_of(0.3, 0.2)
    assert a / (a + b) == pytest.approx(0.3) and 1 / (a + b + 1) == pytest.approx(0.2)
    assert h.error_of_votes(0.3, 5, 0.2) == pytest.approx(sum(betabinom.pmf(x, 5, a, b) for x in (3, 4, 5)))
    k = h.votes_for_error(0.3, 0.2, 0.05).n
    assert h.error_of_votes(0.3, k) <= 0.05 < h.error_of_votes(0.3, k - 2)


def test_rollouts_are_the_fewest_and_of_a_pool_fewer():
    n = h.rollouts_for_order((0.7, 0.4)).n
    assert order_chance(0.7, 0.4, n) >= 0.9 > order_chance(0.7, 0.4, n - 1)
    assert h.rollouts_for_error(0.5, 0.05).n == 64 and h.rollouts_for_error(0.5, 0.05, pool=64).n == 32


def test_kappa_error_of_two_reviewers_is_statsmodels_own():
    """Its large-sample standard error of Cohen's kappa, at the expected table of two alike reviewers."""
    p, kappa, n = 0.3, 0.6, 1000
    both = p * p + kappa * p * (1 - p)
    table = n * np.array([[both, p - both], [p - both, 1 - 2 * p + both]])
    assert checks.kappa_error(n, 2, kappa, p) == pytest.approx(cohens_kappa(table).std_kappa, rel=1e-6)


def test_more_reviewers_help_until_items_are_left():
    errors = [checks.kappa_error(100, r, 0.6, 0.3) for r in (2, 3, 5, 50, 500)]
    assert errors == sorted(errors, reverse=True) and errors[-2] == pytest.approx(errors[-1], rel=0.05)
    r = checks.labels_for_agreement(0.1, 0.6, 0.3, items=100).n
    few, many = (checks.labels_for_agreement(0.1, 0.6, 0.3, some).n for some in (r, r - 1))
    assert few <= 100 < many


def test_checks_below_are_the_fewest_of_the_hypergeometric():
    for population, below, allowed in [(1143, 0.05, 0), (144, 0.1, 1)]:
        n, bad = checks.items_to_check(population, below, allowed).n, int(np.ceil(below * population))
        assert hypergeom.cdf(allowed, population, bad, n) <= 0.05 < hypergeom.cdf(allowed, population, bad, n - 1)
    assert checks.items_to_check(below=0.05).n == 59  # 0.95^59 < 0.05


def test_a_finite_population_needs_fewer_checks():
    few, many = (checks.items_to_check(of, within=0.03, expected=0.1) for of in (1143, None))
    assert (
        few.n < many.n and few.told["high"] - few.told["low"] <= 0.06 and checks.items_to_check(20, within=0.05).n <= 20
    )


@pytest.mark.parametrize("most", [None, 40])
def test_a_split_is_the_best_of_all_whole_numbers(most):
    for budget, within, cost in product((55.0, 900.0), (0.1, 1.0, 9.0), (0.0, 3.0, 40.0)):
        found = h.split_budget(budget, 1.0, within, cost, 1.0, most)
        every = [
            h.error_of_split(n, int((budget - n * cost) // n), 1.0, within)
            for n in range(1, min(int(budget / (cost + 1)), most or 10**6) + 1)
        ]
        assert found.error == pytest.approx(min(every), rel=5e-3) and found.spent <= budget + 1e-9
        assert found.error <= found.once + 1e-12


# the command line


def run(*words: str):
    return CliRunner().invoke(cli.app, ["how-many", *words])


@pytest.mark.parametrize(
    "words, first",
    [
        ("items --rates 0.6 0.5 --correlation 0.4 --power 0.8", "252 items"),
        ("items --rates 0.6 0.5 --correlation 0.4 --test score", "237 items"),
        ("items --rates 0.6 0.5 --correlation 0.4 --family 5 --icc 0.3", "520 items"),
        ("difference -n 500 --rate 0.15", "5.97 points"),
        ("repeats --within 2 --between 1", "18 repeats of each item"),
        ("votes --miss 0.3 --false-alarm 0.2", "17 votes on each answer"),
        ("rollouts", "64 rollouts of each candidate"),
        ("order --utilities 0.6 0.4", "21 rollouts of each candidate"),
        ("agreement --prevalence 0.3 --reviewers 3", "174 items, each labelled by 3 reviewers"),
        ("agreement --prevalence 0.3 --items 100", "7 reviewers of the same 100 items"),
        ("checks --population 1143 --below 0.05", "57 items to check"),
        ("checks --within 0.03 --expected 0.1", "419 items to check"),
        ("split --budget 100 --between 1 --within 4 --item-cost 9", "7 items with 5 repeats each"),
    ],
)
def test_each_question_has_its_answer_and_what_it_assumes(words, first):
    found = run(*words.split())
    assert found.exit_code == 0 and found.stdout.startswith(first), found.output
    assert "assumed: " in found.stdout or words.startswith("difference")


@pytest.mark.parametrize(
    "words, mend",
    [
        ("items --rates 60 0.5", "60 percent is 0.6"),
        ("items --rates 0.5 0.5", "give two rates"),
        ("items --rates 0.6 0.5 --correlation 0.9", "allow from -0.82 to 0.82"),
        ("items --rates 0.6 0.5 --power 80", "0.8, not 80"),
        ("items", "--rates"),
        ("difference -n 70 --rate 0.76 --correlation 0.8", "give more items"),
        ("votes --miss 0.6 --false-alarm 0.1", "fix the judge"),
        ("votes --miss 0.2 --false-alarm 0.2 --correlation 0.15", "any number 0.053"),
        ("order --utilities 0.4 0.6", "better candidate's first"),
        ("agreement --half-width 0.02 --items 50", "give more items"),
        ("agreement --items 9 --reviewers 3", "not both"),
        ("checks --population 100 --below 0.01 --allowed 1", "can't be allowed"),
        ("checks", "one of them"),
        ("split --budget 5 --between 1 --within 1 --item-cost 10", "doesn't pay"),
    ],
)
def test_what_can_t_be_planned_says_what_to_mend_and_ends_with_2(words, mend):
    found = run(*words.split())
    assert found.exit_code == 2 and mend in found.stderr
