from proctor import paths
from proctor.kina import example_board, leaderboard


def test_the_file_that_ships_is_what_the_module_makes():
    assert (paths.ROOT / example_board.FILE).read_text() == example_board.example_csv()


def test_example_is_read_back():
    board = leaderboard.load_given(example_board.FILE)
    assert board.scores.shape == (14, 899) and len(set(board.clusters)) == 261 and not board.notes
    assert all(name.startswith("a model at ") for name in board.models)
    assert leaderboard.describe(board).startswith("14 models, 899 items, 261 disciplines")
