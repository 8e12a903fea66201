"""Importers of boards: made-up files, broken ones, and the real raw samples against the tidy files."""

import json
import zipfile

import pandas as pd
from proctor.logs import importers

ANSWER = dict(question_id=3, question="Why?", options=["a", "b", "c"], answer="B", category="law", src="s", pred="B")
SCORE = dict(question_id="q", task="typos", model="m", score=0.26315789, turn=1, tstamp=1717542495.6, category="c")


def answers(folder, model, *rows):
    """A model's zip; a row that is no dictionary stays as it is."""
    place = folder / f"eval_results/model_outputs_{model}_5shots.zip"
    place.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("x.json", json.dumps([ANSWER | row if isinstance(row, dict) else row for row in rows]))
    return folder


def scores(folder, *rows):
    place = folder / "examples/data/livebench_13012025.parquet"
    place.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame([SCORE | row for row in rows]).to_parquet(place)
    return folder


def test_each_model_is_marked_by_the_key_of_its_own_file_and_only_the_models_that_are_named_are_read(tmp_path):
    answers(tmp_path, "a", dict(model_outputs="x" * 25), "law", dict(question_id=10, pred=None, model_outputs=""))
    answers(tmp_path, "B", dict(generated_text="x" * 15, answer="C", pred="C", options=["a", "b", "c", "d"]))
    found = importers.mmlu_pro(tmp_path)
    assert found["tidy.csv.gz"].columns.tolist()[-2:] == ["a", "B"]
    assert found["tidy.csv.gz"].to_numpy().tolist() == [
        ["3", "law", "4", "s", "1", "", "1", "1"],
        ["10", "law", "3", "s", "0", "3", "0", ""],  # question and right option are those of item 3
    ]
    assert found["letters.csv.gz"].to_numpy().tolist() == [["3", "BC", "B", "C"], ["10", "B", "-", ""]]
    assert found["reply_length.csv.gz"].to_numpy().tolist() == [["3", "2", "2"]]  # 2.5 and 1.5, rounded to even
    (tmp_path / "eval_results/model_outputs_b_5shots.zip").write_bytes(b"not read")
    assert list(importers.mmlu_pro(tmp_path, ["a"])["letters.csv.gz"]) == ["item", "keys", "a"]


def test_of_two_answers_the_board_keeps_the_earlier(tmp_path):
    later = dict(tstamp=1724457600, score=1)
    scores(tmp_path, later, {}, dict(model="A", score=0.0), dict(category="b", question_id="r", score=0.5))
    found = importers.livebench(tmp_path)
    assert found["tidy.csv.gz"].columns.tolist() == ["id", "category", "task", "A", "m"]
    assert found["tidy.csv.gz"].to_numpy().tolist() == [
        ["r", "b", "typos", "", "0.5"],
        ["q", "c", "typos", "0", "0.2632"],
    ]
    assert found["retests.csv.gz"].to_numpy().tolist() == [
        ["q", "c", "typos", "m", "0.2632", "1", "2024-06-04", "2024-08-24"]
    ]


def test_samples_of_boards_give_the_tidy_rows(real_logs, tidy, tmp_path):
    (tmp_path / "eval_results").symlink_to(real_logs / "mmlu_pro/raw")
    found = importers.mmlu_pro(tmp_path)
    for name in ("tidy.csv.gz", "letters.csv.gz"):
        mine = found[name].set_index("item")
        real = tidy("mmlu_pro", name).set_index("item").loc[mine.index, list(mine)]
        blank = mine == ""  # a sample holds eight items of a model
        whole = real.mask(blank, "").drop(columns=["common", "twin_of", "keys"], errors="ignore")
        pd.testing.assert_frame_equal(mine[list(whole)], whole)
        assert (~blank).sum().sum() >= 24
    mine = importers.read_scores(real_logs / "livebench/raw/livebench_sample.parquet")
    real = tidy("livebench").set_index("id")
    assert len(mine) == 20
    for row in mine.itertuples():
        wanted = real.loc[row.id, ["category", "task", row.model]].tolist()
        assert [row.category, row.task, row.score] == wanted
