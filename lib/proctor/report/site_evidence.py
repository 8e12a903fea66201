"""What stands behind the pages of the site: the records, claims and files of figures/, and figures as part of a page.

A saved SVG is an element of the page, so that its letters have the font of the figures (site.css) and a search finds
them; site.css turns its colours round in the dark theme.

The pages are templates in site_templates/; parts.html has the HTML that several of them show. Addresses are those of
the repository, "/figures/uq/fig_S10.svg"; `site.lead_links` makes them the page's own.
"""

import json
import re
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import matplotlib
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from proctor.report.catalog import OWNERS, Row, claims_of
from proctor.report.claims import MARKS, VERDICTS, Claim, read_claims

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


def write_fonts(folder: Path) -> None:
    """Latin and Greek letters and the signs of the figures' font, as matplotlib brings it, with its licence."""
    from fontTools import subset

    source = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    folder.mkdir(parents=True)
    kept = ["--unicodes=20-7E,A0-17F,391-3C9", "--text=●○–—‘’“”…−→←↑↓⇄±×≤≥≠≈✓✗√∞∑"]
    for file in ("DejaVuSans", "DejaVuSans-Bold"):
        lean = ["--flavor=woff", "--no-hinting", "--layout-features=", "--drop-tables+=FFTM,MATH,GPOS,GSUB"]
        subset.main([str(source / f"{file}.ttf"), f"--output-file={folder / file}.woff", *kept, *lean])
    (folder / "LICENSE_DEJAVU").write_bytes((source / "LICENSE_DEJAVU").read_bytes())
