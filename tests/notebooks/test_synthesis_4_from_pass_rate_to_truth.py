"""The notebook from pass rates to solve rates: its committed claims, and a run with small sizes."""

import numpy as np
import pytest

NAME = "synthesis/4_from_pass_rate_to_truth"


def test_the_lower_end_is_what_people_verified(read):
    table = read("solve_rate_readings").set_index("reading")
    assert table.loc["Nothing is assumed", "low"] == 4 / 500
    assert table.loc["Nothing is assumed", "high"] == pytest.approx(1 - (46 - 4) / 500)


def test_the_readings_are_recounted_from_the_printed_counts(read):
    """75 of 500 passed, 46 read, 4 right; on HLE 22 of 64 right and 49 of 432 wrong answers passed."""
    table = read("solve_rate_readings").set_index("reading")
    estimate, high = table["estimate"], table["high"]
    assert estimate["Checked at random, recall of HLE"] == pytest.approx(0.15 * 4 / 46 * 64 / 22)
    assert estimate["The validator errs as on HLE"] == pytest.approx((0.15 - 49 / 432) / (22 / 64 - 49 / 432))
    recall = np.random.default_rng(1).beta(22.5, 42.5, 200_000)
    harder, any_order = (
        high[f"{name}, recall of HLE"] for name in ("Right answers harder to settle", "Any order of checking")
    )
    assert any_order == pytest.approx(33 / 500 / np.quantile(recall, 0.025), rel=0.02)
    right = harder / any_order * 33  # among the passed: settled a fifth as often as wrong ones
    assert (42 / (75 - right)) / (4 / right) == pytest.approx(5) and right == pytest.approx(24.19, abs=0.01)
