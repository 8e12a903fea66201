import numpy as np
import pytest
from proctor.stats import checks


@pytest.mark.parametrize(
    "call, told",
    [
        (lambda: checks.finite([1, np.nan], "scores", 1), r"scores\[1\]"),
        (lambda: checks.finite([[1]], "scores", 1), "has 2 axes, needs 1"),
        (lambda: checks.finite([], "scores", 1), "is empty"),
        (lambda: checks.binary([0, 2], "correct"), r"correct\[1\] is 2"),
        (lambda: checks.probability([50], "confidence"), "divide percentages by 100"),
        (lambda: checks.same_length(a=[1], b=[1, 2]), "lengths differ"),
        (lambda: checks.cluster_index(["a", None], 2), r"clusters\[1\] is missing"),
        (lambda: checks.cluster_index(["a"], 2), "one label for each of the 2 items"),
        (lambda: checks.share(95, "level"), "0.95, not 95"),
        (lambda: checks.at_least_one(0, "resamples"), "at least 1"),
        (lambda: checks.at_least_one(1.5, "resamples"), "whole number"),
    ],
)
def test_bad_input_is_named(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_clusters_are_numbered_in_the_order_of_their_labels():
    codes, count = checks.cluster_index(["b", "a", "b"], 3)
    assert codes.tolist() == [1, 0, 1] and count == 2
