"""A page of the site from an executed notebook: code folded, tables boxed, figures with alt text and evidence.

Tables are HTML: plain ones, ones that site.js filters and sorts, rows of the catalog, judged claims.
"""

import base64
import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from proctor.report.catalog import Row, claims_of
from proctor.report.site_evidence import Behind, badges, shown_size, verdict

BINDER = os.environ.get("PROCTOR_BINDER", "")  # e.g. https://mybinder.org/v2/gh/<owner>/<repository>/HEAD
_NAMED = re.compile(r"""["']([a-z_]+/[A-Za-z0-9_]+)["']""")
_PROGRESS = re.compile(r"(?:\r[^\n]*|\s)*")
# A formula on lines of its own: Jupyter needs no empty lines around it, others do.
DISPLAYED = re.compile(r"^\$\$(.+?)\$\$[ \t]*$", re.MULTILINE | re.DOTALL)
_IN_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
_FOLDED = {"tags": ["hide-input"]}
_SOLUTION = {  # of an exercise: code and output in one fold
    "tags": ["hide-cell"],
    "mystnb": {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"},
}


class NotebookPage:
    """One notebook of the repository as a notebook that Sphinx can show.

    source: the file under notebooks/. executed: its copy under build/notebooks/, which need not be there.
    defaults: whether the folder of figures that `behind` knows is that of default parameters. Where the copy ran
    otherwise, `own_pictures` is True: the page then shows the pictures in the copy, and none of that folder.
    """

    def __init__(self, source: Path, executed: Path, behind: Behind, defaults: bool = True):
        self.behind = behind
        self.page = source.relative_to(behind.root).with_suffix("").as_posix()  # such as notebooks/uq/3_validators
        self.name = self.page.removeprefix("notebooks/")
        self.original = json.loads(Path(source).read_text(encoding="utf-8"))
        self.executed = executed.is_file()
        self.content = json.loads(executed.read_text(encoding="utf-8")) if self.executed else self.original
        self.parameters = self.content["metadata"].get("papermill", {}).get("parameters", {}) if self.executed else {}
        self.own_pictures = bool(self.parameters) == defaults
        self.images: dict[str, bytes] = {}  # place in the site -> PNG

    @property
    def title(self) -> str:
        """The first heading."""
        found = (re.search(r"^# +(.+)", _text(cell), re.MULTILINE) for cell in self.original["cells"])
        return next((match[1].strip() for match in found if match), self.page)

    def note(self) -> str:
        """HTML under the title: how to get and open the notebook and, in a box, what a reader must know of this run."""
        ways = [
            f'<a href="/{self.page}.ipynb" download>Download the notebook</a>',
            f"open it in JupyterLab: <code>make lab NOTEBOOK={self.name}</code>",
        ]
        if BINDER:
            ways.append(f'<a href="{BINDER}?urlpath=lab/tree/{self.page}.ipynb">open it on Binder</a>')
        said = [f'<p class="made-from">{" · ".join(ways)}</p>']
        if not self.executed:
            said.append(_warning("not executed; run <code>make reproduce</code>, then <code>make site</code>"))
        elif _code(self.content) != _code(self.original):
            earlier = "made from an earlier version of this notebook"
            said.append(_warning(f"{earlier}; run <code>make reproduce</code>, then <code>make site</code>"))
        if self.parameters:
            values = ", ".join(f"{name} = {value!r}" for name, value in self.parameters.items())
            said.append(_warning(f"not run at default parameters, but with <code>{escape(values)}</code>"))
        return "\n".join(said)

    def lead(self) -> str:
        """HTML of the picture under the box of results: of the first finding that has one. Empty where none has, and
        where figures/ is not of this run."""
        if self.own_pictures:
            return ""
        box = "\n".join(re.findall(r"^>.*", _text(self.original["cells"][0]), re.MULTILINE))
        named = re.findall(r"figures/([a-z_]+/\w+)\.(?:svg|png)", box)
        for id in re.findall(r"`([a-z_]+/[\w.]+)`", box):
            named += self.behind.figures_of(id)
        for name in named:
            if picture := self.behind.picture(name, part="-lead"):
                return f'<figure class="artifact lead">{picture}</figure>'
        return ""

    def build(self) -> dict:
        """The notebook for Sphinx. Afterwards `images` holds the pictures that the site needs besides figures/."""
        cells: list[dict[str, Any]] = []
        heading, noted = self.title, False
        for cell, tables in zip(self.content["cells"], self._tables()):
            text = _text(cell)
            if cell["cell_type"] == "markdown":
                heading = next(iter(re.findall(r"^#+ +(.+)", text, re.MULTILINE)[::-1]), heading)
                text = DISPLAYED.sub(r"\n\g<0>\n", text)
                if not noted and (first := re.search(r"^# +.+$", text, re.MULTILINE)):
                    text = _after_box(f"{text[: first.end()]}\n\n{self.note()}\n\n{text[first.end() :]}", self.lead())
                    noted = True
                cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
            elif cell["cell_type"] == "code" and text.strip():
                shown = self._outputs(cell, heading, tables) if self.executed else ()
                outputs = [
                    {"output_type": "display_data", "metadata": {}, "data": data}
                    for data in shown
                    if any(data.values())
                ]
                metadata = _SOLUTION if "solution" in cell["metadata"].get("tags", ()) else _FOLDED
                if cells and cells[-1]["metadata"] == metadata == _FOLDED and not cells[-1]["outputs"]:
                    # one fold for code that shows nothing by itself
                    text = cells.pop()["source"].rstrip() + "\n\n" + text
                code = {"cell_type": "code", "metadata": metadata, "execution_count": None}
                cells.append(code | {"source": text, "outputs": outputs})
        kernel = {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        }
        return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}

    def _tables(self) -> list[list[str]]:
        """For each cell the tables that its section (##) saves; all of the notebook where it saves none."""
        sections: list[list[str]] = [[]]
        place = []
        for cell in self.content["cells"]:
            text = _text(cell)
            if cell["cell_type"] == "markdown" and re.search(r"^## ", text, re.MULTILINE):
                sections.append([])
            elif cell["cell_type"] == "code":
                named = dict.fromkeys(_NAMED.findall(text))
                found = [name for name in named if self.behind.has(f"{name}.csv")]
                sections[-1] += [name for name in found if name not in sections[-1]]
            place.append(len(sections) - 1)
        everything = list(dict.fromkeys(name for section in sections for name in section))
        return [sections[number] or everything for number in place]

    def _outputs(self, cell: dict, heading: str, tables: list[str]) -> Iterator[dict[str, str]]:
        """What the page shows of each output of a cell: HTML, or Markdown."""
        for output in cell["outputs"]:
            data, name = output.get("data", {}), output.get("metadata", {}).get("artifact")
            if output["output_type"] == "stream":
                text = "".join(output["text"])
                if not (output["name"] == "stderr" and _PROGRESS.fullmatch(text)):
                    yield {"text/html": printed(text)}
            elif output["output_type"] == "error":
                yield {"text/html": printed(f"{output['ename']}: {output['evalue']}")}
            elif "image/png" in data:
                yield {"text/html": self._figure(output, name, heading, tables)}
            elif "text/html" in data:
                yield {"text/html": boxed("".join(data["text/html"])) + self._under_table(name)}
            elif "text/markdown" in data:
                text = "".join(data["text/markdown"])
                yield {"text/markdown": f"{text}\n\n{self._under_table(name)}".strip()}
            elif "text/plain" in data:
                yield {"text/html": printed("".join(data["text/plain"]))}

    def _under_table(self, name: str | None) -> str:
        """HTML under a saved table: its files, and what stands behind it."""
        if not (record := self.behind.record(name)):
            return ""
        return f'<p class="under">{self.behind.caption(record)}</p>{self.behind.panel(record)}'

    def _figure(self, output: dict, artifact: str | None, heading: str, tables: list[str]) -> str:
        about, record = output.get("metadata", {}).get("image/png", {}), self.behind.record(artifact)
        alt = about.get("alt") or record.get("alt") or f"Figure in the section: {heading}"
        picture = self.behind.picture(record["artifact"], alt=alt) if record and not self.own_pictures else ""
        if not picture:
            png = base64.b64decode("".join(output["data"]["image/png"]))
            place = f"pictures/{self.page}_{len(self.images) + 1}.png"
            self.images[place] = png
            width, height = shown_size(png, 100)
            picture = f'<a href="/{place}"><img src="/{place}" alt="{escape(alt)}" '
            picture += f'width="{width}" height="{height}" loading="lazy"></a>'
        caption = f"<figcaption>{self.behind.caption(record)}</figcaption>" if record else ""
        figure = f'<figure class="artifact">{picture}{caption}</figure>'
        if "explore" in record and not self.own_pictures:
            figure = movable(record["explore"], figure, alt)
        return figure + (self.behind.panel(record, tables) if record else "")


