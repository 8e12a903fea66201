"""notebooks/kina/5_how_many_items.ipynb, run by papermill with the quick parameters."""

import numpy as np
import pytest

NAME = "kina/5_how_many_items"


def test_gaps_are_differences_of_printed_scores_and_five_lie_below_the_marked_line(read, claims_made):
    gaps = read("lead_gaps_table")
    assert gaps["gap"].tolist() == [6.2, 3.8, 3.25, 1.37, 2.9, 1.2, 1.4, 3.5]
    below = [100 * 2.8016 * (0.15 / (n + 2.8016**2)) ** 0.5 > gap for n, gap in zip(gaps["items"], gaps["gap"])]
    assert sum(below) == claims_made["kina/5_lead_gaps"].estimate == 5


def test_an_exam_sees_its_smallest_gap_with_the_planned_chance_in_mcnemars_setting(read):
    row = read("lead_gaps_table").set_index(["exam", "gap"]).loc[("KINA", 3.25)]
    gap, differ = 0.0325, 1 - row["agree"] / 100
    drawn = np.random.default_rng(0).multinomial(899, [(differ + gap) / 2, (differ - gap) / 2, 1 - differ], 4000)
    seen = (drawn[:, 0] - drawn[:, 1]) / 899 > 1.96 * np.sqrt((differ - gap**2) / 899)
    assert seen.mean() == pytest.approx(0.8, abs=0.03)
