"""The notebook on agreement of people and validator, run once with params/quick.yaml; what it leaves in figures/."""

from fractions import Fraction

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

NAME = "uq/6_agreement"


@pytest.fixture(scope="module")
def table(read):
    return read("table_S9", keep_default_na=False)


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


def test_the_smallest_fall_of_kappa_is_that_of_the_expected_tables(claims_made):
    def kappa(right, e):
        both, neither = right * (1 - e) ** 2 + (1 - right) * e**2, right * e**2 + (1 - right) * (1 - e) ** 2
        return cohens_kappa(np.array([[both, e * (1 - e)], [e * (1 - e), neither]]), return_results=False)

    falls = [kappa(0.5, error) - kappa(0.04, error) for error in (0.02, 0.05, 0.1, 0.2)]
    assert claims_made["uq/6_kappa_and_prevalence"].estimate == pytest.approx(min(falls), abs=0.0005)


def test_the_validator_agrees_with_people_once_less_than_rejecting_everything(claims_made):
    gain = claims_made["uq/claim_human_agreement_high.gain"]
    # +1 with chance 1/100, -1 with 2/100: 3 differing answers are too few for the normal interval, which is narrower
    assert gain.estimate == pytest.approx(-1) and gain.low < 0 < gain.high
    assert 2 * 1.96 * np.sqrt(0.03 - 0.01**2) * 10 < gain.high - gain.low < 11
