"""The notebook on HLE-Verified's Table 2, run once with params/quick.yaml; what it leaves in figures/."""

from decimal import Decimal

import pandas as pd
import pytest
from proctor.data.published import load_published

NAME = "hle_verified/3_remeasurement"


def saved(done, name, **how):
    return pd.read_csv(done / f"figures/hle_verified/{name}.csv", **how)


@pytest.fixture(scope="module")
def table(done):
    return saved(done, "table_2", dtype=str)


@pytest.fixture(scope="module")
def parts(done):
    return saved(done, "decomposition").set_index("model")


@pytest.fixture(scope="module")
def printed():
    return load_published("hle_verified/table_2").set_index("model")


def test_gains_are_the_differences_of_the_printed_accuracies(table):
    assert len(table) == 14
    for row in table.itertuples():
        gain = Decimal(row.after) - Decimal(row.before)
        assert Decimal(row.printed) == gain and row.table_agrees == "True"
        assert Decimal(row.low) < gain < Decimal(row.high)


def test_the_parts_of_the_exam_make_up_the_whole(parts, printed):
    fitting = parts[parts["fits"]]
    share = (fitting["share_low"].max() + fitting["share_high"].min()) / 2
    assert fitting["share_low"].max() <= share <= fitting["share_high"].min()
    for state, column in (("before", "raw"), ("after", "verified")):
        whole = share * printed[f"subset_{column}_accuracy_value"] + (1 - share) * parts[f"rest_{state}"]
        assert (whole - printed[f"full_{column}_accuracy_value"]).abs().max() < 0.002
    explained = share * printed["subset_gain_value"] / printed["full_gain_value"]
    assert (explained - parts["explained"]).abs().max() < 0.001


def test_calibration_errors_fall_by_about_the_gain_of_accuracy(done, printed):
    errors = saved(done, "calibration")
    for name, column in (("full set", "full"), ("revised subset", "subset")):
        part = errors[errors["set"] == name].set_index("model")
        fall = printed[f"{column}_raw_calibration_value"] - printed[f"{column}_verified_calibration_value"]
        assert (part["fall"] == fall).all() and (fall > 0).all()
        assert (part["remainder"] - (fall - printed[f"{column}_gain_value"])).abs().max() < 1e-9


def test_without_the_uncertain_items_the_bounds_decide_one_model_and_sampling_none(done):
    table = saved(done, "repaired_and_rest").set_index("model")
    assert table.index[table["easier_least"] > 0].tolist() == ["Grok 4.1-fast-reasoning"]
    assert (table["low"] < 0).all() and (table["easier_than_rest"] > 0).all()
    kept = 1 - 689 / 2500
    for row in table.itertuples():  # every uncertain item wrong: the whole rest's right answers are its sound items'
        assert row.easier_least == pytest.approx(row.repaired - row.sound_most) and row.sound_most > row.rest / kept
