"""The example of a leaderboard that ships: simulated models of `kina/3_leaderboard`, as a wide CSV.

Three of their accuracies are printed, 39 assumed; they are called by their accuracy.
"""

import csv
import io

import numpy as np

from proctor.kina.simulated_boards import disciplines, simulate_board, simulated_models

NOTE = "Three accuracies are printed; the others are assumed inside the tiers that the review describes."
FILE = "data/examples/leaderboard.csv"
SEED = 20260101
STRONG, LOW = (25, 45.0, 38.0), (14, 20.0, 11.0)
SETTINGS = dict(samples=4, difficulty_sd=2.0, interaction_sd=1.0)
EVERY = 3  # of the 42 simulated models, so that a page holds them


def example_csv(seed: int = SEED) -> str:
    """Every third simulated model, item by item. All 42 are drawn, as in notebooks/kina/3_leaderboard."""
    models = simulated_models(STRONG, LOW)
    scores = simulate_board(models["accuracy"], np.random.default_rng(seed), **SETTINGS).scores[::EVERY]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["item", "discipline", *models["model"][::EVERY]])
    for item, (label, row) in enumerate(zip(disciplines(), scores.T)):
        table.writerow([item, f"discipline {label}", *(f"{score:g}" for score in row)])
    return text.getvalue()
