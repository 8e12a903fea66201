import pandas as pd
import pytest
from proctor.data.published import load_published
from proctor.hle_verified.defect_labels import (
    LABELS,
    component_limits,
    label_limits,
    leading_label,
    share_counts,
    top_defects,
)

ITEMS = {
    "Math": 1021, "Biology/Medicine": 280, "Computer Science/AI": 241, "Other": 233, "Physics": 230,
    "Humanities/Social Science": 219, "Chemistry": 165, "Engineering": 111,
}  # fmt: skip
SHARES = load_published("hle_verified/fig_6")
FACTS = load_published("hle_verified/facts").set_index("fact")["value_value"]


@pytest.fixture(scope="module")
def limits():
    return label_limits(SHARES, FACTS, ITEMS, slack=2.0)


def test_limits_leave_room_for_all_items_of_each_subject_and_component(limits):
    sums = limits.groupby(["subject", "component"]).agg({"least": "sum", "most": "sum", "items": "first"})
    assert (sums["least"] <= sums["items"]).all() and (sums["items"] <= sums["most"]).all()
    assert len(limits) == 8 * 3 * 3 and (limits["least"] <= limits["most"]).all()


def test_an_exact_percentage_leaves_one_or_two_counts(limits):
    exact = limits[limits["printed"] != ""]
    assert len(exact) == 13 and ((exact["most"] - exact["least"]) <= 1).all()
    for row in exact.itertuples():
        assert round(100 * row.least / row.items, 1) == pytest.approx(float(row.printed), abs=0.051)


def test_a_subject_of_which_nothing_is_said_is_open(limits):
    open_ = limits[(limits["subject"] == "Computer Science/AI") & (limits["component"] == "rationale")]
    assert (open_["least"] == 0).all() and (open_["most"] == 241).all()
    assert leading_label(limits, "rationale")["Computer Science/AI"] == ""


def test_a_rough_figure_has_its_slack(limits):
    wide = label_limits(SHARES, FACTS, ITEMS, slack=5.0)
    assert (wide["least"] <= limits["least"]).all() and (wide["most"] >= limits["most"]).all()
    assert (wide["most"] > limits["most"]).any()


def test_gold_items_come_off_the_valid_problems_and_answers(limits):
    table = component_limits(limits, 2500, 668).set_index(["component", "label"])
    for component in ("problem", "answer"):
        row = table.loc[(component, "valid")]
        assert row["least"] - row["least_not_gold"] == row["most"] - row["most_not_gold"] == 668
    assert table.loc[("rationale", "valid"), "least_not_gold"] == 0 and set(table.index.levels[1]) == set(LABELS)


def test_wrong_sizes_of_subjects_fit_fewer_percentages():
    right, wrong = share_counts(SHARES, ITEMS), share_counts(SHARES, {name: n - 7 for name, n in ITEMS.items()})
    assert right["fitting"].sum() == 13 > wrong["fitting"].sum()
    assert right.set_index("subject").loc["Physics", "smallest_n"] == 230


def test_a_share_names_its_smallest_count_and_whether_one_defect_each_fits():
    top = top_defects(load_published("hle_verified/table_1"), SHARES, ITEMS, 1143)
    physics = top[(top["subject"] == "Physics") & (top["component"] == "problem")].iloc[0]
    assert physics["smallest"] == "4 of 7" and pd.isna(physics["invalid_parts"]) and physics["if_one_each"] == ""
    tried = top[top["invalid_parts"].notna()]
    assert (tried["if_one_each"] == "none").sum() == 3 and set(tried[tried["if_one_each"] == "none"]["component"]) == {
        "rationale"
    }
