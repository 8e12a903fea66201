"""The committed previews are those of the notebooks and figures here; small notebooks show what a page is made of."""

import json
import re
from urllib.parse import unquote

import pandas as pd
import pytest
from proctor import paths
from proctor.report import claims, preview, tables
from proctor.report.provenance import describe
from proctor.workflow.notebook import Notebook

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (400).to_bytes(4, "big") + (200).to_bytes(4, "big")
WIDE = pd.DataFrame({f"c_{number}": range(40) for number in range(9)} | {"price": "$5 | a"})
BOX = "# Uncertainty\n\n> - **It holds.** [table](../../figures/uq/t.md)\n\nSee [rules](1_dataset.ipynb) and $x$."
FORMULA = "## Next\n\nSo\n$$\na = b\n$$\nand [the book](https://book.org/page.ipynb)."


@pytest.fixture(scope="module")
def made():
    return preview.previews()


@pytest.fixture
def page(tmp_path):
    """`page(cells, claims=...)`: the preview of a small notebook whose figure and tables are in tmp_path."""
    (tmp_path / "uq").mkdir()
    for name in ("wide", "table_a", "table_b"):
        tables.save_table(WIDE, describe(f"uq/{name}", evidence="measured"), caption="A caption", out=tmp_path)
    about = {"artifact": "uq/fig", "evidence": "logged", "alt": 'Two "bars"\nand a line', "claim_ids": ["uq/last"]}
    (tmp_path / "uq/fig.json").write_text(json.dumps(about | {"note": "Bars: 95 %"}))
    (tmp_path / "uq/fig.png").write_bytes(PNG)
    (tmp_path / "uq/trail.jsonl").touch()
    record = {"artifact": "uq/trail", "evidence": "measured"}
    names = ("wide", "table_a", "table_b", "fig")
    records = {f"uq/{name}": json.loads((tmp_path / f"uq/{name}.json").read_text()) for name in names}

    def write(*cells, ids=(), values=None):
        source = [
            dict(cell_type="markdown" if cell[0] == "#" else "code", metadata={}, source=cell.splitlines(True))
            for cell in cells
        ]
        for cell in source:
            cell["metadata"] = {"tags": ["solution"]} if "solved" in "".join(cell["source"]) else {}
        file = tmp_path / "1_small.ipynb"
        file.write_text(json.dumps({"cells": source, "metadata": {}}))
        judged = [claims.judge(id, "A_b < c", notebook="x", evidence="measured", exact="all", holds=True) for id in ids]
        code = " ".join(cells)
        own = {name: about for name, about in records.items() if name[:8] in code}  # uq/table: of a loop
        own |= {"uq/trail": record} if "trail" in code else {}
        return preview.Page(Notebook(file), own, judged, values or {}, tmp_path).text()

    return write


def test_the_committed_previews_are_those_of_the_notebooks_and_figures(made):
    there = {path.relative_to(preview.FOLDER).as_posix(): path.read_text() for path in preview.FOLDER.rglob("*.md")}
    stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    assert not stale, f"run `make previews` and commit: {', '.join(stale)}"
    assert sum(len(text.encode()) for text in made.values()) < 3_000_000
    assert not re.search("data:image|base64", "".join(made.values())), "pictures are linked, not copied"


def test_every_figure_and_claim_stands_once_on_the_page_of_its_notebook(made):
    for path in paths.COMMITTED.glob("*/*.json"):
        record = json.loads(path.read_text())
        if path.with_suffix(".png").exists():
            assert made[f"{record['code']['notebook']}.md"].count(f'figures/{record["artifact"]}.png"') == 1
    for claim in claims.read_claims(paths.COMMITTED):
        lines = [line for line in made[f"{claim.notebook}.md"].splitlines() if line.endswith(f"; `{claim.id}`)")]
        assert len(lines) == 1 and f"**{claim.verdict}**: {tables.escape_markdown(claim.answer)} (" in lines[0]


