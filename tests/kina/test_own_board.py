import numpy as np
import pytest
from proctor.kina import own_board
from proctor.kina.leaderboard import load_leaderboard
from proctor.stats.proportions import wilson


@pytest.fixture
def board(tmp_path):
    lines = [f"{n},{'ab'[n % 2]},{int(n < 30)},{n % 4 / 4}" for n in range(41)]
    (tmp_path / "b.csv").write_text("item,category,yes,share\n" + "\n".join(lines))
    return load_leaderboard(tmp_path / "b.csv")


def test_categories_have_wilson_s_or_student_s_interval(board):
    assert board.notes == ("column 'category' is taken for discipline",)
    found = own_board.by_category(board).set_index(["model", "category"])
    assert len(found) == 4 and found.loc[("yes", "a"), "items"] == 21
    low, high = wilson(15, 21)
    assert found.loc[("yes", "a"), ["low", "high"]].tolist() == pytest.approx([100 * low, 100 * high])
    part = found.loc[("share", "b")]
    assert part["low"] < part["accuracy"] == 100 * np.mean([0.25, 0.75] * 10) < part["high"]
    assert own_board.by_category(board, least=21)["category"].unique().tolist() == ["a"]


def test_few_categories_are_not_resampled(board):
    assert own_board.resampled(board) == (None, 41, "items")
