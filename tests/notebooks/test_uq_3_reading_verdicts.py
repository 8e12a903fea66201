"""The notebook on reading verdicts, run once with params/quick.yaml; what it leaves in figures/."""

import json

import pandas as pd
import pytest
from proctor import paths

NAME = "uq/3_reading_verdicts"
pytestmark = pytest.mark.skipif(
    not (paths.CACHE / "fetched" / "NQ-open" / "combined.jsonl").is_file(),
    reason="the open questions are not fetched: run make setup",
)


def test_no_attack_fools_our_reader(done):
    table = pd.read_csv(done / "figures/uq/reading_table.csv")
    assert (table["ours"] == table["meant"]).all() and (table["public"] != table["meant"]).sum() > 5


def test_the_public_reader_misreads_rejections(claims_made):
    claim = claims_made["uq/3_reading"]
    assert claim.verdict == "holds" and claim.n == 88 and "19 and 0 misread" in claim.exact


def test_verdicts_that_could_not_be_read_are_counted_by_judge_and_check(done):
    table = pd.read_csv(done / "figures/uq/unreadable_table.csv")
    sizes = table.groupby("answers")["verdicts"].unique().map(list).to_dict()
    assert sizes == {"open": [24], "own": [81], "worked": [54]} and len(table) == 3 * 3 * 5
    # The recorded judges are bound to Y or N; unreadable are only checks of two calls whose first was cut off.
    found = table[table["unreadable"] > 0]
    assert set(found["check"]) == {"CC", "B"} and found["unreadable"].sum() == 12


@pytest.mark.parametrize(
    "artifact, evidence",
    [("reading", "simulated"), ("reading_table", "simulated"), ("unreadable_table", "measured")],
)
def test_artifact_says_what_it_rests_on(done, artifact, evidence):
    found = json.loads((done / f"figures/uq/{artifact}.json").read_text())
    assert found["evidence"] == evidence and found["code"]["notebook"] == NAME
