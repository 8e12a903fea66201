"""A small checkout is built once; the pages are read by a parser, and by a browser where there is one."""

import base64
import json
import re
import shutil
from contextlib import nullcontext
from functools import cache
from html import unescape

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from proctor import paths
from proctor.report import claims, figures, site, site_notebook, tables
from proctor.report.catalog import Row
from proctor.report.provenance import KINDS, describe
from proctor.report.site_notebook import SiteError

README = """# Proctor

Papers to be read. ![What it shows](figures/uq/fig_1.png)

```sh
make reproduce
```

## How to read a number

| evidence | it rests on |
|---|---|
| `published` | printed numbers |
| `reconstructed` | counts |
| `measured` | replies, in `data/` |
| `logged` | records of others |
| `simulated` | a model of ours |
"""
LISTED = """# Notebooks

| notebook | what it asks |
|---|---|
| [uq/1_formulas](../notebooks/uq/1_formulas.ipynb) | Is it so? |
"""
CATALOG = [
    "uq/fig_1,uq,figure,A figure,uq/1_formulas,uq/fig_1.svg,measured,,,done,",
    "uq/later,uq,table,Not yet,uq/9_later,,,,,planned,",
    'hle/lost,hle,table,"Lost <data>",,,,,,lacking,its text',
    "uq/claim_1,uq,claim,It holds,uq/1_formulas,uq/claims_1_formulas.csv,measured,UQ Table 1,,done,",
    "uq/rounds,uq,protocol,Ask twice,uq/1_formulas,uq/numbers.csv,measured,,,stand-in,one model",
]
PROTOCOLS = """id,functions,prompts,calls,figure
uq/rounds,stats.interval.by_group,uq/correctness,two a question,
"""
BINDER = "https://mybinder.org/v2/gh/a/b/HEAD"
WIDGET = new_output("display_data", {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "FloatProgress()"})
NUMBERS = pd.DataFrame({"a": ["1"]})
FORMULAS = r"""# UQ, section 1: formulas with a rather long title

> - **It holds.** `uq/claim_1` · [figure](../../figures/uq/fig_1.svg)

Inline $\frac12\big(1 - e^{-x}\big)$, and without an empty line
$$\bar U = \frac{1}{n}\sum_{i=1}^{n} \mathbb E[v_i], \qquad \hat c = \arg\max_{i \in S} s_i$$
the text goes on with $p < q$. See [the tables](../hle/2_wide.ipynb#a-wide-table), [the figure](../../figures/uq/fig_1.svg),
[the catalog](../../data/catalog.csv) and `[no link](nowhere.ipynb)`.
"""


def shown(metadata: dict | None = None, **data) -> dict:
    return new_output(
        "display_data", {key.replace("_", "/"): value for key, value in data.items()}, metadata=metadata or {}
    )


def stream(name: str, text: str) -> dict:
    return new_output("stream", name=name, text=text)


def code(source: str, *outputs: dict, **metadata) -> dict:
    return new_code_cell(source, outputs=list(outputs), metadata=metadata)


