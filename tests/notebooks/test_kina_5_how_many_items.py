"""notebooks/kina/5_how_many_items.ipynb, run by papermill with the quick parameters."""

import json

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.report.claims import read_claims

NAME = "kina/5_how_many_items"


@pytest.fixture(scope="module")
def claims(done):
    return {claim.id: claim for claim in read_claims(done / "figures")}


def test_results_box_has_the_numbers_of_the_committed_claims():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    box = " ".join("".join(content["cells"][0]["source"]).replace("\n>", " ").split())
    committed = {claim.id: claim for claim in read_claims() if claim.notebook == NAME}
    for name in ("lead_gaps", "printed_lead", "dense_tier", "few_items.sharper", "stopping.each_look"):
        assert committed[f"kina/5_{name}"].numbers.partition(", n =")[0].partition(", exact")[0] in box


@pytest.mark.parametrize("name", ["items_needed", "few_items", "sequential", "items_asked"])
def test_figures_say_what_is_simulated_and_assumed(done, name):
    record = json.loads((done / f"figures/kina/{name}.json").read_text())
    assert record["evidence"] == "published + simulated" and record["seed"] == 20260101 and "39" in record["note"]
    assert {entry["path"] for entry in record["inputs"]} >= {
        "data/published/kina/leaderboard.csv",
        "data/published/kina/facts.csv",
    }


def test_lead_gaps_show_the_printed_gaps_and_their_exams(done):
    svg = (done / "figures/kina/lead_gaps.svg").read_text()
    for text in ("UQ", "KINA", "HLE", "500", "899", "2,158", "3,000", "3.25", "1.37"):
        assert f">{text}" in svg or f" {text}" in svg, text
    assert json.loads((done / "figures/kina/lead_gaps.json").read_text())["evidence"] == "published"


def test_gaps_are_differences_of_printed_scores_and_five_lie_below_the_marked_line(done, claims):
    gaps = pd.read_csv(done / "figures/kina/lead_gaps_table.csv")
    assert gaps["gap"].tolist() == [6.2, 3.8, 3.25, 1.37, 2.9, 1.2, 1.4, 3.5]
    below = [100 * 2.8016 * (0.15 / (n + 2.8016**2)) ** 0.5 > gap for n, gap in zip(gaps["items"], gaps["gap"])]
    assert sum(below) == claims["kina/5_lead_gaps"].estimate == 5


def test_share_of_exams_that_show_the_lead_is_near_the_planned_one(claims):
    assert abs(claims["kina/5_printed_lead"].estimate - 80) < 12
    assert claims["kina/5_printed_lead"].n == 200


def test_claims_of_simulated_exams_count_exams(claims):
    assert {claim.of for claim in claims.values() if not claim.exact} == {"simulated exams"}


def test_looking_often_at_1_96_finds_winners_among_equals(claims):
    assert claims["kina/5_stopping.each_look"].estimate > 8 > claims["kina/5_stopping.corridor"].low


def test_an_exam_sees_its_smallest_gap_with_the_planned_chance_in_mcnemars_setting(done):
    row = pd.read_csv(done / "figures/kina/lead_gaps_table.csv").set_index(["exam", "gap"]).loc[("KINA", 3.25)]
    gap, differ = 0.0325, 1 - row["agree"] / 100
    drawn = np.random.default_rng(0).multinomial(899, [(differ + gap) / 2, (differ - gap) / 2, 1 - differ], 4000)
    seen = (drawn[:, 0] - drawn[:, 1]) / 899 > 1.96 * np.sqrt((differ - gap**2) / 899)
    assert seen.mean() == pytest.approx(0.8, abs=0.03)


def test_models_of_low_scores_agree_in_any_case(done):
    gaps = pd.read_csv(done / "figures/kina/lead_gaps_table.csv").set_index(["exam", "gap"])
    assert gaps.loc[("HLE", 2.9), "seen"] == "in any case" and (gaps["seen"] == "in any case").sum() == 2
