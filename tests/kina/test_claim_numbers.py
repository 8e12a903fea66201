import numpy as np
import pytest
from proctor.kina.claim_numbers import mean_of


def test_a_mean_counts_clusters_and_widens_with_the_family():
    rng, values = np.random.default_rng(1), np.tile([0.0, 100.0, 50.0, 20.0], 6)
    one = mean_of(values, rng, "items")
    many = mean_of(values, rng, "items", family=20)
    grouped = mean_of(values, rng, "questions", clusters=np.repeat(np.arange(6), 4))
    assert (one["n"], one["level"], many["level"], grouped["n"]) == (24, 0.95, 0.9975, 6)
    assert one["interval"].estimate == pytest.approx(42.5)
    assert many["interval"].low < one["interval"].low and many["interval"].high > one["interval"].high
