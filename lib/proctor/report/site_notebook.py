"""A page of the site from an executed notebook: code folded, and with saved figures and tables what stands behind them,
the records, claims and files of figures/. MyST-NB shows all else that cells print.

A saved SVG is an element of the page, so that its letters have the font of the figures (site.css) and a search finds
them; site.css turns its colours round in the dark theme.

All pages are templates in site_templates/; parts.html has the HTML that several of them show. Addresses are those of
the repository, "/figures/uq/fig_S10.svg"; `site.lead_links` makes them the page's own.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from PIL import Image

from proctor.report.catalog import OWNERS, Row, claims_of
from proctor.report.claims import MARKS, VERDICTS, Claim, read_claims
from proctor.workflow.notebook import Notebook
from proctor.workflow.receipts import records

BINDER = os.environ.get("PROCTOR_BINDER", "")  # e.g. https://mybinder.org/v2/gh/<owner>/<repository>/HEAD
# A formula on lines of its own: Jupyter needs no empty lines around it, others do.
DISPLAYED = re.compile(r"^\$\$(.+?)\$\$[ \t]*$", re.MULTILINE | re.DOTALL)
_WIDGET = "application/vnd.jupyter.widget-view+json"  # needs a kernel
_FOLDED = {"tags": ["hide-input"]}
_SOLUTION = {  # of an exercise: code and output in one fold
    "tags": ["hide-cell"],
    "mystnb": {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"},
}
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
        made = [(output.rpartition(".")[0], row) for row in catalog if row.kind in OWNERS for output in row.outputs]
        self.rows = {name: row.id for name, row in made}
        self.published = {name: row.compared_with for name, row in made if row.kind == "figure"}
        self.claims: dict[str, Claim] = {claim.id: claim for claim in read_claims(figures)}
        blank = {"alt": "", "claim_ids": []}  # a table's record has neither
        self.records: dict[str, dict[str, Any]] = {name: blank | one for name, one in records(figures).items()}

    def has(self, file: str) -> bool:
        """Whether there is a file of figures, such as uq/fig_S10.svg."""
        return (self.figures / file).is_file()

    def has_file(self, name: str) -> bool:
        """Whether the checkout has a file, such as data/catalog.csv."""
        return (self.root / name).is_file()

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
        drawn = [name for name, one in self.records.items() if claim in one["claim_ids"]]
        return sorted(drawn, key=lambda name: self.records[name]["claim_ids"].index(claim))

    def made_by(self, notebook: str, ending: str) -> list[str]:
        """What a notebook saves, but for its claims: figures (ending "png"), tables ("csv"), or all ("json")."""
        own = [name for name, one in self.records.items() if one["code"]["notebook"] == notebook]
        return [name for name in own if self.has(f"{name}.{ending}") and "/claims_" not in name]

    def drawn_by(self, row: Row) -> str:
        """The first figure among the outputs of a row that is there; "" for none."""
        figures = [output.removesuffix(".svg") for output in row.outputs if output.endswith(".svg")]
        return next((name for name in figures if self.has(f"{name}.png")), "")

    def size(self, artifact: str) -> tuple[int, int]:
        """Width and height on a page, an inch as 110 pixels, of a saved figure, which has 200 dots an inch."""
        with Image.open(self.figures / f"{artifact}.png") as picture:
            return round(picture.width * 110 / 200), round(picture.height * 110 / 200)

    def svg(self, artifact: str, part: str = "") -> Markup:
        """A saved figure as an element of a page. part: tells two copies on one page apart."""
        text = (self.figures / f"{artifact}.svg").read_text(encoding="utf-8")
        return Markup(inline(text, artifact + part, self.size(artifact)[0], self.records[artifact]["alt"]))


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

    source: the file under notebooks/. executed: the copy that wrote the figures which `behind` knows; one that is not
    there, or that ran other code, is not shown. defaults: whether it ran as `make reproduce` runs it by default.
    """

    def __init__(self, source: Path, executed: Path, behind: Behind, defaults: bool = True):
        self.behind = behind
        self.page = source.relative_to(behind.root).with_suffix("").as_posix()  # such as notebooks/uq/3_validators
        self.name = self.page.removeprefix("notebooks/")
        original, run = Notebook(source), Notebook(executed)
        self.executed = executed.is_file() and _code(run) == _code(original)
        self.content = (run if self.executed else original).content
        self.parameters = {} if defaults else self.content["metadata"].get("papermill", {}).get("parameters", {})

    @property
    def binder(self) -> str:
        """The address of the notebook on Binder, "" where none is configured."""
        return BINDER and f"{BINDER}?urlpath=lab/tree/{self.page}.ipynb"

    @property
    def title(self) -> str:
        """The heading that it begins with."""
        return _text(self.content["cells"][0]).partition("\n")[0].removeprefix("# ")

    @property
    def short_title(self) -> str:
        """Its name in the sidebar: "uq/4_bias_and_ranking" -> "4 Bias and ranking"."""
        number, words = re.findall(r"^(\d+[a-z]?)?_?(.*)$", self.name.rpartition("/")[2])[0]
        return f"{number} {words[:1].upper()}{words[1:].replace('_', ' ')}".strip()

    @property
    def run_with(self) -> str:
        """ "n = 3, seed = 7": what the copy was given in the place of defaults."""
        return ", ".join(f"{name} = {value!r}" for name, value in self.parameters.items())

    def lead(self) -> str:
        """HTML of the picture under the box of results: of the first finding that has one. Empty where none has."""
        box = "\n".join(re.findall(r"^>.*", _text(self.content["cells"][0]), re.MULTILINE))
        named = re.findall(r"figures/([a-z_]+/\w+)\.(?:svg|png)", box)
        for id in re.findall(r"`([a-z_]+/[\w.]+)`", box):
            named += self.behind.figures_of(id)
        for name in named:
            if self.behind.has(f"{name}.svg"):
                return f'<figure class="artifact lead">{rendered("picture", self.behind, name, "", "-lead")}</figure>'
        return ""

    def build(self) -> dict:
        """The notebook for Sphinx."""
        cells: list[dict[str, Any]] = []
        for number, cell in enumerate(self.content["cells"]):
            text = _text(cell)
            if cell["cell_type"] == "markdown":
                text = DISPLAYED.sub(r"\n\g<0>\n", text)
                if number == 0:
                    title, _, text = text.partition("\n")
                    text = f"{title}\n\n{rendered('note', self)}\n\n{_after_box(text, self.lead())}"
                cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
            elif cell["cell_type"] == "code" and text.strip():
                metadata = _SOLUTION if "solution" in cell["metadata"].get("tags", ()) else _FOLDED
                if cells and cells[-1]["metadata"] == metadata == _FOLDED and not cells[-1]["outputs"]:
                    # one fold for code that shows nothing by itself
                    text = cells.pop()["source"].rstrip() + "\n\n" + text
                outputs = [self._shown(output) for output in cell["outputs"] if _WIDGET not in output.get("data", {})]
                code = {"cell_type": "code", "metadata": metadata, "execution_count": None}
                cells.append(code | {"source": text, "outputs": outputs})
        return self.content | {"cells": cells, "nbformat_minor": 4}  # before cells had ids

    def _shown(self, output: dict[str, Any]) -> dict[str, Any]:
        """An output as the page shows it: a saved figure or table with what stands behind it."""
        data, name = output.get("data", {}), output.get("metadata", {}).get("artifact")
        record = self.behind.records.get(name)
        if record and self.behind.has(f"{name}.svg"):
            data = {"text/html": rendered("figure", self.behind, record)}
        elif record and "text/markdown" in data:
            table = table_of("".join(data["text/markdown"]))
            data = {"text/markdown": f"{table}\n\n{rendered('under', self.behind, record)}"}
        elif "text/html" in data:
            data = {"text/html": boxed("".join(data["text/html"]))}
        else:
            return output
        return {"output_type": "display_data", "metadata": {}, "data": data}


