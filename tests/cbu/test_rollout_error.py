from itertools import combinations, product

import numpy as np
import pytest
from proctor.cbu.ranking_metrics import auc, top_chance
from proctor.cbu.rollout_error import expected_error, subsample_error, transfer
from proctor.data.published import load_published
from scipy.special import logit


@pytest.mark.parametrize("k, pool, n", [(0, 6, 3), (1, 6, 2), (3, 7, 3), (5, 6, 6), (6, 6, 1)])
def test_exact_errors_are_means_over_every_subsample(k, pool, n):
    outcomes = np.arange(pool) < k
    every = [abs(outcomes[list(taken)].mean() - k / pool) for taken in combinations(range(pool), n)]
    assert expected_error(k, pool, n) == pytest.approx(np.mean(every))
    every = [abs(outcomes[list(taken)].mean() - k / pool) for taken in product(range(pool), repeat=n)]
    assert expected_error(k, pool, n, replace=True) == pytest.approx(np.mean(every))


def test_the_error_vanishes_at_the_whole_pool():
    assert expected_error(np.arange(65), 64, 64) == pytest.approx(0)
    assert expected_error(32, 64, 64, replace=True) > 0.04


def test_resampling_finds_the_exact_error_and_judges_by_their_span():
    rng = np.random.default_rng(0)
    outcomes = rng.permuted((np.arange(64) < np.array([[5], [32], [64]])).astype(float), axis=1)
    found = subsample_error(outcomes, 8, rng, resamples=3000)
    assert found == pytest.approx(expected_error([5, 32, 64], 64, 8), abs=0.006)
    judged = subsample_error(10 * outcomes, 8, np.random.default_rng(1), 50, span=10)
    assert judged == pytest.approx(subsample_error(outcomes, 8, np.random.default_rng(1), 50))


def test_simulated_transfer_ranks_as_well_as_the_published_scores():
    rng = np.random.default_rng(2)
    rates, correct = transfer(3000, rng)
    score = rng.binomial(64, rates) / 64
    facts = load_published("cbu/facts").set_index("fact")["value_value"]
    assert abs((top_chance(score, 1) @ correct).mean() - facts["cbu_acc1_gpt_oss_120b"] / 100) < 0.03
    assert abs(np.mean([auc(row, correct) for row in score]) - facts["cbu_auc_gpt_oss_120b"] / 100) < 0.03


def test_without_spread_transfer_is_the_base_plus_the_gain():
    rates, correct = transfer(2, np.random.default_rng(0), -1, 0, 2, 0, noise=0, slip=0)
    assert logit(rates) == pytest.approx(np.tile(-1 + 2 * correct, (2, 1)))
    slipped, _ = transfer(2, np.random.default_rng(0), -1, 0, 2, 0, noise=0, slip=1)
    assert ((slipped > 0.5).sum(axis=1) == 6).all()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: expected_error(65, 64, 8), "from 0 to the pool of 64"),
        (lambda: expected_error(3, 8, 9), "no more without replacement"),
        (lambda: subsample_error([[1, 0]], 1, np.random.default_rng(0), span=0), "span is 0"),
        (lambda: subsample_error([1, 0], 1, np.random.default_rng(0)), "1 axes"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
