"""The notebook on UQ's partial evaluation, run once with params/quick.yaml; what it leaves in figures/."""

import pandas as pd
import pytest
from proctor.report.claims import read_claims

NAME = "uq/7_evaluation"


@pytest.fixture(scope="module")
def bounds(done):
    return pd.read_csv(done / "figures/uq/solve_rate_bounds.csv").set_index("answer_model")


def test_bounds_come_from_the_counts_of_the_paper(bounds):
    row = bounds.loc["o3-pro"]
    assert row["verified_right"] == 4 / 500 and row["passed_and_right_most"] == (4 + 75 - 46) / 500
    assert row["right_most_unassumed"] == (500 - 42) / 500
    assert bounds.loc["GPT-4o", ["verified_right", "passed_and_right_most", "right_most"]].tolist() == [0, 0, 0]


def test_claims_are_those_of_the_counts(done):
    claims = {claim.id: claim for claim in read_claims(done / "figures")}
    questions = claims["uq/claim_most_passed_answers_wrong.questions"]
    assert (questions.low, questions.high) == pytest.approx((100 * 10 / 144, 100 * 63 / 144))
    assert claims["uq/claim_most_passed_answers_wrong.answers"].high == pytest.approx(100 * 98 / 193)
    assert claims["uq/claim_nearly_none_solved"].high == pytest.approx(100 * (500 - 81) / 500)
    assert claims["uq/claim_ranking_mirrors_benchmarks"].estimate == pytest.approx(100 * (25 - 6) / 500)
    assert claims["uq/claim_ten_answers_verified"].verdict == "holds"
    assert claims["uq/claim_o3_pro_stands_out.precision"].estimate == pytest.approx(100 * (4 / 46 - 7 / 60))
