"""Links of the site; what a browser sees there is in test_site.py."""

import pytest
from proctor.report.site_check import Addresses, SiteError, pages, problems, relative, relink, slug


def test_pages_are_chosen_by_name(tmp_path):
    for name in ("index", "uq/a", "_static/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.html").write_text("")
    assert [path.stem for path in pages(tmp_path)] == ["index", "a"]
    assert [path.stem for path in pages(tmp_path, "uq/*")] == ["a"]


@pytest.fixture
def addresses(tmp_path):
    for name in ("figures/uq/a.svg", "data/x y.csv", "data/catalog.csv", "notebooks/uq/1_a.ipynb", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return Addresses(tmp_path, tmp_path / "figures", {"notebooks/uq/1_a.ipynb": "uq/1_a"})


@pytest.mark.parametrize(
    "target, address",
    [
        ("1_a.ipynb", "../uq/1_a.html"),
        ("1_a.ipynb#What-is-it?", "../uq/1_a.html#what-is-it"),
        ("../../README.md", "../index.html"),
        ("../../data/catalog.csv", "../catalog.html"),
        ("../../figures/uq/a.svg", "../figures/uq/a.svg"),
        ("../../data/x%20y.csv", "../files/data/x y.csv"),
        ("https://arxiv.org/abs/1", "https://arxiv.org/abs/1"),
        ("#here", "#here"),
        ("../../data", None),
    ],
)
def test_a_target_becomes_the_address_of_its_page_or_copy(addresses, target, address):
    assert addresses.of(target, "notebooks/uq", "uq/1_a") == address


def test_only_what_is_linked_is_copied_and_a_figure_has_one_place_however_it_is_named(addresses, tmp_path):
    addresses.of("1_a.ipynb", "notebooks/uq", "uq/1_a")
    for place in (
        addresses.of("../../figures/uq/a.svg", "notebooks/uq", "uq/1_a"),
        addresses.figure("uq/a.svg", "uq/1_a"),
    ):
        assert addresses.file("figures/uq/a.svg", "uq/1_a") == place
    assert addresses.copies == {tmp_path.resolve() / "figures/uq/a.svg": "figures/uq/a.svg"}


@pytest.mark.parametrize("target", ["2_b.ipynb", "../../figures/uq/b.svg", "../../../outside.txt"])
def test_a_target_that_is_not_there_is_an_error_that_names_it(addresses, target):
    with pytest.raises(SiteError, match="leads nowhere"):
        addresses.of(target, "notebooks/uq", "uq/1_a")


@pytest.mark.parametrize(
    "markdown, html",
    [
        ("[t](a.md)", '<a href="A">t</a>'),
        ('[t `x`](a.md "A & B")', '<a href="A" title="A &amp; B">t `x`</a>'),
        ('![alt "x"](a.md)', '<img src="A" alt="alt &quot;x&quot;">'),
        ("[![alt](a.md)](a.md)", '<a href="A"><img src="A" alt="alt"></a>'),
        ("`[t](a.md)`", "`[t](a.md)`"),
        ("```\n[t](a.md)\n```\n[t](a.md)", '```\n[t](a.md)\n```\n<a href="A">t</a>'),
        ("[t](https://x.org)", "[t](https://x.org)"),
        ("[t](folder)", "t"),
        ("[t](same.md)", '<a href="same.md">t</a>'),
        ('<img src="a.md">', '<img src="A">'),
        ("f[0](x) and [a] (b)", 'f<a href="A">0</a> and [a] (b)'),
    ],
)
def test_relink(markdown, html):
    addresses = {"a.md": "A", "x": "A", "folder": None, "same.md": "same.md", "https://x.org": "https://x.org"}
    assert relink(markdown, addresses.__getitem__) == html


def test_slug_and_relative():
    assert slug("1. What the gap is: o3's") == "1-what-the-gap-is-o3-s"
    assert (relative("a.html", "index"), relative("a.html", "uq/b")) == ("a.html", "../a.html")


@pytest.mark.parametrize(
    "html, said",
    [
        ('<script src="https://cdn.example/x.js"></script>', "p.html: loads https://cdn.example/x.js from elsewhere"),
        ('<link rel="stylesheet" href="//fonts.example/x.css">', "p.html: loads //fonts.example/x.css from elsewhere"),
        ('<img srcset="p.html 1x, http://x.org/y.png 2x">', "p.html: loads http://x.org/y.png from elsewhere"),
        ('<a href="gone.html">x</a>', "p.html: gone.html leads nowhere"),
        ('<img src="../p.html">', "p.html: ../p.html leads nowhere"),
        ('<a href="#gone">x</a>', "p.html: #gone leads to no anchor of that page"),
    ],
)
def test_problems_names_what_is_loaded_from_elsewhere_or_leads_nowhere(tmp_path, html, said):
    (tmp_path / "p.html").write_text('<a href="https://arxiv.org">fine</a><a id="here" href="#here">fine</a>' + html)
    assert list(problems(tmp_path)) == [said]
    (tmp_path / "x.css").write_text(
        "@import url('https://x.org/x.css'); a { background: url(data:image/png;base64,x) }"
    )
    assert [line.partition(":")[0] for line in problems(tmp_path)] == ["p.html", "x.css"]
