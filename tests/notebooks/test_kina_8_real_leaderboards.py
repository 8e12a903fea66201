"""notebooks/kina/8_real_leaderboards.ipynb with the quick parameters, where the logs are on this machine."""

from itertools import combinations

import numpy as np
import pytest
from proctor import logs
from proctor.stats.simulate import choose
from scipy.stats import kendalltau, norm

NAME = "kina/8_real_leaderboards"


@pytest.fixture(scope="module")
def board(done):
    return logs.outcomes("swe_bench_verified")


def test_the_leader_and_its_rivals_are_those_of_the_table(read, board, claims_made):
    found = read("real_board")
    assert found["accuracy"].tolist() == pytest.approx(sorted(100 * board.mean(), reverse=True))
    leader = claims_made["kina/8_leader"]
    assert (leader.low, leader.high) == (1, found.loc[0, "set_high"]) and leader.n == len(board) == 500
    assert "18 of 133" in leader.finding or 10 < leader.high < 30  # the set moves a little with the resamples


def test_boards_are_counted_as_pandas_counts(read):
    found = read("real_boards").set_index("board")
    for name, board in (("GSM8K", "gsm8k"), ("GSO", "gso")):
        solved = logs.outcomes(board).mean(axis=1)
        assert found.loc[name, ["solved_by_none", "solved_by_all"]].tolist() == [
            (solved == 0).sum(),
            (solved == 1).sum(),
        ]
    assert (found["not_told"] + 1 <= found["systems"]).all() and found["told_pairs"].between(0, 1).all()


def test_luck_of_the_run_is_that_of_the_trials(claims_made):
    successes, trials = logs.trials("terminal_bench_2")
    kept = (trials >= 2).all()
    s, t = successes.loc[:, kept], trials.loc[:, kept]
    within, mean = (s * (t - s) / (t * (t - 1))).stack().mean(), (s / t).mean()
    assert claims_made["kina/8_run_luck"].estimate == pytest.approx(100 * within / (mean * (1 - mean)).mean())


def test_the_visible_gap_is_seen_with_chance_four_fifths(board, claims_made):
    scores = board.to_numpy(float).T
    best = np.argsort(-scores.mean(axis=1), kind="stable")[:10]
    spread = np.median([np.std(scores[a] - scores[b], ddof=1) for a, b in combinations(best, 2)])
    gap = claims_made["kina/8_visible_gap"].estimate / 100
    assert norm.sf(1.96 - gap / (spread / np.sqrt(500))) == pytest.approx(0.8, abs=1e-3)


def test_near_twins_are_those_whose_outcomes_correlate(read, board):
    found = read("real_twins").query("board == 'SWE-bench Verified'")
    alike = board.corr().to_numpy()[np.triu_indices(board.shape[1], 1)]
    assert len(found) == (alike >= 0.9).sum()


def test_items_are_chosen_on_earlier_systems_only(read, board):
    order = np.argsort(board.columns.str[:8].to_numpy(), kind="stable")
    earlier, later = (board.iloc[:, part] for part in np.array_split(order, 2))
    chosen = choose(earlier.to_numpy(float).T, "information", np.random.default_rng(0))[:200]
    tau = kendalltau(later.iloc[chosen].sum(), later.mean()).statistic
    assert read("real_few_items").set_index("items").loc[200, "information"] == pytest.approx(tau)
