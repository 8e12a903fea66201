"""What CBU's exercises expect, against the library."""

from proctor.cbu import exercises
from proctor.cbu.ranking_metrics import sign_flip_p
from proctor.cbu.rollout_error import order_chance


def test_rollouts_is_the_first_number_that_orders_the_pair():
    n = exercises.rollouts_for(ties=0.5)
    assert order_chance(0.7, 0.4, n - 1) < 0.95 <= order_chance(0.7, 0.4, n)


def test_families_is_the_first_number_that_can_tell():
    n = exercises.families_for(15)
    assert sign_flip_p(range(1, n)) > 0.05 / 15 >= sign_flip_p(range(1, n + 1))


def test_most_above_the_mean():
    assert exercises.most_above_mean() == 0.8
    assert exercises.most_above_mean(wrong=2, right=1) == 0.5


def test_common_mistakes_have_their_own_hint():
    first, second, third = exercises.exercises().values()
    assert "half" in first.mark(18) and "one of 15" in second.mark(6) and "Not all five" in third.mark(100)
