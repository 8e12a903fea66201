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
from proctor.report.claims import MARKS, VERDICTS, Claim, read_claims
from proctor.report.provenance import label
from proctor.report.site_notebook import DISPLAYED, TEMPLATES, shown_size
from proctor.report.site_pages import PAPERS, notebook_questions
from proctor.report.tables import escape_markdown, excerpt, plain
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks
from proctor.workflow.params import resolve
from proctor.workflow.receipts import records

FOLDER = paths.ROOT / "previews"


def previews() -> dict[str, str]:
    """{place under previews/: text} of all pages and their index.

    Raises WorkflowError for a notebook that can't be read, ValueError for a row that is no claim.
    """
    figures, notebooks = paths.COMMITTED, all_notebooks()
    made = {name: record for name, record in records(figures).items() if "evidence" in record}
    values, claims, pages = resolve(notebooks), read_claims(figures), {}
    questions = notebook_questions(_read(paths.ROOT / "docs" / "notebooks.md") or "")
    index: list[tuple[str, tuple[str, str, list[int]]]] = []  # (paper, row)
    for notebook in notebooks:
        own = {name: record for name, record in made.items() if record["code"]["notebook"] == notebook.name}
        judged = [claim for claim in claims if claim.notebook == notebook.name]
        pages[f"{notebook.name}.md"] = Page(notebook, own, judged, values[notebook.name], figures).text()
        found = Counter(claim.verdict for claim in judged)
        pictures = sum(bool(record.get("alt")) for record in own.values())
        row = notebook.name, questions.get(notebook.name, ""), [*(found[verdict] for verdict in VERDICTS), pictures]
        index.append((notebook.name.rpartition("/")[0] or "start", row))
    papers = {paper: [row for own, row in index if own == paper] for paper in PAPERS}
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
    """One preview. made: the records of the notebook's figures and tables. values: its part of params/default.yaml."""

    def __init__(
        self,
        notebook: Notebook,
        made: Mapping[str, Mapping[str, Any]],
        claims: Sequence[Claim],
        values: Mapping[str, Any],
        figures: Path,
    ):
        self.notebook, self.claims, self.values, self.figures = notebook, claims, values, figures
        self.made = {name: record for name, record in made.items() if not re.match(r"\w+/claims_", name)}
        self.up = "../" * (notebook.name.count("/") + 1)  # from the page to the checkout's root
        self.cells = notebook.content["cells"]

    def text(self) -> str:
        """The page. Code that shows nothing by itself goes into the next fold."""
        outputs, rest = self._outputs()
        blocks = [block for number in range(len(self.cells)) for block in self._of_cell(number, outputs)]
        title = ""
        if blocks and blocks[0][1].startswith("# ") and blocks[0][0] == "text":
            title, _, text = blocks[0][1].partition("\n")
            blocks[0] = "text", text.strip()
        groups = [(kind, [text for _, text in group]) for kind, group in groupby(blocks, itemgetter(0))]
        values = {name: repr(value) for name, value in self.values.items()}
        about = dict(name=self.notebook.name, up=self.up, values=values, title=title, blocks=groups, rest=rest)
        return TEMPLATES.get_template("preview.md").render(about).rstrip() + "\n"

    def _of_cell(self, number: int, outputs: Mapping[int, Sequence[str]]) -> list[tuple[str, str]]:
        """(kind, text) of what the page shows of a cell: text, the name of a fold with code, output."""
        cell = self.cells[number]
        text = _text(cell)
        if cell["cell_type"] == "markdown":
            return [("text", _prose(text))]
        if "solution" in cell["metadata"].get("tags", ()):
            return [("Show the solution", text.strip("\n"))]
        return [("Code", text.strip("\n"))] * bool(text.strip()) + [("output", block) for block in outputs[number]]

    def _outputs(self) -> tuple[dict[int, list[str]], list[str]]:
        """{cell: its figures, tables and claims in the order of its code}, and the files that no cell shows."""
        blocks: dict[int, list[tuple[int, str]]] = {number: [] for number in range(len(self.cells))}
        kinds = {name: "figure" if self._has(name, ".png") else "table" for name in self.made}
        rest, where = [], places(self.cells, kinds)
        claimed = places(self.cells, {claim.id: "claim" for claim in self.claims})
        for name in self.made:
            block = self._figure(name) if kinds[name] == "figure" else self._table(name, where.get(name))
            if name in where and block:
                cell, place = where[name]
                blocks[cell].append((place, block))
            else:
                rest.append(f"`{name}` ({self._files(name)})")
        latest = (0, 0)  # of the claim before: what no cell names stands below it
        for claim in self.claims:
            latest = claimed.get(claim.id, latest)
            blocks[latest[0]].append((latest[1], claim_line(claim)))
        return {cell: [block for _, block in sorted(found, key=itemgetter(0))] for cell, found in blocks.items()}, rest

    def _figure(self, name: str) -> str:
        """A figure as wide as in the book, with its alt text; under it evidence, name and files."""
        record, place = self.made[name], f"{self.up}figures/{name}"
        width = shown_size(self.figures / f"{name}.png")[0]
        alt = escape(" ".join(str(record.get("alt", name)).split()))
        picture = f'<a href="{place}.svg"><img src="{place}.png" alt="{alt}" width="{width}"></a>'
        note = f". {plain(escape_markdown(record['note']))}" if record.get("note") else ""
        return f"{picture}\n\n*{escape_markdown(label(record))}* · {self._files(name)}{note}"

    def _table(self, name: str, place: tuple[int, int] | None) -> str:
        """A saved table as the notebook shows it; its name and files alone where it shows none."""
        if not self._has(name, ".md"):
            return ""
        columns = self._columns(place) if place else []
        if columns is None:
            return f"Table *{escape_markdown(label(self.made[name]))}* · {self._files(name)}"
        text = excerpt((self.figures / f"{name}.md").read_text(encoding="utf-8"), f"figures/{name}", columns)
        return f"{text.strip()} · {self._files(name)}"

    def _columns(self, place: tuple[int, int]) -> list[str] | None:
        """The columns that `show=` of out.table names: None for no table at all, [] where it has no list of them."""
        code = _text(self.cells[place[0]])
        shown = re.search(r"\bshow=(\[.*?\]|\w+)", re.split(r"\bout\.[cft]", code[place[1] + 4 :])[0], re.DOTALL)
        if shown and shown[1].isidentifier():
            if shown[1] == "False":
                return None
            shown = re.search(rf"^{shown[1]} = (\[.*?\])", code, re.DOTALL | re.MULTILINE)
        return re.findall(r"[\"'](.+?)[\"']", shown[1]) if shown else []

    def _files(self, name: str) -> str:
        """Links to the files of an artifact: "Markdown · CSV · record"."""
        kinds = {"SVG": "svg", "Markdown": "md", "CSV": "csv", "JSON Lines": "jsonl", "record": "json"}
        found = [
            f"[{kind}]({self.up}figures/{name}.{end})" for kind, end in kinds.items() if self._has(name, f".{end}")
        ]
        return " · ".join(found)

    def _has(self, name: str, ending: str) -> bool:
        return (self.figures / f"{name}{ending}").is_file()


