"""Agreement of reviewers."""

from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from proctor.uq import community, resolution, reviewers


def test_alpha_from_counts_is_alpha_from_votes():
    rng = np.random.default_rng(0)
    votes = np.where(rng.random((12, 40)) < 0.4, (rng.random((12, 40)) < 0.6) * 1.0, np.nan)
    counts = np.stack([(votes == 1).sum(axis=0), (votes == 0).sum(axis=0)], axis=1)
    assert reviewers.label_alpha(counts) == pytest.approx(krippendorff.alpha(votes, level_of_measurement="nominal"))
    assert np.isnan(reviewers.label_alpha(np.array([[2, 0], [3, 0]])))


def test_agreement_table_keeps_people_and_machines_apart():
    ours = community.simulate(np.random.default_rng(4), replace(community.SETTING, questions=150, reviews=700))
    table = reviewers.reviewer_agreement(ours, np.random.default_rng(0), 50).set_index("reviewers")
    assert (table["low"] <= table["alpha"]).all() and (table["alpha"] <= table["high"]).all()
    people = resolution.independent(ours)
    many = people["answer_id"].value_counts()
    assert table.loc["people", "answers"] == (many > 1).sum()
    assert table.loc["people", "reviews"] == many[many > 1].sum()
