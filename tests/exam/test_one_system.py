import json

import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.exam.exports import write_hle
from proctor.exam.marking import board_of, read_one


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
    (tmp_path / "both.csv").write_text("model,item,score\nm,a,1\nn,a,1\n")
    with pytest.raises(DataError, match="results of 2 models"):
        read_one(tmp_path / "both.csv")
    with pytest.raises(DataError, match="given twice"):
        board_of([tmp_path / "x.csv", tmp_path / "x.csv"])


def test_files_of_one_name_are_told_apart_by_their_model_or_else_by_their_path(tmp_path):
    files = [tmp_path / run / "hle/answers.csv" for run in ("first", "second")]
    for file, model in zip(files, ("gpt-4.1", "gpt-4o")):
        file.parent.mkdir(parents=True)
        file.write_text(f"model,item,score\n{model},a,1\n")
    text, names = board_of(files)
    assert names == ["gpt-4.1", "gpt-4o"] and "gpt-4o,a,1" in text
    for file in files:
        file.write_text("item,score\na,1\n")
    assert board_of(files)[1] == ["first/hle/answers.csv", "second/hle/answers.csv"]


def test_pass_and_fail_are_scores(tmp_path):
    (tmp_path / "words.csv").write_text("task_id,resolved\n1,pass\n2,Failed\n3,resolved\n")
    assert read_one(tmp_path / "words.csv").tolist() == [1, 0, 1]
