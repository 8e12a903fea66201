"""notebooks/kina/3_subject_profiles.ipynb, run by papermill with the quick parameters."""

import numpy as np
import pandas as pd
import pytest
from proctor.kina import simulated_boards
from statsmodels.formula.api import ols

NAME = "kina/3_subject_profiles"


def test_the_own_part_of_a_profile_is_what_an_additive_model_leaves(claims_made):
    """A recount by least squares: points that model and subject together do not explain."""
    models = simulated_boards.simulated_models((25, 45.0, 38.0), (14, 20.0, 11.0))
    exams = simulated_boards.draw_exams(
        models["accuracy"], 8, np.random.default_rng(20260101), samples=4, difficulty_sd=2.0, interaction_sd=1.0
    )
    subject, ranges = np.arange(899) % 261 % 12, []
    for scores in exams:
        best = pd.DataFrame(100 * scores).assign(mean=scores.mean(axis=1)).nlargest(10, "mean").drop(columns="mean")
        cells = best.T.groupby(subject).mean().melt(ignore_index=False, var_name="model").rename_axis("subject")
        own = ols("value ~ C(model) + C(subject)", cells.reset_index()).fit().resid
        ranges.append(np.ptp(own.to_numpy().reshape(10, 12), axis=1).mean())
    assert claims_made["kina/3b_subject_scores"].estimate == pytest.approx(np.mean(ranges))
