"""The notebook on HLE-Verified's Table 2, run once with params/quick.yaml; what it leaves in figures/."""

from decimal import Decimal

import pytest
from proctor.data.published import load_published

NAME = "hle_verified/3_remeasurement"


@pytest.fixture(scope="module")
def table(read):
    return read("table_2", dtype=str)


@pytest.fixture(scope="module")
def parts(read):
    return read("decomposition").set_index("model")


@pytest.fixture(scope="module")
def printed():
    return load_published("hle_verified/table_2").set_index("model")


def test_gains_are_the_differences_of_the_printed_accuracies(table):
    assert len(table) == 14
    for row in table.itertuples():
        gain = Decimal(row.after) - Decimal(row.before)
        assert Decimal(row.printed) == gain and row.table_agrees == "True"
        assert Decimal(row.low) < gain < Decimal(row.high)


def test_gains_of_the_text_that_differ_are_those_found_by_hand(table):
    differ = table[table["agrees"] == "False"]
    assert dict(zip(differ["model"] + ", " + differ["set"], differ["text"])) == {
        "Gemini3-pro, full set": "7.58",
        "Claude-Opus4.5, full set": "8.68",
        "Grok 4.1-fast-reasoning, full set": "9.26",
        "Claude-Opus4.6, full set": "7.75",
        "Deepseek-V3.2, full set": "10.79",
        "Qwen3-Max-Thinking, full set": "8.92",
        "Claude-Opus4.5, revised subset": "32.94",
    }
    for row in differ.itertuples():
        assert abs(Decimal(row.text) - Decimal(row.printed)) > Decimal("0.06")  # what rounding could explain
    assert table[table["agrees"].isna()]["model"].tolist() == ["Qwen3-Max-Thinking"]  # subset: not quoted


def test_the_parts_of_the_exam_make_up_the_whole(parts, printed):
    fitting = parts[parts["fits"]]
    share = (fitting["share_low"].max() + fitting["share_high"].min()) / 2
    assert fitting["share_low"].max() <= share <= fitting["share_high"].min()
    for state, column in (("before", "raw"), ("after", "verified")):
        whole = share * printed[f"subset_{column}_accuracy_value"] + (1 - share) * parts[f"rest_{state}"]
        assert (whole - printed[f"full_{column}_accuracy_value"]).abs().max() < 0.002
    explained = share * printed["subset_gain_value"] / printed["full_gain_value"]
    assert (explained - parts["explained"]).abs().max() < 0.001


def test_five_models_share_one_share_and_two_do_not(parts):
    assert set(parts.index[~parts["fits"]]) == {"Deepseek-V3.2", "Qwen3-Max-Thinking"}
    held = (parts["rest_moved_low"] <= 0) & (parts["rest_moved_high"] >= 0)
    assert (held == parts["fits"]).all() and parts.loc[parts["fits"], "rest_moved"].abs().max() < 0.1


def test_no_pair_of_models_is_shown_to_change_places(read):
    order = read("rank_change").set_index("set")
    assert order["turned"].tolist() == [0, 3] and order["turned_proven"].tolist() == [0, 0]
    assert (order[["proven_before", "proven_after"]].to_numpy() <= order[["pairs"]].to_numpy()).all()


def test_calibration_errors_fall_by_about_the_gain_of_accuracy(read, printed):
    errors = read("calibration")
    for name, column in (("full set", "full"), ("revised subset", "subset")):
        part = errors[errors["set"] == name].set_index("model")
        fall = printed[f"{column}_raw_calibration_value"] - printed[f"{column}_verified_calibration_value"]
        assert (part["fall"] == fall).all() and (fall > 0).all()
        assert (part["remainder"] - (fall - printed[f"{column}_gain_value"])).abs().max() < 1e-9


def test_without_the_uncertain_items_the_bounds_decide_one_model_and_sampling_none(read):
    table = read("repaired_and_rest").set_index("model")
    assert table.index[table["easier_least"] > 0].tolist() == ["Grok 4.1-fast-reasoning"]
    assert (table["low"] < 0).all() and (table["easier_than_rest"] > 0).all()
    kept = 1 - 689 / 2500
    for row in table.itertuples():  # every uncertain item wrong: the whole rest's right answers are its sound items'
        assert row.easier_least == pytest.approx(row.repaired - row.sound_most) and row.sound_most > row.rest / kept


def test_no_number_of_items_explains_all_accuracies_of_the_subset(read, printed):
    """A recount: the nearest count of right answers out of five times so many, printed with the figure's decimals."""
    figures = [text for when in ("raw", "verified") for text in printed[f"subset_{when}_accuracy"]]
    halves = [0.5 * 10.0 ** -len(text.partition(".")[2]) + 1e-9 for text in figures]
    fitting = [
        sum(abs(100 * round(float(text) * 5 * n / 100) / (5 * n) - float(text)) <= half
            for text, half in zip(figures, halves))
        for n in range(1, 1144)
    ]  # fmt: skip
    claim = read("claims_3_remeasurement").set_index("id").loc["hle_verified/claim_count_grid"]
    assert claim["estimate"] == max(fitting) < 14 and claim["n"] == 1143


def test_an_eighth_model_at_the_ends_keeps_the_mean_in_the_claimed_range(read):
    average = read("average_gains").set_index("set")
    assert average["mean"].round(2).tolist() == [9.02, 34.39]
    for end, claimed in (("least", "low"), ("most", "high")):
        mean = (7 * average["mean"] + average[f"eighth_{end}"]) / 8
        assert mean.tolist() == pytest.approx(average[f"claimed_{claimed}"].tolist())
