"""Real leaderboards on small synthetic logs, against pandas, scipy and loops."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from proctor.kina import ranked_models, real_boards
from proctor.stats import item_response
from proctor.stats.simulate import item_responses
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests


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


def test_overview_counts_what_statsmodels_and_pandas_count(board):
    found = real_boards.overview({"swe_bench_verified": board}, 1, 300).iloc[0]
    p = [
        mcnemar(pd.crosstab(board[a], board[b]).reindex([0, 1]).reindex(columns=[0, 1]).fillna(0), exact=True).pvalue
        for a, b in combinations(board, 2)
    ]
    apart = multipletests(p, method="holm")[1] < 0.05
    leader = board.mean().idxmax()
    with_leader = [leader in pair for pair in combinations(board, 2)]
    assert found["board"] == "SWE-bench Verified" and (found["items"], found["systems"]) == (60, 10)
    assert found["told_pairs"] == pytest.approx(apart.mean())
    assert found["not_told"] == (~apart[with_leader]).sum()
    assert found["leader"] == pytest.approx(100 * board.mean().max())
    assert found["solved_by_none"] == (board.sum(axis=1) == 0).sum()
    assert found["solved_by_all"] == board.all(axis=1).sum()


def test_twins_are_those_whose_outcomes_correlate(board):
    found = real_boards.near_twins(board, 0.9)
    table = board.corr()
    by_hand = {(a, b) for a, b in combinations(board, 2) if table.loc[a, b] >= 0.9}
    assert set(zip(found["one"], found["other"])) == by_hand == {(board.columns[8], board.columns[9])}
    assert found.loc[0, "same"] == pytest.approx(58 / 60)
    named = real_boards.twin_table({"gso": board})
    assert named.loc[0, ["board", "one"]].tolist() == ["GSO", "agent 9"]


def test_systems_that_solve_nothing_are_no_twins_of_each_other(board):
    idle = board.assign(one=0.0, two=0.0)
    assert len(real_boards.near_twins(idle)) == len(real_boards.near_twins(board))


def test_items_that_stand_twice_are_found(board):
    middling = board[board.mean(axis=1).between(0.3, 0.7)].iloc[:3]
    twice = pd.concat([board, middling.set_axis([f"copy {n}" for n in range(3)])])
    assert real_boards.same_items(twice) == real_boards.same_items(board) + 3
    renamed = pd.concat([board, board.iloc[[0]].set_axis([" Task 0"])])
    assert (real_boards.same_id(board), real_boards.same_id(renamed)) == (0, 1)
    every = real_boards.overview({"gso": renamed}, 1, 50)
    holds, exact = real_boards.no_double({"gso": renamed}, every)
    assert not holds and "45 pairs" in exact
    clean = board.drop(columns=board.columns[9])
    assert real_boards.no_double({"gso": clean}, real_boards.overview({"gso": clean}, 1, 50))[0]


def test_the_order_of_many_repeats_where_that_of_equal_systems_does_not():
    rng = np.random.default_rng(0)
    spread = real_boards.split_half(item_responses(np.linspace(0.1, 0.9, 12), 200, rng).scores, rng, 40)
    equal = real_boards.split_half((rng.random((12, 200)) < 0.5).astype(float), rng, 40, top=6)
    assert spread.low > 0.7 and equal.low < 0 < equal.high and abs(equal.estimate) < 0.3


def test_systems_whose_solved_items_are_nested_keep_their_order_on_every_half():
    scores = np.repeat(np.eye(4).cumsum(axis=0), 50, axis=1)
    assert real_boards.split_half(scores, np.random.default_rng(1), 20).estimate == pytest.approx(1)


def test_luck_of_the_run_is_the_unbiased_variance_within_over_the_whole(repeats):
    successes, trials = repeats
    luck, narrower = real_boards.run_luck(successes, trials, np.random.default_rng(2), 200)
    runs = [[[1] * k + [0] * (5 - k) for k in successes[name]] for name in successes]
    within = np.mean([[np.var(cell, ddof=1) / 5 * 5 for cell in system] for system in runs])
    whole = np.mean([np.mean(system) * (1 - np.mean(system)) for system in runs])
    assert luck.estimate == pytest.approx(100 * within / whole) and luck.low < luck.estimate < luck.high
    assert narrower.estimate == pytest.approx(100 * (1 - np.sqrt(1 - within / whole + within / whole / 5)))


def test_systems_without_two_runs_of_every_task_are_left_out(repeats):
    successes, trials = (one.copy() for one in repeats)
    trials.iloc[3, 1] = 1
    with pytest.raises(ValueError, match="fewer than two runs"):
        real_boards.run_luck(successes, trials, np.random.default_rng(0), 10)
    assert [list(one) for one in real_boards.repeated(successes, trials)] == [["a", "c", "d"]] * 2


def test_repeats_narrow_the_rank_sets(repeats):
    found = real_boards.runs_on_ranks(*repeats, np.random.default_rng(0), 200, draws=4).set_index("runs")
    assert found.loc["all runs of a task", "mean_set"] <= found.loc["one run a task", "mean_set"]


def test_a_visible_gap_is_seen_with_chance_four_fifths(board):
    scores = real_boards.scores_of(board)
    best = np.argsort(-scores.mean(axis=1), kind="stable")[:10]
    spread = np.median([np.std(scores[a] - scores[b], ddof=1) for a, b in combinations(best, 2)])
    gap = real_boards.visible_gap(scores)
    assert stats.norm.sf(1.96 - gap / 100 / (spread / np.sqrt(60))) == pytest.approx(0.8, abs=1e-3)
    needed = real_boards.items_for_gaps(scores, (gap,))
    assert needed.loc[0, "one_pair"] == pytest.approx(60, abs=1) and needed.loc[0, "all_pairs"] > 60
    found = real_boards.visible_gap_interval(scores, np.random.default_rng(0), 100)
    assert found.estimate == pytest.approx(gap) and found.low < gap < found.high


def test_items_are_chosen_on_earlier_systems_only(board):
    earlier, later = real_boards.by_date(board)
    assert list(board.columns[earlier]) == list(board.columns[:5]) and len(set(earlier) & set(later)) == 0
    found = real_boards.choose_on_earlier(board, [12, 60], np.random.default_rng(4), 50).set_index("items")
    order = item_response.choose(board.iloc[:, :5].to_numpy().T, "information", np.random.default_rng(4))[:12]
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


def test_the_widest_lead_is_that_of_the_board_where_it_is_clearest(board):
    clear = pd.DataFrame({"a": [1.0] * 40, "b": [0.0, 1] * 20, "c": [0.0] * 40})
    found = real_boards.widest_lead({"gso": clear, "crux": board}, 0, 300)
    assert found.board == "GSO" and found.items == 40 and found.estimate == pytest.approx(50) and found.low > 0
    assert found.level == pytest.approx(0.975)


def test_the_leader_s_rank_is_its_rank_set(board):
    table = ranked_models.rank_models(real_boards.scores_of(board), list(board), 0, 300)
    found = real_boards.quantity(real_boards.leader_rank(table), 60, "tasks")
    assert (found["interval"].low, found["interval"].high) == (1, table.loc[0, "set_high"]) and found["n"] == 60


def test_blank_cells_are_refused_and_names_are_shortened(board, monkeypatch):
    gap = board.copy()
    gap.iloc[0, 0] = np.nan
    monkeypatch.setattr(real_boards.logs, "outcomes", lambda name: gap)
    with pytest.raises(ValueError, match="gso: 1 blank cells"):
        real_boards.load(["gso"])
    assert real_boards.short_name("20240101_" + "x" * 50, 10) == "x" * 9 + "…"
