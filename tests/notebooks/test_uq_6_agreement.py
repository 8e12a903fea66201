"""The notebook on agreement of people and validator, run once with params/quick.yaml; what it leaves in figures/."""

from fractions import Fraction

import pandas as pd
import pytest

NAME = "uq/6_agreement"


@pytest.fixture(scope="module")
def table(done):
    return pd.read_csv(done / "figures/uq/table_S9.csv", keep_default_na=False)


def test_counts_give_the_printed_percentages_and_kappa(table):
    cells = table[["both_passed", "only_validator", "only_people", "neither"]]
    assert (cells.sum(axis=1) == 25).all()
    row = table.set_index("answer_model").loc["Gemini 2.5 Pro"]
    assert (row["both_passed"] + row["only_validator"]) * 4 == 12 and (row["both_passed"] + row["only_people"]) * 4 == 4
    observed = Fraction(int(row["both_passed"] + row["neither"]), 25)
    chance = Fraction(3 * 1 + 22 * 24, 625)
    assert Fraction(row["kappa"]) == (observed - chance) / (1 - chance) == Fraction(22, 47)
    assert round(float(Fraction(row["kappa"])), 3) == 0.468


def test_rejecting_everything_agrees_with_people_at_least_as_often(table):
    right = table["both_passed"] + table["only_people"]
    assert (table["always_reject"] == 1 - right / 25).all() and (table["always_reject"] >= table["agreement"]).all()
