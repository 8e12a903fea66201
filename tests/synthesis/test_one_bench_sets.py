"""A table of one's own is read as a bench, or refused with the row and column at fault."""

import pytest
from proctor.data.tabular import DataError
from proctor.synthesis import one_bench, one_bench_sets


def test_a_table_of_one_s_own_is_read_or_refused_by_name(tmp_path):
    file, header = tmp_path / "mine.csv", "question,candidate,correct,method,score,calls,tokens\n"
    lines = [f"q{q},c{c},{int(c == 0)},m,{q + c},1,5\n" for q in range(3) for c in range(2)]
    file.write_text(header + "".join(lines))
    (bench,) = one_bench.benches(one_bench_sets.load(file))
    assert bench.set == "own" and list(bench.family[:2]) == ["q0", "q0"] and len(bench.scores) == 6
    file.write_text(header + lines[0] + "q0,c1,maybe,m,1,1,5\n")
    with pytest.raises(DataError, match="row 2.*correct|correct.*maybe"):
        one_bench_sets.load(file)
    file.write_text(header.replace("score,", "") + "q,c,1,m,1,5\n")
    with pytest.raises(DataError, match="no column score"):
        one_bench_sets.load(file)
