import pytest
from proctor.data.tabular import DataError
from proctor.kina import max_coverage


def test_given_similarities_are_read_by_the_items_ids(tmp_path):
    file = tmp_path / "s.csv"
    file.write_text("item,b,a\na,0.5,1\nb,1,0.25\n")
    assert max_coverage.read_similarity(file, ["a", "b"]).tolist() == [[1, 0.5], [0.25, 1]]
    with pytest.raises(DataError, match="no row or column of item 'c'"):
        max_coverage.read_similarity(file, ["a", "b", "c"])
    file.write_text("item,a\na,near\n")
    with pytest.raises(DataError, match="could not convert .*near.*a number of at least 0"):
        max_coverage.read_similarity(file, ["a"])
