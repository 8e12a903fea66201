import pytest
from proctor.paths import CATALOG, DATA, ROOT
from proctor.report import catalog
from proctor.report.site_api import function, heading, prompt, read_protocols

LIBRARY = ROOT / "lib/proctor"


def test_each_protocol_names_functions_and_prompts_that_are_there():
    rows = {one.id: one for one in catalog.read(CATALOG) if one.kind == "protocol"}
    protocols = read_protocols(DATA / "protocols.csv")
    assert set(protocols) <= set(rows)
    for protocol in protocols.values():
        assert all(function(name, LIBRARY).code for name in protocol.functions) and protocol.calls
        assert all(prompt(name, LIBRARY).words > 5 for name in protocol.prompts)
    desk = {id for id in rows if id.startswith("uq/platform")}  # docs/desk.md describes it
    assert not {id for id, one in rows.items() if one.state in catalog.RUN} - set(protocols) - desk


@pytest.mark.parametrize("look, name", [(function, "uq.checks.gone"), (function, "uq.gone.f"), (prompt, "uq/gone")])
def test_what_is_not_there_is_an_error_that_names_it(look, name):
    with pytest.raises(ValueError, match="gone"):
        look(name, LIBRARY)


def test_a_protocol_s_heading(row):
    assert heading(row("uq/stage_1_rules")) == "Stage 1 rules"
    assert heading(row("uq/stage_2_llm_filter")) == "Stage 2 LLM filter"
    assert heading(row("uq/uq_paradigm")) == "UQ paradigm"
