"""The notebook on answering and validating, run once with params/quick.yaml; what it leaves in figures/."""

import json

import pandas as pd
import pytest

from proctor import paths

NAME = "uq/2_generator_validator_gap"
pytestmark = pytest.mark.skipif(not (paths.CACHE / "fetched" / "NQ-open" / "combined.jsonl").is_file(),
                                reason="the open questions are not fetched: run make setup")


@pytest.fixture(scope="module")
def scores(done):
    return pd.read_csv(done / "figures/uq/measured_gap_table.csv")


def test_every_model_answers_and_validates_on_both_sets(scores):
    assert len(scores) == 3 + 3 * 3 * 2
    assert scores.groupby(["task", "questions"]).size().eq(3).all()
    assert (scores["low"] <= scores["score"]).all() and (scores["score"] <= scores["high"]).all()


def test_answering_grows_and_validating_does_not_leave_the_coin(scores):
    assert scores[scores["task"] == "answers"]["score"].is_monotonic_increasing
    assert (scores[scores["task"] != "answers"]["low"] <= 0.501).all()


@pytest.mark.parametrize("artifact, evidence", [("gap_and_baseline", "published + reconstructed"), ("measured_gap", "measured")])
def test_artifact_says_what_it_rests_on(done, artifact, evidence):
    assert json.loads((done / f"figures/uq/{artifact}.json").read_text())["evidence"] == evidence
