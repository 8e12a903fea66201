import io
import json
import xml.etree.ElementTree as ElementTree

from PIL import Image
from proctor import paths
from proctor.report.site import STATIC
from proctor.report.site_notebook import Behind, NotebookPage, boxed, inline, printed, rendered


def test_printed_keeps_columns_wraps_sentences_and_escapes():
    assert printed("\x1b[31ma <b>\x1b[0m\n") == '<pre class="printed sentences" tabindex="0">a &lt;b&gt;</pre>'
    assert 'class="printed columns"' in printed("name     n\nx        1")
    assert printed(" \n") == ""


def test_a_figure_is_offered_the_tables_of_its_section_or_else_all(tmp_path):
    (tmp_path / "figures/uq").mkdir(parents=True)
    for name in ("one", "two"):
        (tmp_path / f"figures/uq/{name}.csv").write_text("a\n1\n")
    sources = ["# A title", "## 0", 't("uq/one")', "## 1", 't("uq/two", "uq/gone")', "## 2", "f()"]
    cells = [dict(cell_type="markdown" if text[0] == "#" else "code", metadata={}, source=text) for text in sources]
    (tmp_path / "1_a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    page = NotebookPage(tmp_path / "1_a.ipynb", tmp_path / "none", Behind(tmp_path, tmp_path / "figures"))
    every, one, two = ["uq/one", "uq/two"], ["uq/one"], ["uq/two"]
    assert page._tables() == [every, one, one, two, two, every, every]


def test_only_long_text_in_a_table_is_wrapped():
    html = boxed(f"<table><tr><th>half_width</th></tr><tr><td>{'word ' * 9}</td><td>0.123</td></tr></table>")
    assert "<th>half width</th>" in html and html.count('<td class="prose">word') == 1 and "<td>0.123" in html


def test_a_claim_that_nothing_tests_says_what_it_lacks(row, tmp_path):
    claim = row("uq/claim_2", kind="claim", state="lacking", missing="its <source>")
    html = rendered("claims", Behind(tmp_path, tmp_path), [claim])
    assert "not tested" in html and "its &lt;source&gt;" in html


SVG = """<?xml version="1.0"?><!DOCTYPE svg><svg role="img" width="244.8pt" height="20pt" viewBox="0 0 1 2">
<title>It holds</title><metadata>x</metadata><defs><style>*{fill: red}</style><path id="m1"/></defs>
<use xlink:href="#m1" style="fill: #0072b2"/><g clip-path="url(#p2)"/>
</svg>"""


def test_a_saved_figure_is_one_element_with_ids_of_its_own():
    html = inline(SVG, "uq/x", 300, "What is seen")
    assert html.startswith('<svg class="drawn" width="300" viewBox="0 0 1 2" role="img" aria-label="What is seen">')
    assert 'id="uq-x-m1"' in html and 'href="#uq-x-m1"' in html and "url(#uq-x-p2)" in html
    assert "<style" not in html and "\n" not in html
    for path in paths.ROOT.glob("figures/*/lead_*.svg"):
        assert ElementTree.fromstring(inline(path.read_text(), path.stem, 700, "x")).tag.endswith("svg")


def test_what_can_be_read_on_white_can_be_read_in_the_dark(browser, contrast):
    colours = ["#ffffff", "#000000", "#1f5a99", "#6e6e6e", "#9e1b1b"]  # the first is a picture's ground
    bars = "".join(f'<rect x="{20 * n}" width="20" height="20" fill="{one}"/>' for n, one in enumerate(colours))
    style = (STATIC / "site.css").read_text()
    page = browser.new_page(viewport=dict(width=100, height=20))
    page.set_content(f"<html data-theme=dark><style>{style} body {{margin: 0; background: #121212}}</style>"
                     f'<svg class="drawn" width="100" height="20">{bars}</svg>')  # fmt: skip
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    ground, *seen = ["#" + bytes(picture.getpixel((20 * n + 10, 10))).hex() for n in range(len(colours))]
    assert ground == "#121212" and all(contrast(one, ground) >= 4.5 for one in seen)
