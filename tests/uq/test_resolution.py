"""The rule that resolves, and the counts of an overview, on tables small enough to count by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from proctor.uq import community, resolution, reviewers
from proctor.uq.community import COLUMNS, Community
from proctor.uq.resolution import Rule

DAY = pd.Timedelta("1D")
START = pd.Timestamp("2026-01-01", tz="UTC")


def review(number, answer, reviewer, correct, day, **more):
    row = dict(review_id=f"r{number}", answer_id=answer, reviewer=reviewer, kind="human", correct=correct)
    row |= dict(confidence=3, conflict=False, text="", written_at=START + day * DAY, withdrawn_at=pd.NaT)
    return row | more


def small(reviews) -> Community:
    questions = [
        dict.fromkeys(COLUMNS["questions"], "") | dict(question_id=f"q{k}", link="l", licence="c") for k in (1, 2)
    ]
    answers = [
        dict.fromkeys(COLUMNS["answers"], "")
        | dict(
            answer_id=a, question_id=q, system=s, base_model=b, submitted_by=by, submitted_at=START, withdrawn_at=pd.NaT
        )
        for a, q, s, b, by in (("a1", "q1", "system A", "base", "lab"), ("a2", "q2", "people", "", "ann"))
    ]
    verdicts = [
        dict(answer_id=a, validator="v", verdict=v, probability=0.5, calls=1, dollars=0.0, decided_at=START)
        for a, v in (("a1", "accept"), ("a2", "unreadable"))
    ]
    frames = dict(questions=questions, answers=answers, verdicts=verdicts, reviews=reviews, comments=[])
    made = {name: pd.DataFrame(rows, columns=list(COLUMNS[name])) for name, rows in frames.items()}
    made["comments"]["written_at"] = pd.to_datetime(made["comments"]["written_at"], utc=True)
    return community.checked(made)


def test_rule_needs_enough_reviews_that_agree():
    found = Rule(2, 0.6).state([2, 1, 0, 2, 3], [0, 0, 2, 2, 2])
    assert found.tolist() == ["right", "open", "wrong", "disputed", "right"]
    with pytest.raises(ValueError, match="above 0.5"):
        Rule(2, 0.5)


def test_reviews_that_are_not_independent_do_not_count():
    yes = [review(k, "a1", f"p{k}", "yes", k) for k in (1, 2)]
    others = [
        review(3, "a1", "p3", "yes", 3, conflict=True),
        review(4, "a1", "machine", "yes", 3, kind="ai"),
        review(5, "a1", "p5", "yes", 3, withdrawn_at=START + 4 * DAY),
        review(6, "a1", "lab", "yes", 3),
        review(7, "a1", "p1", "yes", 5),
    ]
    ours = small(yes + others)
    states = resolution.answer_states(ours, Rule(3, 0.75)).set_index("answer_id")
    assert states.loc["a1", ["yes", "no", "state"]].tolist() == [2, 0, "open"]
    assert resolution.answer_states(ours, Rule(2, 0.75)).loc[0, "state"] == "right"
    before = resolution.answer_states(ours, Rule(3, 0.75), at=START + 3.5 * DAY).set_index("answer_id")
    assert before.loc["a1", "state"] == "right"  # p5 had not withdrawn yet


def test_a_reviewer_who_changes_their_mind_counts_once_with_the_last_word():
    ours = small([review(1, "a1", "p1", "yes", 1), review(2, "a1", "p1", "no", 2)])
    row = resolution.answer_states(ours).loc[0]
    assert (row["yes"], row["no"]) == (0, 1)


def test_history_follows_the_states_and_knows_false_resolutions():
    ours = small([review(k, "a1", f"p{k}", "yes", k) for k in (1, 2, 3)])
    ours = replace(ours, truth=pd.DataFrame(dict(answer_id=["a1", "a2"], right=[False, True])))
    table = resolution.history(ours, Rule(3, 0.75), steps=3)
    assert table["reviews"].tolist() == [1, 2, 3] and table["resolved"].tolist() == [0, 0, 1]
    assert table["false"].tolist() == [0, 0, 1]


def test_statistics_are_the_counts():
    ours = small([review(k, "a1", f"p{k}", "yes", k) for k in (1, 2, 3)] + [review(4, "a2", "p1", "unsure", 4)])
    table = resolution.statistics(ours, "v", Rule(3, 0.75)).set_index("measure")["count"]
    assert table["questions resolved"] == 1 and table["answers that passed"] == 1 and table["systems"] == 1
    assert table["passed answers that people reviewed"] == 1 and table["reviewed answers open"] == 1
    assert table["human reviews that count"] == 4 and table["human reviewers"] == 3 and table["AI reviews"] == 0
    rates = resolution.pass_rates(ours)
    assert rates[["system", "passed", "of"]].to_numpy().tolist() == [["system A", 1, 1]]


def test_a_store_without_reviews_gives_empty_results_and_no_error():
    ours = small([])
    assert resolution.answer_states(ours)["state"].tolist() == ["open", "open"]
    assert resolution.statistics(ours, "v")["count"].tolist()[2] == 0
    assert resolution.history(ours, steps=2)["resolved"].tolist() == [0, 0]
    board = resolution.ranking(*resolution.scores(ours, "v"))
    assert board["right"].tolist() == [0, 0]
    assert reviewers.reviewer_agreement(ours, np.random.default_rng(0), 20).empty


def test_a_store_without_anything_gives_empty_results_and_no_error():
    ours = community.checked({name: pd.DataFrame(columns=list(columns)) for name, columns in COLUMNS.items()})
    assert resolution.answer_states(ours).empty and resolution.pass_rates(ours).empty
    assert resolution.history(ours).empty and (resolution.statistics(ours, "v")["count"] == 0).all()
    assert resolution.ranking(*resolution.scores(ours, "v")).empty
