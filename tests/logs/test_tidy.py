"""Reading tidy files of logs."""

import numpy as np
import pandas as pd
import pytest
from proctor import logs
from proctor.data.tabular import DataError

from .laying import put


def test_outcomes_are_numbers_by_item_and_system(no_logs):
    put(no_logs, "zeroeval/crux.csv.gz", 'id,"a,b",c\nq1,1,0\nq2,,1\n')
    expected = pd.DataFrame({"a,b": [1.0, np.nan], "c": [0.0, 1.0]}, index=pd.Index(["q1", "q2"], name="item"))
    pd.testing.assert_frame_equal(logs.outcomes("crux"), expected, check_index_type=False, check_column_type=False)


def test_the_form_of_a_data_set_must_fit_and_its_file_be_there(no_logs):
    with pytest.raises(ValueError, match="'mmlu_redux' is no data set in the form of outcomes"):
        logs.outcomes("mmlu_redux")
    with pytest.raises(logs.LogsMissing, match="make logs"):
        logs.outcomes("gso")
    put(no_logs, "agent_outcomes/gso_15systems.csv.gz", "")
    with pytest.raises(DataError, match="gso_15systems.csv.gz: cannot be read as CSV"):
        logs.outcomes("gso")


def test_trials_come_as_successes_and_trials(no_logs):
    put(no_logs, "agent_outcomes/terminalbench2_trials_83systems.csv.gz", "item,b,a\ny,3/5,\nx,0/1,4/4\n")
    successes, trials = logs.trials("terminal_bench_2")
    assert list(successes.index) == ["y", "x"] and list(successes.columns) == ["b", "a"]
    assert successes.loc["y", "b"] == 3 and np.isnan(successes.loc["y", "a"])
    assert trials.to_numpy().tolist() == [[5, 0], [1, 4]]


def test_scores_of_judges_become_a_row_of_scores_for_each_judge_and_item(no_logs):
    text = (
        "id,subset,judge,chosen,rejected1,rejected2,rejected3\n7,Math,g,A9.87654,11111111,22222222,33333333\n"
        "8,Math,g,11111111,.2222222,33333333,44444444\n"
    )
    put(no_logs, "judge_scores/tidy.csv.gz", text)
    found = logs.judge_scores()
    assert found.index.tolist() == [("g", "7"), ("g", "8")] and found.shape == (2, 4 * 8)
    first = found.loc[("g", "7"), "chosen"]
    assert first.tolist() == pytest.approx([10, 9, np.nan, 8, 7, 6, 5, 4], nan_ok=True)
    assert first.index.tolist() == list(range(1, 9)) and (found["rejected3"].loc[("g", "7")] == 3).all()


def test_a_blank_cell_of_a_table_is_no_number_and_other_words_make_its_column_text(no_logs):
    text = "id,run,answered,judge_correct\na,openai_gpt-5_azure,1,\na,z-ai_glm-4.5_z-ai,1,%s\n"
    put(no_logs, "hle_runs/tidy.csv.gz", text % "1")
    put(no_logs, "hle_runs/items.csv", "")
    assert logs.table("hle_runs")["judge_correct"].tolist() == pytest.approx([np.nan, 1], nan_ok=True)
    put(no_logs, "hle_runs/tidy.csv.gz", text % "yes")
    assert logs.table("hle_runs")["judge_correct"].tolist() == ["", "yes"]


def test_twins_are_systems_that_gave_the_same_where_both_gave_something():
    table = pd.DataFrame(
        {"a": ["A", "B", "", "C"], "b": ["A", "B", "D", "C"], "c": ["A", "B", "D", "D"], "d": ["A"] * 4, "e": ["A"] * 4}
    )
    assert logs.twins(table) == [("a", "b", 1.0)]
    assert [pair[:2] for pair in logs.twins(table, 0.6)] == [("a", "b"), ("a", "c"), ("b", "c")]
