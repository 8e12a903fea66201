"""Previews: each notebook as one page of Markdown, so that a reader on a code host sees its results.

    python -m proctor.report.preview        # or: make previews

A page has the notebook's prose, its code in folds, and its committed figures, tables and claims under the cells that
make them. It is written from notebooks/ and figures/ alone: nothing is run, and the same files give the same bytes.
Figures are linked, not copied. `make reproduce` writes the pages again after it has run notebooks.
"""

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from proctor import paths
from proctor.files import write_atomic
from proctor.report.claims import MARKS, VERDICTS, Claim
from proctor.report.provenance import label
from proctor.report.site_notebook import DISPLAYED, TEMPLATES, Behind
from proctor.report.site_pages import PAPERS, notebook_questions
from proctor.report.tables import escape_markdown, excerpt, plain
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks
from proctor.workflow.params import resolve

FOLDER = paths.ROOT / "previews"
Place = tuple[int, int]  # number of a cell, and where in its text


def previews() -> dict[str, str]:
    """{place under previews/: text} of all pages and their index.

    Raises WorkflowError for a notebook that can't be read, ValueError for a row that is no claim.
    """
    notebooks, behind = all_notebooks(), Behind(paths.ROOT, paths.COMMITTED)
    values, questions = resolve(notebooks), notebook_questions(paths.ROOT)
    papers: dict[str, list] = {paper: [] for paper in PAPERS}
    pages = {}
    for notebook in notebooks:
        page = Page(notebook, behind, values[notebook.name])
        pages[f"{notebook.name}.md"] = page.text()
        verdicts = Counter(claim.verdict for claim in page.claims)
        counts = [*(verdicts[verdict] for verdict in VERDICTS), len(behind.made_by(notebook.name, "png"))]
        if (paper := notebook.name.rpartition("/")[0] or "start") in papers:
            papers[paper].append((notebook.name, questions.get(notebook.name, ""), counts))
    return pages | {"README.md": TEMPLATES.get_template("previews.md").render(papers=papers).rstrip() + "\n"}


def write() -> int:
    """Write the pages that changed to previews/, delete those of no notebook; return how many were written."""
    pages = previews()
    for path in FOLDER.rglob("*.md"):
        if path.relative_to(FOLDER).as_posix() not in pages:
            path.unlink()
    changed = {name: text for name, text in pages.items() if _read(FOLDER / name) != text}
    for name, text in changed.items():
        write_atomic(FOLDER / name, text, durable=False)
    return len(changed)


