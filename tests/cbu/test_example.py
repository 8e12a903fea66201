from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from proctor.cbu.example import (
    TINY,
    choices,
    metric_examples,
    own_difficulty,
    unchanged_by_scale,
)
from proctor.data.published import load_published


def test_metrics_of_the_tiny_example_are_those_of_breaking_ties_at_random():
    first, recall = [], []
    score, correct = TINY["score"], TINY["correct"]
    for order in permutations(range(6)):
        if all(score[a] >= score[b] for a, b in zip(order, order[1:])):
            first.append(correct[order[0]])
            recall.append(sum(correct[i] for i in order[:5]) / 3)
    found = metric_examples(load_published("cbu/table_6")).set_index("metric")
    assert found.loc[["Acc@1", "Recall@5"], "example"].tolist() == pytest.approx([np.mean(first), np.mean(recall)])
    assert (found.loc[["Acc@1", "AUC", "HumanWin", "MeanWin"], "no information"] == 0.5).all()


def test_metrics_do_not_depend_on_the_scale_of_the_scores():
    assert unchanged_by_scale()


def test_choice_is_the_highest_score_and_ties_share_it():
    scores = pd.DataFrame({"kind": ["a", "b", "c"], "oracle": [1, 0, 0], "x": [2, 2, 1], "y": [0, 0, 1]})
    found = choices(scores).set_index("method")
    assert found.loc["x"].tolist() == ["a, b", 0.5] and found.loc["y"].tolist() == ["c", 0.0]


def test_difficulty_is_the_range_over_models():
    answers = pd.DataFrame(dict(model=["a", "a", "b", "b"], category=["s", "t"] * 2, correct=[1, 0, 1, 1]))
    found = own_difficulty(answers).set_index("questions")
    assert found.loc["our nine families"].tolist() == [50, 100, 75] and found.loc["t"].tolist() == [0, 100, 50]
