"""Links of the site, and the formulas of this repository; what a browser sees there is in test_site.py."""

import json

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from proctor import paths
from proctor.report import site_pages
from proctor.report.site import lead_links, mathml, write_source


@pytest.fixture
def led(tmp_path):
    """led(html): (the same on the page notebooks/uq/1_a of a site, what is wrong there); the checkout is tmp_path/root."""
    for name in ("root/figures/uq/a.svg", "root/figures/uq/b.svg", "own/uq/a.svg", "root/data/x y.csv", "outside.txt",
                 "root/data/catalog.csv", "root/notebooks/uq/1_a.ipynb", "root/docs/p.md"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    site = tmp_path / "site"
    page = site / "notebooks/uq/1_a.html"
    page.parent.mkdir(parents=True)
    for name in ("index.html", "catalog.html"):
        (site / name).write_text('<a href="https://arxiv.org">fine</a>')

    def lead(html):
        page.write_text('<h2 id="what-is-it">fine</h2>' + html)
        wrong = lead_links(site, tmp_path / "root", tmp_path / "own")
        return page.read_text().removeprefix('<h2 id="what-is-it">fine</h2>'), wrong

    return lead


@pytest.mark.parametrize(
    "target, address",
    [
        ("1_a.ipynb", "../../notebooks/uq/1_a.html"),
        ("1_a.ipynb#What-is-it?", "../../notebooks/uq/1_a.html#what-is-it"),
        ("../../README.md", "../../index.html"),
        ("../../data/catalog.csv", "../../catalog.html"),
        ("../../catalog.html", "../../catalog.html"),
        ("/figures/uq/a.svg", "../../figures/uq/a.svg"),
        ("/data/x%20y.csv", "../../data/x%20y.csv"),
        ("../../docs/p.md", "../../docs/p.md"),  # it has no page
        ("https://arxiv.org/abs/1", "https://arxiv.org/abs/1"),
        ("#what-is-it", "#what-is-it"),
    ],
)
def test_a_link_leads_to_a_page_or_to_a_file(led, target, address):
    assert led(f'<a class="x" href="{target}">x</a>') == (f'<a class="x" href="{address}">x</a>', [])


def test_a_download_is_the_file_itself_and_only_what_is_named_is_copied(led, tmp_path):
    html, wrong = led('<a href="/notebooks/uq/1_a.ipynb" download>x</a><img src="/figures/uq/a.svg">'
                      '<a href="../../figures/uq/b.svg">x</a>')  # fmt: skip
    assert not wrong and html.startswith('<a href="../../notebooks/uq/1_a.ipynb" download>')
    copies = {path.relative_to(tmp_path / "site").as_posix(): path.read_text() for path in tmp_path.glob("site/*/*/*")}
    assert copies.pop("notebooks/uq/1_a.html")
    assert copies == {
        "notebooks/uq/1_a.ipynb": "root/notebooks/uq/1_a.ipynb",
        "figures/uq/a.svg": "own/uq/a.svg",  # of this run
        "figures/uq/b.svg": "root/figures/uq/b.svg",  # which this run did not draw
    }


@pytest.mark.parametrize(
    "html, said",
    [
        ('<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js from elsewhere"),
        ('<link rel="stylesheet" href="//fonts.example/x.css">', "loads //fonts.example/x.css from elsewhere"),
        ('<video poster="http://x.org/y.png">', "loads http://x.org/y.png from elsewhere"),
        ('<a href="gone.html">x</a>', "gone.html leads nowhere; fix its path"),
        ('<a href="2_b.ipynb">x</a>', "2_b.ipynb leads nowhere; fix its path"),
        ('<a href="../../data">x</a>', "../../data leads nowhere; fix its path"),
        ('<img src="../../../outside.txt">', "../../../outside.txt leads nowhere; fix its path"),
        ('<a href="#gone">x</a>', "#gone leads to no anchor of that page"),
    ],
)
def test_what_is_loaded_from_elsewhere_or_leads_nowhere_is_named(led, html, said):
    assert led(html)[1] == [f"notebooks/uq/1_a.html: {said}"]


def test_the_links_and_formulas_of_this_repository_can_be_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(site_pages, "packages", lambda library: {})  # the reference has no formulas
    source, built, formulas = tmp_path / "source", tmp_path / "site", []
    write_source(paths.ROOT, paths.FIGURES, source)
    reader = MarkdownIt("commonmark").enable("table")
    reader.use(
        dollarmath_plugin,
        double_inline=True,
        renderer=lambda text, about: formulas.append(mathml(text, about["display_mode"])) or "",
    )
    for path in [*source.rglob("*.ipynb"), *source.rglob("*.md"), *(source / "docs").glob("*.md")]:
        text = path.read_text()
        if path.suffix == ".ipynb":
            cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
            text = "\n\n".join(cell["source"] for cell in cells)
        page = (built / path.relative_to(source)).with_suffix(".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(reader.render(text))
    wrong = lead_links(built, paths.ROOT, paths.FIGURES)
    assert [line for line in wrong if "leads nowhere" in line and "/api/" not in line] == []
    assert len(formulas) > 100 and all(text.startswith("<math") for text in formulas)