def movable(explore: dict[str, Any], figure: str, alt: str) -> str:
    """HTML of a saved figure in whose place explore.js puts the picture to move."""
    data = json.dumps(explore, ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<div class="explorable" data-alt="{escape(alt)}">'
        f'<script type="application/json">{data}</script>{figure}</div>'
    )


def printed(text: str) -> str:
    """HTML of printed text: sentences are wrapped, columns are kept and scroll in a box."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).strip("\n")
    kind = "columns" if any(_IN_COLUMNS.search(line) for line in text.splitlines()) else "sentences"
    return f'<pre class="printed {kind}" tabindex="0">{escape(text)}</pre>' if text.strip() else ""


def _warning(text: str) -> str:
    return f'<p class="run-note"><strong>Note:</strong> {text}</p>'


def _after_box(text: str, html: str) -> str:
    """Markdown with `html` after its first quoted block, the box of results; unchanged where it has none."""
    box = re.search(r"(?:^>.*\n?)+", text, re.MULTILINE)
    return f"{text[: box.end()]}\n{html}\n\n{text[box.end() :]}" if box and html else text


def _text(cell: dict) -> str:
    return "".join(cell["source"])


def _code(notebook: dict) -> list[str]:
    """The code of a notebook, less what papermill put in."""
    return [
        _text(cell)
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and "injected-parameters" not in cell["metadata"].get("tags", ())
    ]


UNTESTED = "not tested"
THUMB = 120  # pixels: a figure in a row of the catalog
FOLD = 8  # rows of a table that are seen at once
_TABLE = re.compile(
    r'(?P<start><div class="table-box"[^>]*><table\b.*?<tbody>)(?P<body>.*?)</tbody>.*?</table></div>', re.S
)


def page_text(*parts: str) -> str:
    """A page's Markdown of its parts, an empty line between two; empty ones are left out."""
    return "\n\n".join(filter(None, parts)) + "\n"


