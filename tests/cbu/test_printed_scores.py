import pytest
from proctor.cbu import ranking_metrics


def test_bounds_hold_for_every_overlap_of_the_two_counts():
    low, high = ranking_metrics.paired_bounds(72, 66, 77)
    assert low < 0 < 6 / 77 < high
    assert ranking_metrics.paired_bounds(10, 0, 10)[0] > 0.3  # only one overlap: all ten differ
    assert ranking_metrics.paired_bounds(5, 5, 10) == pytest.approx(
        tuple(-x for x in ranking_metrics.paired_bounds(5, 5, 10)[::-1])
    )
