"""notebooks/uq/3_reasons_and_thresholds.ipynb with the quick parameters: its verdicts counted again."""

import pytest

NAME = "uq/3_reasons_and_thresholds"


def test_balanced_accuracy_is_the_mean_of_both_shares_of_counted_answers(read):
    table = read("3_verdicts")
    assert (table["balanced"] - (table["right_accepted"] + table["wrong_rejected"]) / 2).abs().max() < 1e-9
    for share, answers in (("right_accepted", "right"), ("wrong_rejected", "wrong")):
        count = table[share] * table[answers]
        assert count.round(6).tolist() == pytest.approx(count.round().tolist())
