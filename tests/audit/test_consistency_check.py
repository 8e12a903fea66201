"""The papers against themselves: a check compares what figures can stand for, and no disagreement passes unread."""

import shutil
from collections import Counter

import pytest
from proctor.audit.consistency_check import PAPERS, ConsistencyCheck, checks
from proctor.data import published
from proctor.data.tabular import DataError

CHECKS = [check for paper in PAPERS for check in checks(paper)]
HEAD = "paper,each,figure,where,what,printed,stands_for,follows,agrees,derivation\n"


@pytest.fixture
def given(tmp_path, monkeypatch):
    """given(rows of checks.csv, rows of readings.csv): the checks of UQ that they make."""
    shutil.copytree(published.PUBLISHED / "uq", tmp_path / "uq")
    monkeypatch.setattr(published, "PUBLISHED", tmp_path)

    def made(rows, readings=""):
        (tmp_path / "checks.csv").write_text(HEAD + rows)
        (tmp_path / "readings.csv").write_text("paper,where,what,severity,reading\n" + readings)
        return checks("uq")

    return made


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_is_checked_without_making_a_comparison_twice(paper):
    own = [check for check in CHECKS if check.paper == paper]
    verdicts = Counter(check.agrees for check in own)
    assert verdicts[True] > verdicts[False] > 0
    assert all(c.where and c.what and c.printed and c.follows and c.derivation for c in own)
    assert max(Counter((c.where, c.what, c.derivation) for c in own).values()) == 1


def test_a_fact_is_compared_with_its_formula_and_the_formula_is_its_derivation(given):
    (made,) = given("uq,,diamond_questions,,,,,100 * 5_000 / 20_000,,\n")
    assert made == ConsistencyCheck(
        "uq", "2.1", "questions of the diamond subset", "25", "25", "100 x 5,000 / 20,000", True,
        artifact="uq/diamond_subset",
    )  # fmt: skip


def test_rows_with_one_table_are_made_together_row_by_row(given):
    each = (
        "uq,table_S7 where site == 'Subtotal' or site == 'Physics',,{site},%s,{questions_text},questions,questions,,d\n"
    )
    assert [(made.where, made.what) for made in given(each % "a" + each % "b")] == [
        (site, what) for site in ("Physics", "Subtotal") for what in "ab"
    ]


def test_a_disagreement_needs_a_reading_and_nothing_else_may_have_one(given):
    row = "uq,,diamond_questions,,,,,26,,made up\n"
    with pytest.raises(DataError, match="diamond subset .printed 25, follows 26. disagrees. Give a severity"):
        given(row)
    (made,) = given(row, "uq,2.1,questions of the diamond subset,slip,made up\n")
    assert not made.agrees and (made.severity, made.reading) == ("slip", "made up")
    with pytest.raises(DataError, match="row 2: .* agrees. Drop its severity and reading"):
        given("uq,,diamond_questions,,,,,25,,x\n", "uq,2.1,questions of the diamond subset,slip,nothing to read\n")
    with pytest.raises(DataError, match="no check Table S3, passed, o9 / full set of uq to read"):
        given("uq,,table_S3.passed,,,,,passed,,itself\n", 'uq,Table S3,"passed, o9 / full set",slip,x\n')


def test_a_corrected_figure_makes_its_reading_an_error(given, monkeypatch):
    """If a later version of the paper prints 12.0 for 3 of 25, the reading of the slip must go."""
    table = published.PUBLISHED / "uq/table_S3.csv"
    table.write_text(table.read_text().replace("3,25,4.0,0,2", "3,25,12.0,0,2"))
    with pytest.raises(DataError, match="o3-pro / diamond subset .* agrees. Drop its severity"):
        given(
            "uq,,table_S3.pass_rate,,,,,100 * passed / questions,,\n",
            '\n'.join(f'uq,Table S3,"pass rate, {model} / diamond subset",slip,x' for model in ("o3-pro", "o3")),
        )  # fmt: skip


def test_a_formula_that_can_not_be_computed_names_its_row(given):
    for formula in ("diamonds", "1 +", "uq_questions.low", "open('x')", "[1][0]", "1 / 0", "1 / 'a'"):
        with pytest.raises(DataError, match=r"checks.csv, row 2: diamond_questions: .* Correct the formula"):
            given(f"uq,,diamond_questions,,,,,{formula},,x\n")
    with pytest.raises(DataError, match="'diamonds' is no fact of data/published/uq/facts.csv"):
        given("uq,,diamonds,,,,,25,,x\n")


@pytest.mark.parametrize(
    "paper, where, what, printed, follows",
    [
        ("uq", "Table S6", "sum of the categories, Rule-based filtering", "33,916", 8_994 + 21_344 + 394 + 2_922 + 245),
        ("uq", "Table S6", "sum of the categories, LLM-based filtering", "7,685", 152 + 6_167 + 27 + 1_330 + 8),
        ("uq", "Table S6", "percentage, Human-reviewed final / Science", "78.8", 100 * 395 // 500),
        ("uq", "Table S3", "pass rate, o3-pro / diamond subset", "4.0", 100 * 3 // 25),
        ("uq", "Table S3", "pass rate, o3 / diamond subset", "2.0", 100 * 1 // 25),
        ("uq", "L.3", "question-answer pairs that passed the validator", "144", 75 + 25 + 25 + 44 + 11 + 7 + 6 + 0),
        ("hle_verified", "abstract", "models compared", "eight", 7),
        ("hle_verified", "4.3", "Incorrect Answer among answer defects, lowest subject", "69.4", "71.35 to 71.45"),
    ],
)
def test_what_does_not_add_up_is_found(paper, where, what, printed, follows):
    (check,) = [c for c in CHECKS if (c.paper, c.where, c.what) == (paper, where, what)]
    assert not check.agrees and check.printed == printed and check.follows == str(follows)
