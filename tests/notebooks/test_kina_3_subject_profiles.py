"""notebooks/kina/3_subject_profiles.ipynb, run by papermill with the quick parameters."""

import json

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.data.published import load_published
from proctor.kina import simulated_boards
from proctor.report.claims import read_claims
from statsmodels.formula.api import ols

NAME = "kina/3_subject_profiles"
FIGURES = ("subject_scores", "score_levels", "high_scores", "two_exams")


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def record(done, name) -> dict:
    return json.loads((done / f"figures/kina/{name}.json").read_text())


def test_results_box_has_the_numbers_of_the_committed_claims():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    box = " ".join("".join(content["cells"][0]["source"]).replace("\n>", " ").split())
    committed = [claim for claim in read_claims() if claim.notebook == NAME]
    assert len(committed) == 5 and all(claim.numbers.partition(", n =")[0] in box for claim in committed)


def test_figures_say_that_they_are_simulated_and_what_is_assumed(done):
    for name in FIGURES:
        found = record(done, name)
        assert found["evidence"] == "simulated" and found["seed"] == 20260101 and "39" in found["note"]


def test_invented_values_carry_no_real_models_name(done):
    real = load_published("kina/leaderboard")["model"].iloc[:3]
    for name in FIGURES:
        svg = (done / f"figures/kina/{name}.svg").read_text()
        assert "a model at 4" in svg and not any(model in svg for model in real)


def test_luck_gives_profiles_and_turns_places_over(claims):
    assert claims["kina/3b_subject_scores"].estimate > 5
    assert 80 < claims["kina/3b_score_levels"].estimate < 105
    assert 5 < claims["kina/3b_two_exams.order"].estimate < 20
    assert claims["kina/3b_two_exams.order"].of == "simulated pairs of exams"
    assert claims["kina/3b_two_exams.order"].n == 4  # eight exams in pairs


def test_the_own_part_of_a_profile_is_what_an_additive_model_leaves(claims):
    """A recount by least squares: points that model and subject together do not explain."""
    models = simulated_boards.simulated_models((25, 45.0, 38.0), (14, 20.0, 11.0))
    exams = simulated_boards.deal_exams(
        models["accuracy"], 8, np.random.default_rng(20260101), samples=4, difficulty_sd=2.0, interaction_sd=1.0
    )
    subject, ranges = np.arange(899) % 261 % 12, []
    for scores in exams:
        best = pd.DataFrame(100 * scores).assign(mean=scores.mean(axis=1)).nlargest(10, "mean").drop(columns="mean")
        cells = best.T.groupby(subject).mean().melt(ignore_index=False, var_name="model").rename_axis("subject")
        own = ols("value ~ C(model) + C(subject)", cells.reset_index()).fit().resid
        ranges.append(np.ptp(own.to_numpy().reshape(10, 12), axis=1).mean())
    assert claims["kina/3b_subject_scores"].estimate == pytest.approx(np.mean(ranges))
