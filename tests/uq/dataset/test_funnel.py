"""The funnel against the decisions on single questions."""

import pandas as pd
import pytest
from proctor.uq.dataset import funnel
from proctor.uq.dataset.rules import RULES, Filter


@pytest.fixture(scope="module")
def outcomes(generated):
    with Filter(generated[0]) as found:
        return found.outcomes()


@pytest.fixture(scope="module")
def decisions(generated, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    with Filter(generated[0]) as found:
        found.write(folder)
    return [set(failed) for failed in pd.read_parquet(folder / "decisions.parquet")["failed"]]


def test_by_rule_counts_single_decisions(outcomes, decisions):
    table = funnel.by_rule(outcomes).set_index("rule")
    before: set[str] = set()
    for name in RULES:
        before.add(name)
        assert table.loc[name, "failed"] == sum(name in failed for failed in decisions)
        assert table.loc[name, "alone"] == sum(failed == {name} for failed in decisions)
        assert table.loc[name, "left"] == sum(not failed & before for failed in decisions)
    assert table["left"].iloc[-1] == funnel.kept(outcomes) == decisions.count(set()) > 0


def test_by_site_adds_up_to_by_rule(outcomes):
    sites, rules = funnel.by_site(outcomes), funnel.by_rule(outcomes).set_index("rule")["failed"]
    assert sites[list(RULES)].sum().to_dict() == rules.to_dict()
    assert sites["questions"].tolist() == [1000, 1000] and sites["kept"].sum() == funnel.kept(outcomes)
    assert sites["share"].tolist() == pytest.approx(sites["kept"] / 10)