class Page:
    """One preview. values: the notebook's part of params/default.yaml."""

    def __init__(self, notebook: Notebook, behind: Behind, values: Mapping[str, Any]):
        self.name, self.cells, self.behind, self.values = notebook.name, notebook.content["cells"], behind, values
        self.up = "../" * (notebook.name.count("/") + 1)  # from the page to the checkout's root
        self.claims = [claim for claim in behind.claims.values() if claim.notebook == notebook.name]

    def text(self) -> str:
        """The page. Code that shows nothing by itself goes into the next fold."""
        outputs, rest = self._outputs()
        title, blocks = "", list[tuple[str, str]]()  # (text, output or the name of a fold with code, Markdown)
        for number, cell in enumerate(self.cells):
            text = "".join(cell["source"]).strip("\n")
            if cell["cell_type"] == "markdown":
                if number == 0 and text.startswith("# "):
                    title, _, text = text.partition("\n")
                blocks.append(("text", _prose(text)))
            elif "solution" in cell["metadata"].get("tags", ()):
                blocks.append(("Show the solution", text))
            else:
                if text:
                    blocks.append(("Code", text))
                blocks += [("output", block) for (place, _), block in outputs if place == number]
        groups = [(kind, [text for _, text in group]) for kind, group in groupby(blocks, itemgetter(0))]
        values = {name: repr(value) for name, value in self.values.items()}
        about = dict(name=self.name, up=self.up, values=values, title=title, blocks=groups, rest=rest)
        return TEMPLATES.get_template("preview.md").render(about).rstrip() + "\n"

    def _outputs(self) -> tuple[list[tuple[Place, str]], list[str]]:
        """The figures, tables and claims in the order of the code that makes them, and the files that no cell shows."""
        shown, rest = [], []
        for name in self.behind.made_by(self.name, "json"):
            is_figure = self.behind.has(f"{name}.png")
            place = place_of(self.cells, "figure" if is_figure else "table", name)
            block = self._figure(name) if is_figure else self._table(name, place)
            if place and block:
                shown.append((place, block))
            else:
                rest.append(f"`{name}` ({self._files(name)})")
        latest = 0, 0  # of the claim before: what no cell names stands below it
        for claim in self.claims:
            latest = place_of(self.cells, "claim", claim.id) or latest
            shown.append((latest, claim_line(claim)))
        return sorted(shown, key=itemgetter(0)), rest

    def _figure(self, name: str) -> str:
        """A figure as wide as in the book, with its alt text; under it evidence, name and files."""
        record, place, width = self.behind.records[name], f"{self.up}figures/{name}", self.behind.size(name)[0]
        alt = escape(" ".join(record["alt"].split()))
        picture = f'<a href="{place}.svg"><img src="{place}.png" alt="{alt}" width="{width}"></a>'
        note = f". {plain(escape_markdown(record['note']))}" if record["note"] else ""
        return f"{picture}\n\n*{escape_markdown(label(record))}* · {self._files(name)}{note}"

    def _table(self, name: str, place: Place | None) -> str:
        """A saved table as the notebook shows it; its name and files alone where it shows none."""
        if not self.behind.has(f"{name}.md"):
            return ""
        columns = self._columns(place) if place else []
        if columns is None:
            return f"Table *{escape_markdown(label(self.behind.records[name]))}* · {self._files(name)}"
        text = excerpt((self.behind.figures / f"{name}.md").read_text(encoding="utf-8"), f"figures/{name}", columns)
        return f"{text.strip()} · {self._files(name)}"

    def _columns(self, place: Place) -> list[str] | None:
        """The columns that `show=` of out.table names: None for no table at all, [] where it has no list of them."""
        code = "".join(self.cells[place[0]]["source"])
        shown = re.search(r"\bshow=(\[.*?\]|\w+)", re.split(r"\bout\.[cft]", code[place[1] + 4 :])[0], re.DOTALL)
        if shown and shown[1].isidentifier():
            if shown[1] == "False":
                return None
            shown = re.search(rf"^{shown[1]} = (\[.*?\])", code, re.DOTALL | re.MULTILINE)
        return re.findall(r"[\"'](.+?)[\"']", shown[1]) if shown else []

    def _files(self, name: str) -> str:
        """Links to the files of an artifact: "Markdown · CSV · record"."""
        kinds = {"SVG": "svg", "Markdown": "md", "CSV": "csv", "JSON Lines": "jsonl", "record": "json"}
        found = {kind: f"figures/{name}.{end}" for kind, end in kinds.items() if self.behind.has(f"{name}.{end}")}
        return " · ".join(f"[{kind}]({self.up}{file})" for kind, file in found.items())


def claim_line(claim: Claim) -> str:
    """A claim as a line of a list: its verdict, sentence, numbers, evidence and id."""
    about = "; ".join(filter(None, (escape_markdown(claim.numbers), f"*{claim.evidence}*", f"`{claim.id}`")))
    return plain(f"- {MARKS[claim.verdict]} **{claim.verdict}**: {escape_markdown(claim.answer)} ({about})")


def place_of(cells: Sequence[Mapping[str, Any]], kind: str, name: str) -> Place | None:
    """The code cell that makes this figure, table or claim (the kind), and where in its text; None where none names it.

    The call out.<kind>(...) holds the name as a whole, or as the beginning of an f-string.
    """
    begins = (re.escape(name[:end]) + r"\{" for end in range(len(name), name.index("/") + 1, -1))
    for text in (re.escape(name) + "[\"']", *begins):
        call = re.compile(rf"\bout\.{kind}\((?:(?!\bout\.[cft]|\n\S).)*?[\"']{text}", re.DOTALL)
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code" and (hit := call.search("".join(cell["source"]))):
                return number, hit.start()
    return None


def _prose(text: str) -> str:
    """A cell of prose as code hosts take it, links to notebooks led to previews."""
    text = DISPLAYED.sub(lambda found: f"\n```math\n{found[1].strip()}\n```\n", text)
    return re.sub(r"(\]\((?![a-z]+:)[^)\s]*)\.ipynb(?=[)#])", r"\1.md", text).strip()


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def main() -> int:
    try:
        count = write()
    except (WorkflowError, ValueError, OSError) as error:
        print(f"make previews: {error}", file=sys.stderr)
        return 1
    print(f"previews/: {count} pages written, the others are as they were")
    return 0


if __name__ == "__main__":
    sys.exit(main())
