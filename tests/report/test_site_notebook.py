import json

import pytest
from proctor.report import site_notebook
from proctor.report.site_evidence import Behind, rendered
from proctor.report.site_notebook import NotebookPage, boxed, printed


@pytest.fixture
def page(tmp_path):
    """`page(cells, executed=...)`: the page of notebook uq/1_a."""

    def make(cells, executed=None, parameters=None):
        places = [tmp_path / f"{folder}notebooks/uq/1_a.ipynb" for folder in ("", "build/")]
        for path, content in zip(places, (cells, executed)):
            if content is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                metadata = {"papermill": {"parameters": parameters or {}}}
                path.write_text(json.dumps({"cells": content, "metadata": metadata}))
        return NotebookPage(*places, Behind(tmp_path, tmp_path / "figures"))

    return make


def code(source, *outputs, tags=()):
    return {"cell_type": "code", "source": source, "metadata": {"tags": list(tags)}, "outputs": list(outputs)}


TITLE = {"cell_type": "markdown", "source": ["# A title\n", "\n", "> A box."], "metadata": {}}


GIVEN = code("a = 2", tags=["injected-parameters"])


@pytest.mark.parametrize(
    "executed, parameters, said, unsaid",
    [
        ([TITLE, code("a = 1")], {}, "make lab NOTEBOOK=uq/1_a<", "Note:"),
        ([TITLE, code("a = 1"), GIVEN], {"a": 2}, "<code>a = 2</code>", "earlier version"),
        ([TITLE, code("a = 0")], {}, "earlier version", "not executed"),
    ],
)
def test_the_note_says_what_differs_in_this_run(page, executed, parameters, said, unsaid):
    note = rendered("note", page([TITLE, code("a = 1")], executed, parameters))
    assert said in note and unsaid not in note


def test_code_that_shows_nothing_joins_the_next_fold_and_a_solution_has_its_own(page):
    printing = {"output_type": "stream", "name": "stdout", "text": ["x"]}
    marked = {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": "[a](1_a.ipynb)"}}
    cells = [TITLE, code("a"), code("b", printing), code("c"), code("d", marked, tags=["solution"]), TITLE, code("")]
    made = page(cells, cells)
    title, *built = made.build()["cells"]
    assert title["source"].index("# A title") < title["source"].index("made-from") < title["source"].index("> A box.")
    shown = [cell for cell in built if cell["cell_type"] == "code"]
    assert [cell["source"] for cell in shown] == ["a\n\nb", "c", "d"]
    assert [cell["metadata"]["tags"] for cell in shown] == [["hide-input"], ["hide-input"], ["hide-cell"]]
    assert shown[2]["metadata"]["mystnb"]["code_prompt_show"] == "Show the solution"
    assert shown[2]["outputs"][0]["data"] == {"text/markdown": "[a](1_a.ipynb)"}


def test_printed_keeps_columns_wraps_sentences_and_escapes():
    assert printed("\x1b[31ma <b>\x1b[0m\n") == '<pre class="printed sentences" tabindex="0">a &lt;b&gt;</pre>'
    assert 'class="printed columns"' in printed("name     n\nx        1")
    assert printed(" \n") == ""


def test_binder_is_offered_only_where_it_is_configured(page, monkeypatch):
    assert "Binder" not in rendered("note", page([TITLE]))
    monkeypatch.setattr(site_notebook, "BINDER", "https://mybinder.org/v2/gh/a/b/HEAD")
    note = rendered("note", page([TITLE]))
    assert "https://mybinder.org/v2/gh/a/b/HEAD?urlpath=lab/tree/notebooks/uq/1_a.ipynb" in note


def test_a_figure_is_offered_the_tables_of_its_section_or_else_all(page, tmp_path):
    (tmp_path / "figures/uq").mkdir(parents=True)
    for name in ("one", "two"):
        (tmp_path / f"figures/uq/{name}.csv").write_text("a\n1\n")
    first, second, third = ({"cell_type": "markdown", "source": f"## {n}", "metadata": {}} for n in range(3))
    cells = [TITLE, first, code('t("uq/one")'), second, code('t("uq/two", "uq/gone")'), third, code("f()")]
    every, one, two = ["uq/one", "uq/two"], ["uq/one"], ["uq/two"]
    assert page(cells)._tables() == [every, one, one, two, two, every, every]


def test_a_long_table_shows_eight_rows_and_folds_the_rest():
    rows = "".join(f"<tr><td>{number}</td></tr>" for number in range(12))
    html = boxed(f"<table><thead><tr><th>half_width</th></tr></thead><tbody>{rows}</tbody></table>")
    first, rest = html.split("<details")
    assert first.count("<tr><td>") == 8 and rest.count("<tr><td>") == 12 and "All 12 rows" in rest
    assert "<th>half width</th>" in first and "<details" not in boxed(f"<table><tbody>{rows[:88]}</tbody></table>")


def test_only_long_text_in_a_table_is_wrapped():
    html = boxed(f"<table><tr><td>{'word ' * 9}</td><td>0.123</td></tr></table>")
    assert html.count('<td class="prose">word') == 1 and "<td>0.123" in html


def test_a_claim_that_nothing_tests_says_what_it_lacks(row, tmp_path):
    claim = row("uq/claim_2", kind="claim", state="lacking", missing="its <source>")
    html = rendered("claims", Behind(tmp_path, tmp_path), [claim])
    assert "not tested" in html and "its &lt;source&gt;" in html
