"""Findings and their tests: one rule for a verdict, each finding counted once, and the committed tables are in step."""

import math

import pandas as pd
import pytest
from proctor import paths
from proctor.data.tabular import DataError
from proctor.report import catalog
from proctor.report.claims import FAILS, HOLDS, UNSETTLED, judge
from proctor.stats.power import t_power
from proctor.synthesis import findings as f

DATA = paths.ROOT / "data"


def claim(name, low=None, high=None, says="> 0", evidence="measured", **how):
    if low is None:
        return judge(
            name, "A sentence", notebook="a/1", evidence=evidence, exact="counted", n=3, **({"holds": True} | how)
        )
    how = dict(estimate=(low + high) / 2, n=9, of="items", unit="points") | how
    return judge(name, "A sentence", notebook="a/1", evidence=evidence, interval=(low, high), says=says, **how)


def rows(*ids):
    text = dict(title="A title", notebook="a/1", compared_with="section 1", tolerance="", state="done", missing="")
    return [catalog.Row(id=name, paper="uq", kind="claim", outputs=(), evidence=(), **text) for name in ids]


def stated(*pairs, kind="finding"):
    return pd.DataFrame([(row, lead, kind, "", "") for row, lead in pairs], columns=f.FINDINGS)


def readings(*rows):
    return pd.DataFrame([(*row, "") for row in rows], columns=f.READINGS)


ONE = stated(("uq/claim_a", "uq/claim_a"))


@pytest.mark.parametrize(
    "verdicts, alike, every, decided",
    [
        ([HOLDS, HOLDS], HOLDS, HOLDS, HOLDS),
        ([HOLDS, UNSETTLED], f.MIXED, UNSETTLED, HOLDS),
        ([HOLDS, FAILS], f.MIXED, FAILS, f.MIXED),
        ([FAILS, UNSETTLED, UNSETTLED], f.MIXED, FAILS, FAILS),
        ([HOLDS, FAILS, UNSETTLED], f.MIXED, FAILS, f.MIXED),
        ([UNSETTLED], UNSETTLED, UNSETTLED, UNSETTLED),
        ([f.UNTESTED, HOLDS], HOLDS, HOLDS, HOLDS),
        ([], f.UNTESTED, f.UNTESTED, f.UNTESTED),
    ],
)
def test_a_verdict_follows_from_all_tests_by_the_rule(verdicts, alike, every, decided):
    assert [f.combined(verdicts, rule) for rule in f.RULES] == [alike, every, decided]


def test_sentences_that_say_the_same_are_one_finding_with_all_their_tests():
    known = stated(("uq/claim_a", "uq/claim_a"), ("uq/claim_b", "uq/claim_a"))
    claims = [claim("uq/claim_a.x", 1, 2), claim("uq/claim_a.y", 1, 3), claim("uq/claim_b", -2, -1)]
    tests = f.tests_of(known, readings(), rows("uq/claim_a", "uq/claim_b"), claims)
    table = f.by_finding(known, tests, rows("uq/claim_a", "uq/claim_b"))
    assert table["finding"].tolist() == ["uq/claim_a"] and len(tests) == 3
    assert table.loc[0, ["tests", "verdict", "sources"]].tolist() == ["2 ✓ 1 ✗", f.MIXED, "one kind of evidence"]
    assert len(f.every_test(table, tests)) == 3


def test_a_reading_says_how_a_claim_answers_and_leaves_aside_what_tests_nothing():
    told = [
        ("uq/9_part", "uq/claim_a", "< 5"),
        ("uq/9_order", "uq/claim_a", "opposite"),
        ("uq/claim_a.no", "", "aside"),
    ]
    claims = [claim("uq/claim_a"), claim("uq/claim_a.no", 1, 2), claim("uq/9_part.one", 1, 2, says="> 9")]
    claims += [claim("uq/9_order", 1, 2, evidence="logged")]
    tests = f.tests_of(ONE, readings(*told), rows("uq/claim_a"), claims).set_index("test")
    assert tests["verdict"].to_dict() == {"uq/claim_a": HOLDS, "uq/9_part.one": HOLDS, "uq/9_order": FAILS}
    assert math.isnan(tests.loc["uq/claim_a", "low"])
    row = f.by_finding(ONE, tests.reset_index(), rows("uq/claim_a")).iloc[0]
    assert row[list(f.SOURCES)].tolist() == [f.UNTESTED, f.UNTESTED, HOLDS, FAILS] and row["sources"] == f.DISAGREE
    pairs = f.agreement(pd.DataFrame([row]))
    assert pairs.iloc[0].tolist() == ["measured", "logged", 1, 0, 1, 0]


