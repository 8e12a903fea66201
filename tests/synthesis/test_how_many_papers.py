"""What the papers' own sizes can tell, from their printed figures."""

import pytest
from proctor.synthesis import how_many, how_many_papers


def test_leads_are_printed_figures_and_their_sizes():
    leads = how_many_papers.leads([0.0, 0.4]).set_index(["paper", "compared"])
    assert leads["items"].tolist() == [500, 3000, 2158, 1143, 899, 70, 77]
    assert leads["gap"].tolist() == [6.2, 2.9, 1.4, 2.32, 3.25, 9.06, 7.93]
    assert (leads["enough"] == (leads["items"] >= leads["needed"])).all()
    assert (leads["gap"] >= leads["at 0.4"]).tolist() == leads["enough"].tolist()


def test_other_sizes_say_what_n_leaves_and_what_the_aim_needs():
    other = how_many_papers.other_sizes()
    known = other.dropna(subset=["within"])
    assert ((known["n"] >= known["needed"]) == (known["within"] <= known["aim"])).all()
    assert other["n"].tolist()[:2] == [91, 25] and other["printed"].iloc[1] == pytest.approx(22 / 47)
    checks = how_many.checks_within(0.02, 0.05, 1143).n
    assert other.loc[other["paper"] == "HLE-Verified", ["n", "needed"]].isna().iloc[0].tolist() == [True, False]
    assert other.loc[other["paper"] == "HLE-Verified", "needed"].item() == checks


def test_dear_items_are_asked_more_often():
    found = how_many_papers.splits(50_000, 0.05, 0.4)
    assert found["item_cost"].round(2).tolist() == [166.67, 600, 0] and (found["spent"] <= 50_000).all()
    assert found["k"].iloc[1] > found["k"].iloc[0] > 1 and found["n"].iloc[2] == 3000
