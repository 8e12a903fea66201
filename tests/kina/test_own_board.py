import pytest
from proctor.kina import leaderboard
from proctor.kina.leaderboard import load_leaderboard


@pytest.fixture
def board(tmp_path):
    lines = [f"{n},{'ab'[n % 2]},{int(n < 30)},{n % 4 / 4}" for n in range(41)]
    (tmp_path / "b.csv").write_text("item,category,yes,share\n" + "\n".join(lines))
    return load_leaderboard(tmp_path / "b.csv")


def test_the_population_is_items_or_disciplines_and_is_said(board, tmp_path):
    found = leaderboard.population_of(board)
    assert (found.clusters, found.n, found.of) == (None, 41, "items") and "these very disciplines" in found.says
    assert leaderboard.population_of(board, "disciplines").n == 2
    lines = [f"{n},{'abcdefg'[n % 7]},{n % 2},1" for n in range(42)]
    (tmp_path / "seven.csv").write_text("item,category,one,other\n" + "\n".join(lines))
    seven = load_leaderboard(tmp_path / "seven.csv")
    assert leaderboard.population_of(seven).says == "other disciplines like these: the 7 disciplines are the units"
    assert leaderboard.population_of(seven, "items").clusters is None
    for wrong, words in (("questions", "choose one of"), ("disciplines", "there are none")):
        with pytest.raises(ValueError, match=words):
            leaderboard.population_of(load_leaderboard(write_plain(tmp_path)), wrong)


def write_plain(folder):
    (folder / "plain.csv").write_text("item,one,other\n1,0,1\n2,1,1\n")
    return folder / "plain.csv"
