"""The notebook on UQ's rules, run once with params/quick.yaml; what it leaves in figures/."""

import pandas as pd
from proctor.report.claims import read_claims
from proctor.uq.dataset.rules import RULES

NAME = "uq/1b_rules"


def test_the_funnel_adds_up(done):
    rules = pd.read_csv(done / "figures/uq/1b_by_rule.csv")
    sites = pd.read_csv(done / "figures/uq/1b_by_site.csv")
    variants = pd.read_csv(done / "figures/uq/1b_public_code.csv").set_index(["tags", "top_share"])["kept"]
    assert rules["rule"].tolist() == list(RULES) and (rules["left"].diff().dropna() <= 0).all()
    assert sites["questions"].tolist() == [600] * 4
    assert sites["kept"].sum() == rules["left"].iloc[-1] == variants["whole", "enforced"]
    assert sites[list(RULES)].sum().tolist() == rules["failed"].tolist()


def test_the_substring_loses_what_the_variants_differ_by(done):
    lost = pd.read_csv(done / "figures/uq/1b_substring_table.csv")
    variants = pd.read_csv(done / "figures/uq/1b_public_code.csv").set_index(["tags", "top_share"])["kept"]
    assert lost["lost"].iloc[-1] == variants["whole", "enforced"] - variants["substring", "enforced"]


def test_claims_are_simulated_but_for_the_arithmetic(done):
    claims = {claim.id: claim for claim in read_claims(done / "figures")}
    assert {claim.evidence for name, claim in claims.items() if name != "uq/1b_ratio_rarely_binds"} == {"simulated"}
    assert claims["uq/1b_ratio_rarely_binds"].estimate == 5 * 5000
    assert claims["uq/1b_copies_found"].low > 60
