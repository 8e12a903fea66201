"""One reader for four kinds of file: rows, or a DataError that names file and row. Loaders' tests read all kinds."""

import pytest
from proctor.data.tabular import SHOWN, DataError, read_rows, summary


def test_rows_are_counted_as_an_editor_shows_them_and_a_csv_that_begins_with_a_blank_line_has_no_column_names(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": "\u2028"}\n\nnonsense\n' + "[" * 100_000)
    rows, problems = read_rows(tmp_path / "t.jsonl")
    assert rows == [(1, {"a": "\u2028"})] and "row 3" in problems[0] and "row 4" in problems[1]
    (tmp_path / "t.csv").write_text("\n\nid,text\n1,a\n")
    with pytest.raises(DataError, match="t.csv, row 1: no column names. Begin the file with the line that has them."):
        read_rows(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("\n\n")
    assert read_rows(tmp_path / "t.csv") == ([], [])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_are_separated_by_what_the_header_has(tmp_path, separator):
    file = tmp_path / "table.csv"
    file.write_text(f'question{separator}answer\n"1{separator} 2; 3, 4"{separator}x\n')
    assert read_rows(file) == ([(2, {"question": f"1{separator} 2; 3, 4", "answer": "x"})], [])


def test_a_summary_tells_the_first_few_and_fits_a_screen():
    told = summary([f"problem {n}: " + "x" * 5_000 for n in range(100)])
    assert told.startswith("100 problems") and told.count("problem ") == SHOWN and len(told) < 4_000
