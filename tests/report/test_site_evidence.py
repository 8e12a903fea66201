import xml.etree.ElementTree as ElementTree

import pytest
from proctor import paths
from proctor.report.site_evidence import Drawn, turned

SVG = """<?xml version="1.0"?><!DOCTYPE svg><svg role="img" width="244.8pt" height="20pt" viewBox="0 0 1 2">
<title>It holds #000000</title><metadata>x</metadata><defs><style>*{fill: red}</style><path id="m1"/></defs>
<use xlink:href="#m1" style="fill: #0072b2; stroke: #ffffff"/><g clip-path="url(#p2)"/>
</svg>"""


def test_a_saved_figure_is_one_element_with_ids_of_its_own_and_colours_that_the_dark_theme_sets():
    drawn = Drawn()
    html = drawn.inline(SVG, "uq/x", 300, "What is seen")
    assert html.startswith('<svg class="drawn" width="300" viewBox="0 0 1 2" role="img" aria-label="What is seen">')
    assert 'id="uq-x-m1"' in html and 'href="#uq-x-m1"' in html and "url(#uq-x-p2)" in html
    assert 'style="fill: var(--c0072b2,#0072b2); stroke: var(--cffffff,#ffffff)"' in html and "It holds #000000" in html
    assert "--c0072b2:#4cbfff;" in drawn.css() and "--cffffff:#121212;" in drawn.css()
    assert "<style" not in html and "\n" not in html
    for path in paths.ROOT.glob("figures/*/lead_*.svg"):
        assert ElementTree.fromstring(drawn.inline(path.read_text(), path.stem, 700, "x")).tag.endswith("svg")


@pytest.mark.parametrize(
    "one, other", [("#000000", "#ffffff"), ("#1f5a99", "#ffffff"), ("#6e6e6e", "#ffffff"), ("#9e1b1b", "#ffffff")]
)
def test_what_can_be_read_on_white_can_be_read_in_the_dark(one, other, contrast):
    assert contrast(one, other) >= 4.5 and contrast(turned(one), turned(other)) >= 4.5
