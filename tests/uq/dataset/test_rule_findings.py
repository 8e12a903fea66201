"""The rules on a source: a generated one, a real one, and bad parameters."""

from pathlib import Path

import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import rule_findings
from proctor.uq.dataset.rule_findings import Source
from proctor.uq.dataset.rules import load_rules

REAL = Path("/work/shared/data/coffee_posts.xml")


@pytest.fixture(scope="module")
def source(generated):
    return Source(generated[0], "generated", "simulated", 0, generated[1])


@pytest.fixture(scope="module")
def report(source):
    return rule_findings.apply_rules(source, load_rules())


def test_a_report_holds_the_funnel_and_the_questions_left(source, report):
    assert report.raw == 2000 and report.kept == report.by_rule["left"].iloc[-1] == report.by_site["kept"].sum()
    assert len(pd.read_parquet(report.kept_file)) == report.kept > 0


def test_generated_dumps_are_simulated_and_a_given_one_is_measured():
    made = rule_findings.open_source("", "", questions=40, copies=0.0, seed=1)
    assert (made.evidence, made.rejected, made.planted) == ("simulated", 0, {})
    again = rule_findings.open_source(str(made.pool), "", 0, 0, 0)
    assert again.evidence == "measured" and rule_findings.apply_rules(again, load_rules()).raw == 160


@pytest.mark.skipif(not REAL.is_file(), reason="the real dump is not here")
def test_a_real_dump_is_read():
    source = rule_findings.open_source(str(REAL), "coffee", 0, 0, 0)
    report = rule_findings.apply_rules(source, load_rules(), as_of="2017-06-01")
    assert (source.evidence, report.raw, report.by_rule["failed"].iloc[0]) == ("measured", 225, 0)


def test_bad_parameters_are_named(source):
    with pytest.raises(DataError, match="no site"):
        rule_findings.open_source("Posts.xml", "", 0, 0, 0)
    with pytest.raises(DataError, match="as_of"):
        rule_findings.apply_rules(source, load_rules(), as_of="yesterday")
