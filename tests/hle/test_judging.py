"""Judges against hand counts, tuned thresholds from other families, and what comparison leaves open."""

import numpy as np
import pandas as pd
import pytest
from proctor.data.schemas import Question
from proctor.hle import judging


def judged(n=40, accept=None):
    right = np.arange(n) % 4 == 0
    p = np.where(right, 0.8, 0.6)  # ranks well, says yes to all
    return pd.DataFrame(
        dict(
            judge="j",
            question_id=[f"q{i // 2}" for i in range(n)],
            category=[f"f{i % 4 // 2}{i // 20}" for i in range(n)],
            correct=right,
            accepted=[True] * n if accept is None else accept,
            p_accept=p,
        )
    )


def test_a_judge_that_accepts_everything_is_counted():
    row = judging.judge_scores(judged(), np.random.default_rng(0), 200).loc["j"]
    assert (row["wrong_accepted"], row["of_wrong"], row["right_rejected"], row["of_right"]) == (30, 30, 0, 10)
    assert row["agreement"] == 0.25 and row["always_no"] == 0.75
    assert row["accepts_wrong"] == 1 and row["accepts_wrong_low"] < 1 and row["auc"] == 1


def test_unreadable_verdicts_are_left_out_and_counted():
    accept = [None, *[False] * 39]
    row = judging.judge_scores(judged(accept=accept), np.random.default_rng(0), 200).loc["j"]
    assert row["unreadable"] == 1 and row["of_right"] == 9 and row["wrong_accepted"] == 0


def test_a_missing_class_gives_no_ranking():
    one_class = judged().assign(correct=False)
    row = judging.judge_scores(one_class, np.random.default_rng(0), 50).loc["j"]
    assert np.isnan(row["auc"]) and np.isnan(row["accepts_right"])


def test_a_threshold_comes_from_the_other_families_alone():
    rows = judged()
    assert (judging.tuned_verdicts(rows) == rows["correct"]).all()
    one = rows.assign(category="only")
    assert not judging.tuned_verdicts(one).any()  # nothing to learn from
    gain = judging.gain_of_tuning(rows, np.random.default_rng(0), 200)
    assert gain.estimate == 0.25 and gain.low > 0


QUESTIONS = [Question(id=f"q{i}", question="?", answer=key) for i, key in enumerate(("20", "3.14", "Monday", "8"))]
ANSWERS = pd.DataFrame(
    dict(
        model="m",
        question_id=["q0", "q1", "q2", "q3"],
        category="",
        answer_type="exactMatch",
        answer=["11 + 9 = 20", "3.1", "Tuesday", "8"],
        correct=[False, False, False, True],
        undecided=[True, False, True, False],
        confidence=[0.9, 0.9, np.nan, 0.9],
        reply="Exact Answer: x",
        cut_off=False,
    )
)


def test_comparison_says_what_is_exact_what_is_open_and_what_ends_in_the_key():
    compared = judging.compared_answers(ANSWERS, QUESTIONS)
    assert compared["exact"].tolist() == [False, False, False, True]
    assert compared["ends_in_key"].tolist() == [True, False, False, True]
    row = judging.comparison_counts(compared).iloc[0]
    assert (row["exactly_right"], row["wrong"], row["undecided"], row["of_these_ending_in_the_key"]) == (1, 1, 2, 1)
    assert judging.undecided_share(compared, np.random.default_rng(0), 100).estimate == 0.5
    assert judging.readable_share(ANSWERS, np.random.default_rng(0), 100).estimate == 0.75


def test_open_verdicts_are_counted_by_how_the_answer_ends():
    compared = judging.compared_answers(ANSWERS, QUESTIONS)
    rows = ANSWERS.assign(right=[1.0, 0.0, 1.0, 1.0], decided_by=["j", "comparison", "j", "comparison"])
    weighed, counts = judging.open_verdicts(rows, compared, "j")
    assert len(weighed) == 2 and counts.loc["ends in the key", "accepted"] == counts.loc["does not", "accepted"] == 1
    assert list(counts.columns) == ["accepted", "rejected"]
    assert judging.accepts_open(weighed, np.random.default_rng(0), 50).estimate == 1


def test_the_bill_counts_every_answer_and_the_open_ones():
    bill = judging.judging_bill(ANSWERS, QUESTIONS)
    assert (bill.answers, bill.undecided) == (4, 2) and 0 < bill.undecided_dollars < bill.all_dollars
    with pytest.raises(ValueError, match="no price"):
        judging.judging_bill(ANSWERS, QUESTIONS, "openai/unknown-model")


def test_prompt_fields_count_readable_replies_and_name_versions():
    table = judging.prompt_fields(ANSWERS, ANSWERS[:0].assign(right=[]), "openai/j").set_index("prompt")
    assert table.loc["hle/answer_exact", "confidence"] == 0.75 and table.loc["hle/judge", "replies"] == 0
    assert table.loc["hle/judge_fields", "model"] == "openai/j"
    assert table["version"].str.len().gt(0).all()


def test_examples_show_all_three_outcomes():
    assert set(judging.comparison_examples()["the same"]) == {"yes", "no", "ask a judge"}
