"""What models claim against hand counts; intervals hold their estimates; families are resampled whole."""

import numpy as np
import pandas as pd
import pytest
from proctor.hle import confidence
from proctor.stats.calibration import calibration_error


def answers(n=60, families=6, seed=0):
    rng = np.random.default_rng(seed)
    right = rng.random(n) < 0.3
    return pd.DataFrame(
        dict(
            model="m",
            question_id=[f"q{i}" for i in range(n)],
            category=[f"f{i % families}" for i in range(n)],
            level=1.0 + np.arange(n) % 3,
            answer="x",
            correct=right,
            confidence=np.where(np.arange(n) % 4 == 0, 0.5, 0.96),
            probability=np.clip(0.3 + 0.4 * right + 0.2 * rng.random(n), 0, 1),
            cut_off=False,
            completion_tokens=10,
        )
    )


def test_questions_without_a_family_are_resampled_one_by_one():
    rows = pd.DataFrame(dict(question_id=["a", "b", "c", "d"], category=["x", "x", "", ""]))
    assert list(confidence.resampling_units(rows)) == ["x", "x", "c", "d"]
    assert list(confidence.resampling_units(rows[:2])) == ["a", "b"]


def test_the_worked_examples_state_what_the_prompt_files_say():
    assert confidence.example_confidences()["confidence"].tolist() == [0.96, 0.71, 0.97, 0.68]


def test_quantities_are_the_means_and_their_intervals_hold_them():
    rows = answers()
    found = confidence.quantities(rows, np.random.default_rng(1), 300)
    assert found["stated"].estimate == pytest.approx(rows["confidence"].mean())
    assert found["overconfidence"].estimate == pytest.approx((rows["confidence"] - rows["correct"]).mean())
    assert found["anchored"].estimate == pytest.approx(0.75)  # 0.96 is a worked example's, 0.5 is near none
    assert found["sure_when_wrong"].estimate == pytest.approx((rows["confidence"][~rows["correct"]] >= 0.9).mean())
    assert all(one.low <= one.estimate <= one.high for one in found.values())


def test_an_answer_without_a_signal_is_left_out():
    rows = answers()
    rows.loc[0, "probability"] = np.nan
    table = confidence.claims_and_accuracy(rows, np.random.default_rng(1), 50)
    assert table["n"].tolist() == [59]
    assert table["right"][0] == pytest.approx(rows["correct"][1:].mean())


def test_in_percent_reads_an_interval_and_a_row_of_the_table():
    row = confidence.claims_and_accuracy(answers(), np.random.default_rng(1), 50).iloc[0]
    found = confidence.in_percent(row, "right")
    assert (found.estimate, found.low) == (100 * row["right"], 100 * row["right_low"])


def test_the_official_error_is_said_to_be_odd_below_two_bins():
    table = confidence.calibration_by_signal(
        {"few": answers(60), "some": answers(150)}, np.random.default_rng(1), 20, 50
    )
    assert table["official"][:2].isna().all() and (table["official"][2:] == 0).all()
    assert list(table["official_says"])[::2] == ["does not exist below 100", "0 below 200"]


def test_the_difference_of_two_calibration_errors_is_that_of_the_signals():
    rows = answers()
    found = confidence.calibration_difference(rows, np.random.default_rng(1), 20, 100).iloc[0]
    one, two = (calibration_error(rows[c], rows["correct"], "debiased", 20) for c in ("confidence", "probability"))
    assert found["difference"] == pytest.approx(one - two) and found["low"] <= found["difference"] <= found["high"]


def test_accuracy_by_group_resamples_families_only_where_there_are_several():
    rows, exam = answers(), answers(20, 1).assign(category="")
    found = confidence.accuracy_by_group(rows, exam, "exam", np.random.default_rng(1), 100)
    assert found["resampled"].tolist() == ["families"] * 4 + ["questions"] * 7
    assert found["right"][0] == rows["correct"].sum() and found["questions"].iloc[-1] == "exam"


def test_spread_is_over_families_where_only_they_differ():
    rows = pd.concat([answers().assign(model=name) for name in ("m", "n")])
    rows["correct"] = rows["category"].isin(["f0", "f1", "f2"])
    found = confidence.spread_difference(rows, np.random.default_rng(1), 200)
    assert found.estimate == pytest.approx(np.std([1, 1, 1, 0, 0, 0], ddof=1)) and found.low >= 0
    assert np.isnan(confidence.spread_difference(rows[rows["model"] == "m"], np.random.default_rng(1)).low)


def test_curves_count_every_answer_once():
    found = confidence.calibration_curves(answers())
    assert found.groupby("signal")["n"].sum().tolist() == [60, 60]
    assert (found["low"] <= found["right"]).all() and (found["right"] <= found["high"]).all()


def test_unreadable_counts_what_is_missing():
    rows = answers()
    rows.loc[:1, "answer"] = None
    rows.loc[0, "confidence"] = np.nan
    found = confidence.unreadable(rows).loc["m"]
    assert (found["answers"], found["unreadable"], found["no_confidence"]) == (60, 2, 1)
