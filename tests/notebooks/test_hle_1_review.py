"""notebooks/hle/1_review.ipynb, run with params/quick.yaml."""

import json
import math

import pytest
from scipy.stats import norm

NAME = "hle/1_review"


def test_the_simulated_collection_meets_what_it_is_calibrated_to(read):
    rows = read("collection").set_index("step")
    assert rows["questions"]["past the check"] / rows["questions"]["sent in"] == pytest.approx(13 / 70, abs=0.03)
    assert rows["retest_accuracy"]["accepted"] == pytest.approx(0.054, abs=0.025)
    assert rows["wrong_key"]["past the check"] > 3 * rows["wrong_key"]["sent in"]
    alphas = read("review_agreement")
    assert alphas["quality"].is_monotonic_decreasing and alphas["among_best"].is_monotonic_decreasing
    assert (alphas["low"] <= alphas["alpha"]).all() and alphas["alpha"].is_monotonic_decreasing


def test_the_check_multiplies_wrong_keys_by_bayes(read):
    """No exact answer meets a wrong key, and each of four models or more misses one of a choice with a chance of half
    or more."""
    rows = read("collection").set_index("step")
    sent, past = rows.loc["sent in"], rows.loc["past the check"]
    if_all_pass = sent["wrong_key"] * sent["questions"] / past["questions"]
    exact = 1 - sent["choice"]
    assert exact * if_all_pass - 0.03 < past["wrong_key"] < if_all_pass + 0.03
    assert abs(sent["quality"]) < 0.05 and abs(past["quality"]) < 0.1 and rows["quality"]["accepted"] > 0.3


def test_drawn_exams_agree_with_the_normal_formula(read):
    for row in read("private_set").itertuples():
        sd = math.sqrt(0.091 * 0.909 * (1 / 3000 + 1 / row.private))
        power = norm.cdf(row.gap / sd - norm.ppf(0.975)) + norm.cdf(-row.gap / sd - norm.ppf(0.975))
        assert row.power == pytest.approx(power) and row.drawn == pytest.approx(power, abs=0.05)


def test_your_own_reviews_are_read(quick_run):
    events = [
        dict(question="mine", event="submit", by="ada"),
        dict(question="mine", event="check", by="desk", stumped=True),
        dict(question="mine", event="review", by="bo", score=3, feedback="Say more."),
    ]
    mine = {"mine.jsonl": "\n".join(map(json.dumps, events))}
    done = quick_run(NAME, "-p", "reviews", "{}/mine.jsonl", label="own", files=mine)
    assert (
        "question mine, event: 'approve' can't happen to a question that is first round"
        in (done / "out.ipynb").read_text()
    )
