"""A page of the site from an executed notebook: code folded, tables boxed, figures with alt text, and what stands
behind them, the records, claims and files of figures/.

A saved SVG is an element of the page, so that its letters have the font of the figures (site.css) and a search finds
them; site.css turns its colours round in the dark theme.

All pages are templates in site_templates/; parts.html has the HTML that several of them show. Addresses are those of
the repository, "/figures/uq/fig_S10.svg"; `site.lead_links` makes them the page's own.
"""

import base64
import json
import os
import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from proctor.report.catalog import OWNERS, Row, claims_of
from proctor.report.claims import MARKS, VERDICTS, Claim, read_claims

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
PNG_PER_INCH, SHOWN_PER_INCH = 200, 110  # figures/ holds 200 dots an inch; the page shows an inch as so many pixels
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "site_templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
TEMPLATES.globals |= dict(
    MARKS=MARKS,
    FILES={"csv": "CSV", "md": "Markdown", "svg": "SVG", "png": "PNG", "json": "record"},
    WIDE=500,  # pixels; on a phone such a picture scrolls, so that its letters can be read
    THUMB=120,  # pixels: a figure in a row of the catalog
)


class SiteError(Exception):
    """The site can't be built; the message names the page or file and what to fix."""


def rendered(macro: str, *values: Any) -> Markup:
    """HTML of a macro of parts.html."""
    return getattr(TEMPLATES.get_template("parts.html").module, macro)(*values)


class Behind:
    """The records, claims and files of a folder of figures of the checkout `root`. catalog: its rows."""

    def __init__(self, root: Path, figures: Path, catalog: Sequence[Row] = ()):
        self.root, self.figures, self.catalog = root, figures, catalog
        self.rows = {
            output.rpartition(".")[0]: row.id for row in catalog if row.kind in OWNERS for output in row.outputs
        }
        self.claims: dict[str, Claim] = {claim.id: claim for claim in read_claims(figures)}

    def has(self, file: str) -> bool:
        """Whether there is a file of figures, such as uq/fig_S10.svg."""
        return (self.figures / file).is_file()

    def has_file(self, name: str) -> bool:
        """Whether the checkout has a file, such as data/catalog.csv."""
        return (self.root / name).is_file()

    def has_notebook(self, name: str) -> bool:
        """Whether there is a notebook, such as uq/6_agreement; its page is /notebooks/uq/6_agreement.html."""
        return self.has_file(f"notebooks/{name}.ipynb")

    def record(self, artifact: str | None) -> dict[str, Any]:
        """What figures/<artifact>.json says of an artifact, {} when there is none."""
        path = self.figures / f"{artifact}.json"
        found = json.loads(path.read_text(encoding="utf-8")) if artifact and path.is_file() else {}
        return {"alt": "", "claim_ids": []} | found if found else {}

    def settings(self, record: dict[str, Any]) -> dict[str, str]:
        """{parameter, or the seed: its value as JSON} of the run that made an artifact."""
        values = record["parameters"] | ({} if record["seed"] is None else {"seed": record["seed"]})
        return {name: json.dumps(value, ensure_ascii=False) for name, value in values.items()}

    def claims_of(self, row: Row) -> list[Claim]:
        """The judged claims of a row of the catalog."""
        return claims_of(row, self.claims.values())

    def count_verdicts(self, rows: Iterable[Row]) -> str:
        """ "12 hold, 3 do not hold, 5 are undecided": the judged claims of these rows, by verdict."""
        judged = {claim.id: claim.verdict for row in rows for claim in self.claims_of(row)}
        found = Counter(judged.values())
        words = {"holds": "hold", "does not hold": "do not hold", "cannot tell": "are undecided"}
        return ", ".join(f"{found[verdict]} {words[verdict]}" for verdict in VERDICTS if found[verdict])

    def figures_of(self, claim: str) -> list[str]:
        """The figures that draw a claim, by its id; first those that draw it alone."""
        drawn = [(ids.index(claim), name) for name, ids in self._claims_drawn.items() if claim in ids]
        return [name for _, name in sorted(drawn)]

    @cached_property
    def _claims_drawn(self) -> dict[str, list[str]]:
        """{figure: the claims that it draws}."""
        pictures = [path.with_suffix("") for path in self.figures.glob("*/*.png")]
        names = [f"{path.parent.name}/{path.name}" for path in pictures]
        return {name: self.record(name).get("claim_ids", []) for name in names}

    def drawn_by(self, row: Row) -> str:
        """The first figure among the outputs of a row that is there; "" for none."""
        figures = [output.removesuffix(".svg") for output in row.outputs if output.endswith(".svg")]
        return figures[0] if figures and self.has(f"{figures[0]}.png") else ""

    def size(self, artifact: str) -> tuple[int, int]:
        """Width and height on a page of a saved figure."""
        return shown_size((self.figures / f"{artifact}.png").read_bytes(), PNG_PER_INCH)

    def svg(self, artifact: str, part: str = "", alt: str = "") -> Markup:
        """A saved figure as an element of a page. part: tells two copies on one page apart. alt: what it shows, else
        what its record says."""
        text = (self.figures / f"{artifact}.svg").read_text(encoding="utf-8")
        return Markup(
            inline(text, artifact + part, self.size(artifact)[0], alt or self.record(artifact).get("alt", ""))
        )


