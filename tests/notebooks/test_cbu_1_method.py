"""notebooks/cbu/1_method.ipynb, run by papermill with the quick parameters."""

from itertools import permutations

import numpy as np
import pytest

NAME = "cbu/1_method"


def test_metrics_of_the_tiny_example_are_those_of_breaking_ties_at_random(read):
    score, correct = [0.9, 0.5, 0.2, 0.9, 0.5, 0.1], [1, 1, 1, 0, 0, 0]
    first, recall = [], []
    for order in permutations(range(6)):
        if all(score[a] >= score[b] for a, b in zip(order, order[1:])):
            first.append(correct[order[0]])
            recall.append(sum(correct[i] for i in order[:5]) / 3)
    pairs = [(a > b) + (a == b) / 2 for a, y in zip(score, correct) if y for b, n in zip(score, correct) if not n]
    found = read("table_6").set_index("metric")["example"]
    assert found[["Acc@1", "Recall@5", "AUC"]].tolist() == pytest.approx([np.mean(x) for x in (first, recall, pairs)])
