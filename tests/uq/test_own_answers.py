import numpy as np
import pandas as pd
import pytest
from proctor.stats.proportions import wilson
from proctor.uq import own_answers


def verdicts(correct) -> pd.DataFrame:
    outcome = ["accept", "reject", "accept", "unreadable"] * 5
    return pd.DataFrame(
        dict(question_id=[f"q{n // 2}" for n in range(20)], author=["a", "b"] * 10, outcome=outcome, correct=correct,
             judges="j", validator="C", votes=3, unreadable=[0, 2, 1, 0] * 5)
    )  # fmt: skip


def test_shares_of_all_of_right_and_of_wrong_answers():
    answers = verdicts([True, False, None, False] * 5)
    table = own_answers.acceptance(answers, np.random.default_rng(0), 200).set_index("author")
    assert table.loc["all", ["answers", "accepted", "votes", "share"]].tolist() == [20, 10, 60, 50]
    assert (
        table.loc["a", "of_right"] == 100 and table.loc["b", "of_wrong"] == 0 and np.isnan(table.loc["b", "of_right"])
    )
    assert table.loc["a", "share_low"] == pytest.approx(100 * wilson(10, 10)[0])


def test_unreadable_votes_and_the_answers_rejected_with_one_are_counted():
    table = own_answers.acceptance(verdicts([None] * 20), np.random.default_rng(0), 200).set_index("author")
    assert table.loc["all", ["unreadable", "rejected_unreadable"]].tolist() == [15, 5]
    assert table["rejected_unreadable"].to_dict() == {"all": 5, "a": 0, "b": 5}


def test_answers_to_one_question_are_one_unit():
    copies = verdicts([None] * 20).assign(outcome=["accept", "accept", "reject", "reject"] * 5)
    row = own_answers.acceptance(copies, np.random.default_rng(0), 2_000).iloc[0]
    low, high = wilson(10, 20)
    assert row["share_high"] - row["share_low"] > 1.2 * 100 * (high - low)


def test_the_finding_depends_on_what_is_known():
    known = own_answers.finding(verdicts([True, False, None, False] * 5), np.random.default_rng(0), 100)
    assert known["interval"].estimate == 100 and known["says"] == "> 50" and known["n"] == 10
    unknown = own_answers.finding(verdicts([None] * 20), np.random.default_rng(0), 100)
    assert unknown["estimate"] == 50 and unknown["says"] == "<= 50"


def test_a_validator_that_accepts_everything_has_an_interval_about_one_half():
    blind = verdicts([True, False] * 10).assign(outcome="accept")
    found = own_answers.finding(blind, np.random.default_rng(0), 100)["interval"]
    assert found.estimate == 50 and 0 < found.low < 50 < found.high < 100
