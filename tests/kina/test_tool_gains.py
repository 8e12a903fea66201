import numpy as np
import pytest
from proctor.kina import tool_gains
from scipy.stats import binomtest


def test_one_answer_an_item_cannot_have_printed_the_gain_and_four_can():
    found = tool_gains.counts_of_gain(5.17, 899)
    assert found.loc[1, "as_printed"] == found.loc[1, "as_difference"] == [] and found.loc[4, "as_printed"] == [186]
    assert round(100 * 186 / (4 * 899), 2) == 5.17


def test_no_pairing_exceeds_the_bounds():
    row = tool_gains.pairing_bounds(5.17, 899, [0.2]).iloc[0]
    before, after = 180, 226
    for shared in (0, 60, 120, 180):
        p = binomtest(after - shared, after + before - 2 * shared).pvalue
        assert row["p_low"] - 1e-15 <= p <= row["p_high"] + 1e-15
    assert row["p_high"] < 0.05 < tool_gains.pairing_bounds(5.17, 899, [0.3])["p_high"].iloc[0]


def test_items_needed_have_the_power_by_exact_tests_on_simulated_pairs():
    n = int(tool_gains.items_for_gain([3.0], [0.2]).iloc[0, 0])
    drawn = np.random.default_rng(0).multinomial(n, [0.115, 0.085, 0.8], 400)
    assert 0.72 < np.mean([binomtest(a, a + b).pvalue < 0.05 for a, b, _ in drawn]) < 0.88
    with pytest.raises(ValueError, match="can't exceed"):
        tool_gains.items_for_gain([5.0], [0.04])


def test_luck_of_five_is_that_of_drawn_gains():
    found = tool_gains.luck_of_five(5.17, [0.2, 0.4], 899)
    drawn = 100 * np.sqrt(0.2 / 899) * np.random.default_rng(0).standard_normal((200_000, 5))
    assert found.loc[20, "spread"] == pytest.approx(np.ptp(drawn, axis=1).mean(), rel=0.01)
    wide = 100 * np.sqrt(0.4 / 899) * np.random.default_rng(1).standard_normal((200_000, 5))
    assert found.loc[40, "chance"] == pytest.approx(100 * (abs(wide).max(axis=1) >= 5.17).mean(), abs=0.2)


def test_lower_limit_is_undefined_where_the_gain_exceeds_what_differs():
    found = tool_gains.lower_limit(3.0, [0.02, 0.1], 899)
    assert np.isnan(found[0]) and found[1] == pytest.approx(3 - 196 * np.sqrt((0.1 - 0.0009) / 899), abs=0.001)
