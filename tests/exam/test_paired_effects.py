"""Effects over families: against a t test of family means."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from proctor.exam.paired_effects import over_families, paired_effects
from proctor.stats.power import t_power
from scipy.stats import t, ttest_1samp

ITEMS = pd.RangeIndex(90)
FAMILIES = pd.Series(np.repeat(list("abcdefghi"), 10), ITEMS)


def scores(rate, seed):
    return pd.Series(np.random.default_rng(seed).random(90) < rate, ITEMS)


def test_families_of_one_size_give_the_t_test_of_their_means_at_a_level_for_all_effects_and_items_without_a_value_are_left_out():
    first, second = scores(0.7, 1), scores(0.4, 2)
    found = paired_effects({"gain": (first, second)}, FAMILIES).iloc[0]
    means = (first.astype(float) - second.astype(float)).groupby(FAMILIES).mean()
    limits = ttest_1samp(means, 0).confidence_interval(0.95)
    assert (found["difference"], found["low"], found["high"]) == pytest.approx((means.mean(), *limits))
    assert (found["first"], found["second"]) == (first.mean(), second.mean())
    first, second = scores(0.7, 1).astype(float), scores(0.4, 2)
    first.iloc[:10] = np.nan
    found = paired_effects({"gain": (first, second)}, FAMILIES).iloc[0]
    assert (found["items"], found["families"]) == (80, 8) and found["second"] == second[10:].mean()
    pair = scores(0.7, 1), scores(0.4, 2)
    alone = paired_effects({"gain": pair}, FAMILIES).iloc[0]
    among = paired_effects({"gain": pair, "other": pair, "third": pair}, FAMILIES)
    assert among["low"].iloc[0] < alone["low"] < alone["high"] < among["high"].iloc[0]


def test_items_of_a_family_that_a_filter_took_away_are_left_out():
    items = pd.Index(range(8))
    families = pd.Series(list("aabbccdd"), items)
    one, other = pd.Series([1, 1, 1, 0, 1, 1, 0, 0.0], items), pd.Series(0.0, items)
    rest = items[:6]
    assert_frame_equal(
        paired_effects({"gain": (one, other)}, families[rest]),
        paired_effects({"gain": (one[rest], other[rest])}, families[rest]),
    )
    assert over_families(one, families[rest]) == over_families(one[rest], families[rest])


def test_a_share_over_families_is_the_t_test_of_their_means_and_knows_its_units():
    right = scores(0.6, 5).astype(float)
    found = over_families(right.iloc[:85], FAMILIES, family=4)
    means = right.iloc[:80].groupby(FAMILIES).mean()
    alike = over_families(right.iloc[:80], FAMILIES, family=4)
    limits = ttest_1samp(means, 0).confidence_interval(1 - 0.05 / 4)
    assert (alike.low, alike.high) == pytest.approx((limits.low, limits.high))
    assert (found.n, found.of, found.family, found.level) == (9, "families of questions", 4, 1 - 0.05 / 4)


def test_needed_is_the_fewest_families_with_power_at_the_level_of_the_effects_together():
    first, second = scores(0.6, 1), scores(0.5, 2)
    found = paired_effects({"a": (first, second), "b": (second, first), "c": (first, scores(0.3, 3))}, FAMILIES)
    for row in found.itertuples():
        half = max(row.difference - row.low, row.high - row.difference)
        sd = half / t.ppf(1 - 0.025 / 3, 8) * 3
        reached = [t_power(row.difference, sd, int(n), 1 - 0.05 / 3) for n in (row.needed, row.needed - 1)]
        assert reached[0] >= 0.8 > reached[1]
        assert row.needed > row.families or row.low > 0 or row.high < 0
