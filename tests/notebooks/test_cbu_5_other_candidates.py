"""The notebook on the other arms, run once with params/quick.yaml, which are its own: nothing in it is drawn small."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

NAME = "cbu/5_other_candidates"


def test_each_group_shares_a_level_on_the_questions_that_have_both_arms(done, claims_made):
    words = pd.read_csv(done / "figures/cbu/5b_words.csv").set_index("effect")
    assert (words["items"] == 40).all() and (words["families"] == 9).all()
    natural = pd.read_csv(done / "figures/cbu/5b_natural.csv").set_index("effect")
    assert natural["items"].tolist() == [12, 40, 28, 24] and natural["families"].tolist() == [5, 9, 9, 7]
    sizes = {"again": 2, "confident": 2, "derivation": 3, "answer": 3, "midway": 3, "natural_pair": 4, "natural_auc": 3}
    for name, together in sizes.items():
        claim = claims_made[f"cbu/5b_{name}"]
        assert claim.family == together and claim.level == pytest.approx(1 - 0.05 / together)


def test_parts_of_the_effect_add_up_to_that_of_the_first_study(done, claims_made):
    parts = pd.read_csv(done / "figures/cbu/5b_derivation_table.csv").set_index("effect")["difference"]
    shares = pd.read_csv(done / "figures/cbu/5b_arms.csv").set_index("arm")["solved"]
    assert parts["right minus lucky"] + parts["lucky minus wrong"] == pytest.approx(shares["right"] - shares["wrong"])
    assert shares[["none", "right", "wrong"]].tolist() == pytest.approx([0.525, 0.79375, 0.45])  # cbu/5_effects
    assert claims_made["cbu/5b_midway"].estimate == pytest.approx(100 * parts["midway minus lucky"])


def test_natural_and_planted_candidates_are_ranked_on_the_same_questions(done, claims_made):
    table = pd.read_csv(done / "figures/cbu/5b_auc.csv").set_index("effect")
    assert (table["items"] == 12).all() and (table["families"] == 5).all()
    here = claims_made["cbu/5b_natural_auc_here"]
    assert here.n == 12 and here.estimate == claims_made["cbu/5b_natural_auc"].estimate


def test_effects_of_planted_arms_are_recounted_from_the_families(done, claims_made):
    table = pd.read_csv(done / "figures/cbu/5b_families.csv")
    for claim, one, other in (
        ("answer", "lucky", "wrong"),
        ("confident", "confident", "wrong"),
        ("again", "right again", "right"),
    ):
        gap = ((table[one] - table[other]) * table["questions"]).sum() / 40
        assert claims_made[f"cbu/5b_{claim}"].estimate == pytest.approx(100 * gap, abs=1e-9)


def test_power_is_that_of_the_level_of_the_group(done):
    """Of an arm that should be alike: Student's interval lies within the margin, drawn here with the expected spread."""
    row = pd.read_csv(done / "figures/cbu/5b_power.csv").set_index("effect").loc["right again minus right"]
    assert (row["shows"], row["neighbours"], row["families"]) == ("within 17 points", 80, 9)
    drawn = np.random.default_rng(1).normal(0, row["spread"], (20_000, 9))
    half = t.ppf(1 - 0.05 / 4, 8) * drawn.std(axis=1, ddof=1) / 3
    inside = (np.abs(drawn.mean(axis=1)) + half < 0.17).mean()
    assert row["by_family"] == pytest.approx(inside, abs=0.015) and np.isnan(row["detectable"])
