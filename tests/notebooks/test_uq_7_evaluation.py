"""The notebook on UQ's partial evaluation, run once with params/quick.yaml; what it leaves in figures/."""

import pytest
from scipy.stats import binom

NAME = "uq/7_evaluation"


@pytest.fixture(scope="module")
def bounds(read):
    return read("solve_rate_bounds").set_index("answer_model")


def test_table_s3_names_the_two_rates_that_its_counts_do_not_give(read):
    table = read("table_S3")
    odd = table[table["differs"]]
    assert odd[["answer_model", "printed_percent", "passed", "questions"]].to_numpy().tolist() == [
        ["o3-pro", 4.0, 3, 25],
        ["o3", 2.0, 1, 25],
    ]
    assert ((table["recomputed"] - table["passed"] / table["questions"]).abs() < 1e-12).all()
    assert (table["low"] <= table["recomputed"]).all() and (table["recomputed"] <= table["high"]).all()


def test_bounds_come_from_the_counts_of_the_paper(bounds):
    row = bounds.loc["o3-pro"]
    assert row["verified_right"] == 4 / 500 and row["passed_and_right_most"] == (4 + 75 - 46) / 500
    assert row["right_most_unassumed"] == (500 - 42) / 500
    assert bounds.loc["GPT-4o", ["verified_right", "passed_and_right_most", "right_most"]].tolist() == [0, 0, 0]


def test_claims_are_those_of_the_counts(read, claims_made):
    questions = claims_made["uq/claim_most_passed_answers_wrong.questions"]
    assert (questions.low, questions.high) == pytest.approx((100 * 10 / 144, 100 * 63 / 144))
    assert claims_made["uq/claim_most_passed_answers_wrong.answers"].high == pytest.approx(100 * 98 / 193)
    carried = read("carried_precision").set_index("among")
    assert binom.cdf(10, 91, carried.loc["UQ, checked questions", "high"]) == pytest.approx(0.025, abs=1e-6)
    assert claims_made["uq/claim_verified_are_biased"].estimate == pytest.approx(
        (11 / 95) * (193 * 49 / 71) / (193 * 22 / 71)
    )
    assert claims_made["uq/claim_nearly_none_solved"].high == pytest.approx(100 * (500 - 81) / 500)
    assert claims_made["uq/claim_ranking_mirrors_benchmarks"].estimate == pytest.approx(100 * (25 - 6) / 500)
    assert claims_made["uq/claim_ten_answers_verified"].verdict == "holds"
    assert claims_made["uq/claim_o3_pro_stands_out.precision"].estimate == pytest.approx(100 * (4 / 46 - 7 / 60))


def test_only_the_leader_differs_from_its_neighbour(read):
    """By McNemar's test with no shared question, and by the interval, which is that test's."""
    pairs = read("table_S3_neighbours")
    apart = pairs["higher"] == "o3-pro"
    assert ((pairs["low"] > 0) == apart).all() and ((pairs["p_max"] < 0.05 / len(pairs)) == apart).all()
