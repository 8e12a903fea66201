"""The notebook on UQ's data set, run once with params/quick.yaml; what it leaves in figures/."""

import pytest

NAME = "uq/1_dataset"


def test_claims_are_those_of_the_printed_counts(claims_made):
    assert claims_made["uq/claim_rules_trim_99"].estimate == pytest.approx(100 * (1 - 33_916 / 3_000_000), abs=0.005)
    assert claims_made["uq/claim_candidate_pool"].estimate == 7_685 - 500
    assert claims_made["uq/claim_stem_skew"].estimate == pytest.approx(100 * (395 + 52) / 500)
    assert claims_made["uq/1_categories_add_up"].verdict == "does not hold"
    assert claims_made["uq/claim_llm_filter_raises_difficulty"].estimate == pytest.approx(51.2 - 14.1)
    assert {claim.evidence for claim in claims_made.values()} == {"published"}
