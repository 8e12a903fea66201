"""Previews: each notebook as one page of Markdown, so that a reader on a code host sees its results.

    python -m proctor.report.preview        # or: make previews

A page has the notebook's prose, its code in folds, and its committed figures, tables and claims under the cells that
make them. It is written from notebooks/ and figures/ alone: nothing is run, and the same files give the same bytes.
Figures are linked, not copied. `make reproduce` writes the pages again after it has run notebooks.
"""

import re
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from proctor import paths
from proctor.files import write_atomic
from proctor.report.claims import MARKS, VERDICTS, Claim, read_claims
from proctor.report.provenance import label
from proctor.report.site_evidence import PNG_PER_INCH, SHOWN_PER_INCH
from proctor.report.site_notebook import DISPLAYED, page_text
from proctor.report.site_overview import PAPERS, notebook_questions
from proctor.report.tables import escape_markdown
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks
from proctor.workflow.params import resolve
from proctor.workflow.receipts import excerpt, kind_of, places, plain, records

FOLDER = paths.ROOT / "previews"
MADE = "<!-- Made by `make previews` from the notebook and figures/. Change those, not this file. -->"


def previews() -> dict[str, str]:
    """{place under previews/: text} of all pages and their index.

    Raises WorkflowError for a notebook that can't be read, ValueError for a row that is no claim.
    """
    figures = paths.COMMITTED
    notebooks = all_notebooks()
    made = {name: record for name, record in records(figures).items() if "evidence" in record}
    values = resolve(notebooks)
    claims: dict[str, list[Claim]] = {notebook.name: [] for notebook in notebooks}
    for claim in read_claims(figures):
        claims.setdefault(claim.notebook, []).append(claim)
    pages = {}
    for notebook in notebooks:
        own = {name: record for name, record in made.items() if record["code"]["notebook"] == notebook.name}
        page = Page(notebook, own, claims[notebook.name], values[notebook.name], figures)
        pages[f"{notebook.name}.md"] = page.text()
    return pages | {"README.md": index(notebooks, made, claims)}


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
        """The page."""
        outputs, rest = self._outputs()
        parts: list[str] = []
        code: list[str] = []  # of cells that show nothing by themselves: it goes into the next fold
        for number, cell in enumerate(self.cells):
            text = _text(cell)
            if cell["cell_type"] == "markdown":
                parts += [*_fold(code), self._prose(text, first=not parts)]
                code = []
            elif "solution" in cell["metadata"].get("tags", ()):
                parts += [*_fold(code), *_fold([text], "Show the solution")]
                code = []
            elif text.strip():
                code.append(text)
                if outputs[number]:
                    parts += [*_fold(code), *outputs[number]]
                    code = []
        parts += _fold(code)
        if rest:
            parts.append(f"Also written: {', '.join(rest)}.")
        return page_text(MADE, *parts)

    def _outputs(self) -> tuple[dict[int, list[str]], list[str]]:
        """{cell: its figures, tables and claims in the order of its code}, and the files that no cell shows."""
        blocks: dict[int, list[tuple[int, str]]] = {number: [] for number in range(len(self.cells))}
        kinds = {name: kind_of(name, self.figures) for name in self.made}
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
        in_order = {cell: [block for _, block in sorted(found, key=itemgetter(0))] for cell, found in blocks.items()}
        return {cell: list(_lists_joined(found)) for cell, found in in_order.items()}, rest

    def _prose(self, text: str, first: bool) -> str:
        """A cell of prose as code hosts take it, links to notebooks led to previews; under the title what this is."""
        text = DISPLAYED.sub(lambda found: f"\n```math\n{found[1].strip()}\n```\n", text)
        text = re.sub(r"(\]\((?![a-z]+:)[^)\s]*)\.ipynb(?=[)#])", r"\1.md", text).strip()
        head = re.search(r"^# .+$", text, re.MULTILINE)
        if not first or not head:
            return text
        name, up = self.notebook.name, self.up
        said = (
            f"A preview of [notebooks/{name}.ipynb]({up}notebooks/{name}.ipynb) with its committed results; "
            f"[all previews]({up}previews/README.md). What else cells print, and what stands behind each number, "
            f"is in [the book]({up}docs/book.md). To run it: `make lab NOTEBOOK={name}`."
        )
        if self.values:
            given = ", ".join(f"`{key} = {value!r}`" for key, value in self.values.items())
            said += f" Run with {given} ([params/default.yaml]({up}params/default.yaml))."
        return f"{text[: head.end()]}\n\n<sub>{said}</sub>\n\n{text[head.end() :].strip()}"

    def _figure(self, name: str) -> str:
        """A figure as wide as in the book, with its alt text; under it evidence, name and files."""
        record, place = self.made[name], f"{self.up}figures/{name}"
        with (self.figures / f"{name}.png").open("rb") as file:
            width = struct.unpack(">I", file.read(20)[16:])[0] * SHOWN_PER_INCH // PNG_PER_INCH
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
        text = excerpt((self.figures / f"{name}.md").read_text(encoding="utf-8"), name, columns)
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


def index(
    notebooks: Sequence[Notebook], made: Mapping[str, Mapping[str, Any]], claims: Mapping[str, Sequence[Claim]]
) -> str:
    """The list of all previews: what each notebook asks, its claims by verdict, its figures."""
    listed = paths.ROOT / "docs" / "notebooks.md"
    questions = notebook_questions(_read(listed) or "")
    pictures = Counter(record["code"]["notebook"] for record in made.values() if record.get("alt"))
    marks = ", ".join(f"{MARKS[verdict]} {verdict}" for verdict in VERDICTS)
    parts = [
        MADE,
        "# Previews",
        "Each notebook as a page that a code host shows: its prose, its code in folds, and its committed figures, "
        "tables and claims. The notebooks themselves are stored without outputs. All that they print, with search and "
        "what stands behind each number, is in [the book](../docs/book.md).",
        f"The columns count claims ({marks}) and figures.",
    ]
    heads = f"| notebook | what it asks | {' | '.join(MARKS[verdict] for verdict in VERDICTS)} | figures |"
    for paper, about in PAPERS.items():
        rows = []
        for notebook in notebooks:
            if (notebook.name.rpartition("/")[0] or "start") == paper:
                found = Counter(claim.verdict for claim in claims[notebook.name])
                counts = [*(found[verdict] for verdict in VERDICTS), pictures[notebook.name]]
                asks = questions.get(notebook.name, "")
                cells = [f"[{notebook.name}]({notebook.name}.md)", asks, *(str(count or "") for count in counts)]
                rows.append(f"| {' | '.join(cells)} |")
        if rows:
            parts += [f"## {about.short}", "\n".join([heads, f"|---|---|{'---:|' * 4}", *rows])]
    return page_text(*parts)


def _fold(code: Sequence[str], summary: str = "Code") -> list[str]:
    """The code of some cells in one fold; nothing where there is none."""
    text = "\n\n".join(part.strip("\n") for part in code)
    return [f"<details><summary>{summary}</summary>\n\n```python\n{text}\n```\n\n</details>"] if code else []


def _lists_joined(blocks: Sequence[str]) -> Iterator[str]:
    """The blocks, those of a list that follow one another as one."""
    for is_list, group in groupby(blocks, key=lambda block: block.startswith("- ")):
        yield ("\n" if is_list else "\n\n").join(group)


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
