import json

import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.exam.formats import write_hle
from proctor.exam.one_system import board_of, read_one


def test_files_of_several_kinds_are_one_board(tmp_path):
    rows = pd.DataFrame(
        dict(model="m", question_id=["a", "b"], reply="x", prompt_tokens=1, completion_tokens=1, right=[1.0, 0.0])
    )
    write_hle(tmp_path / "judged.json", rows)
    (tmp_path / "table.csv").write_text("item,correct\na,True\nb,no\nb,yes\n")
    assert read_one(tmp_path / "judged.json").to_dict() == {"a": 1, "b": 0}
    text, names = board_of([tmp_path / "judged.json", tmp_path / "table.csv"])
    assert names == ["judged", "table"]
    assert text == "model,item,score\njudged,a,1\njudged,b,0\ntable,a,1\ntable,b,0.5\n"


def test_what_is_no_results_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("item,points\na,1\n")
    (tmp_path / "y.json").write_text(json.dumps({"a": {"model": "m", "response": "1"}}))
    (tmp_path / "z.csv").write_text("item,score\na,good\n")
    for name, told in (
        ("x.csv", "Give item and score"),
        ("y.json", "nobody has judged"),
        ("z.csv", "'good' is no score"),
    ):
        with pytest.raises(DataError, match=told):
            read_one(tmp_path / name)
    with pytest.raises(DataError, match="given twice"):
        board_of([tmp_path / "x.csv", tmp_path / "x.csv"])


def test_pass_and_fail_are_scores(tmp_path):
    (tmp_path / "words.csv").write_text("task_id,resolved\n1,pass\n2,Failed\n3,resolved\n")
    assert read_one(tmp_path / "words.csv").tolist() == [1, 0, 1]
