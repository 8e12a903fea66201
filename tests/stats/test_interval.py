"""An interval in other units, none, and that of data which never vary."""

import numpy as np
import pytest
from proctor.stats.interval import Interval, exact_interval, no_interval
from proctor.stats.proportions import clopper_pearson


def test_scaling_moves_estimate_and_limits_alone():
    found = Interval(0.5, 0.25, 0.75, 0.95, "score", 3).scaled(100)
    assert found == Interval(50, 25, 75, 0.95, "score", 3)


def test_no_interval_has_no_limits():
    found = no_interval(0.9, 0.3)
    assert np.isnan(found.low) and np.isnan(found.high) and found.estimate == 0.3


def test_equal_scores_have_the_exact_interval_of_a_share():
    found = exact_interval(1.0, 12, 0.95, (0, 1))
    assert (found.low, found.high) == pytest.approx(clopper_pearson(12, 12))
    with pytest.raises(ValueError, match="bounds"):
        exact_interval(2.0, 12, 0.95, (0, 1))