def write(path, cells, **metadata):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(new_notebook(cells=cells, metadata={"language_info": {"name": "python"}} | metadata)))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    root = tmp_path_factory.mktemp("checkout")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "OWN_FIGURES", root / "figures")
        save_artifacts()
    picture = base64.b64encode((root / "figures/uq/fig_1.png").read_bytes()).decode()
    saved = (root / "figures/uq/numbers.md").read_text()
    wide = pd.DataFrame([range(40)] * 12).add_prefix("column ").to_html(notebook=True)
    notebooks = {
        "uq/1_formulas": [
            new_markdown_cell(FORMULAS),
            code("n: int = 3", tags=["parameters"]),
            code("import numpy as np"),
            code('out.figure(fig, "uq/fig_1")', shown({"artifact": "uq/fig_1"}, image_png=picture)),
            code('out.table(df, "uq/numbers")', shown({"artifact": "uq/numbers"}, text_markdown=saved)),
            code("print(1)", stream("stdout", "a sentence that is printed " * 20)),
        ],
        "uq/2_told": [
            new_markdown_cell("# Told by the output"),
            code("out.figure(fig)", shown({"artifact": "uq/fig_1"}, image_png=picture)),
            code("plt.plot()", shown(image_png=picture)),
            code("answer = 2", stream("stdout", "2 is right"), tags=["solution"]),
        ],
        "hle/2_wide": [
            new_markdown_cell("# HLE, section 2\n\n## A wide table"),
            code("table", shown(text_html=wide)),
            code("await sit()", stream("stderr", "\rV: 100%|####| 81/81\n"), WIDGET),
        ],
        "hle/3_changed": [new_markdown_cell("# HLE, section 3"), code("secret_of_code = 1")],
        "hle/4_kept": [new_markdown_cell("# HLE, section 4")],
    }
    for name, cells in notebooks.items():
        bare = [cell | {"outputs": []} if cell["cell_type"] == "code" else cell for cell in cells]
        write(root / f"notebooks/{name}.ipynb", bare)
        if name == "hle/2_wide":
            cells = [*cells, code("n = 5", tags=["injected-parameters"])]
        if name == "hle/3_changed":  # since it ran
            cells = [cells[0], code("other_code = 1")]
        if name != "hle/4_kept":
            write(root / f"build/notebooks/{name}.ipynb", cells, papermill={"parameters": {"n": 5}}, widgets={})
    files = {
        "lib/proctor/stats/interval.py": "",  # their docstrings are those of the library here
        "lib/proctor/stats/bootstrap.py": "",
        "lib/proctor/uq/prompts/correctness.md": "as the library has it",
        "data/protocols.csv": PROTOCOLS,
        "data/catalog.csv": "\n".join([",".join(Row._fields), *CATALOG]) + "\n",
        "previews/hle/4_kept.md": "# HLE, section 4\n\n[CSV](../../figures/uq/numbers.csv)\n\n```math\nx^2\n```\n",
        "docs/guide.md": "# A guide\n\nTo [the formulas](../notebooks/uq/1_formulas.ipynb).\n",
        "docs/notebooks.md": LISTED,
        "README.md": README,
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def save_artifacts():
    """A figure, a table and the claim that the figure draws."""
    claim = claims.judge("uq/claim_1", "It holds", notebook="uq/1_formulas", evidence="measured", estimate=2,
                         interval=(1, 3), says="> 0", n=9)  # fmt: skip
    fig, _ = figures.axes()
    record = describe("uq/fig_1", evidence="published + measured", inputs=["data/catalog.csv"], parameters={"n": 3}, seed=7,
                      notebook="uq/1_formulas")  # fmt: skip
    figures.save(fig, record, claim=claim, title="It holds & stays", alt="What is seen")
    for name, table in (("numbers", NUMBERS), ("claims_1_formulas", pd.DataFrame([claims.as_row(claim)]))):
        record = describe(f"uq/{name}", evidence="measured", notebook="uq/1_formulas")
        tables.save_table(table, record)


@pytest.fixture(scope="module")
def built(checkout):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_notebook, "BINDER", BINDER)
        return site.build(checkout).parent


@pytest.fixture(scope="module")
def page(built):
    return cache(lambda name: BeautifulSoup((built / f"{name}.html").read_text(), "html.parser"))


@pytest.fixture
def copy(checkout, tmp_path):
    """A copy of the checkout to spoil, with a site from before."""
    root = tmp_path / "copy"
    shutil.copytree(checkout, root, ignore=shutil.ignore_patterns("site"))
    (root / "build/site").mkdir()
    (root / "build/site/before.txt").write_text("before")
    return root


def hrefs(tag) -> dict[str, str]:
    return {link.text: link.get("href") for link in tag.find_all("a")}


