"""notebooks/cbu/3_neighbours.ipynb, run by papermill with the quick parameters."""

import json

import pandas as pd
import pytest
from proctor.report.claims import read_claims, rejudge

NAME = "cbu/3_neighbours"


def table(done, name):
    return pd.read_csv(done / f"figures/cbu/{name}.csv")


def test_table_4_marks_what_the_paper_does_not_give(done):
    found = table(done, "table_4")
    assert found["questions"].tolist() == [127, 298, 77] and found["note"].str.startswith("not in our text").sum() == 2


def test_measured_tables_have_intervals_around_their_separations(done):
    for name in ("base_rate_groups", "neighbourhood_kinds"):
        found = table(done, name)
        assert (found["low"] <= found["difference"]).all() and (found["difference"] <= found["high"]).all()
        assert found["difference"].to_numpy() == pytest.approx((found["right"] - found["wrong"]).to_numpy())
        assert json.loads((done / f"figures/cbu/{name}.json").read_text())["evidence"] == "measured"
    assert set(table(done, "neighbourhood_kinds")["source"]) >= {"written", "related"}


def test_every_draft_has_one_outcome(done):
    found = table(done, "generated_neighbours")
    assert found.drop(columns="family").to_numpy().sum() == 18 and found["family"].nunique() == 9


def test_claims_follow_from_the_tables(done):
    made = {claim.id: claim for claim in read_claims(done / "figures")}
    assert all(rejudge(claim) == claim.verdict for claim in made.values())
    kinds = table(done, "neighbourhood_kinds")
    automatic = kinds[kinds["source"] != "written"]
    assert made["cbu/claim_automatic_neighbours"].estimate == pytest.approx(100 * automatic["difference"].min())
    assert made["cbu/claim_daft_math"].estimate == pytest.approx(93.51 - 85.58)
    assert made["cbu/claim_daft_math"].verdict == "cannot tell"
