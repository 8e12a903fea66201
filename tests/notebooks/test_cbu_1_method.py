"""notebooks/cbu/1_method.ipynb, run by papermill with the quick parameters."""

import json
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from proctor.cbu.candidates import KINDS
from proctor.data.published import load_published
from proctor.report.claims import read_claims, rejudge

NAME = "cbu/1_method"


def table(done, name):
    return pd.read_csv(done / f"figures/cbu/{name}.csv")


def test_the_example_has_every_kind_with_a_utility_of_two_rollouts(done):
    shown = table(done, "fig_2_table")
    own = shown[shown["part"] == "C"].set_index("kind")
    assert list(own.index) == list(KINDS) and (own["oracle"] == [KINDS[kind].correct for kind in KINDS]).all()
    utilities = own[[column for column in own if "-" in column]].to_numpy() * 2
    assert utilities.shape == (7, 3) and np.isin(utilities, range(3)).all()
    assert shown["part"].tolist().count("Q*") == 2


def test_metrics_of_the_tiny_example_are_those_of_breaking_ties_at_random(done):
    score, correct = [0.9, 0.5, 0.2, 0.9, 0.5, 0.1], [1, 1, 1, 0, 0, 0]
    first, recall = [], []
    for order in permutations(range(6)):
        if all(score[a] >= score[b] for a, b in zip(order, order[1:])):
            first.append(correct[order[0]])
            recall.append(sum(correct[i] for i in order[:5]) / 3)
    pairs = [(a > b) + (a == b) / 2 for a, y in zip(score, correct) if y for b, n in zip(score, correct) if not n]
    found = table(done, "table_6").set_index("metric")["example"]
    assert found[["Acc@1", "Recall@5", "AUC"]].tolist() == pytest.approx([np.mean(x) for x in (first, recall, pairs)])


def test_table_1_sets_the_papers_ranges_beside_ours(done):
    facts = load_published("cbu/facts").set_index("fact")["value_value"]
    found = table(done, "table_1").set_index("questions")
    assert found.loc["ExpertMath", ["lowest", "highest", "mean"]].tolist() == [
        facts[f"expertmath_score_{end}"] for end in ("low", "high", "mean")
    ]
    ours = found[found["evidence"] == "measured"]
    assert (ours["lowest"] <= ours["mean"]).all() and (ours["mean"] <= ours["highest"]).all() and len(ours) == 10


def test_every_validator_scores_every_candidate_of_the_example(done):
    scores = table(done, "example_scores").set_index("kind")
    assert list(scores.index) == list(KINDS) and scores.notna().all(axis=None) and scores.shape[1] == 5


def test_bradley_terry_rewards_lie_within_four_errors(done):
    found = table(done, "bradley_terry").iloc[1:]
    assert (abs(found["recovered"] - found["reward"]) < 4 * found["error"]).all()


@pytest.mark.parametrize(
    "name, evidence",
    [
        ("when_utility_works", "simulated"),
    ],
)
def test_figures_say_what_they_rest_on(done, name, evidence):
    record = json.loads((done / f"figures/cbu/{name}.json").read_text())
    assert record["evidence"] == evidence and record["claim_ids"]


def test_claims_follow_from_their_rows(done):
    made = {claim.id: claim for claim in read_claims(done / "figures")}
    assert all(rejudge(claim) == claim.verdict for claim in made.values())
    assert {"cbu/claim_five_metrics", "cbu/claim_difficulty", "cbu/claim_existing_validators"} <= set(made)
    assert made["cbu/claim_rm_budget"].verdict == "does not hold"


def test_quoted_cells_and_the_reward_model_are_those_of_the_text(done):
    quoted = table(done, "table_2_quoted").set_index(["backbone", "metric"])
    assert quoted.loc[("gpt_oss_120b", "acc1"), ["cbu", "judge"]].tolist() == [76.27, 67.21] and len(quoted) == 7
    assert quoted["lead"].tolist() == pytest.approx((quoted["cbu"] - quoted["judge"]).tolist())
    budget = table(done, "rm_budget")["AUC of 64 calls"]
    assert budget.is_monotonic_decreasing and budget[0] == pytest.approx(0.2075)