def test_code_is_folded_and_formulas_are_mathml_with_limits_and_accents(page):
    article = page("notebooks/uq/1_formulas").article
    inputs = article.select("div.cell_input")
    assert "n: int = 3" in article.text and len(inputs) == 3  # what shows nothing joins the next fold
    assert all(block.find_parent("details") and not block.find_parent("details").has_attr("open") for block in inputs)
    inline, block, last = article.find_all("math")
    assert inline.mfrac.text == "12" and block.get("display") == "block"
    assert block.munderover and "max" in block.find("munder").text and last.text == "p<q"
    assert "\\" not in article.get_text().replace("\\n", "") and "$" not in article.get_text()


def test_links_lead_to_pages_and_copied_files(page, built):
    found = hrefs(page("notebooks/uq/1_formulas").article)
    assert found["the tables"] == "../../notebooks/hle/2_wide.html#a-wide-table"
    assert found["the figure"] == "../../figures/uq/fig_1.svg" and (built / "figures/uq/fig_1.svg").is_file()
    assert found["the catalog"] == "../../catalog.html"
    assert "[no link](nowhere.ipynb)" in page("notebooks/uq/1_formulas").article.text
    assert hrefs(page("docs/guide").article)["the formulas"] == "../notebooks/uq/1_formulas.html"
    note = page("notebooks/uq/1_formulas").select_one(".made-from")
    assert note.a["href"] == "../../notebooks/uq/1_formulas.ipynb" and "make lab NOTEBOOK=uq/1_formulas" in note.text
    assert note("a")[1]["href"] == f"{BINDER}?urlpath=lab/tree/notebooks/uq/1_formulas.ipynb"


def test_figures_have_alt_text_evidence_and_files(page):
    figure = page("notebooks/uq/1_formulas").select_one("figure.artifact:not(.lead)")
    assert figure.svg["aria-label"] == "What is seen" and figure.a["href"] == "../../figures/uq/fig_1.svg"
    assert [mark.text for mark in figure.select(".evidence")] == ["published", "measured"]
    links = hrefs(figure.figcaption)
    assert set(links) == {"uq/fig_1", "SVG", "PNG", "record"} and links["uq/fig_1"] == "../../catalog.html#uq/fig_1"
    told = page("notebooks/uq/2_told")
    assert told.select_one("figure.artifact").svg["aria-label"] == "What is seen"
    assert told.select_one(".cell_output img")["alt"] == "A figure of this notebook"
    lead = page("notebooks/uq/1_formulas").article.blockquote.find_next("figure")  # of the first finding
    assert "lead" in lead["class"] and lead.svg["aria-label"] == "What is seen" and int(lead.svg["width"]) == 374


def test_one_click_from_a_figure_are_its_words_claim_data_inputs_and_parameters(page):
    behind = page("notebooks/uq/1_formulas").select_one("figure.artifact + details.behind")
    said = {name.text: value for name, value in zip(behind.select("dt"), behind.select("dd"))}
    assert list(said) == ["In words", "Claim", "Tables", "Read", "Run with", "Made by"]
    assert said["In words"].text == "What is seen"
    assert said["Claim"].text.startswith("✓ holds: It holds (+2.0 [+1.0, +3.0], n = 9")
    assert list(hrefs(said["Tables"]).values()) == ["../../figures/uq/numbers.csv", "../../figures/uq/numbers.md"]
    assert said["Read"].a["href"] == "../../catalog.html" and "SHA-256" in said["Read"].text
    assert said["Run with"].text == "n = 3, seed = 7" and "proctor 0." in said["Made by"].text
    assert said["Made by"].a["href"] == "../../notebooks/uq/1_formulas.ipynb"


def test_tables_have_files_and_boxes_and_printed_text_wraps(page):
    article, wide = page("notebooks/uq/1_formulas").article, page("notebooks/hle/2_wide")
    assert list(hrefs(article.select_one("p.under"))) == ["CSV", "Markdown", "record"]
    assert article.text.count("uq/numbers") == 3  # in the code, under the table, as the data of the figure
    assert article.select_one(".output.stream pre").text.startswith("a sentence that is printed")
    table = wide.find("table", class_="dataframe")
    assert table.parent["class"] == ["table-box"] and table.parent["tabindex"] == "0"
    assert "border" not in table.attrs and wide.article.find("style") is None, "no style of pandas"
    assert "81/81" not in wide.article.text and "FloatProgress" not in wide.article.text, "no progress bars"


