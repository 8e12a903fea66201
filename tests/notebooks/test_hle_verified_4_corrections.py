"""The notebook on corrections, run once with params/quick.yaml; what it leaves in figures/."""

import pytest

NAME = "hle_verified/4_corrections"


def test_corrections_move_the_observed_share_towards_the_truth(read):
    table = read("corrections").set_index("correction")
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
    judged = table.loc["Rogan-Gladen, jeffreys"]
    assert judged["observed"] > judged["truth"] and judged["estimate"] < judged["observed"]
    keyed = table.loc["wrong keys, audit of 60"]
    assert keyed["estimate"] == pytest.approx(keyed["observed"] / (1 - 12 / 60))


def test_rogan_gladen_breaks_with_its_assumption_and_verified_items_do_not(read):
    table = read("correction_failures").set_index(["broken", "value"])
    moved = table.loc["sensitivity here", "rogan_gladen"].sort_index()
    assert moved.is_monotonic_increasing and moved.iloc[0] < 0.6 and (table["ppi"] > 0.85).all()


def test_the_worst_cell_of_each_method_is_in_the_table_of_all(read):
    cells = read("correction_coverage_table").groupby("method")["held"].min()
    worst = read("correction_worst").set_index("method")
    assert worst["held"].to_dict() == pytest.approx(cells.to_dict())
    assert (worst["low"] <= worst["held"]).all() and (worst["held"] <= worst["high"]).all()
    assert worst.loc["bootstrap", "high"] < 0.9 and worst.loc["Wilson", "high"] < 0.2
