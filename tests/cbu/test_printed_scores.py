import pytest
from proctor.cbu import printed_scores


def test_bounds_hold_for_every_overlap_of_the_two_counts():
    low, high = printed_scores.paired_bounds(72, 66, 77)
    assert low < 0 < 6 / 77 < high
    assert printed_scores.paired_bounds(10, 0, 10)[0] > 0.3  # only one overlap: all ten differ
    assert printed_scores.paired_bounds(5, 5, 10) == pytest.approx(
        tuple(-x for x in printed_scores.paired_bounds(5, 5, 10)[::-1])
    )
