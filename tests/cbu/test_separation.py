import numpy as np
import pandas as pd
import pytest
from proctor.cbu.separation import (
    GROUPS,
    draft_outcomes,
    middling_effects,
    separations,
    summarise,
    with_base_rate,
)

CHANCES = {"easy": (1, 1, 1), "middling": (0.5, 1, 0), "hard": (0, 0, 0)}  # base, after right, after wrong


def rows(families=4, questions=2):
    found = []
    for level, (none, right, wrong) in CHANCES.items():
        for f in range(families):
            for q in range(questions):
                for kind, chance in (("none", none), ("right", right), ("wrong", wrong), ("short", 1)):
                    for sample in (0, 1):
                        found.append(
                            dict(model="m", category=f"{level}{f}", question_id=f"{level}{f}-{q}", kind=kind)
                            | dict(correct=chance > (sample + 0.5) / 2)
                        )
    return pd.DataFrame(found)


@pytest.fixture(scope="module")
def found():
    return with_base_rate(separations(rows()))


def test_separation_is_right_less_wrong_by_question(found):
    mean = found.groupby("base rate")["separation"].mean()
    assert mean.to_dict() == {GROUPS[0]: 0, GROUPS[1]: 1, GROUPS[2]: 0} and len(found) == 24


def test_summary_holds_every_question_and_widens_with_few(found):
    table = summarise(found, "base rate").set_index("base rate")
    assert table["questions"].tolist() == [8, 8, 8] and (table["low"] <= table["difference"]).all()
    few = summarise(with_base_rate(separations(rows(1))), "base rate")
    assert (few["high"] - few["low"]).min() > 0.5


def test_effect_of_a_middling_base_rate_is_over_families():
    each = with_base_rate(separations(rows()))
    noise = np.random.default_rng(0).normal(0, 0.1, len(each))
    each["separation"] = (each["separation"] + noise).clip(-1, 1)
    effect = middling_effects(each).iloc[0]
    assert effect["families"] == 8 and effect["low"] > 0.5 and effect["low"] < effect["difference"] < effect["high"]


def test_families_without_spread_tell_no_effect(found):
    assert middling_effects(found).empty


def test_drafts_are_counted_by_family_and_outcome():
    fate = pd.DataFrame(dict(question_id=["a", "b", "c"], why=["", "copy", ""]))
    table = draft_outcomes(fate, {"a": "sums", "b": "sums", "c": "letters"}).set_index("family")
    assert table.loc["sums"].to_dict() == {"copy": 1, "kept": 1} and table.loc["letters", "kept"] == 1
