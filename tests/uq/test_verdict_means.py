"""Means of checks and judges, on made-up verdicts."""

import numpy as np
import pandas as pd
import pytest
from proctor.uq import natural_checks, verdict_means
from proctor.uq.verdict_means import MEAN, TWO

FAMILIES = ("tank", "ages", "mean", "change")


def verdict(judge, check, family, i, p, style="bare", outcome="accept"):
    name = f"{family}-{i}"
    return dict(judge=judge, check=check, style=style, question_id=name, category=family, answer_id=name,
                correct=i < 2, outcome=outcome, p_accept=p)  # fmt: skip


@pytest.fixture
def rows():
    """C and B each put one right answer of a family below its wrong ones, not the same; their mean ranks all rightly.
    A second judge ranks all rightly by C, and was not asked B."""
    p = {"C": (0.9, 0.5, 0.6, 0.6), "B": (0.5, 0.9, 0.6, 0.6)}
    one = [verdict("m", check, f, i, p[check][i]) for check in p for f in FAMILIES for i in range(4)]
    two = [verdict("other", "C", f, i, (0.9, 0.9, 0.1, 0.1)[i]) for f in FAMILIES for i in range(4)]
    reasoned = [verdict("m", "C", f, i, None, "reasoned") for f in FAMILIES for i in range(4)]
    return pd.DataFrame(one + two + reasoned)


def test_a_mean_stands_beside_the_checks_and_judges_it_is_of(rows):
    bare = verdict_means.with_means(rows)
    sizes = bare.groupby(["judge", "check"]).size()
    assert sizes.to_dict() == {(j, c): 16 for j, c in [("m", "C"), ("m", "B"), ("other", "C"), ("m", MEAN), (TWO, "C")]}
    p = bare.set_index(["judge", "check", "answer_id"])["p_accept"].astype(float)
    assert p["m", MEAN, "tank-0"] == pytest.approx(0.7) and p[TWO, "C", "tank-1"] == pytest.approx(0.7)


def test_the_mean_of_two_judges_is_that_of_the_first_two(rows):
    third = rows[rows["judge"] == "other"].assign(judge="third", p_accept=0.0)
    alone, with_third = (verdict_means.with_means(part) for part in (rows, pd.concat([rows, third], ignore_index=True)))
    assert set(with_third["judge"]) == {"m", "other", "third", TWO}
    means = [part[part["judge"] == TWO].reset_index(drop=True) for part in (alone, with_third)]
    pd.testing.assert_frame_equal(*means)


def test_studies_of_other_answers_are_not_joined(rows):
    with pytest.raises(ValueError, match="the same n"):
        verdict_means.joined(rows, rows[rows["answer_id"] != "tank-0"])


def test_every_planned_effect_has_its_sentence(rows):
    found = verdict_means.effects(verdict_means.with_means(rows), np.random.default_rng(1))
    assert set(found["effect"]) == set(verdict_means.SENTENCES) == set(natural_checks.MEANS_EXPECTED)


def test_an_answer_that_lacks_one_probability_has_no_mean(rows):
    rows.loc[rows["check"].eq("B") & rows["answer_id"].eq("tank-0"), "p_accept"] = np.nan
    bare = verdict_means.with_means(rows).set_index(["judge", "check", "answer_id"])["p_accept"]
    assert np.isnan(bare["m", MEAN, "tank-0"]) and bare["m", MEAN, "tank-1"] == pytest.approx(0.7)


def test_the_mean_ranks_what_no_check_ranks_alone(rows):
    table = verdict_means.aucs(verdict_means.with_means(rows), np.random.default_rng(1), 100)
    assert table.set_index(["judge", "check"])["auc"].to_dict() == {
        ("m", "C"): 0.5, ("m", "B"): 0.5, ("other", "C"): 1, ("m", MEAN): 1, (TWO, "C"): 1,
    }  # fmt: skip


def test_effects_are_paired_by_answer(rows):
    bare = verdict_means.with_means(rows)
    found = verdict_means.effects(bare, np.random.default_rng(1)).set_index("effect")
    assert found.loc["mean of checks less C", ["first", "second"]].tolist() == [1, 0.75]
    assert found.loc["two judges less one", ["first", "second"]].tolist() == [1, 0.75]


def test_judges_without_probabilities_have_no_gain(rows):
    bare = verdict_means.with_means(rows.assign(p_accept=None))
    assert verdict_means.effects(bare, np.random.default_rng(1))["difference"].isna().all()
    assert verdict_means.aucs(bare, np.random.default_rng(1), 100)["auc"].isna().all()
