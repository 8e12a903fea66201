"""notebooks/kina/3_leaderboard.ipynb, run by papermill with the quick parameters."""

import numpy as np
import pytest
from proctor.data.published import load_published

NAME = "kina/3_leaderboard"


@pytest.fixture(scope="module")
def board(read):
    return read("simulated_tiers", keep_default_na=False, na_values=[""])


def test_board_ranks_42_models_and_prints_only_three(board):
    assert board["rank"].tolist() == board["accuracy"].rank(method="min", ascending=False).astype(int).tolist()
    assert len(board) == 42 and board["rank"].is_monotonic_increasing and board["rank"].iloc[0] == 1
    printed = load_published("kina/leaderboard")["accuracy_value"].dropna()
    assert sorted(board["printed"].dropna()) == sorted(printed) and board["model"].is_unique


def test_simulated_accuracies_are_those_printed_and_assumed_but_for_luck(board):
    wanted = np.array([53.17, 49.92, 48.55, *np.linspace(45, 38, 25), *np.linspace(20, 11, 14)])
    called = board["model"].str.extract(r"at ([\d.]+) %")[0].astype(float)
    assert np.sort(called)[::-1] == pytest.approx(wanted, abs=0.051)
    assert board["accuracy"].to_numpy() == pytest.approx(called.to_numpy(), abs=3)
    quarters = board["accuracy"] * 4 * 899 / 100
    assert np.allclose(quarters, np.rint(quarters), atol=1e-6)  # four answers to each of 899 items


def test_a_border_stands_where_a_tier_ends_and_says_what_it_separates(board):
    ends = np.diff(board["tier"]) > 0
    border = board["border"].fillna("").to_numpy()[:-1]
    assert ((border != "") == ends).all()
    told_apart = board["gap_low"].to_numpy()[:-1] > 0
    assert (told_apart[ends] == (border[ends] == "separates its neighbours")).all()
    assert (border == "separates nothing").sum() > 0