def shown_size(png: bytes, per_inch: int) -> tuple[int, int]:
    """Width and height on a page of a PNG of so many pixels an inch."""
    width, height = (round(pixels * SHOWN_PER_INCH / per_inch) for pixels in struct.unpack(">II", png[16:24]))
    return width, height


_LEFT_OUT = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL)


def inline(svg: str, name: str, width: int, alt: str) -> str:
    """A saved SVG as an element of a page, `width` pixels wide where there is room. name: makes its ids its own.
    alt: what it shows."""
    own = re.sub(r"\W", "-", name)
    text = _LEFT_OUT.sub("", svg).strip()
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{own}-", text)
    text = text.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    text = re.sub(r">\s*\n\s*<", "><", text).replace("\n", " ")
    head, rest = text.split(">", 1)
    head = re.sub(r' (?:width|height|role)="[^"]*"', "", head)
    head = head.replace("<svg", f'<svg class="drawn" width="{width}"', 1)
    return f'{head} role="img" aria-label="{escape(alt)}">{rest}'


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
        self.kept = ""  # why it can't be run here; then its committed results stand for outputs, by cell:
        self.committed: dict[int, list[str]] = {}

    @property
    def binder(self) -> str:
        """The address of the notebook on Binder, "" where none is configured."""
        return BINDER and f"{BINDER}?urlpath=lab/tree/{self.page}.ipynb"

    @property
    def title(self) -> str:
        """The first heading."""
        found = (re.search(r"^# +(.+)", _text(cell), re.MULTILINE) for cell in self.original["cells"])
        return next((match[1].strip() for match in found if match), self.page)

    @property
    def short_title(self) -> str:
        """Its name in the sidebar: "uq/4_bias_and_ranking" -> "4 Bias and ranking"."""
        number, _, words = self.name.rpartition("/")[2].replace("_", " ").partition(" ")
        if not re.fullmatch(r"\d+[a-z]?", number):
            number, words = "", f"{number} {words}"
        words = words.strip()
        return f"{number} {words[:1].upper()}{words[1:]}".strip()

    @property
    def is_outdated(self) -> bool:
        """Whether the copy ran other code than the notebook has now."""
        return _code(self.content) != _code(self.original)

    @property
    def run_with(self) -> str:
        """ "n = 3, seed = 7": what the copy was given in the place of defaults."""
        return ", ".join(f"{name} = {value!r}" for name, value in self.parameters.items())

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
            if self.behind.has(f"{name}.svg"):
                return f'<figure class="artifact lead">{rendered("picture", self.behind, name, "", "-lead")}</figure>'
        return ""

    def build(self) -> dict:
        """The notebook for Sphinx. Afterwards `images` holds the pictures that the site needs besides figures/."""
        cells: list[dict[str, Any]] = []
        heading, noted = self.title, False
        for number, (cell, tables) in enumerate(zip(self.content["cells"], self._tables())):
            text = _text(cell)
            if cell["cell_type"] == "markdown":
                heading = next(iter(re.findall(r"^#+ +(.+)", text, re.MULTILINE)[::-1]), heading)
                text = DISPLAYED.sub(r"\n\g<0>\n", text)
                if not noted and (first := re.search(r"^# +.+$", text, re.MULTILINE)):
                    note = rendered("note", self)
                    text = _after_box(f"{text[: first.end()]}\n\n{note}\n\n{text[first.end() :]}", self.lead())
                    noted = True
                cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
            elif cell["cell_type"] == "code" and text.strip():
                kept = ({"text/markdown": text} for text in self.committed.get(number, ()))
                shown = self._outputs(cell, heading, tables) if self.executed else kept
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
        return (
            f'<p class="under">{rendered("caption", self.behind, record)}</p>{rendered("panel", self.behind, record)}'
        )

    def _figure(self, output: dict, artifact: str | None, heading: str, tables: list[str]) -> str:
        """HTML of a figure: the saved one, or of an own run the picture in the copy."""
        about, record = output.get("metadata", {}).get("image/png", {}), self.behind.record(artifact)
        alt = about.get("alt") or record.get("alt") or f"Figure in the section: {heading}"
        saved = bool(record) and not self.own_pictures and self.behind.has(f"{artifact}.svg")
        if saved:
            picture = rendered("picture", self.behind, artifact, "", "", alt)
        else:
            png = base64.b64decode("".join(output["data"]["image/png"]))
            place = f"pictures/{self.page}_{len(self.images) + 1}.png"
            self.images[place] = png
            picture = rendered("image", f"/{place}", shown_size(png, 100), f"/{place}", alt)
        explore = movable(record["explore"]) if saved and "explore" in record else ""
        return rendered("figure", self.behind, picture, record, tables, alt, explore)