def claim_line(claim: Claim) -> str:
    """A claim as a line of a list: its verdict, sentence, numbers, evidence and id."""
    about = "; ".join(filter(None, (escape_markdown(claim.numbers), f"*{claim.evidence}*", f"`{claim.id}`")))
    return plain(f"- {MARKS[claim.verdict]} **{claim.verdict}**: {escape_markdown(claim.answer)} ({about})")


def places(cells: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """{name: the code cell that makes this figure, table or claim, and where in its text} of those that a cell names.

    names: {name: figure, table or claim}. The call out.<kind>(...) holds the name as a whole, or as the beginning of
    an f-string.
    """
    code = {number: "".join(cell["source"]) for number, cell in enumerate(cells) if cell["cell_type"] == "code"}
    found = {}
    for name, kind in names.items():
        begins = (re.escape(name[:end]) + r"\{" for end in range(len(name), name.index("/") + 1, -1))
        for text in (re.escape(name) + "[\"']", *begins):
            call = re.compile(rf"\bout\.{kind}\((?:(?!\bout\.[cft]|\n\S).)*?[\"']{text}", re.DOTALL)
            if hits := [(number, hit.start()) for number, source in code.items() if (hit := call.search(source))]:
                found[name] = hits[0]
                break
    return found


def _prose(text: str) -> str:
    """A cell of prose as code hosts take it, links to notebooks led to previews."""
    text = DISPLAYED.sub(lambda found: f"\n```math\n{found[1].strip()}\n```\n", text)
    return re.sub(r"(\]\((?![a-z]+:)[^)\s]*)\.ipynb(?=[)#])", r"\1.md", text).strip()


def _text(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])


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