def test_a_page_says_what_differs_in_its_run_and_a_solution_has_its_own_fold(page):
    for name, said in {
        "uq/1_formulas": [],
        "hle/3_changed": ["Note: not executed; run make reproduce, then make site"],
    }.items():
        assert [note.text for note in page(f"notebooks/{name}").select(".run-note")] == said
    article = page("notebooks/hle/3_changed").article
    assert "secret_of_code" in article.text and "other_code" not in article.text
    folds = [fold.summary.text.strip() for fold in page("notebooks/uq/2_told").select("details.hide")]
    assert "Show the solution" in folds[-1] and "Show the solution" not in folds[0]


def test_a_notebook_that_was_not_run_has_its_preview_as_page(page):
    article = page("notebooks/hle/4_kept").article
    assert hrefs(article)["CSV"] == "../../figures/uq/numbers.csv" and article.math.msup


def test_a_protocol_and_the_library_have_pages_with_signatures(page):
    article = page("protocols/uq/rounds").article
    assert "Ask twice." in article.text and "what runs instead: one model" in article.text
    assert "by_group(" in article.text and "One row per group" in article.text
    assert "Calls: two a question." in article.text
    links = hrefs(article)
    assert links["stats.interval.by_group"].endswith("api/stats.html#proctor.stats.interval.by_group")
    assert links["uq/correctness"] == "../../lib/proctor/uq/prompts/correctness.md"
    assert page("protocols/index").select_one("table.filtered a")["href"] == "../protocols/uq/rounds.html"
    name = page("api/stats").article.find(id="proctor.stats.interval.by_group")
    assert name.text.strip().startswith("by_group") and ">>> frame =" in name.parent.text
    assert "ArrayLike" in page("api/stats").article.text and "_NestedSequence" not in page("api/stats").article.text
    assert hrefs(page("api/index").article)["proctor.stats.interval"] == "stats.html#module-proctor.stats.interval"


def test_the_catalog_has_all_rows_with_links_and_plain_text(page):
    rows = page("catalog").select("table.filtered tbody tr")
    assert [row["id"] for row in rows] == [line.split(",")[0] for line in CATALOG]
    assert "Lost <data>" in rows[2].text and "its text" in rows[2].text
    assert {link["href"] for link in rows[0].find_all("a")} == {"notebooks/uq/1_formulas.html", "figures/uq/fig_1.svg"}
    assert rows[1].find("a") is None


def test_a_paper_has_its_notebooks_figures_and_rows(page):
    paper = page("notebooks/uq/index").article
    assert list(hrefs(paper.table).values()) == ["../../notebooks/uq/1_formulas.html", "../../notebooks/uq/2_told.html"]
    assert "Is it so?" in paper.table.text
    heads = "Notebooks#What the paper says, and what holds here#Protocols#Figures#Tables, figures and all else#"
    assert "".join(head.text for head in paper.select("h2")) == heads
    said, protocols, rest = paper.select("table.filtered")
    assert [cell.text for cell in said.select("td")][:2] == ["It holdsUQ Table 1", "✓ holds"]
    assert "Sentences of the paper: 1, tested: 1; with their parts, 1 hold." in paper.text
    assert protocols.a["href"] == "../../protocols/uq/rounds.html"
    card = paper.select_one(".gallery figure")
    assert card.img["alt"] == "What is seen" and card.strong.text == "It holds & stays"
    assert hrefs(card)["notebook"] == "../../notebooks/uq/1_formulas.html"
    assert [row["id"] for row in rest.select("tbody tr")] == ["uq/fig_1", "uq/later"]


