"""The notebook on wrong keys, run once with params/quick.yaml; what it leaves in figures/."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from proctor.data.published import load_published
from scipy.stats import norm

NAME = "hle_verified/4_noise"
FIGURES = dict.fromkeys(["noise_accuracy", "noise_ranking", "noise_calibration"], "simulated")


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


def test_the_chance_of_the_right_order_is_that_of_all_answers_and_keys(done):
    """Brute force over both answers, the key and which wrong option is met, for the last row: letters, 30 % wrong."""
    row = saved(done, "noise_ranking_table").query("answers == 'letters'").iloc[-1]
    e, n = (
        row["wrong_keys"],
        json.loads((done / "figures/hle_verified/rollouts.json").read_text())["parameters"]["n_items"],
    )
    differences, chances = [], []
    for first, second in product(range(5), repeat=2):  # option 0 is right
        for key in range(5):
            differences.append((first == key) - (second == key))
            chances.append(
                np.prod(
                    [0.43 if first == 0 else 0.57 / 4, 0.40 if second == 0 else 0.60 / 4, 1 - e if key == 0 else e / 4]
                )
            )
    mean = np.dot(chances, differences)
    sd = np.sqrt(np.dot(chances, np.square(differences)) - mean**2)
    assert sum(chances) == pytest.approx(1) and row["gap"] == pytest.approx(mean)
    assert row["formula"] == pytest.approx(norm.cdf(mean / sd * np.sqrt(n)))


def test_implied_shares_of_wrong_keys_are_those_of_table_2(done):
    printed, table = load_published("hle_verified/table_2").set_index("model"), saved(done, "implied_wrong_keys")
    for row in table.itertuples():
        before, after = (printed.loc[row.model, f"full_{when}_accuracy_value"] for when in ("raw", "verified"))
        assert row.share == pytest.approx(1 - before / after) and row.lost / row.right_after == pytest.approx(
            row.share, abs=1e-3
        )
    claim = saved(done, "claims_4_noise").set_index("id").loc["hle_verified/4_not_at_random"]
    assert claim["low"] > 0 and claim["verdict"] == "does not hold"


@pytest.mark.parametrize("artifact", FIGURES)
def test_figures_are_there_with_their_evidence(done, artifact):
    record = json.loads((done / f"figures/hle_verified/{artifact}.json").read_text())
    assert record["evidence"] == FIGURES[artifact] and record["claim"] and record["alt"]
    assert (done / f"figures/hle_verified/{artifact}.png").stat().st_size > 10_000
