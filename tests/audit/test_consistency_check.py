"""Checks as a table and as a claim; the checks of the papers are tested in recordings/test_all_checks."""

import pytest
from proctor.audit.consistency_check import (
    ConsistencyCheck,
    Sheet,
    as_claim,
    as_table,
    printed_span,
)
from proctor.stats.interval_arithmetic import Span


def check(printed, follows, what="items", agrees=True, severity="", paper="uq"):
    return ConsistencyCheck(paper, "1", what, printed, follows, "sum", agrees, severity, "why" * (not agrees))


def test_a_table_has_a_row_per_check_and_keeps_its_columns_without_any():
    assert list(as_table([]).columns) == list(as_table([check("3", "3")]).columns)
    assert as_table([check("3", "3"), check("4", "4")])["printed"].tolist() == ["3", "4"]


def test_a_sheet_compares_its_facts_and_keeps_the_derivation():
    sheet = Sheet("uq")
    sheet.fact("diamond_questions", 25, "counted")
    (made,) = sheet.checks
    assert made.agrees and made.derivation == "counted" and "diamond_questions" in sheet and "nothing" not in sheet


def test_a_number_in_words_is_exact():
    assert printed_span("three", "count") == Span(3, 3)


def test_a_claim_holds_if_all_its_comparisons_agree():
    def made(agrees):
        return ConsistencyCheck("uq", "1", "x", "1", "1", "counted", agrees)

    assert as_claim([made(True), made(True)])["holds"] and not as_claim([made(True), made(False)])["holds"]
    assert as_claim([made(True), made(False)])["exact"] == "1 agree"
    with pytest.raises(ValueError, match="no comparison tests this claim"):
        as_claim([])
