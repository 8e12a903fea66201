"""notebooks/kina/5_how_many_items.ipynb, run by papermill with the quick parameters."""

import pandas as pd
import pytest
from proctor.report.claims import read_claims

NAME = "kina/5_how_many_items"


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def test_gaps_are_differences_of_printed_scores_and_five_lie_below_the_marked_line(done, claims):
    gaps = pd.read_csv(done / "figures/kina/lead_gaps_table.csv")
    assert gaps["gap"].tolist() == [6.2, 3.8, 3.25, 1.37, 2.9, 1.2, 1.4, 3.5]
    below = [100 * 2.8016 * (0.15 / (n + 2.8016**2)) ** 0.5 > gap for n, gap in zip(gaps["items"], gaps["gap"])]
    assert sum(below) == claims["kina/5_lead_gaps"].estimate == 5


def test_share_of_exams_that_show_the_lead_is_near_the_planned_one(claims):
    assert abs(claims["kina/5_printed_lead"].estimate - 80) < 12
    assert claims["kina/5_printed_lead"].n == 200


def test_looking_often_at_1_96_finds_winners_among_equals(claims):
    assert claims["kina/5_stopping.each_look"].estimate > 8 > claims["kina/5_stopping.corridor"].low
