"""Thresholds fitted on labelled answers: found where they are best, judged on questions that did not choose them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.stats.calibration import best_threshold
from proctor.uq.notation import Check, parse
from proctor.uq.thresholds import calibrate


def table(n=60, seed=0, gain=0.3):
    rng = np.random.default_rng(seed)
    right = np.arange(2 * n) % 2 == 0
    p = np.clip(rng.normal(0.4 + gain * right, 0.1), 0.001, 0.999)
    return pd.DataFrame(
        dict(
            judge="o3",
            check="C",
            question_id=[f"q{i // 2}" for i in range(2 * n)],
            answer_id=[f"a{i}" for i in range(2 * n)],
            p_accept=p,
            correct=right,
        )
    )


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=2, max_size=12))
def test_no_other_threshold_is_better(rows):
    p, right = np.array([n / 10 for n, _ in rows]), np.array([yes for _, yes in rows])
    if right.all() or not right.any():
        with pytest.raises(ValueError, match="right and wrong"):
            best_threshold(p, right)
        return
    youden = [(p > t)[right].mean() - (p > t)[~right].mean() for t in np.arange(0, 1, 0.05)]
    found = best_threshold(p, right)
    assert (p > found)[right].mean() - (p > found)[~right].mean() == pytest.approx(max(youden))
    assert parse(f"C>{found}") == Check("C", found)


def test_outcomes_are_those_of_the_other_questions_threshold():
    rows = table()
    found = calibrate(rows, np.random.default_rng(1))
    assert 0.5 < found.above < 0.6 and len(found.folds) == 5
    accept = found.outcomes == "accept"
    assert (accept == rows["correct"]).mean() > 0.85
    lone = rows["p_accept"].copy()
    lone.iloc[:2] = lone.iloc[:2].iloc[::-1].to_numpy()  # what one question says moves its own outcome by no threshold
    other = calibrate(rows.assign(p_accept=lone), np.random.default_rng(1))
    assert len(set(other.folds) & set(found.folds)) >= 1


def test_on_noise_the_outcomes_are_no_better_than_chance_though_the_fit_is():
    gains = []
    for seed in range(20):
        rows = table(20, seed, gain=0.0)
        accept = calibrate(rows, np.random.default_rng(seed)).outcomes == "accept"
        gains.append(accept[rows["correct"]].mean() - accept[~rows["correct"]].mean())
    assert abs(np.mean(gains)) < 0.1


def test_an_answer_without_a_probability_is_unreadable():
    rows = table()
    rows.loc[3, "p_accept"] = None
    assert calibrate(rows, np.random.default_rng(1)).outcomes[3] == "unreadable"


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(correct=None), "answer a0 has no label"),
        (dict(judge=["a", "b"] * 60), "one check by one judge"),
        (dict(correct=True), "right and wrong"),
        (dict(question_id="q"), "5 folds of 1 questions"),
    ],
)
def test_what_can_not_be_fitted_is_told(change, message):
    with pytest.raises(ValueError, match=message):
        calibrate(table().assign(**change), np.random.default_rng(1))
