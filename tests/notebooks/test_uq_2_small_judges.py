"""The notebook on three small judges, run once with params/quick.yaml; its numbers counted again from what it leaves."""

import pytest
from proctor.uq.calls import cost
from proctor.uq.notation import parse

NAME = "uq/2_small_judges"


@pytest.fixture(scope="module")
def scores(read):
    return read("labelled_answers_table").set_index(["judges", "validator"])


def test_accuracies_follow_from_the_counts_of_29_right_answers(scores):
    assert len(scores) == 3 * 3 + 2 and (scores["n"] == 81).all()
    recall, passed = scores["tp"] / 29, scores["fp"] / 52
    assert scores["accuracy"].to_numpy() == pytest.approx((100 * (scores["tp"] + 52 - scores["fp"]) / 81).to_numpy())
    assert scores["balanced_accuracy"].to_numpy() == pytest.approx((50 * (recall + 1 - passed)).to_numpy())
    assert (scores["balanced_accuracy_low"] <= scores["balanced_accuracy"]).all()


def test_a_verdict_costs_no_more_calls_than_its_validator_has(scores):
    for (judge, text), row in scores.iterrows():
        assert row["calls"] <= cost(parse(text), 3 if judge == "all" else 1).most


def test_validation_counts_only_the_answers_of_others(read):
    gaps = read("measured_gap_table").set_index("judges")
    assert (gaps["n"] == 54).all() and gaps["answers"].tolist() == pytest.approx([100 / 27, 1000 / 27, 1800 / 27])
    right = {"smollm2-135m": 28, "qwen2.5-coder-0.5b": 19, "qwen2.5-coder-1.5b": 11}
    for judge, count in right.items():
        assert gaps.loc[judge, "rejecting_all"] == pytest.approx(100 * (1 - count / 54))
