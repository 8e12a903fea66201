import pytest
from proctor.hle_verified.outcomes import (
    PANELS,
    audit_counts,
    by_experts,
    evidence,
    outcome_by_item,
    verify_all,
)

A, B, C = "smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"


def test_the_whole_protocol_ends_every_item_and_the_outcomes_are_told(steps, exam):
    tables = steps[0]
    known = evidence(exam.items, tables["votes"], tables["attempts"])
    audits = audit_counts(tables["audits"])
    choices = tables["adjudications"]
    with pytest.raises(ValueError, match="keep the rows of one"):
        verify_all(exam.items, known, choices, audits)
    found = verify_all(exam.items, known, choices[choices["model"] == A], audits)
    outcomes = outcome_by_item(found, exam.truths)
    assert set(outcomes["status"]) == {"uncertain"} and set(outcomes["uncertainty"]) == {"audit not passed"}
    lenient = {name: [audit for audit in each if audit.auditor != C] for name, each in audits.items()}
    found = verify_all(exam.items, known, choices[choices["model"] == A], lenient)
    assert set(outcome_by_item(found, exam.truths)["outcome"]) == {
        "sound, wrongly changed",
        "damaged, wrongly changed",
    }


def test_a_model_alone_is_the_only_expert_solver_and_auditor(steps, exam):
    tables = steps[0]
    chosen = tables["adjudications"][tables["adjudications"]["model"] == A]
    found = by_experts(exam.items, tables["votes"], tables["attempts"], chosen, tables["audits"])
    statuses = {name: outcome_by_item(result, exam.truths)["status"] for name, result in found.items()}
    assert list(statuses) == [A, B, C, *PANELS]
    assert set(statuses[A]) == {"gold"} and set(statuses[C]) == {"uncertain"} and "gold" not in set(statuses[B])
    screened = found[A][exam.items[0].id].trail[0]
    assert [one["solver"] for one in screened["replications"]] == [A] and screened["votes"]["problem"] == [True]