def toctree(entries: Sequence[tuple[str, str]], caption: str = "") -> str:
    """Sphinx's hidden list of the pages under this one: (title in the sidebar, page)."""
    lines = [f"{title} <{page}>" if title else page for title, page in entries]
    head = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    return "\n".join([*head, *lines, "```"])


def boxed(html: str) -> str:
    """HTML whose tables scroll inside a box of their own; long cells are wrapped."""
    html = re.sub(r"<style scoped>.*?</style>", "", html, flags=re.DOTALL)
    html = re.sub(r'(<table\b[^>]*?) border="1"', r"\1", html)
    html = html.replace('<div class="proctor-table" style="overflow-x:auto">', '<div class="proctor-table">')
    html = re.sub(r'<td(?: style="text-align:(?:left|right)")?>(?=[^<]{41})', '<td class="prose">', html)
    html = re.sub(r"<th\b[^>]*>[^<]+(?=</th>)", lambda head: head[0].replace("_", " "), html)
    html = re.sub(r"<table\b", '<div class="table-box" tabindex="0" role="region" aria-label="Table">\\g<0>', html)
    return _TABLE.sub(_folded, html.replace("</table>", "</table></div>"))


def _folded(found: re.Match) -> str:
    """A table of more than FOLD rows with the others in a fold below its first ones."""
    rows = re.findall(r"<tr\b.*?</tr>", found["body"], re.DOTALL)
    if len(rows) <= FOLD + 2:
        return found[0]
    first = f"{found['start']}{''.join(rows[:FOLD])}</tbody></table></div>"
    return (
        f'<div class="first-rows">{first}</div><details class="rest"><summary>All {len(rows)} rows</summary>'
        f"{found[0]}</details>"
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table of cells that are HTML."""
    return filtered(heads, rows, (), "page")


def filtered(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    filters: Collection[int],
    kind: str = "filtered",
    ids: Sequence[str] = (),
) -> str:
    """An HTML table of cells that are HTML, with a filter for each column of `filters`. ids: of the rows."""
    marks = [f'<tr id="{escape(id)}">' for id in ids] or ["<tr>"] * len(rows)
    lines = [mark + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for mark, row in zip(marks, rows)]
    names = "".join(
        f'<th scope="col"{" data-filter" if number in filters else ""}>{head}</th>' for number, head in enumerate(heads)
    )
    body = "\n".join(lines)
    html = f'<table class="{kind}"><thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'
    return f'<div class="table-box" tabindex="0" role="region" aria-label="Table: {escape(heads[0])}">{html}</div>'


def state(row: Row) -> str:
    """HTML of a row's state."""
    return f'<span class="state {row.state}">{row.state}</span>'


def claim_table(rows: Sequence[Row], behind: Behind) -> str:
    """Claims with their verdicts and numbers; a claim that nothing tests yet says what it lacks."""
    cells = []
    for row in rows:
        judged = claims_of(row, behind.claims.values())
        numbers = [
            (f"<em>{escape(claim.sentence)}</em>: " if len(judged) > 1 else "") + escape(claim.numbers)
            for claim in judged
        ]
        source = f"<br><small>{escape(row.compared_with)}</small>" if row.compared_with else ""
        cells.append(
            [
                f"{escape(row.title)}{source}",
                "<br>".join(dict.fromkeys(verdict(claim) for claim in judged)) or UNTESTED,
                "<br>".join(filter(None, [*numbers, f"<small>{escape(row.missing)}</small>" if row.missing else ""])),
                f"{badges(' + '.join(row.evidence)) if judged else ''}<br>{notebook_link(row, behind)}",
            ]
        )
    heads = ["claim", "verdict", "numbers", "evidence"]
    return filtered(heads, cells, (1, 3), "filtered claims", [row.id for row in rows])


def catalog_rows(rows: Sequence[Row], behind: Behind) -> str:
    """Rows of the catalog, with links to notebooks, files and protocols."""
    cells = []
    for row in rows:
        files = [
            f'<a href="/figures/{output}">{escape(output.rpartition("/")[2])}</a>'
            for output in row.outputs
            if behind.has(output)
        ]
        said = [
            escape(text) for text in (row.missing, row.compared_with and f"compared with {row.compared_with}") if text
        ]
        title = f"<strong>{escape(row.title)}</strong>"
        picture = next((output for output in row.outputs if output.endswith(".svg")), "").replace(".svg", ".png")
        if picture and behind.has(picture):
            width, height = behind.size(picture.removesuffix(".png"))
            size = f'width="{THUMB}" height="{round(THUMB * height / width)}"'
            title = f'<img class="thumb" src="/figures/{picture}" {size} alt="" loading="lazy">{title}'
        if row.kind == "protocol":
            title = f'<a href="/protocols/{row.id}.html">{title}</a>'
        cells.append(
            [
                "<br>".join([title, f"<code>{escape(row.id)}</code>", *(f"<span>{text}</span>" for text in said)]),
                row.paper,
                row.kind.replace("notebook-output", "ours"),
                badges(" + ".join(row.evidence)),
                state(row),
                "<br>".join(dict.fromkeys(verdict(claim) for claim in claims_of(row, behind.claims.values()))),
                "<br>".join(filter(None, [notebook_link(row, behind), *files])),
            ]
        )
    heads = ["artifact", "paper", "kind", "evidence", "state", "verdict", "notebook, files"]
    return filtered(heads, cells, (1, 2, 3, 4, 5), "filtered catalog", [row.id for row in rows])


def notebook_link(row: Row, behind: Behind) -> str:
    """A link to the page of a row's notebook; its name alone where there is no such page."""
    name = re.sub(r"[/_]", r"\g<0><wbr>", escape(row.notebook))
    return f'<a href="/notebooks/{row.notebook}.html">{name}</a>' if behind.has_notebook(row.notebook) else name
