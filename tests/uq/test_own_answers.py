import numpy as np
import pandas as pd
import pytest
from proctor.stats.proportions import wilson
from proctor.uq import own_answers


def verdicts(correct) -> pd.DataFrame:
    outcome = ["accept", "reject", "accept", "unreadable"] * 5
    return pd.DataFrame(
        dict(question_id=[f"q{n // 2}" for n in range(20)], author=["a", "b"] * 10, outcome=outcome, correct=correct,
             judges="j", validator="C")
    )  # fmt: skip


def test_shares_of_all_of_right_and_of_wrong_answers():
    table = own_answers.acceptance(verdicts([True, False, None, False] * 5)).set_index("author")
    assert table.loc["all", ["answers", "accepted", "unreadable", "share"]].tolist() == [20, 10, 5, 50]
    assert (
        table.loc["a", "of_right"] == 100 and table.loc["b", "of_wrong"] == 0 and np.isnan(table.loc["b", "of_right"])
    )
    assert table.loc["all", "share_low"] == pytest.approx(100 * wilson(10, 20)[0])


def test_the_finding_depends_on_what_is_known():
    known = own_answers.finding(verdicts([True, False, None, False] * 5), np.random.default_rng(0), 100)
    assert known["estimate"] == 100 and known["says"] == "> 50" and known["n"] == 10
    unknown = own_answers.finding(verdicts([None] * 20), np.random.default_rng(0), 100)
    assert unknown["estimate"] == 50 and unknown["says"] == "<= 50"
