import numpy as np
import pandas as pd
import pytest
from proctor.data.tabular import DataError
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


def test_the_truth_counts_where_some_answers_are_right_and_some_wrong():
    known = own_answers.with_both_truths(verdicts([True, False, None, False] * 5))
    assert len(known) == 15 and own_answers.balanced_accuracy_of(known, np.random.default_rng(0), 100).estimate == 100
    assert own_answers.with_both_truths(verdicts([None, True] * 10)) is None
    assert own_answers.share_accepted(verdicts([None] * 20), np.random.default_rng(0), 100).estimate == 50


def test_a_validator_that_accepts_everything_has_an_interval_about_one_half():
    blind = verdicts([True, False] * 10).assign(outcome="accept")
    found = own_answers.balanced_accuracy_of(blind, np.random.default_rng(0), 100)
    assert found.estimate == 50 and 0 < found.low < 50 < found.high < 100
    sharp = verdicts([True, False] * 10).assign(outcome=["accept", "reject"] * 10)
    found = own_answers.balanced_accuracy_of(sharp, np.random.default_rng(0), 100)
    assert found.estimate == found.high == 100 and 50 < found.low < 100


def table_of(tmp_path, text):
    (tmp_path / "verdicts.csv").write_text(text)
    return tmp_path / "verdicts.csv"


def test_verdicts_of_own_judges_are_read_and_judged_like_those_of_a_run(tmp_path):
    rows = ["judge,check,question,answer_id,correct,outcome"]
    rows += [f"{judge},C,q{n // 2},a{n},{n % 2},{('no', 'yes')[n % 2 if judge == 'good' else 1]}"
             for judge in ("good", "blind") for n in range(20)]  # fmt: skip
    found = own_answers.read_verdicts(table_of(tmp_path, "\n".join(rows)), {"question_id": "question"})
    assert len(found) == 40 and set(found["outcome"]) == {"accept", "reject"} and found["correct"].sum() == 20
    shares = own_answers.acceptance(found, np.random.default_rng(0), 200, by="judges").set_index("judges")
    assert shares.loc["good", ["of_right", "of_wrong"]].tolist() == [100, 0]
    assert shares.loc["blind", ["of_right", "of_wrong"]].tolist() == [100, 100]
    good = own_answers.balanced_accuracy_of(found[found["judges"] == "good"], np.random.default_rng(0), 200, 0.975)
    assert good.estimate == 100 and good.level == 0.975


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("answer_id,outcome\na,accept\n", "column question_id: no such column. There are answer_id, outcome"),
        ("answer_id,question_id,outcome\na,q,perhaps\n", "row 2, column outcome: 'perhaps'. Write accept, reject or"),
        ("answer_id,question_id,outcome,correct\na,q,yes,maybe\n", "row 2, column correct: 'maybe'"),
        ("answer_id,question_id,outcome\na,q,yes\na,q,no\n", "row 3, column answer_id.*of row 2 too"),
        ("judge,answer_id,question_id,outcome,correct\nj,a,q,yes,1\nk,a,q,no,0\n", "answer a is right in one row"),
        ("answer_id,question_id,outcome\n,q,yes\n", "row 2, column answer_id: empty"),
    ],
)
def test_a_table_of_verdicts_that_cannot_be_read_says_where_and_what_to_do(tmp_path, text, words):
    with pytest.raises(DataError, match=words):
        own_answers.read_verdicts(table_of(tmp_path, text))
