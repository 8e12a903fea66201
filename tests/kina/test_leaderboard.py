import csv
import json

import numpy as np
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.kina.leaderboard import load_leaderboard, population_of


def written(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def result(item, score=1.0, gt="A", answers=None):
    return {"id": item, "score": score, "gt": gt, "extracted_predictions": answers or [gt if score else "B"]}


@pytest.fixture
def folder(tmp_path):
    """write(model, results): one results file of KINA's form; returns the folder."""

    def write(model, results):
        (tmp_path / f"{model}.json").write_text(json.dumps(results))
        return tmp_path

    return write


def test_folder_of_results_files_is_read(folder):
    folder("b-model", [result(7, 1.0, "C", ["C"] * 4), result(9, 0.5, "D", ["D", "A", None, "D"])])
    board = load_leaderboard(
        folder("a-model", [result(9, 0.25, "D", ["D", "", "C", "C"]), result(7, 0.0, "C", ["", None, "A", "A"])])
    )
    assert board.models == ("a-model", "b-model") and board.items == ("9", "7") and board.clusters is None
    assert board.scores.tolist() == [[0.25, 0.0], [0.5, 1.0]]
    assert board.samples == 4 and board.unreadable == 4 and board.left_out == board.filled == 0


def test_disciplines_come_from_the_questions_where_results_have_none(folder, tmp_path):
    folder("a", [result(1), result(2, 0.0)])
    path = folder("b", [result(1, 0.0), result(2)])
    header, *rows = ["id", "question", "answer", "cluster"], ["1", "One?", "A", "law"], ["2", "Two?", "A", "art"]
    questions = written(tmp_path / "questions.csv", [header, *rows])
    assert load_leaderboard(path, questions=questions).clusters == ("law", "art")
    with pytest.raises(DataError, match="1 of 2 items have no discipline, the first '2'"):
        load_leaderboard(path, questions=written(questions, [header, rows[0]]))


# bad input: file, row and mend


def test_model_that_misses_items_is_an_error_or_handled_as_said(tmp_path):
    path = written(tmp_path / "board.csv", [["item", "a", "b"], ["1", 1, 0.5], ["2", "", 1], ["3", 0, ""], ["4", 1, 1]])
    with pytest.raises(DataError) as error:
        load_leaderboard(path)
    assert "a lacks 1 of 4 items, the first '2'" in str(error.value) and "b lacks 1 of 4" in str(error.value)
    assert "missing='common'" in str(error.value)
    common, wrong = (load_leaderboard(path, missing=how) for how in ("common", "wrong"))
    assert common.items == ("1", "4") and (common.left_out, common.filled) == (2, 0)
    assert wrong.scores.tolist() == [[1, 0, 0, 1], [0.5, 1, 0, 1]] and (wrong.left_out, wrong.filled) == (0, 2)


@pytest.mark.parametrize(
    "rows, words",
    [
        ([["item", "a", "b"], ["1", 1, 1.2]], "row 2, column b: 1.2 is not a score from 0 to 1"),
        ([["item", "a", "b"], ["1", 55, 0]], "row 2, column a: 55 .*divide percentages by 100"),
        ([["item", "a", "b"], ["1", -0.1, 0]], "-0.1 is not a score"),
        ([["item", "a", "b"], ["1", "maybe", 0]], "row 2, column a: 'maybe' is not a number"),
        ([["model", "item", "score"], ["a", "1", ""]], "no model in it"),
        ([["item", "a"], ["1", 1]], r"one model only \(a\), and a ranking needs two"),
        ([["item"], ["1"]], "no score for item '1'"),
        ([["item", "a", "b", "c"], ["1", 1, 0, ""]], "row 1, column c: no score in this column"),
        ([["item", "a", "b"], ["1", 1, 0], ["2", "", ""]], "row 3, column item: no score for item '2'"),
        ([["item", "a", "b"], ["", 1, 0]], "row 2, column item: empty"),
        ([["model", "item", "score"], ["", "1", 1]], "row 2, column model: empty"),
        ([["agent", "task", "resolved"], ["a", "1", 2]], "row 2, column resolved: 2 is not a score"),
        ([["agent", "task", "resolved"], ["a", "", 1]], "row 2, column task: empty"),
        ([["name", "a", "b"], ["1", 1, 0]], "row 1: the columns are name, a, b. Give"),
        (
            [["model", "item", "score", "discipline"], ["a", "1", 1, "law"], ["b", "1", 1, "art"]],
            "row 3, column discipline: 'art' for item '1', but 'law' in .*row 2",
        ),
        ([["item", "discipline", "a", "b"], ["1", "law", 1, 0], ["2", "", 1, 0]], "1 of 2 items have no discipline"),
        ([["item", "a", "b"]], "no scores in it"),
        ([["model"], ["one"], ["two"]], "no column but 'model'"),
        ([["model", "x"], ["a", 1], ["b", 0], ["c", ""]], "row 4, column model: no score for model 'c'"),
    ],
)
def test_bad_tables_are_refused_naming_the_place(tmp_path, rows, words):
    path = written(tmp_path / "board.csv", rows)
    with pytest.raises(DataError, match=words) as error:
        load_leaderboard(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    "results, words",
    [
        ([result(1), result(1)], "b.json, row 2: item '1' of b stands in row 1"),
        ([result(1, gt="C", answers=["C"])], "b.json, row 1, column gt: 'C' for item '1', but 'A' in .*a.json, row 1"),
        ([result(1, 0.5, answers=["A", "A", "A", "B"])], "row 1, column score: 0.5, but 3 of its 4 answers are A"),
        ([{"score": 1}], "row 1, column id: empty or missing"),
        ([{"id": 1}], "row 1, column score: empty or missing"),
        ([{"id": 1, "score": True}], "True is not a score"),
        ([{"id": 1, "score": 10**400}], "row 1, column score: 1000.*Give the share"),
        ([{"id": 1, "score": [1]}], "is not a score"),
        ([], "b.json: no items in it"),
        ([3], "row 1: not a JSON object"),
        ([result(2)], "a lacks 1 of 2 items, the first '2'"),
    ],
)
def test_bad_results_files_are_refused_naming_file_and_row(folder, results, words):
    path = folder("a", [result(1)])
    folder("b", results)
    with pytest.raises(DataError, match=words):
        load_leaderboard(path)


def test_what_is_not_there_or_not_known_is_refused(tmp_path):
    with pytest.raises(DataError, match="missing is 'drop'. Choose one of: error, pairs, common, wrong"):
        load_leaderboard(tmp_path, missing="drop")
    with pytest.raises(DataError, match="no .json files"):
        load_leaderboard(tmp_path)
    apart = written(tmp_path / "board.csv", [["item", "a", "b"], ["1", 1, ""], ["2", "", 1]])
    with pytest.raises(DataError, match="no item is common to all 2 models"):
        load_leaderboard(apart, missing="common")


def test_scores_without_predictions_or_gt_are_read(folder):
    folder("a", [{"id": "x", "score": 0.125}])
    board = load_leaderboard(folder("b", [{"id": "x", "score": 1, "gt": "A", "extracted_predictions": "A"}]))
    assert board.scores.tolist() == [[0.125], [1.0]] and board.samples is None and board.unreadable is None


def test_a_board_is_read_in_whatever_way_it_lies_and_what_was_done_is_said(tmp_path):
    wide = pd.DataFrame({"x": [True, False, True], "y": [False, False, None]}, index=["t1", "t2", "t3"])
    forms = {
        "wide": wide,
        "named": wide.rename_axis("instance_id"),
        "turned": wide.T.rename_axis("system"),
        "long": wide.rename_axis("task").melt(ignore_index=False, var_name="agent", value_name="resolved"),
        "words": pd.DataFrame({"x": ["pass", "FAIL", "Passed"], "y": ["failed", "unresolved", ""]}, index=wide.index),
    }
    said = {}
    for name, frame in forms.items():
        frame.to_csv(tmp_path / f"{name}.csv")
        board = load_leaderboard(tmp_path / f"{name}.csv", "wrong")
        assert board.models == ("x", "y") and board.items == ("t1", "t2", "t3")
        assert board.scores.tolist() == [[1, 0, 1], [0, 0, 0]] and board.filled == 1
        said[name] = " ".join(board.notes)
        assert "read as 1 and 0" in said[name] and "1 of 6 scores (16.7%) are not there" in said[name]
    assert "column '' is taken for item" in said["wide"] and "'instance_id' is taken for item" in said["named"]
    assert "turned on its side" in said["turned"] and "'agent' is taken for model" in said["long"]


def test_several_rows_of_a_model_and_item_are_samples_and_their_mean_counts(tmp_path):
    long = [["model", "item", "epoch", "score"]]
    long += [[m, i, e, int((m == "a") + e > n)] for m in "ab" for n, i in enumerate("xyz") for e in range(4)]
    wide = [["item", "sample", "a", "b"]]
    wide += [[i, e, int(1 + e > n), int(e > n)] for n, i in enumerate("xyz") for e in range(4)]
    turned = [["model", *"xyz"]]
    turned += [[m, *(int((m == "a") + e > n) for n in range(3))] for m in "ab" for e in range(4)]
    for name, rows in (("long.csv", long), ("wide.csv", wide), ("turned.csv", turned)):
        board = load_leaderboard(written(tmp_path / name, rows))
        assert board.scores.tolist() == [[1, 0.75, 0.5], [0.75, 0.5, 0.25]] and board.samples == 4
        assert "4 rows for the same model and item are samples" in " ".join(board.notes)
    uneven = load_leaderboard(written(tmp_path / "uneven.csv", long[:-1]))
    assert uneven.scores[1, 2] == 0 and uneven.samples is None and "3 to 4 rows" in " ".join(uneven.notes)


def test_missing_scores_are_left_out_pair_by_pair_with_a_warning_where_they_are_many(tmp_path):
    rows = [["item", "a", "b"], *[[n, 1, 0 if n > 0 else ""] for n in range(40)]]
    few = load_leaderboard(written(tmp_path / "few.csv", rows), missing="pairs")
    assert np.isnan(few.scores[1, 0]) and np.isnan(few.scores).sum() == few.lacking == 1 and few.left_out == 0
    assert few.notes == ("1 of 80 scores (1.2%) are not there",)
    rows[2][2] = rows[3][2] = ""
    many = load_leaderboard(written(tmp_path / "many.csv", rows), missing="pairs")
    assert "Warning: b lacks 7.5%" in many.notes[-1]


def test_the_population_is_items_or_disciplines_and_is_said(tmp_path):
    def board(labels):
        rows = [[n, labels[n % len(labels)], n % 2, 1] for n in range(42)]
        return load_leaderboard(written(tmp_path / "b.csv", [["item", "category", "one", "other"], *rows]))

    found = population_of(board("ab"))
    assert (found.clusters, found.n, found.of) == (None, 42, "items") and "these very disciplines" in found.says
    assert population_of(board("ab"), "disciplines").n == 2
    assert population_of(board("abcdefg")).says == "other disciplines like these: the 7 disciplines are the units"
    assert population_of(board("abcdefg"), "items").clusters is None
    for wrong, words in (("questions", "choose one of"), ("disciplines", "there are none")):
        with pytest.raises(ValueError, match=words):
            population_of(board([""]), wrong)
