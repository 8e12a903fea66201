"""The notebook on wrong keys, run once with params/quick.yaml; what it leaves in figures/."""

import json
from itertools import product

import numpy as np
import pytest
from proctor.data.published import load_published
from scipy.stats import norm

NAME = "hle_verified/4_noise"


def test_five_rollouts_take_away_the_luck_of_answers_only(read):
    rolls = read("rollouts").set_index(["rollouts", "keys"])
    assert rolls.loc[5, "sd_of_answers"].to_numpy() * 5**0.5 == pytest.approx(rolls.loc[1, "sd_of_answers"].to_numpy())
    assert (rolls["sd_of_exam"] > rolls["sd_of_answers"]).all()
    lost = rolls["mean"].unstack()
    assert (lost["a fifth wrong"] / lost["sound keys"]).to_numpy() == pytest.approx([0.8, 0.8], abs=0.02)


def test_formulas_agree_with_the_simulated_exams(read):
    assert read("noise_accuracy_table")["z"].abs().max() < 4.5
    ranking = read("noise_ranking_table")
    assert (ranking["formula"] - ranking["simulated"]).abs().max() < 0.13  # 300 exams
    passes = read("pass_at_k")
    assert (passes["formula"] - passes["simulated"]).abs().max() < 0.02


def test_the_chance_of_the_right_order_is_that_of_all_answers_and_keys(done, read):
    """Brute force over both answers, the key and which wrong option is met, for the last row: letters, 30 % wrong."""
    row = read("noise_ranking_table").query("answers == 'letters'").iloc[-1]
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


def test_implied_shares_of_wrong_keys_are_those_of_table_2(read):
    printed, table = load_published("hle_verified/table_2").set_index("model"), read("implied_wrong_keys")
    for row in table.itertuples():
        before, after = (printed.loc[row.model, f"full_{when}_accuracy_value"] for when in ("raw", "verified"))
        assert row.share == pytest.approx(1 - before / after) and row.lost / row.right_after == pytest.approx(
            row.share, abs=1e-3
        )
    claim = read("claims_4_noise").set_index("id").loc["hle_verified/4_not_at_random"]
    assert claim["low"] > 0 and claim["verdict"] == "does not hold"