def test_the_front_page_has_picture_doors_legend_and_papers_in_order(page):
    front = page("index")
    assert front.article.img["alt"] == "What it shows"
    assert "figures.html" in [door["href"] for door in front.select("a.door")]
    assert front.select_one(".gallery.papers figure").strong.text.startswith("UQ: ")
    assert [mark.text for mark in front.article.select(".evidence")] == list(KINDS)
    sidebar = [link.text.strip() for link in front.select(".bd-sidebar-primary nav a")]
    named = ("UQ", "HLE", "The catalog", "Protocols", "The library")
    assert tuple(name for name in sidebar if name in named) == named
    assert {"1 Formulas", "3 Changed", "A guide"} <= set(sidebar)


def test_fonts_have_all_letters_of_the_figures_and_come_with_their_licence(built):
    drawn = "".join(path.read_text() for path in paths.ROOT.glob("figures/*/*.svg"))
    letters = set("".join(unescape(text) for text in re.findall("<(?:text|tspan)[^>]*>([^<]+)<", drawn))) - {"\n"}
    fonts = built / "_static/fonts"
    for file in ("DejaVuSans.woff", "DejaVuSans-Bold.woff"):
        assert letters - {chr(code) for code in TTFont(fonts / file).getBestCmap()} == set()
    assert (fonts / "LICENSE_DEJAVU").is_file()


def test_what_is_wrong_is_named_and_all_else_is_the_same_in_every_build(copy, built, monkeypatch):
    for path in (copy / "notebooks/uq/1_formulas.ipynb", copy / "build/notebooks/uq/1_formulas.ipynb"):
        path.write_text(path.read_text().replace("the text goes on with $", "$ the text goes on with"))
    monkeypatch.setattr(site_notebook, "BINDER", BINDER)
    run, made = site._run_sphinx, {}

    def run_and_look(source, html, doctrees):
        try:
            run(source, html, doctrees)
        finally:
            site.lead_links(html, copy, copy / "figures")
            made.update({path.relative_to(html).as_posix(): path.read_bytes() for path in html.rglob("*.html")})

    monkeypatch.setattr(site, "_run_sphinx", run_and_look)
    with pytest.raises(SiteError, match="reads like prose"):
        site.build(copy)
    assert [path.name for path in (copy / "build/site").iterdir()] == ["before.txt"]
    assert made.pop("notebooks/uq/1_formulas.html")
    assert [name for name, content in made.items() if (built / name).read_bytes() != content] == [] and len(made) > 9


@pytest.mark.parametrize("anchor, said", [("#a-wide-table", ""), ("#a-narrow-table", "leads to no anchor")])
def test_a_site_is_replaced_by_one_whose_links_lead_somewhere(copy, built, monkeypatch, anchor, said):
    def as_before(source, html, doctrees):
        shutil.copytree(built, html)
        page = html / "notebooks/uq/1_formulas.html"
        page.write_text(page.read_text().replace("#a-wide-table", anchor))

    monkeypatch.setattr(site, "_run_sphinx", as_before)
    monkeypatch.setattr(site, "write_fonts", lambda folder: None)
    with pytest.raises(SiteError, match=said) if said else nullcontext():
        site.build(copy)
    assert (copy / "build/site/before.txt").exists() == bool(said)
    assert sorted(path.name for path in (copy / "build").iterdir()) == ["notebooks", "site"]


PAGES = ("index", "notebooks/uq/1_formulas", "notebooks/uq/index", "notebooks/hle/2_wide", "docs/guide", "search",
         "protocols/uq/rounds", "api/stats", "figures", "catalog")  # fmt: skip


