"""The notebook on HLE-Verified's Table 2, run once with params/quick.yaml; what it leaves in figures/."""

from decimal import Decimal

import pandas as pd
import pytest

from proctor.data.published import load_published

NAME = "hle_verified/3_remeasurement"


@pytest.fixture(scope="module")
def table(done):
    return pd.read_csv(done / "figures/hle_verified/table_2.csv", dtype=str)


@pytest.fixture(scope="module")
def parts(done):
    return pd.read_csv(done / "figures/hle_verified/decomposition.csv").set_index("model")


def test_gains_are_the_differences_of_the_printed_accuracies(table):
    assert len(table) == 14
    for row in table.itertuples():
        gain = Decimal(row.after) - Decimal(row.before)
        assert Decimal(row.gain_printed) == gain and row.table_agrees == "True"
        assert Decimal(row.gain_least) < gain < Decimal(row.gain_most)


def test_gains_of_the_text_that_differ_are_those_found_by_hand(table):
    differ = table[table["text_agrees"] == "False"]
    assert list(zip(differ["questions"], differ["model"])) == [
        ("full set", "Gemini3-pro"), ("full set", "Claude-Opus4.5"), ("revised subset", "Claude-Opus4.5"),
        ("full set", "Grok 4.1-fast-reasoning"), ("full set", "Claude-Opus4.6"), ("full set", "Deepseek-V3.2"),
        ("full set", "Qwen3-Max-Thinking")]
    for row in differ.itertuples():
        assert abs(Decimal(row.gain_in_text) - Decimal(row.gain_printed)) > Decimal("0.05")
    assert table[table["text_agrees"].isna()]["model"].tolist() == ["Qwen3-Max-Thinking"]  # not quoted


def test_the_parts_of_the_exam_make_up_the_whole(parts):
    printed = load_published("hle_verified/table_2").set_index("model")
    share = parts.loc["Gemini3-pro", "explained"] / printed.loc["Gemini3-pro", "subset_gain_value"]
    for state in ("before", "after"):
        column = {"before": "raw", "after": "verified"}[state]
        whole = share * printed[f"subset_{column}_accuracy_value"] + (1 - share) * parts[f"rest_{state}"]
        assert (whole - printed[f"full_{column}_accuracy_value"]).abs().max() < 0.05
    assert ((parts["explained"] + parts["unexplained"]) - parts["gain"]).abs().max() < 1e-9


def test_two_models_do_not_share_the_others_arithmetic(parts):
    assert set(parts.index[parts["unexplained"].abs() > 0.5]) == {"Deepseek-V3.2", "Qwen3-Max-Thinking"}
    fits = parts[parts["unexplained"].abs() < 0.1]
    assert len(fits) == 5 and (fits["rest_after"] - fits["rest_before"]).abs().max() < 0.15


def test_calibration_errors_fall_by_about_the_gain_of_accuracy(done):
    calibration = pd.read_csv(done / "figures/hle_verified/calibration.csv")
    assert len(calibration) == 14 and (calibration["fall"] > 0).all()
    assert ((calibration["fall"] - calibration["gain"]) - calibration["difference"]).abs().max() < 1e-9


@pytest.mark.parametrize("artifact", ["fig_table_2_deltas", "fig_7", "fig_8", "calibration_and_accuracy"])
def test_figures_are_there_with_their_evidence(done, artifact):
    text = (done / f"figures/hle_verified/{artifact}.svg").read_text()
    assert f"published · hle_verified/{artifact}" in text
    assert (done / f"figures/hle_verified/{artifact}.png").stat().st_size > 10_000