def table_of(markdown: str) -> str:
    """A saved table in Markdown, its heads in words, without the line of evidence, which the page shows below it."""
    head = re.compile(r"^\|.*$", re.MULTILINE)
    return head.sub(lambda line: line[0].replace(r"\_", " "), markdown.rpartition("\n\n*")[0], count=1)


def _after_box(text: str, added: str) -> str:
    """Markdown with HTML after its first quoted block, the box of results; unchanged where it has none."""
    box = re.search(r"(?:^>.*\n?)+", text, re.MULTILINE)
    return f"{text[: box.end()]}\n{added}\n\n{text[box.end() :]}" if box and added else text


def _text(cell: dict) -> str:
    return "".join(cell["source"])


def _code(notebook: Notebook) -> list[str]:
    """The code of a notebook, less what papermill put in."""
    return [cell.source for cell in notebook.code if "injected-parameters" not in cell.tags]


def boxed(html: str) -> str:
    """HTML of pandas whose tables scroll inside a box of their own; of a long one site.js shows the first rows."""
    html = re.sub(r"<style scoped>.*?</style>", "", html, flags=re.DOTALL).replace(' border="1"', "")
    html = html.replace("<table", '<div class="table-box" tabindex="0" role="region" aria-label="Table"><table')
    return html.replace("</table>", "</table></div>")
