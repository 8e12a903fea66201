"""The notebook on UQ's platform, run once with params/quick.yaml; what it leaves in figures/."""

import itertools

import numpy as np
import pytest
from proctor.uq.resolution import Rule

NAME = "uq/8_platform"


def test_the_overview_agrees_with_the_funnel_and_the_list_of_updates(read):
    overview = read("8_resolution_statistics").set_index("measure")["count"]
    stages = read("8_stages").set_index("stage")
    updates = read("8_dataset_updates")
    assert overview["questions resolved"] == stages.loc["resolved", "simulated"] == updates["question_id"].nunique()
    assert overview["questions with an answer that passed"] == stages.loc["some answer passed", "simulated"]
    assert stages["paper"].dropna().tolist() == [500, 144, 91, 10]


def test_effort_is_the_sum_over_all_sequences_of_fifteen_reviews(read, claims_made):
    """Of 2 % right answers read without a screen; plain wrong ones get yes with 0.15, six in a hundred with 0.405."""
    yes = np.array(list(itertools.product([0, 1], repeat=15)))
    counts = yes.cumsum(axis=1)
    decided = np.isin(Rule(3, 0.75).state(counts, np.arange(1, 16) - counts), ("right", "wrong"))
    last = np.where(decided.any(axis=1), decided.argmax(axis=1), 14)
    at = counts[np.arange(len(yes)), last]
    called = (at >= 3) & (at >= 0.75 * (last + 1)) & decided.any(axis=1)
    reviews, resolved = 0.0, []
    for share, p in ((0.02, 0.85), (0.98 * 0.94, 0.15), (0.98 * 0.06, 1 - 0.7 * 0.85)):
        chance = np.prod(np.where(yes, p, 1 - p), axis=1)
        reviews += share * chance @ (last + 1) / 0.9  # a tenth is unsure
        resolved.append(share * chance @ called)
    table = read("8_effort").set_index(["base_rate", "screen"])
    row = table.loc[(0.02, "none")]
    assert row["reviews_per_resolution"] == pytest.approx(reviews / resolved[0])
    assert row["false_share"] == pytest.approx(sum(resolved[1:]) / sum(resolved))
    found = table["found"].unstack()
    assert (found["three stages"] / found["none"]).to_numpy() == pytest.approx(0.34)  # the screen's recall
    ratio = table.loc[(0.02, "three stages"), "reviews_per_resolution"] / row["reviews_per_resolution"]
    assert claims_made["uq/claim_validation_lowers_effort"].estimate == pytest.approx(ratio)
