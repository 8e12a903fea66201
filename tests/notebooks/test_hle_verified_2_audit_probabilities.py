"""The notebook on audits of damaged items beside their sound twins, run once with params/quick.yaml."""

import pandas as pd
from proctor.hle_verified.planted_defects import Defect

NAME = "hle_verified/2_audit_probabilities"


def test_every_kind_has_ten_pairs_and_every_component_its_own(done):
    kinds = pd.read_csv(done / "figures/hle_verified/2d_kinds.csv")
    assert list(kinds["kind"]) == list(Defect) and kinds["rejected_n"].eq(10).all()
    table = pd.read_csv(done / "figures/hle_verified/2d_components.csv").set_index("component")
    assert table["pairs"].to_dict() == dict(problem=50, answer=40, rationale=100)
    assert (table["low"] <= table["auc"]).all() and (table["auc"] <= table["high"]).all()


def test_changed_repairs_and_untouched_items_are_scored_apart(done):
    table = pd.read_csv(done / "figures/hle_verified/2d_repairs.csv").set_index("repairs")["items"]
    assert table["changed, right"] == table["changed, wrong"] == table["untouched, sound"] == 54
    assert table["untouched, damaged rationale"] == 100


def test_one_sample_is_nearer_to_chance_than_the_probability_where_that_ranks(done):
    table = pd.read_csv(done / "figures/hle_verified/2d_samples.csv")
    ranks = table[table["probability"] > 0.6]
    assert (ranks["1 sample"] < ranks["probability"]).all() and table["8 samples"].between(0, 1).all()


def test_comparisons_of_an_auditor_are_told_together(claims_made):
    for name in ("2d_ranks", "2d_finds", "2d_tells_repairs"):
        found = [claim for key, claim in claims_made.items() if key.startswith(f"hle_verified/{name}.")]
        assert len(found) in (3, 6) and {claim.family for claim in found} == {3}, name
        assert {claim.of for claim in found} == {"families of questions"}
