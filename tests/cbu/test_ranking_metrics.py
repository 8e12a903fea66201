"""The five metrics against their definitions, ties being broken in every possible order."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.cbu.ranking_metrics import (
    above_mean,
    acc1,
    auc,
    human_win,
    mean_win,
    metrics,
    recall_at,
    top_chance,
)

QUESTION = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=6)


def orders(score):
    """Every order by falling score: all ways to break the ties, each as likely as the others."""
    return [
        order
        for order in permutations(range(len(score)))
        if all(score[a] >= score[b] for a, b in zip(order, order[1:]))
    ]


@settings(deadline=None)  # a loaded machine must not fail the test
@given(QUESTION, st.integers(1, 6))
def test_acc_and_recall_are_means_over_every_way_to_break_the_ties(pairs, k):
    score, correct = np.array(pairs).T
    every = orders(score)
    assert acc1(score, correct) == pytest.approx(np.mean([correct[order[0]] for order in every]))
    if correct.any():
        found = np.mean([correct[list(order[:k])].sum() / correct.sum() for order in every])
        assert recall_at(score, correct, k) == pytest.approx(found)
    else:
        assert recall_at(score, correct, k) is None


@settings(deadline=None)
@given(QUESTION)
def test_auc_and_mean_win_are_their_definitions_with_half_ties(pairs):
    score, correct = np.array(pairs).T
    right, wrong = score[correct == 1], score[correct == 0]
    if len(right) and len(wrong):
        assert auc(score, correct) == pytest.approx(np.mean([(r > w) + (r == w) / 2 for r in right for w in wrong]))
        a, b = right.sum() * len(wrong), wrong.sum() * len(right)  # in whole numbers: no rounding
        assert mean_win(score, correct) == (a > b) + (a == b) / 2
        assert mean_win(score, correct, tie=0) == (a > b)
        human = np.eye(len(score))[np.flatnonzero(correct)[0]]
        a, b = right[0] * len(wrong), wrong.sum()
        assert human_win(score, correct, human) == (a > b) + (a == b) / 2
    else:
        assert auc(score, correct) is mean_win(score, correct) is None


def test_top_chance_takes_many_questions_at_once_and_adds_up_to_the_places():
    score = np.random.default_rng(0).integers(0, 4, (30, 10))
    assert np.allclose(top_chance(score, 5).sum(axis=-1), 5)
    assert np.array_equal(top_chance(score, 5)[7], top_chance(score[7], 5))
    assert top_chance([3.0, 1.0], 5).tolist() == [1, 1]


def test_a_score_that_is_the_same_for_all_is_worth_chance_in_every_metric():
    found = metrics(np.full(10, 0.1), [1] * 5 + [0] * 5, [1] + [0] * 9)
    assert found == {"Acc@1": 0.5, "Recall@5": 0.5, "AUC": 0.5, "HumanWin": 0.5, "MeanWin": 0.5}


def test_equal_means_tie_although_their_sums_round():
    assert mean_win([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], [1, 0, 0, 0, 0, 0, 0]) == 0.5
    assert mean_win([1e-300, 0, 0], [1, 0, 0]) == 1  # small is not equal


def test_questions_of_one_class_have_no_metric():
    for correct in ([1, 1], [0, 0]):
        assert set(metrics([3, 1], correct).values()) == {None}
    assert metrics([3, 1], [1, 0])["HumanWin"] is None and metrics([3, 1], [1, 0], [1, 0])["HumanWin"] == 1


def test_above_mean_compares_within_method_and_question_whatever_the_scale():
    frame = pd.DataFrame(dict(method="m", question_id=["a", "a", "b", "b"], score=[1.0, 3.0, 5.0, 5.0]))
    assert above_mean(frame).tolist() == [0, 1, 0, 0]
    assert above_mean(frame.assign(score=7 * frame["score"] - 100)).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: acc1([1, 2], [1]), "lengths differ"),
        (lambda: acc1([1, np.nan], [1, 0]), r"score\[1\] is nan"),
        (lambda: recall_at([1, 2], [1, 0], 0), "k is 0"),
        (lambda: human_win([1, 2, 3], [1, 1, 0], [1, 1, 0]), r"candidates \[0, 1\]"),
        (lambda: human_win([1, 2], [1, 0], [0, 1]), "a right one"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