def movable(explore: dict[str, Any]) -> Markup:
    """JSON of a picture to move, as it may stand in a page's script."""
    return Markup(json.dumps(explore, ensure_ascii=False).replace("</", "<\\/"))


def printed(text: str) -> str:
    """HTML of printed text: sentences are wrapped, columns are kept and scroll in a box."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).strip("\n")
    kind = "columns" if any(_IN_COLUMNS.search(line) for line in text.splitlines()) else "sentences"
    return f'<pre class="printed {kind}" tabindex="0">{escape(text)}</pre>' if text.strip() else ""


def _after_box(text: str, added: str) -> str:
    """Markdown with HTML after its first quoted block, the box of results; unchanged where it has none."""
    box = re.search(r"(?:^>.*\n?)+", text, re.MULTILINE)
    return f"{text[: box.end()]}\n{added}\n\n{text[box.end() :]}" if box and added else text


def _text(cell: dict) -> str:
    return "".join(cell["source"])


def _code(notebook: dict) -> list[str]:
    """The code of a notebook, less what papermill put in."""
    return [
        _text(cell)
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and "injected-parameters" not in cell["metadata"].get("tags", ())
    ]


def boxed(html: str) -> str:
    """HTML whose tables scroll inside a box of their own, with long cells wrapped; of a long table site.js shows the
    first rows."""
    html = re.sub(r"<style scoped>.*?</style>", "", html, flags=re.DOTALL)
    html = re.sub(r'(<table\b[^>]*?) border="1"', r"\1", html)
    html = html.replace('<div class="proctor-table" style="overflow-x:auto">', '<div class="proctor-table">')
    html = re.sub(r'<td(?: style="text-align:(?:left|right)")?>(?=[^<]{41})', '<td class="prose">', html)
    html = re.sub(r"<th\b[^>]*>[^<]+(?=</th>)", lambda head: head[0].replace("_", " "), html)
    html = re.sub(r"<table\b", '<div class="table-box" tabindex="0" role="region" aria-label="Table">\\g<0>', html)
    return html.replace("</table>", "</table></div>")
