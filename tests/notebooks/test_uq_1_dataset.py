"""The notebook on UQ's data set, run once with params/quick.yaml; what it leaves in figures/."""

import pandas as pd
import pytest
from proctor.report.claims import read_claims

NAME = "uq/1_dataset"


def test_claims_are_those_of_the_printed_counts(done):
    claims = {claim.id: claim for claim in read_claims(done / "figures")}
    assert claims["uq/claim_rules_trim_99"].estimate == pytest.approx(100 * (1 - 33_916 / 3_000_000), abs=0.005)
    assert claims["uq/claim_candidate_pool"].estimate == 7_685 - 500
    assert claims["uq/claim_stem_skew"].estimate == pytest.approx(100 * (395 + 52) / 500)
    assert claims["uq/1_categories_add_up"].verdict == "does not hold"
    assert claims["uq/claim_llm_filter_raises_difficulty"].estimate == pytest.approx(51.2 - 14.1)
    assert {claim.evidence for claim in claims.values()} == {"published"}


def test_tables_hold_the_published_counts(done):
    sites = pd.read_csv(done / "figures/uq/table_S8.csv")
    assert sites["questions"].sum() == 500 and len(sites) == 35
    assert len(pd.read_csv(done / "figures/uq/table_S4.csv")) == 80
    assert pd.read_csv(done / "figures/uq/table_S7.csv")["questions"].sum() == 25
    assert len(pd.read_csv(done / "figures/uq/table_S11.csv")) == 9
    assert pd.read_csv(done / "figures/uq/table_S6.csv").groupby("stage")["questions"].sum().max() == 33_899
