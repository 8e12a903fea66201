"""The notebook on the other arms, run once with params/quick.yaml, which are its own: nothing in it is drawn small."""

import pytest

NAME = "cbu/5_other_candidates"


def test_parts_of_the_effect_add_up_to_that_of_the_first_study(read, claims_made):
    parts = read("5b_derivation_table").set_index("effect")["difference"]
    shares = read("5b_arms").set_index("arm")["solved"]
    assert parts["right minus lucky"] + parts["lucky minus wrong"] == pytest.approx(shares["right"] - shares["wrong"])
    assert shares[["none", "right", "wrong"]].tolist() == pytest.approx([0.525, 0.79375, 0.45])  # cbu/5_effects
    assert claims_made["cbu/5b_midway"].estimate == pytest.approx(100 * parts["midway minus lucky"])


def test_effects_of_planted_arms_are_recounted_from_the_families(read, claims_made):
    table = read("5b_families")
    for claim, one, other in (
        ("answer", "lucky", "wrong"),
        ("confident", "confident", "wrong"),
        ("again", "right again", "right"),
    ):
        gap = ((table[one] - table[other]) * table["questions"]).sum() / 40
        assert claims_made[f"cbu/5b_{claim}"].estimate == pytest.approx(100 * gap, abs=1e-9)
