import pytest
from proctor.cbu import printed_scores


def test_counts_behind_daft_math():
    found = printed_scores.daft_math_counts().set_index("method")
    assert found.loc["judge", ["count", "parts", "whole"]].tolist() == [72, 1, True]
    assert found.loc["cbu", ["count", "parts", "whole"]].tolist() == [659, 10, False]
    assert round(100 * 659 / 770, 2) == 85.58 and round(100 * 72 / 77, 2) == 93.51


def test_tokens_a_candidate_are_those_of_a_generation_times_the_neighbours():
    found = printed_scores.token_ratios()
    assert found.iloc[:, 3].div(found.iloc[:, 2]).to_numpy() == pytest.approx(122 / 70)
    assert found.iloc[:, 1].tolist() == pytest.approx([1.013, 1.15, 1.095, 0.926])


def test_bounds_hold_for_every_overlap_of_the_two_counts():
    low, high = printed_scores.paired_bounds(72, 66, 77)
    assert low < 0 < 6 / 77 < high
    assert printed_scores.paired_bounds(10, 0, 10)[0] > 0.3  # only one overlap: all ten differ
    assert printed_scores.paired_bounds(5, 5, 10) == pytest.approx(
        tuple(-x for x in printed_scores.paired_bounds(5, 5, 10)[::-1])
    )
