"""The notebook on calls, pipelines and stages, run once with params/quick.yaml; what it leaves in figures/."""

import json
import re

import pandas as pd
import pytest
from proctor.uq.notation import cost, parse

NAME = "uq/5_scaling_and_stages"
THREE = "(CC u3|U) => (FLC u3|U) => (C u3|U)"


@pytest.fixture(scope="module")
def measured(done):
    return pd.read_csv(done / "figures/uq/measured_scaling.csv")


@pytest.fixture(scope="module")
def stages(done):
    return pd.read_csv(done / "figures/uq/measured_stages_table.csv")


def test_every_validator_judged_every_answer_within_its_calls(measured):
    judges = measured["judges"].nunique() - 1
    assert len(measured) == 8 * judges + 4
    unread = measured[measured["unreadable"] > 0]  # the first call of some was cut off
    assert set(unread["validator"]) == {"CC", "B"} and unread["unreadable"].sum() == 7
    for row in measured.itertuples():
        one = cost(parse(row.validator), judges if row.judges == "all three" else 1)
        saved = 3 / 81 + 1e-9 if re.search("CC|B", row.validator) else 1e-9  # what first calls that were cut off save
        assert one.least - saved <= row.calls <= one.most and one.most - saved <= row.all_calls
        assert row.rejected == pytest.approx(1 - (row.tp + row.fp) / 81)
        assert row.recall == pytest.approx(row.tp / 15) and row.accuracy == pytest.approx((row.tp + 66 - row.fp) / 81)


def test_stricter_validators_accept_a_part_of_what_their_parts_accept(measured):
    accepted = 1 - measured.set_index(["judges", "validator"])["rejected"]
    for judge in measured["judges"].unique()[:-1]:
        assert accepted[judge, THREE] <= accepted[judge, "CC => FLC => C"] <= accepted[judge, "C"]
        assert accepted[judge, THREE] <= accepted[judge, "C u3 |U"] <= accepted[judge, "C"]
        assert accepted["all three", "C |U"] <= accepted[judge, "C"]


def test_every_answer_ends_somewhere_and_those_that_pass_are_those_that_the_pipeline_accepts(stages, measured):
    ends = ["fails_at_1", "fails_at_2", "fails_at_3", "passes"]
    assert (stages[ends].sum(axis=1) == 27).all()
    assert stages.groupby("author")["right"].first().sort_values().tolist() == [1, 4, 10]
    assert (stages["passes_and_right"] <= stages[["passes", "right"]].min(axis=1)).all()
    three = measured[measured["validator"] == THREE].set_index("judges")
    passed = stages.groupby("judge", sort=False)[["passes", "passes_and_right"]].sum()
    assert passed["passes"].to_dict() == (three["tp"] + three["fp"]).loc[passed.index].to_dict()
    assert passed["passes_and_right"].to_dict() == three["tp"].loc[passed.index].to_dict()


@pytest.mark.parametrize(
    "artifact, evidence",
    [
        ("fig_S10_measured", "measured"),
        ("fig_S11", "measured"),
        ("finding_8_table", "measured"),
    ],
)
def test_artifact_says_what_it_rests_on(done, artifact, evidence):
    assert json.loads((done / f"figures/uq/{artifact}.json").read_text())["evidence"] == evidence


def test_finding_8_is_decided_by_corrected_intervals_alone(done, claims_made):
    table = pd.read_csv(done / "figures/uq/finding_8_table.csv")
    assert len(table) == 12 and "p" not in table
    assert ((table["reading"] == "cannot tell") == ((table["low"] <= 0) & (table["high"] >= 0))).all()
    assert claims_made["uq/claim_weak_models_fail_early"].verdict == "cannot tell"


def test_results_box_states_what_the_claims_print(box_numbers):
    said, printed = box_numbers
    assert said and said <= printed