def test_names_that_are_nowhere_are_told():
    with pytest.raises(DataError, match="uq/claim_b of data/catalog.csv has no row"):
        f.tests_of(ONE, readings(), rows("uq/claim_a", "uq/claim_b"), [])
    with pytest.raises(DataError, match="no claim uq/lost; run its notebook"):
        f.tests_of(ONE, readings(("uq/lost", "uq/claim_a", "")), rows("uq/claim_a"), [])
    with pytest.raises(DataError, match="'uq/claim_z', which is no finding"):
        told = readings(("uq/claim_a", "uq/claim_z", ""))
        f.tests_of(ONE, told, rows("uq/claim_a"), [claim("uq/claim_a")])


def test_the_n_that_is_needed_gives_the_power_that_was_asked_for():
    tests = f.tests_of(ONE, readings(), rows("uq/claim_a"), [claim("uq/claim_a", -4, 16, n=25)])
    left = f.undecided(tests, power=0.9).iloc[0]
    sd = 10 / 2.063899 * 5  # the standard deviation that Student's interval of 6 ± 10 of 25 items implies
    assert t_power(6, sd, left["needed"]) >= 0.9 > t_power(6, sd, left["needed"] - 1)
    assert (left["leaning"], left["decided_by"], left["times"]) == (HOLDS, "n", left["needed"] / 25)


def test_no_n_is_promised_where_none_is_known():
    claims = [claim("uq/claim_a.bound", -1, 1), claim("uq/claim_a.paper", -1, 2, evidence="published")]
    claims += [claim("uq/claim_a.range", -9, 4, says="within -5..5")]
    claims += [claim("uq/claim_a.none", math.nan, math.nan), claim("uq/claim_a.yes", 1, 2)]
    left = f.undecided(f.tests_of(ONE, readings(), rows("uq/claim_a"), claims))
    assert left["needed"].isna().all() and left["test"].str[11:].tolist() == ["bound", "paper", "range", "none"]
    assert left["decided_by"].tolist() == ["other data", "release", "other data", "other data"]
    assert left["leaning"].tolist() == [UNSETTLED, HOLDS, HOLDS, UNSETTLED]


def test_a_claim_that_is_read_the_other_way_leans_the_other_way():
    tests = f.tests_of(
        ONE, readings(("uq/9_x", "uq/claim_a", "opposite")), rows("uq/claim_a"), [claim("uq/9_x", -1, 3)]
    )
    assert f.nearest(f.undecided(tests))["leaning"].tolist() == [FAILS]


def test_counts_are_of_findings_and_audits_are_left_out():
    known = pd.concat([ONE, stated(("uq/claim_c", "uq/claim_c"), kind="audit")])
    both = rows("uq/claim_a", "uq/claim_c")
    tests = f.tests_of(known, readings(), both, [claim("uq/claim_a"), claim("uq/claim_c")])
    table = f.by_finding(known, tests, both)
    assert f.counts(table).set_index("source")[HOLDS].to_dict() == dict(
        all=1, printed=0, simulated=0, measured=1, logged=0
    )
    assert f.by_rule(table, tests)[HOLDS].tolist() == [1, 1, 1]
    assert f.by_number_of_tests(table, tests).loc["one test", HOLDS] == 1


def test_tables_of_another_form_are_refused(tmp_path):
    for name, load, old, new, told in (
        ("findings.csv", f.load_findings, ",finding,kind", ",kind,finding", "columns must be claim, finding"),
        ("findings.csv", f.load_findings, ",audit,", ",check,", r"column kind: 'check'"),
        ("findings.csv", f.load_findings, ",uq/claim_funnel,record", ",uq/claim_gone,record", "no finding of its own"),
        ("finding_tests.csv", f.load_readings, ",< 0,", ",less,", "column reading"),
        ("finding_tests.csv", f.load_readings, ",,aside,", ",,,", "column finding"),
    ):
        text = (DATA / name).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(DataError, match=told):
            load(tmp_path / name)
