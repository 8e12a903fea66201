import pytest
from proctor.paths import CATALOG, DATA, ROOT
from proctor.report import catalog
from proctor.report.site_api import (
    DIAGRAMS,
    address_of,
    described,
    function,
    heading,
    package_page,
    packages,
    prompt,
    prose,
    read_protocols,
    summary,
)

LIBRARY = ROOT / "lib/proctor"
MODULE = '''"""A module, of `x`.

More."""
@cache
def f(a: int,
      b=1) -> int:
    """What f does."""
    return a

def _own(): pass

class C(NamedTuple):
    """What C is."""
    n: int  # how many
    def double(self) -> int:
        """Twice n."""
    def _own(self): pass
'''


def test_what_a_docstring_says_of_parameters_is_a_list():
    html = prose("Share of x. n, of: how many, and which. level (default 0.95): of it.", ("n", "of", "level"))
    assert html == (
        '<p>Share of x.</p><dl class="parameters"><dt><code>n, of</code></dt><dd>how many, and which.</dd>'
        "<dt><code>level</code></dt><dd>(default 0.95) of it.</dd></dl>"
    )
    assert prose("Note: n: x", ()) == "<p>Note: n: x</p>"


def test_every_public_module_is_in_a_package():
    found = packages(LIBRARY)
    assert "uq.checks" in found["uq"] and "uq.dataset.rules" in found["uq"] and "cli" in found[""]
    assert not any("__" in module for modules in found.values() for module in modules)


def test_what_is_public_is_described_as_the_file_has_it(tmp_path):
    (tmp_path / "m.py").write_text(MODULE)
    about, (one, made) = described(tmp_path / "m.py")
    assert one.code == "@cache\ndef f(a: int,\n      b=1) -> int:" and one.about == "What f does."
    assert made.code == "class C(NamedTuple):\n    n: int  # how many\n    def double(self) -> int:"
    assert made.methods == (("double", "Twice n."),)
    page = package_page("", ["m"], tmp_path)
    assert "{py:module} proctor.m" in page and "{py:function} f\n" in page and "_own" not in page
    assert summary(about) == "A module, of <code>x</code>."


def test_a_docstring_is_html_that_markdown_leaves_alone():
    assert prose("As *in*\n>>> f(`x`)\n3\n\nDone <b>.") == (
        "<p>As &#42;in&#42;</p><pre>&gt;&gt;&gt; f(`x`)&#10;3</pre><p>Done &lt;b&gt;.</p>"
    )
    assert prose("So:\n    1\nand on") == "<p>So:</p><pre>    1</pre><p>and on</p>" and prose("") == ""


def test_each_diagram_is_a_figure_and_each_of_its_protocols_is_in_the_catalog():
    protocols = {row.id for row in catalog.read() if row.kind == "protocol"}
    for picture, names in DIAGRAMS.items():
        assert (ROOT / f"figures/{picture}.svg").is_file(), picture
        assert {f"{picture.partition('/')[0]}/{name}" for name in names.split()} <= protocols, picture


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


def test_headings_and_addresses(row):
    names = {"stage_1_rules": "Stage 1 rules", "stage_2_llm_filter": "Stage 2 LLM filter", "uq_paradigm": "UQ paradigm"}
    assert {name: heading(row(f"uq/{name}")) for name in names} == names
    assert address_of("uq.checks.run_check") == "/api/uq.html#proctor.uq.checks.run_check"
    assert address_of("files.write_atomic") == "/api/proctor.html#proctor.files.write_atomic"
