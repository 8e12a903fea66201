"""notebooks/kina/1_population.ipynb, run by papermill with the quick parameters."""

import json

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.report import catalog
from proctor.report.claims import read_claims

NAME = "kina/1_population"


@pytest.fixture(scope="module")
def approval(done):
    return pd.read_csv(done / "figures/kina/topic_approval.csv").set_index("approval")


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def record(done, name) -> dict:
    return json.loads((done / f"figures/kina/{name}.json").read_text())


def test_leaves_what_the_catalog_promises_with_its_evidence(done):
    rows = [row for row in catalog.read() if row.notebook == NAME]
    assert len(rows) == 7 and all((done / "figures" / file).is_file() for row in rows for file in catalog.files(row))
    assert all(record(done, name)["evidence"] == "simulated" for name in ("proxy_vs_population", "topic_approval"))
    for name in ("item_writing", "prompt_selection"):
        assert record(done, name)["evidence"] == "published" and record(done, name)["note"]


def test_tested_shares_of_the_approvals_agree_with_each_other(approval):
    shares = approval.drop(columns=["without_items", "proven"])
    assert ((0 <= shares) & (shares <= 1)).all(axis=None) and len(approval) == 4
    assert (approval["least_tested"] <= approval["population"]).all()
    assert (approval["population"] <= approval["most_tested"]).all()
    assert (approval["after_losses"] < approval["population"]).all()
    assert (approval["population_low"] < approval["population"]).all()
    assert (approval["population"] < approval["population_high"]).all()
    per_discipline = approval[["least_tested", "most_tested"]] * 100 * 4  # of 100 topics each, mean over four fields
    assert np.allclose(per_discipline, per_discipline.round())


def test_anchors_win_the_proxy_and_lose_the_population_and_quotas_give_some_of_it_back(approval, claims):
    anchors, quotas = approval.loc["by anchors"], approval.loc["by anchors, with quotas"]
    assert approval["proxy"].idxmax() == "by anchors" and approval["population"].idxmin() == "by anchors"
    assert anchors["without_items"] > 0 == quotas["without_items"]
    assert quotas["population"] > anchors["population"] and quotas["least_tested"] > 0.2
    nobody = approval.loc["nobody is asked", "population"]
    found = claims["kina/1b_topic_approval.anchors"]
    assert found.estimate == pytest.approx(100 * (anchors["population"] - nobody)) and found.family == 4


def test_claims_are_over_simulated_fields_at_the_level_of_their_family(claims):
    sampled = [claim for claim in claims.values() if not claim.exact]
    assert len(sampled) == 6 and {claim.of for claim in sampled} == {"simulated fields"}
    assert all(claim.n == 4 and claim.level == pytest.approx(1 - 0.05 / claim.family) for claim in sampled)
    assert claims["kina/claim_proxy_only"].verdict == "holds"


def test_rules_of_manual_and_prompt_stand_beside_what_the_objective_knows(done):
    prompt, manual = (pd.read_csv(done / f"figures/kina/{name}.csv") for name in ("prompt_selection", "item_writing"))
    assert len(prompt) == 5 and prompt["in_objective"].str.startswith("yes").sum() == 2
    assert manual["rule"].str.contains("among 3 to 5").sum() == 1 and manual["rule"].str.startswith("six parts").any()


def test_results_box_states_the_committed_claims():
    box = "".join(json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())["cells"][0]["source"])
    own = [claim for claim in read_claims(paths.ROOT / "figures") if claim.notebook == NAME]
    text = " ".join(box.replace("\n>", " ").split())
    stated = {claim.id for claim in own if claim.numbers.split(", n =")[0] in text}
    assert stated >= {
        "kina/1b_population.anchors",
        "kina/1b_population.fair",
        "kina/1b_topic_approval.anchors",
        "kina/1b_topic_approval.quotas",
    }
    assert all(claim.verdict == "holds" for claim in own)
