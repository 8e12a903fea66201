"""The notebook on wrong keys, run once with params/quick.yaml; what it leaves in figures/."""

import pandas as pd
import pytest

NAME = "hle_verified/4_noise"


def saved(done, name, **how):
    return pd.read_csv(done / f"figures/hle_verified/{name}.csv", **how)


def test_five_rollouts_take_away_the_luck_of_answers_only(done):
    rolls = saved(done, "rollouts").set_index(["rollouts", "keys"])
    assert rolls.loc[5, "sd_of_answers"].to_numpy() * 5**0.5 == pytest.approx(rolls.loc[1, "sd_of_answers"].to_numpy())
    assert (rolls["sd_of_exam"] > rolls["sd_of_answers"]).all()
    lost = rolls["mean"].unstack()
    assert (lost["a fifth wrong"] / lost["sound keys"]).to_numpy() == pytest.approx([0.8, 0.8], abs=0.02)


def test_formulas_agree_with_the_simulated_exams(done):
    assert saved(done, "noise_accuracy_table")["z"].abs().max() < 4.5
    ranking = saved(done, "noise_ranking_table")
    assert (ranking["formula"] - ranking["simulated"]).abs().max() < 0.13  # 300 exams
    passes = saved(done, "pass_at_k")
    assert (passes["formula"] - passes["simulated"]).abs().max() < 0.02
