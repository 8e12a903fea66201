"""notebooks/synthesis/5_how_many.ipynb, run by papermill with the quick parameters."""

import pytest

NAME = "synthesis/5_how_many"


def test_every_question_was_simulated(read):
    table = read("how_many_trials")
    questions = {"items", "repeats", "votes", "rollouts", "agreement", "checks", "split"}
    assert set(table["question"]) == questions and (table["trials"] == 400).all()
    off = table.set_index("question")["simulated"] - table.set_index("question")["promised"]
    assert off.drop("split").abs().max() < 8 and off["split"].abs().max() < 15
    assert (table.loc[table["question"] == "checks", "high"] > 95).all()
    assert (table["low"] <= table["simulated"]).all() and (table["simulated"] <= table["high"]).all()


def test_sizes_say_what_n_leaves_and_what_the_aim_needs(read):
    sizes = read("paper_sizes")
    known = sizes.dropna(subset=["within"])
    assert ((known["n"] >= known["needed"]) == (known["within"] <= known["aim"])).all()
    assert sizes["n"].tolist()[:2] == [91, 25] and sizes["printed"][1] == pytest.approx(22 / 47)
