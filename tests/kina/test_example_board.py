from proctor import paths
from proctor.kina import example_board


def test_the_file_that_ships_is_what_the_module_makes():
    assert (paths.ROOT / example_board.FILE).read_text() == example_board.example_csv()
