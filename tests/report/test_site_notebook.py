import io
import json
import xml.etree.ElementTree as ElementTree

import pytest
from PIL import Image
from proctor import paths
from proctor.report.site_notebook import Behind, NotebookPage, inline, rendered, table_of


def test_a_saved_table_has_its_heads_in_words_and_its_evidence_once():
    shown = table_of("A caption\n\n| half\\_width | n |\n|---|---:|\n| a\\_1 | 3 |\n\n*measured · uq/t*\n")
    assert shown == "A caption\n\n| half width | n |\n|---|---:|\n| a\\_1 | 3 |"


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
    style = (paths.ROOT / "lib/proctor/report/site_static/site.css").read_text()
    page = browser.new_page(viewport=dict(width=100, height=20))
    page.set_content(f"<html data-theme=dark><style>{style} body {{margin: 0; background: #121212}}</style>"
                     f'<svg class="drawn" width="100" height="20">{bars}</svg>')  # fmt: skip
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    ground, *seen = ["#" + bytes(picture.getpixel((20 * n + 10, 10))).hex() for n in range(len(colours))]
    assert ground == "#121212" and all(contrast(one, ground) >= 4.5 for one in seen)


@pytest.mark.parametrize("defaults", [True, False])
def test_a_page_of_another_run_says_its_parameters(tmp_path, defaults):
    about = {"papermill": {"parameters": {"n": 5}}}
    (tmp_path / "1_a.ipynb").write_text(json.dumps({"cells": [], "metadata": about}))
    page = NotebookPage(tmp_path / "1_a.ipynb", tmp_path / "1_a.ipynb", Behind(tmp_path, tmp_path), defaults)
    assert ("not run at default parameters, but with <code>n = 5" in rendered("note", page)) is not defaults
