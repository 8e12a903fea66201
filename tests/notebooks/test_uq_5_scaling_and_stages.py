"""The notebook on calls, pipelines and stages, run once with params/quick.yaml; what it leaves in figures/."""

import json

import pandas as pd
import pytest

from proctor.protocols.algebra import cost, parse

NAME = "uq/5_scaling_and_stages"


@pytest.fixture(scope="module")
def measured(done):
    return pd.read_csv(done / "figures/uq/measured_scaling.csv")


def test_rows_of_figure_s10_have_the_calls_of_their_notation(done):
    table = pd.read_csv(done / "figures/uq/scaling_table.csv")
    assert len(table) == 10 and table["calls"].is_monotonic_increasing
    for row in table.itertuples():
        assert row.calls == cost(parse(row.strategy), row.judges.count(";") + 1).most
        assert row.accuracy < 0.87 and row.accuracy_boot_low <= row.accuracy <= row.accuracy_boot_high


def test_accuracy_of_o3s_rows_follows_the_share_that_they_reject(done):
    table = pd.read_csv(done / "figures/uq/scaling_table.csv")
    o3 = table[table["judges"] == "o3"]
    assert list(o3.sort_values("rejected").index) == list(o3.sort_values("accuracy").index)


def test_every_validator_judged_every_answer_within_its_calls(measured):
    assert len(measured) == 3 * 7 + 4
    assert (measured["calls_mean"] <= measured["calls_all"]).all() and (measured["unreadable"] == 0).all()
    assert measured["accepted"].to_numpy() == pytest.approx(((measured["tp"] + measured["fp"]) / 54).to_numpy())


def test_a_pipeline_accepts_no_more_than_its_last_stage(measured):
    by_name = measured.set_index(["judges", "validator"])["accepted"]
    for judge in measured["judges"].unique()[:3]:
        assert by_name[judge, "CC => FLC => C"] <= by_name[judge, "FLC => C"] <= by_name[judge, "C"]


@pytest.mark.parametrize("artifact, evidence", [("fig_S10", "reconstructed"), ("measured_stages", "measured")])
def test_artifact_says_what_it_rests_on(done, artifact, evidence):
    assert json.loads((done / f"figures/uq/{artifact}.json").read_text())["evidence"] == evidence
