"""The committed previews are those of the notebooks and figures here, byte for byte; every kind of cell is among them."""

import json
import re
from urllib.parse import unquote

import pytest
from proctor import paths
from proctor.report import claims, preview, tables
from proctor.report.site_notebook import Behind
from proctor.workflow.notebook import Notebook


@pytest.fixture(scope="module")
def made():
    return preview.previews()


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


def test_a_claim_that_no_cell_names_stands_below_the_one_before(tmp_path):
    sources = ["# A title", "out.claim('uq/named', 'A')", "out.claim('uq/other', 'B')"]
    cells = [dict(cell_type="markdown" if text[0] == "#" else "code", metadata={}, source=[text]) for text in sources]
    (tmp_path / "1_small.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    how = dict(notebook="1_small", evidence="measured", exact="all", holds=True)
    behind = Behind(tmp_path, tmp_path)
    behind.claims = {id: claims.judge(id, "A < c", **how) for id in ("uq/named", "uq/of_no_cell", "uq/other")}
    text = preview.Page(Notebook(tmp_path / "1_small.ipynb"), behind, {}).text()
    assert text.index("`uq/named`)") < text.index("`uq/of_no_cell`)") < text.index("out.claim('uq/other'")


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