# Pictures are loaded late; boxes that scroll are no fault, nor what is there for screen readers alone.
LOOK = """async () => {
  const wrong = [];
  const pictures = [...document.images];
  pictures.forEach((one) => { one.loading = "eager"; });
  await Promise.all(pictures.map((one) => one.complete || new Promise((done) => { one.onload = one.onerror = done; })));
  for (const one of pictures)
    if (!one.naturalWidth) wrong.push(`picture ${one.getAttribute("src")} does not show`);
  const wide = document.scrollingElement.scrollWidth - innerWidth;
  if (wide > 0) wrong.push(`the page is ${wide} pixels wider than the screen`);
  for (const one of document.querySelectorAll(".bd-article *")) {
    const style = getComputedStyle(one);
    const hides = ["hidden", "clip"].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
    if (hides && one.clientWidth > 1 && !one.closest("math") && style.display !== "inline")
      wrong.push(`text is cut off in <${one.tagName.toLowerCase()} class="${one.className}">: ${one.textContent.trim().slice(0, 40)}`);
  }
  return wrong;
}"""  # noqa: E501


def look(page, path):
    """What is wrong with one page: a line of error in the console, a request that fails or leaves the disk, a picture
    that does not show, a page wider than the screen, text that a box cuts off."""
    said = []
    listeners = {
        "console": lambda line: said.append(f"console: {line.text}") if line.type == "error" else None,
        "pageerror": lambda error: said.append(f"script: {error}"),
        # the last page's icon may still be on its way when the next page is asked for
        "requestfailed": lambda request: (
            said.append(f"failed: {request.url}") if "ABORTED" not in request.failure else None
        ),
        "request": lambda request: said.append(f"loads: {request.url}"),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    page.goto(path.as_uri())
    said += page.evaluate(LOOK)
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    return [
        line for line in dict.fromkeys(said) if not line.startswith(("loads: file:", "loads: data:", "loads: blob:"))
    ]


def serious(page):
    found = Axe().run(page, options=dict(resultTypes=["violations"], preload=False)).response["violations"]
    return [
        f"axe, {one['impact']}: {one['id']} ({len(one['nodes'])} times), such as {one['nodes'][0]['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_a_browser_finds_nothing_wrong_on_a_page_of_each_kind(browser, built, page):
    """Wide and light, and on a phone in the dark; axe, which takes most of the time, sees all articles as one, below
    the catalog with its filters."""
    articles = "".join(str(page(name).article) for name in PAGES[:-1])
    for width, colours in ((1280, "light"), (390, "dark")):
        window = browser.new_context(viewport=dict(width=width, height=900), color_scheme=colours)
        shown = window.new_page()
        for name in PAGES:
            assert look(shown, built / f"{name}.html") == [], name
        shown.evaluate("html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", articles)
        assert serious(shown) == []
        window.close()


def test_tables_and_figures_are_filtered_and_sorted_and_words_are_found(browser, built):
    page = browser.new_page()
    page.goto((built / "catalog.html").as_uri())

    def shown(what="tbody tr"):
        return page.eval_on_selector_all(what, "all => all.filter(one => !one.hidden).map(one => one.id)")

    page.fill(".table-filters input", "LOST hle")
    assert shown() == ["hle/lost"]
    page.fill(".table-filters input", "")
    page.select_option("select[aria-label='Show rows of one verdict']", "✓ holds")
    assert shown() == ["uq/claim_1"]
    page.select_option("select[aria-label='Show rows of one verdict']", "")
    page.click("table.filtered th button")
    assert shown() == ["uq/fig_1", "uq/rounds", "uq/claim_1", "hle/lost", "uq/later"]
    page.goto((built / "figures.html").as_uri())
    page.select_option("select[aria-label='Show figures of one evidence']", "measured")
    assert len(shown("figure.card")) == 1
    page.fill(".table-filters input", "no such finding")
    assert shown("figure.card") == []
    page.goto((built / "notebooks/hle/2_wide.html").as_uri())
    assert len(shown(".cell_output tbody tr")) == 8 and page.inner_text(".show-all") == "Show all 12"
    page.click(".show-all")
    assert len(shown(".cell_output tbody tr")) == 12
    page.goto((built / "search.html").as_uri() + "?q=sentence+printed")
    page.wait_for_selector("ul.search li a", timeout=20_000)
    assert page.locator("ul.search li a").first.get_attribute("href").startswith("notebooks/uq/1_formulas.html")
    page.close()
