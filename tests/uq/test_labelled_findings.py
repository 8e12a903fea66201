"""Findings of UQ on made-up labelled verdicts."""

import numpy as np
import pandas as pd
import pytest
from proctor.report import claims
from proctor.stats.bootstrap import Interval
from proctor.uq import judge_findings, labelled_findings, table_s10

RNG = np.random.default_rng


def runs(skills, validator, questions=30, seed=0):
    """One right and one wrong answer a question; a judge accepts a right one with its skill, a wrong one with 1 - it."""
    rng, parts = RNG(seed), []
    for judge, skill in skills.items():
        correct = np.tile([True, False], questions)
        says = np.where(rng.random(2 * questions) < skill, correct, ~correct)
        ids = [f"q{i // 2}" for i in range(2 * questions)]
        names = [f"{question}-{kind}" for question, kind in zip(ids, correct)]
        outcome = np.where(says, "accept", "reject")
        columns = dict(question_id=ids, answer_id=names, correct=correct, outcome=outcome)
        parts.append(pd.DataFrame(columns).assign(judges=judge, validator=validator))
    return pd.concat(parts, ignore_index=True)


def labelled():
    names = ("V", "C", "C u3 |U", labelled_findings.PIPELINE, labelled_findings.SHORT_PIPELINE)
    skills = {"a": 0.6, "b": 0.9, "c": 0.5}
    found = pd.concat([runs(skills, name, seed=k) for k, name in enumerate(names)], ignore_index=True)
    majority = found[(found["judges"] == "b") & (found["validator"] == "C")].assign(judges="a; b; c")
    unanimous = majority.assign(outcome=majority["outcome"].where(majority["question_id"] < "q2", "reject"))
    return labelled_findings.claims(found, majority, unanimous, RNG(0), 200), found


def test_each_finding_is_one_claim_and_all_pairs_of_judges_are_in():
    made, found = labelled()
    judged = [claims.judge(notebook="uq/3_small_judges", evidence="measured", **claim) for claim in made]
    assert [claim.id for claim in judged] == list(labelled_findings.NUMBERS)
    strength = next(claim for claim in judged if claim.id == "uq/measured_strength")
    each = judge_findings.between_judges(
        found.rename(columns={"judges": "judge", "validator": "check"}), ["a", "b", "c"], "C", RNG(0), 50
    )
    assert strength.family == 3 and strength.estimate == pytest.approx(min(it.estimate for it in each.values()))
    panel = next(claim for claim in judged if claim.id == "uq/measured_panel")
    assert panel.estimate == pytest.approx(0) and panel.verdict == "cannot tell"  # its best judge says the same


def test_the_table_of_findings_sets_the_printed_figures_beside_ours():
    made, _ = labelled()
    judged = [claims.judge(notebook="uq/3_small_judges", evidence="measured", **claim) for claim in made]
    table = labelled_findings.as_table(judged, table_s10.printed(table_s10.load_rows(RNG(0), 1)))
    assert table["finding"].value_counts().to_dict() == {"1": 6, "2": 2, "I.4": 1} and table.notna().all(axis=None)
    assert set(table["verdict"]) <= {"holds", "does not hold", "cannot tell"}
    assert "other answers" in table.loc[3, "printed"]
    assert isinstance(made[0]["interval"], Interval)
