"""Effects of audits on made-up probabilities, of which the answers are known."""

import itertools

import numpy as np
import pandas as pd
import pytest
from proctor.hle_verified import audit_effects
from proctor.hle_verified.paired_defects import DAMAGED, RIGHT, SOUND, WRONG
from proctor.hle_verified.planted_defects import Defect

FAMILIES = ("tank", "ages", "mean")


def row(base, state, component, p, holds=True, kind=""):
    return dict(model="m", base=base, category=base.split("-")[0], level=1, state=state, kind=kind,
                component=component, holds=holds, sound=p > 0.5, p_sound=p)  # fmt: skip


@pytest.fixture
def rows():
    """Keys: damaged always below. Problems: alike. Rationales: below in one of three families. Right repairs have the
    better answers, wrong ones the better rationales."""
    table = []
    for family in FAMILIES:
        base = f"{family}-1"
        table += [row(base, SOUND, part, p) for part, p in (("problem", 0.4), ("answer", 0.3), ("rationale", 0.35))]
        table.append(row(base, DAMAGED, "answer", 0.1, False, "A1"))
        table.append(row(base, DAMAGED, "problem", 0.4, False, "Q1"))
        table.append(row(base, DAMAGED, "problem", 0.3, True, "S6"))
        table.append(row(base, DAMAGED, "answer", 0.3, True, "S6"))
        table.append(row(base, DAMAGED, "rationale", 0.2 if family == "tank" else 0.5, False, "S6"))
        for state, answer, rationale in ((RIGHT, 0.6, 0.4), (WRONG, 0.05, 0.6)):
            held = state == RIGHT
            table += [row(base, state, "problem", 0.6), row(base, state, "answer", answer, held)]
            table.append(row(base, state, "rationale", rationale, held))
    return pd.DataFrame(table)


def test_pairs_rank_the_sound_twin_and_ties_count_half(rows):
    found = audit_effects.pairs(rows)
    assert found.groupby("component")["above"].mean().to_dict() == pytest.approx(
        dict(answer=1.0, problem=0.5, rationale=1 / 3)
    )
    table = audit_effects.auc_by_component(found, np.random.default_rng(1), 50).set_index("component")
    assert table.loc["answer", ["auc", "good_rejected", "bad_rejected"]].tolist() == [1, 0, 1]
    assert table.loc["problem", "auc"] == 0.5 and table["pairs"].eq(3).all()
    effects = audit_effects.rankings(found).set_index("effect")["difference"]
    assert effects.to_dict() == pytest.approx(dict(problem=0, answer=0.5, rationale=-1 / 6))
    assert audit_effects.rejections(found).set_index("effect").loc["answer", "difference"] == 1


def test_no_family_fits_its_own_threshold(rows):
    """One family's keys lie far lower: by its own threshold it would lose nothing, by the others' it rejects both."""
    low = rows["category"].eq("tank") & rows["component"].eq("answer")
    rows.loc[low, "p_sound"] = rows.loc[low, "p_sound"] / 10
    own = audit_effects.pairs(rows).query("component == 'answer' and category == 'tank'")
    assert own["above"].eq(1).all() and own["good_rejected"].all() and own["bad_rejected"].all()


def test_pairs_need_both_probabilities_and_one_auditor(rows):
    rows.loc[(rows["category"] == "ages") & (rows["state"] == SOUND), "p_sound"] = None
    assert set(audit_effects.pairs(rows)["category"]) == {"tank", "mean"}
    with pytest.raises(ValueError, match="2 auditors"):
        audit_effects.pairs(pd.concat([rows, rows.assign(model="n")]))


def test_kinds_are_counted_and_tested_together(rows):
    table = audit_effects.by_kind(audit_effects.pairs(rows)).set_index("kind")
    assert table.loc["A1", ["rejected", "twin_rejected", "rejected_n"]].tolist() == [3, 0, 3]
    assert table.loc["Q1", "difference"] == 0 and not table["found"].any()
    assert list(table.index[table["rejected_n"] > 0]) == ["Q1", "S6", "A1"] and table["low"].notna().sum() == 3


@pytest.mark.filterwarnings("error")
def test_an_auditor_without_probabilities_has_every_table_and_no_number(rows):
    rows["p_sound"] = np.nan
    found = audit_effects.pairs(rows)
    kinds, passed = audit_effects.by_kind(found), audit_effects.passes(rows, found)
    assert len(kinds) == len(Defect) and kinds["rejected_share"].isna().all() and not kinds["found"].any()
    assert audit_effects.repair_effects(passed)["difference"].isna().all()
    assert audit_effects.by_state(passed)["items"].eq(0).all()
    assert audit_effects.by_samples(found)["1 sample"].isna().all()


def test_repairs_are_compared_within_an_item_and_pass_with_all_three_parts(rows):
    passed = audit_effects.passes(rows, audit_effects.pairs(rows))
    effects = audit_effects.repair_effects(passed).set_index("effect")["difference"]
    assert effects.loc[list(audit_effects.REPAIRS)].tolist()[:2] == [0.5, -0.5]
    one = passed[(passed["state"] == WRONG)]
    assert not one["passed"].any()  # its answer does not exceed the threshold, although the other parts do
    table = audit_effects.by_state(passed).set_index("repairs")
    assert table["items"].tolist() == [3, 3, 3, 3] and table.loc["changed, wrong", "passed"] == 0


def test_damage_elsewhere_is_told_by_the_audited_part(rows):
    table = audit_effects.left_alone(rows).set_index(["damaged", "audited"])["difference"]
    assert table["rationale", "problem"] == pytest.approx(-0.1) and table["rationale", "answer"] == pytest.approx(0)


def test_samples_are_expected_votes():
    """Against all 2^6 outcomes of three verdicts each."""
    good, bad = 0.7, 0.4

    def chance(said, p):
        return np.prod([p if one else 1 - p for one in said])

    outcomes = list(itertools.product([0, 1], repeat=3))
    expected = sum(
        chance(a, good) * chance(b, bad) * (1 + np.sign(sum(a) - sum(b))) / 2 for a in outcomes for b in outcomes
    )
    assert audit_effects.sampled_above([good], [bad], 3)[0] == pytest.approx(expected)
    assert audit_effects.at_temperature(0.7, 1) == pytest.approx(0.7)


def test_fewer_samples_tell_less_than_the_probability(rows):
    table = audit_effects.by_samples(audit_effects.pairs(rows)).set_index("component").loc["answer"]
    assert table["probability"] == 1 > table["8 samples"] > table["1 sample"] > 0.5
