"""Figures as part of a page of the site, and what stands behind one: its data, claim, inputs and parameters.

A saved SVG is an element of the page, so that its letters have the font of the figures (site.css) and a search finds
them; site.css turns its colours round in the dark theme.

Addresses are those of the repository, "/figures/uq/fig_S10.svg"; site_check.lead_links makes them the page's own.
"""

import json
import re
import struct
from collections.abc import Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import matplotlib

from proctor.report.catalog import OWNERS, Row
from proctor.report.claims import MARKS, Claim, read_claims

DATA = (("CSV", "csv"), ("Markdown", "md"))
PICTURES = (("SVG", "svg"), ("PNG", "png"))
PNG_PER_INCH, SHOWN_PER_INCH = 200, 110  # figures/ holds 200 dots an inch; the page shows an inch as so many pixels
WIDE = 500  # pixels; on a phone such a picture scrolls, so that its letters can be read


class Behind:
    """The records, claims and files of a folder of figures of the checkout `root`. rows: the catalog."""

    def __init__(self, root: Path, figures: Path, rows: Sequence[Row] = ()):
        self.root, self.figures = root, figures
        self.rows = {output.rpartition(".")[0]: row.id for row in rows if row.kind in OWNERS for output in row.outputs}
        self.claims: dict[str, Claim] = {claim.id: claim for claim in read_claims(figures)}

    def has(self, file: str) -> bool:
        """Whether there is a file of figures, such as uq/fig_S10.svg."""
        return (self.figures / file).is_file()

    def has_notebook(self, name: str) -> bool:
        """Whether there is a notebook, such as uq/6_agreement; its page is /notebooks/uq/6_agreement.html."""
        return (self.root / "notebooks" / f"{name}.ipynb").is_file()

    def record(self, artifact: str | None) -> dict[str, Any]:
        """What figures/<artifact>.json says of an artifact, {} when there is none."""
        path = self.figures / f"{artifact}.json"
        return json.loads(path.read_text(encoding="utf-8")) if artifact and path.is_file() else {}

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

    def size(self, artifact: str) -> tuple[int, int]:
        """Width and height on a page of a saved figure."""
        return shown_size((self.figures / f"{artifact}.png").read_bytes(), PNG_PER_INCH)

    def picture(self, artifact: str, leads_to: str = "", part: str = "", alt: str = "") -> str:
        """HTML of a saved figure, as SVG that follows the theme, with a link to its file or to another address; empty
        where there is none. part: tells two copies on one page apart. alt: what it shows, else what its record says."""
        if not self.has(f"{artifact}.svg"):
            return ""
        svg = (self.figures / f"{artifact}.svg").read_text(encoding="utf-8")
        width, alt = self.size(artifact)[0], alt or self.record(artifact).get("alt", "")
        kind = ' class="wide"' if width > WIDE else ""
        address = leads_to or f"/figures/{artifact}.svg"
        return f'<a href="{address}"{kind}>{inline(svg, artifact + part, width, alt)}</a>'

    def image(self, artifact: str, leads_to: str, alt: str) -> str:
        """HTML of a saved figure as PNG, with a link to an address; empty where there is none."""
        if not self.has(f"{artifact}.png"):
            return ""
        width, height = self.size(artifact)
        source = f"/figures/{artifact}.png"
        image = f'<img src="{source}" width="{width}" height="{height}" alt="{escape(alt)}" loading="lazy">'
        return f'<a href="{leads_to}">{image}</a>'

    def files(self, artifact: str, kinds: Sequence[tuple[str, str]]) -> str:
        """HTML links to the files of an artifact that are there: "CSV · Markdown"."""
        files = {kind: f"{artifact}.{ending}" for kind, ending in kinds}
        return " · ".join(f'<a href="/figures/{file}">{kind}</a>' for kind, file in files.items() if self.has(file))

    def caption(self, record: dict[str, Any]) -> str:
        """HTML of one line on an artifact with a record: evidence, name in the catalog, files."""
        artifact = record["artifact"]
        kinds = DATA if self.has(f"{artifact}.csv") else PICTURES
        name = f"<code>{escape(artifact)}</code>"
        if artifact in self.rows:
            name = f'<a href="/catalog.html#{self.rows[artifact]}">{name}</a>'
        files = self.files(artifact, (*kinds, ("record", "json")))
        return f'{badges(record["evidence"])} {name} <span class="files">{files}</span>'

    def panel(self, record: dict[str, Any], tables: Sequence[str] = ()) -> str:
        """HTML of a fold: what is seen, its claims, the `tables` that hold its numbers, inputs and parameters."""
        name, notebook = record["code"]["notebook"], f"notebooks/{record['code']['notebook']}.ipynb"
        settings = record["parameters"] | ({} if record["seed"] is None else {"seed": record["seed"]})
        parts = {
            "In words": escape(record.get("alt", "")),
            "Claim": "<br>".join(self._claim(id) for id in record.get("claim_ids", ()) if id in self.claims),
            "Data": "<br>".join(f"<code>{escape(table)}</code> {self.files(table, DATA)}" for table in tables),
            "Note": escape(record["note"]),
            "Read": "<br>".join(self._input(one) for one in record["inputs"]),
            "Run with": ", ".join(
                f"<code>{escape(name)} = {escape(json.dumps(value, ensure_ascii=False))}</code>"
                for name, value in settings.items()
            ),
            "Made by": (f'<a href="/{notebook}" download>{notebook}</a>, ' if self.has_notebook(name) else "")
            + ", ".join(f"{name} {version}" for name, version in record["code"]["versions"].items()),
        }
        lines = "".join(f"<dt>{name}</dt><dd>{html}</dd>" for name, html in parts.items() if html)
        return f'<details class="behind"><summary>Data and provenance</summary><dl>{lines}</dl></details>'

    def _claim(self, id: str) -> str:
        claim = self.claims[id]
        about = "; ".join(filter(None, (claim.numbers, claim.evidence)))
        return f"{verdict(claim)}: {escape(claim.sentence)} <small>({escape(about)}; <code>{escape(id)}</code>)</small>"

    def _input(self, one: dict[str, str]) -> str:
        name = escape(one["path"])
        if (self.root / one["path"]).is_file():
            name = f'<a href="/{name}">{name}</a>'
        return f"{name} <small>SHA-256 {one['sha256'][:12]}…</small>"


def shown_size(png: bytes, per_inch: int) -> tuple[int, int]:
    """Width and height on a page of a PNG of so many pixels an inch."""
    width, height = (round(pixels * SHOWN_PER_INCH / per_inch) for pixels in struct.unpack(">II", png[16:24]))
    return width, height


def verdict(claim: Claim) -> str:
    """HTML of a claim's verdict, as a mark and in words."""
    return f'<span class="verdict {claim.verdict.replace(" ", "-")}">{MARKS[claim.verdict]} {claim.verdict}</span>'


def badges(evidence: str) -> str:
    """HTML labels of "published + measured"."""
    kinds = [kind.strip() for kind in evidence.split("+") if kind.strip()]
    return " ".join(f'<span class="evidence {kind}">{kind}</span>' for kind in kinds)


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
