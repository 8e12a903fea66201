"""What KINA's exercises expect, against the library."""

import numpy as np
import pytest
from proctor.kina import exercises
from proctor.kina.max_coverage import at_most, coverage, greedy
from proctor.kina.tournament import Reviewer, thresholds
from proctor.stats.power import items_needed


@pytest.mark.parametrize("bar", [1, 2, 3])
def test_thresholds(bar):
    found = thresholds(Reviewer(exercises.COSTS, (exercises.HASTY, exercises.DILIGENT)), bar=bar)
    assert found == pytest.approx([exercises.threshold(other, bar) for other in (exercises.HASTY, exercises.DILIGENT)])


def test_items():
    assert items_needed(0.0137, np.sqrt(0.3 - 0.0137**2), 0.95) == pytest.approx(exercises.items_for(0.95), abs=10)


def test_greedy_covers_less_than_the_best_pair():
    found = greedy(coverage(np.array(exercises.COVERS)), at_most(4, 2))
    assert found.value == len(exercises.greedy_topics()) and exercises.greedy_share() == pytest.approx(5 / 6)


def test_common_mistakes_have_their_own_hint():
    first, second, third = exercises.exercises().values()
    assert "hasty other" in first.mark(3.42) and "bar at 2" in first.mark(2.67)
    assert "80 %" in second.mark(12538) and "all topics" in third.mark(71.4)
