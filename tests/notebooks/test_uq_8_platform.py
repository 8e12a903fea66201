"""The notebook on UQ's platform, run once with params/quick.yaml; what it leaves in figures/."""

import pandas as pd
import pytest
from proctor.stats.proportions import clopper_pearson

NAME = "uq/8_platform"


def read(done, name):
    return pd.read_csv(done / f"figures/uq/{name}.csv")


def test_the_overview_agrees_with_the_funnel_and_the_list_of_updates(done):
    overview = read(done, "8_resolution_statistics").set_index("measure")["count"]
    stages = read(done, "8_stages").set_index("stage")
    updates = read(done, "8_dataset_updates")
    assert overview["questions resolved"] == stages.loc["resolved", "simulated"] == updates["question_id"].nunique()
    assert overview["questions with an answer that passed"] == stages.loc["some answer passed", "simulated"]
    assert stages["paper"].dropna().tolist() == [500, 144, 91, 10]


def test_ranking_counts_are_those_of_the_updates(done):
    board, updates = read(done, "8_ranking").set_index("system"), read(done, "8_dataset_updates")
    assert board["right"].sum() == len(updates)
    for name, row in board.iterrows():
        assert row["right"] == (updates["system"] == name).sum()
        assert row["low"] == pytest.approx(clopper_pearson(int(row["right"]), 500)[0])
        assert row["high"] == pytest.approx(clopper_pearson(int(row["right"] + row["unsettled"]), 500)[1])
    assert "people" in board.index


def test_no_pair_of_the_paper_is_apart(claims_made):
    claim = claims_made["uq/claim_sparse_ranking_signal.published"]
    assert claim.verdict == "holds" and "0.125" in claim.exact and "28 pairs" in claim.exact


def test_the_screen_keeps_its_recall_of_the_resolutions(done, claims_made):
    table = read(done, "8_effort").pivot(index="base_rate", columns="screen", values="found")
    assert (table["three stages"] / table["none"]).to_numpy() == pytest.approx(0.34)
    kept = claims_made["uq/claim_validation_lowers_effort.resolutions"]
    assert kept.low < 0.34 < kept.high
