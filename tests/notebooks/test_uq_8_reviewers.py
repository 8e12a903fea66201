"""The notebook on reviews and reviewers, run once with params/quick.yaml; what it leaves in figures/."""

import math

import pandas as pd
import pytest

NAME = "uq/8_reviewers"


def test_formula_column_is_the_binomial_sum(done):
    table = pd.read_csv(done / "figures/uq/8b_reviews_needed_table.csv")
    for row in table.itertuples():
        p, n = row.mean_skill, row.reviews
        mistaken = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range((n + 1) // 2))
        assert row.formula == pytest.approx(mistaken) and row.low <= row.error <= row.high
    misled = table[table["panel"].str.contains("misleading")]
    assert misled["mean_skill"].to_numpy() == pytest.approx(0.85 * 0.7)


def test_detection_covers_power_and_false_alarms(done, claims_made):
    table = pd.read_csv(done / "figures/uq/8b_detection_table.csv")
    assert set(table["kind"]) == {"always no", "colluding", "none"} and (table["group"] == "honest").any()
    row = table[(table["panel"] == "colluding, 320") & (table["test"] == "favour") & (table["group"] == "colluding")]
    assert claims_made["uq/8b_seen.favour"].estimate == pytest.approx(100 * row["flagged"].item())


def test_flags_name_every_reviewer_with_the_group(done):
    flags = pd.read_csv(done / "figures/uq/8b_flags.csv")
    assert flags["group"].value_counts().to_dict() == dict(careful=14, expert=6, poster=6, careless=4, colluding=4)
    assert not flags.loc[flags["group"] == "expert", "favours"].any()


def test_claims_of_the_model_are_those_of_its_table(done, claims_made):
    table = pd.read_csv(done / "figures/uq/8b_dawid_skene_table.csv").set_index("panel")
    assert claims_made["uq/8b_dawid_skene.skills"].estimate == pytest.approx(
        table.loc["skills far apart", "difference"]
    )
    assert claims_made["uq/8b_dawid_skene.group"].family == len(table) == 6
