"""Real leaderboards on small synthetic logs, against pandas, scipy and loops."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from proctor.kina import real_boards
from proctor.stats import simulate
from proctor.stats.simulate import item_responses
from scipy import stats


@pytest.fixture(scope="module")
def board():
    """60 tasks, 10 systems, two of them near twins, named by date."""
    scores = item_responses(np.linspace(0.15, 0.85, 10), 60, np.random.default_rng(3)).scores
    scores[9] = scores[8]
    scores[9, :2] = 1 - scores[9, :2]
    names = [f"2024{month:02d}01_agent_{month}" for month in range(1, 11)]
    return pd.DataFrame(scores.T, index=[f"task {n}" for n in range(60)], columns=names)


@pytest.fixture(scope="module")
def repeats():
    """(successes, trials) of five runs of 40 tasks by four systems."""
    rng = np.random.default_rng(5)
    rate = np.clip(rng.beta(0.8, 0.8, (40, 1)) + rng.normal(0, 0.05, (40, 4)), 0, 1)
    names = list("abcd")
    return pd.DataFrame(rng.binomial(5, rate), columns=names), pd.DataFrame(np.full((40, 4), 5), columns=names)


def test_twins_are_those_whose_outcomes_correlate(board):
    found = real_boards.near_twins(board, 0.9)
    table = board.corr()
    by_hand = {(a, b) for a, b in combinations(board, 2) if table.loc[a, b] >= 0.9}
    assert set(zip(found["one"], found["other"])) == by_hand == {(board.columns[8], board.columns[9])}
    assert found.loc[0, "same"] == pytest.approx(58 / 60)


def test_systems_that_solve_nothing_are_no_twins_of_each_other(board):
    idle = board.assign(one=0.0, two=0.0)
    assert len(real_boards.near_twins(idle)) == len(real_boards.near_twins(board))


def test_items_that_stand_twice_are_found(board):
    middling = board[board.mean(axis=1).between(0.3, 0.7)].iloc[:3]
    twice = pd.concat([board, middling.set_axis([f"copy {n}" for n in range(3)])])
    assert real_boards.same_items(twice) == real_boards.same_items(board) + 3
    renamed = pd.concat([board, board.iloc[[0]].set_axis([" Task 0"])])
    assert (real_boards.same_id(board), real_boards.same_id(renamed)) == (0, 1)


def test_systems_without_two_runs_of_every_task_are_left_out(repeats):
    successes, trials = (one.copy() for one in repeats)
    trials.iloc[3, 1] = 1
    assert [list(one) for one in real_boards.repeated(successes, trials)] == [["a", "c", "d"]] * 2


def test_a_visible_gap_is_seen_with_chance_four_fifths(board):
    scores = real_boards.scores_of(board)
    best = np.argsort(-scores.mean(axis=1), kind="stable")[:10]
    spread = np.median([np.std(scores[a] - scores[b], ddof=1) for a, b in combinations(best, 2)])
    gap = real_boards.visible_gap(scores)
    assert stats.norm.sf(1.96 - gap / 100 / (spread / np.sqrt(60))) == pytest.approx(0.8, abs=1e-3)
    found = real_boards.visible_gap_interval(scores, np.random.default_rng(0), 100)
    assert found.estimate == pytest.approx(gap) and found.low < gap < found.high


def test_items_are_chosen_on_earlier_systems_only(board):
    earlier, later = real_boards.by_date(board)
    assert list(board.columns[earlier]) == list(board.columns[:5]) and len(set(earlier) & set(later)) == 0
    found = real_boards.choose_on_earlier(board, [12, 60], np.random.default_rng(4), 50).set_index("items")
    order = simulate.choose(board.iloc[:, :5].to_numpy().T, "information", np.random.default_rng(4))[:12]
    tau = stats.kendalltau(board.iloc[order, 5:].sum(), board.iloc[:, 5:].mean()).statistic
    assert found.loc[12, "information"] == pytest.approx(tau)
    assert found.loc[60, ["information", "middling", "random_low", "random_high"]].tolist() == pytest.approx([1] * 4)
    for rule in ("information", "best_quarter", "best_tenth"):
        gain = found[[f"gain_{rule}_low", f"gain_{rule}", f"gain_{rule}_high"]]
        assert gain.T.diff().iloc[1:].min().min() >= 0


def test_a_system_without_a_date_is_refused(board):
    with pytest.raises(ValueError, match="'agent' does not begin with a date"):
        real_boards.by_date(board.rename(columns={board.columns[0]: "agent"}))


def test_all_items_gain_nothing_over_all_items(board):
    found = real_boards.gain_on_halves(real_boards.scores_of(board), 60, np.random.default_rng(0), 2)
    assert found.estimate == found.low == found.high == 0


def test_blank_cells_are_refused_and_names_are_shortened(board, monkeypatch):
    gap = board.copy()
    gap.iloc[0, 0] = np.nan
    monkeypatch.setattr(real_boards.logs, "outcomes", lambda name: gap)
    with pytest.raises(ValueError, match="gso: 1 blank cells"):
        real_boards.load(["gso"])
    assert real_boards.short_name("20240101_" + "x" * 50, 10) == "x" * 9 + "…"
