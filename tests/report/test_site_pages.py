"""Pages of the site: what they are made of. How they look is in test_site.py."""

import ast
from importlib import import_module
from types import SimpleNamespace

import pytest
from docutils.core import publish_doctree
from proctor.paths import CATALOG, DATA, ROOT
from proctor.report import catalog
from proctor.report.site import _as_text, _by_name
from proctor.report.site_notebook import NotebookPage, SiteError
from proctor.report.site_pages import (
    PAPERS,
    address_of,
    evidence_legend,
    heading,
    packages,
    prompt,
    read_protocols,
)

LIBRARY = ROOT / "lib/proctor"
LEGEND = "| `published` | a `b` |\n| `reconstructed` | c |\n| `measured` | d |\n| `logged` | f |\n| `simulated` | e |\n"


def test_every_paper_of_the_catalog_has_its_words_in_the_same_order_of_reading():
    assert list(PAPERS) == list(catalog.PAPERS)


def test_short_title():
    titles = {"uq/4_bias_and_ranking": "4 Bias and ranking", "synthesis/audit_your_table": "Audit your table",
              "kina/1b_population": "1b Population", "hle/2_x": "2 X"}  # fmt: skip
    short = NotebookPage.short_title.fget
    assert {name: short(SimpleNamespace(name=name)) for name in titles} == titles


def test_the_legend_is_readme_s_and_has_every_kind():
    assert evidence_legend(LEGEND)["published"] == "a <code>b</code>"
    with pytest.raises(SiteError, match="simulated"):
        evidence_legend(LEGEND.replace("simulated", "guessed"))


def test_every_public_module_is_in_a_package():
    found = packages(LIBRARY)
    assert "uq.checks" in found["uq"] and "uq.dataset.rules" in found["uq"] and "cli" in found["proctor"]
    assert not any("__" in module for modules in found.values() for module in modules)


def test_a_docstring_is_text_whose_examples_stay_as_they_are():
    lines = "As *in* `x`s:\n    1 * 2\nand_ on.\n\n>>> f(`x`)\n3\n\nDone.".splitlines()
    _as_text(None, "", "", None, None, lines)
    text = "\n".join(lines)
    assert text.startswith(r"As \*in\* \ ``x``\ s:") and "\n::\n\n       1 * 2\n\nand\\_ on." in text
    assert "\n::\n\n   >>> f(`x`)\n   3\n" in text and text.endswith("\nDone.")


def test_a_signature_tells_nothing_of_the_machine_that_builds():
    typed = "out: ~typing.Annotated[list[~pathlib.Path], <typer.Option object at 0x7f>, <x at 0x8>] = (), n: int = 3"
    shown, returns = _by_name(None, "", "", None, None, f"({typed}, place: Path = PosixPath('{ROOT}/data'))", "str")
    assert (shown, returns) == ("(out: list[~pathlib.Path] = (), n: int = 3, place: Path = PosixPath('data'))", "str")
    assert _by_name(None, "", "", None, None, None, None) == (None, None)


def test_sphinx_can_read_the_docstrings_of_the_library():
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for path in LIBRARY.rglob("*.py"):
        nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, documented)]
        lines = "\n\n".join(ast.get_docstring(node) or "" for node in nodes).splitlines()
        _as_text(None, "", "", None, None, lines)
        publish_doctree("\n".join(lines), settings_overrides=dict(halt_level=2), source_path=str(path))


def test_each_protocol_names_functions_prompts_and_a_figure_that_are_there():
    rows = {one.id: one for one in catalog.read(CATALOG) if one.kind == "protocol"}
    protocols = read_protocols(DATA / "protocols.csv")
    assert set(protocols) <= set(rows)
    for protocol in protocols.values():
        named = [name.rpartition(".") for name in protocol["functions"]]
        assert all(callable(getattr(import_module(f"proctor.{module}"), own)) for module, _, own in named)
        assert all(prompt(name)["words"] > 5 for name in protocol["prompts"]) and (protocol["calls"] or not named)
        assert not protocol["figure"] or (ROOT / f"figures/{protocol['figure']}.svg").is_file()
    desk = {id for id in rows if id.startswith("uq/platform")}  # docs/desk.md describes it
    assert not {id for id, one in rows.items() if one.state in catalog.RUN} - set(protocols) - desk


def test_headings_and_addresses(row):
    names = {"stage_1_rules": "Stage 1 rules", "stage_2_llm_filter": "Stage 2 LLM filter", "uq_paradigm": "UQ paradigm"}
    assert {name: heading(row(f"uq/{name}")) for name in names} == names
    assert address_of("uq.checks.run_check") == "/api/uq.html#proctor.uq.checks.run_check"
    assert address_of("files.write_atomic") == "/api/proctor.html#proctor.files.write_atomic"