def test_every_link_leads_to_a_file(made):
    for name, text in made.items():
        text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        for link in re.findall(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"', text):
            target = unquote("".join(link)).partition("#")[0]
            if target and not re.match("[a-z]+:", target):
                assert ((preview.FOLDER / name).parent / target).exists(), f"{name}: {target}"


def test_prose_stays_code_is_folded_links_lead_to_previews_and_formulas_are_fenced(page):
    text = page(BOX, "a = 1", "b = 2", FORMULA, "solved = 3", "out.figure(fig, 'uq/fig')", values={"trials": 7})
    assert "<!-- Made by" in text.splitlines()[0] and "> - **It holds.** [table](../../figures/uq/t.md)" in text
    assert "`trials = 7`" in text and "make lab NOTEBOOK=1_small" in text
    assert "<details><summary>Code</summary>\n\n```python\na = 1\n\nb = 2\n```\n\n</details>\n\n## Next" in text
    assert "<details><summary>Show the solution</summary>\n\n```python\nsolved = 3" in text
    assert "[rules](1_dataset.md)" in text and "(https://book.org/page.ipynb)" in text
    assert "So\n\n```math\na = b\n```\n\nand" in text and "and $x$." in text
    picture = '<img src="../figures/uq/fig.png" alt="Two &quot;bars&quot; and a line" width="220">'
    assert picture in text and text.index("out.figure") < text.index(picture)
    assert "*logged · uq/fig* · [record](../figures/uq/fig.json). Bars: 95 %" in text


def test_a_table_shows_what_the_notebook_shows(page):
    text = page(BOX, "out.table(wide, 'uq/wide')")
    assert "| c\\_0 |" in text and "| 29 |" in text and "| 30 |" not in text and "c\\_8" not in text
    assert "… 10 more rows and 2 more columns in figures/uq/wide.csv" in text
    named = page(BOX, "columns = ['price', 'c_8']\nout.table(wide, 'uq/wide', show=columns)")
    assert "| price | c\\_8 |\n|---|---:|\n| <span>&#36;</span>5 \\| a | 0 |" in named and "more columns" not in named
    hidden = page(BOX, "out.table(wide, 'uq/wide', show=False)")
    assert "| c\\_0" not in hidden and "Table *measured · uq/wide* · [Markdown](../figures/uq/wide.md)" in hidden


def test_outputs_with_names_made_in_loops_stand_under_their_cell(page):
    loop = "for part in 'ab':\n    out.table(wide, f'uq/table_{part}')"
    text = page(BOX, "x = 'uq/other'", "out.table(t)\nlast = read('uq/table_a')", loop, "y = 1")
    assert text.index("table_{part}") < text.index("*measured · uq/table\\_a*") < text.index("y = 1")


def test_claims_stand_under_the_cell_that_makes_them(page):
    cells = ["out.claim('uq/first', 'A')", "for each in 'ab':\n    out.claim(f'uq/part.{each}', 'A')", "b = 1"]
    text = page(BOX, *cells, ids=("uq/first", "uq/part.a", "uq/part.b", "uq/of_no_cell"))
    line = "- ✓ **holds**: A\\_b &lt; c (exact: all; *measured*; `uq/%s`)\n"
    assert line % "first" in text and text.index("`uq/first`)") < text.index("for each")
    assert "".join(line % name for name in ("part.a", "part.b", "of_no_cell")) in text.partition("b = 1")[0]
    text = page(BOX, "write('trail')").rstrip()
    assert text.endswith("Also written: `uq/trail` ([JSON Lines](../figures/uq/trail.jsonl)).")


def test_writing_touches_what_changed_and_deletes_what_has_no_notebook(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(preview, "FOLDER", tmp_path)
    monkeypatch.setattr(preview, "previews", lambda: {"README.md": "a", "uq/1.md": "b"})
    (tmp_path / "uq").mkdir()
    (tmp_path / "uq/old.md").write_text("of no notebook")
    (tmp_path / "uq/1.md").write_text("b")
    assert preview.main() == 0 and "1 pages written" in capsys.readouterr().out
    assert {path.name for path in tmp_path.rglob("*.md")} == {"README.md", "1.md"}
    assert preview.write() == 0
    (tmp_path / "uq/1.md").unlink()
    (tmp_path / "uq/1.md").mkdir()
    assert preview.main() == 1 and "make previews: " in capsys.readouterr().err
