"""The notebook that compares the papers' figures with one another; what it leaves in figures/."""

import pandas as pd
import pytest
from proctor.recordings import all_checks
from proctor.report.claims import read_claims

NAME = "synthesis/2_consistency"


@pytest.fixture(scope="module")
def table(done):
    return pd.read_csv(done / "figures/synthesis/consistency.csv", dtype=str, keep_default_na=False)


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def test_every_comparison_is_listed_agreeing_or_not(table):
    checks = all_checks.checks()
    assert len(table) == len(checks)
    assert (table["agrees"] == "True").sum() == sum(check.agrees for check in checks)
    assert set(table["paper"]) == set(all_checks.PAPERS)


def test_waffle_says_its_denominator_and_counts_every_comparison(done, claims, table):
    svg = (done / "figures/synthesis/lead_consistency.svg").read_text()
    claim = claims["synthesis/2_agreement"]
    wrong, serious = (table["agrees"] == "False").sum(), (table["severity"] == "claim").sum()
    assert claim.verdict == "does not hold" and claim.n == len(table)
    assert claim.title == f"{wrong} of {len(table)} comparisons within a paper disagree; {serious} touch a claim"
    assert claim.title in svg and "one square: one printed figure" in svg and "published" in svg


def test_a_moved_number_is_noticed_where_it_leaves_what_follows(done, table):
    """Recounted for whole numbers that the other figures pin down exactly: a move by one is always noticed."""
    agree = table[table["agrees"] == "True"]
    exact = agree[agree["printed"].str.fullmatch(r"\d+") & (agree["printed"] == agree["follows"])]
    exact = exact[~exact["what"].str.contains("percent|share")]
    found = pd.read_csv(done / "figures/synthesis/misprint_detection.csv")
    assert len(exact) <= found["detected"][0] <= found["comparisons"][0] and len(exact) > 30
    assert found["detected"].is_monotonic_increasing and found["share"][0] == pytest.approx(
        found["detected"][0] / found["comparisons"][0]
    )
