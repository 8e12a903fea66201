"""notebooks/kina/3_leaderboard.ipynb, run by papermill with the quick parameters."""

import json

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.data.published import load_published
from proctor.report import catalog
from proctor.report.claims import read_claims

NAME = "kina/3_leaderboard"


@pytest.fixture(scope="module")
def board(done):
    return pd.read_csv(done / "figures/kina/simulated_tiers.csv", keep_default_na=False, na_values=[""])


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def record(done, name) -> dict:
    return json.loads((done / f"figures/kina/{name}.json").read_text())


def test_leaves_what_the_catalog_promises_with_the_evidence_that_it_names(done):
    rows = [row for row in catalog.read() if row.notebook == NAME and row.state in catalog.RUN]
    assert len(rows) >= 11 and catalog.check(rows, done / "figures") == []


def test_results_box_has_the_numbers_of_the_committed_claims():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    box = " ".join("".join(content["cells"][0]["source"]).replace("\n>", " ").split())
    committed = {claim.id: claim for claim in read_claims() if claim.notebook == NAME}
    said = [claim_id for claim_id, claim in committed.items() if claim.numbers.partition(", n =")[0] in box]
    assert {
        "kina/claim_adjacent_ranks",
        "kina/claim_tiers.frontier",
        "kina/3_first_place.proven",
        "kina/claim_rank_stability",
        "kina/3_budget_curve",
    } <= set(said)


def test_everything_simulated_says_so_and_what_is_assumed(done):
    for name in ("simulated_ranking", "simulated_tiers", "budget_curve"):
        found = record(done, name)
        assert "simulated" in found["evidence"] and found["seed"] == 20260101 and "39" in found["note"]
        assert found["parameters"]["strong"] == [25, 45.0, 38.0] and found["parameters"]["samples"] == 4
    assert "SIMULATED" in (done / "figures/kina/simulated_tiers.md").read_text()


def test_no_simulated_model_carries_a_real_models_name(done, board):
    real = load_published("kina/leaderboard")["model"].iloc[:3]
    assert board["model"].str.fullmatch(r"a model at \d+\.\d %").all()
    for name in ("simulated_ranking.svg", "simulated_tiers.csv"):
        text = (done / "figures/kina" / name).read_text()
        assert not any(model in text for model in real)


def test_board_ranks_42_models_and_prints_only_three(board):
    assert board["rank"].tolist() == board["accuracy"].rank(method="min", ascending=False).astype(int).tolist()
    assert len(board) == 42 and board["rank"].is_monotonic_increasing and board["rank"].iloc[0] == 1
    printed = load_published("kina/leaderboard")["accuracy_value"].dropna()
    assert sorted(board["printed"].dropna()) == sorted(printed) and board["model"].is_unique


def test_simulated_accuracies_are_those_printed_and_assumed_but_for_luck(board):
    wanted = np.array([53.17, 49.92, 48.55, *np.linspace(45, 38, 25), *np.linspace(20, 11, 14)])
    called = board["model"].str.extract(r"at ([\d.]+) %")[0].astype(float)
    assert np.sort(called)[::-1] == pytest.approx(wanted, abs=0.051)
    assert board["accuracy"].to_numpy() == pytest.approx(called.to_numpy(), abs=3)
    quarters = board["accuracy"] * 4 * 899 / 100
    assert np.allclose(quarters, np.rint(quarters), atol=1e-6)  # four answers to each of 899 items


def test_intervals_and_rank_sets_hold_their_estimates(board):
    assert ((board["low"] < board["accuracy"]) & (board["accuracy"] < board["high"])).all()
    for low, high in (("rank_low", "rank_high"), ("set_low", "set_high")):
        assert ((1 <= board[low]) & (board[low] <= board["rank"])).all()
        assert ((board["rank"] <= board[high]) & (board[high] <= 42)).all()
    assert (board["set_high"] - board["set_low"]).mean() > (board["rank_high"] - board["rank_low"]).mean()
    assert board["p_first"].sum() == pytest.approx(1)


def test_tiers_count_up_without_a_gap(board):
    for column in ("tier_pairwise", "tier"):
        tier = board[column].to_numpy()
        assert tier[0] == 1 and set(np.diff(tier)) <= {0, 1}
    assert board["tier"].max() < board["tier_pairwise"].max()


def test_a_border_stands_where_a_tier_ends_and_says_what_it_separates(board):
    ends = np.diff(board["tier"]) > 0
    border = board["border"].fillna("").to_numpy()[:-1]
    assert ((border != "") == ends).all()
    told_apart = board["gap_low"].to_numpy()[:-1] > 0
    assert (told_apart[ends] == (border[ends] == "separates its neighbours")).all()
    assert (border == "separates nothing").sum() > 0


def test_accuracies_fit_four_answers_an_item(claims, done):
    assert claims["kina/3_answers_per_item"].verdict == "holds"
    alone = pd.read_csv(done / "figures/kina/printed_accuracies.csv")
    assert alone["lead"].tolist()[:2] == pytest.approx([3.25, 1.37])
    assert ((alone["low"] < alone["accuracy"]) & (alone["accuracy"] < alone["high"])).all()


def test_claims_of_simulated_exams_count_exams(claims):
    simulated = [claim for claim in claims.values() if not claim.exact]
    assert len(simulated) == 8 and {claim.of for claim in simulated} == {"simulated exams"}
    assert all(claim.n == 10 for claim in simulated)  # the quick parameters


def test_order_agrees_less_with_the_truth_than_with_itself(claims):
    assert claims["kina/3_budget_curve"].high < 1


def test_notebook_is_stored_without_outputs():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert "sqlite" not in json.dumps(content)
