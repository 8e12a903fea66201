"""Figures as part of a page of the site, and what stands behind one: its data, claim, inputs and parameters.

A saved SVG gets colours that follow the theme, and letters in the font of the figures:

    Drawn().inline(svg, "uq/fig_S10", 770, alt)     # HTML; afterwards Drawn.css() has the colours of the dark theme

In the dark theme each colour has its lightness turned round and its hue kept, so that what was readable on white is
readable on black, and text on a dark cell stays text on a light one.
"""

import colorsys
import io
import json
import logging
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
from proctor.report.site_check import Addresses

DATA = (("CSV", "csv"), ("Markdown", "md"))
PICTURES = (("SVG", "svg"), ("PNG", "png"))
PNG_PER_INCH, SHOWN_PER_INCH = 200, 110  # figures/ holds 200 dots an inch; the page shows an inch as so many pixels
WIDE = 500  # pixels; on a phone such a picture scrolls, so that its letters can be read


class Behind:
    """The records, claims and files of one folder of figures (the one that `addresses` knows). rows: the catalog."""

    def __init__(self, addresses: Addresses, rows: Sequence[Row] = ()):
        self.addresses = addresses
        self.rows = {output.rpartition(".")[0]: row.id for row in rows if row.kind in OWNERS for output in row.outputs}
        self.drawn = Drawn()
        self.claims: dict[str, Claim] = {claim.id: claim for claim in read_claims(addresses.figures)}

    def record(self, artifact: str | None) -> dict[str, Any]:
        """What figures/<artifact>.json says of an artifact, {} when there is none."""
        path = self.addresses.figures / f"{artifact}.json"
        return json.loads(path.read_text(encoding="utf-8")) if artifact and path.is_file() else {}

    def figures_of(self, claim: str) -> list[str]:
        """The figures that draw a claim, by its id; first those that draw it alone."""
        drawn = [(ids.index(claim), name) for name, ids in self._claims_drawn.items() if claim in ids]
        return [name for _, name in sorted(drawn)]

    @cached_property
    def _claims_drawn(self) -> dict[str, list[str]]:
        """{figure: the claims that it draws}."""
        pictures = [path.with_suffix("") for path in self.addresses.figures.glob("*/*.png")]
        names = [f"{path.parent.name}/{path.name}" for path in pictures]
        return {name: self.record(name).get("claim_ids", []) for name in names}

    def size(self, artifact: str) -> tuple[int, int]:
        """Width and height on a page of a saved figure."""
        return shown_size((self.addresses.figures / f"{artifact}.png").read_bytes(), PNG_PER_INCH)

    def picture(self, artifact: str, page: str, leads_to: str = "", part: str = "", alt: str = "") -> str:
        """HTML of a saved figure, as SVG that follows the theme, with a link to its file or to another address; empty
        where there is none. part: tells two copies on one page apart. alt: what it shows, else what its record says."""
        if not (address := self.addresses.figure(f"{artifact}.svg", page)):
            return ""
        svg = (self.addresses.figures / f"{artifact}.svg").read_text(encoding="utf-8")
        width, alt = self.size(artifact)[0], alt or self.record(artifact).get("alt", "")
        kind = ' class="wide"' if width > WIDE else ""
        return f'<a href="{leads_to or address}"{kind}>{self.drawn.inline(svg, artifact + part, width, alt)}</a>'

    def image(self, artifact: str, page: str, leads_to: str, alt: str) -> str:
        """HTML of a saved figure as PNG, with a link to an address; empty where there is none."""
        if not (source := self.addresses.figure(f"{artifact}.png", page)):
            return ""
        width, height = self.size(artifact)
        image = f'<img src="{source}" width="{width}" height="{height}" alt="{escape(alt)}" loading="lazy">'
        return f'<a href="{leads_to}">{image}</a>'

    def files(self, artifact: str, kinds: Sequence[tuple[str, str]], page: str) -> str:
        """HTML links to the files of an artifact that are there: "CSV · Markdown"."""
        return " · ".join(
            f'<a href="{address}">{kind}</a>'
            for kind, ending in kinds
            if (address := self.addresses.figure(f"{artifact}.{ending}", page))
        )

    def caption(self, record: dict[str, Any], page: str) -> str:
        """HTML of one line on an artifact with a record: evidence, name in the catalog, files."""
        artifact = record["artifact"]
        kinds = DATA if (self.addresses.figures / f"{artifact}.csv").is_file() else PICTURES
        name = f"<code>{escape(artifact)}</code>"
        if artifact in self.rows:
            name = f'<a href="{self.addresses.page("catalog", page)}#{self.rows[artifact]}">{name}</a>'
        files = self.files(artifact, (*kinds, ("record", "json")), page)
        return f'{badges(record["evidence"])} {name} <span class="files">{files}</span>'

    def panel(self, record: dict[str, Any], page: str, tables: Sequence[str] = ()) -> str:
        """HTML of a fold: what is seen, its claims, the `tables` that hold its numbers, inputs and parameters."""
        notebook = f"notebooks/{record['code']['notebook']}.ipynb"
        file = self.addresses.file(notebook, page)
        settings = record["parameters"] | ({} if record["seed"] is None else {"seed": record["seed"]})
        parts = {
            "In words": escape(record.get("alt", "")),
            "Claim": "<br>".join(self._claim(id) for id in record.get("claim_ids", ()) if id in self.claims),
            "Data": "<br>".join(f"<code>{escape(table)}</code> {self.files(table, DATA, page)}" for table in tables),
            "Note": escape(record["note"]),
            "Read": "<br>".join(self._input(one, page) for one in record["inputs"]),
            "Run with": ", ".join(
                f"<code>{escape(name)} = {escape(json.dumps(value, ensure_ascii=False))}</code>"
                for name, value in settings.items()
            ),
            "Made by": (f'<a href="{file}" download>{notebook}</a>, ' if file else "")
            + ", ".join(f"{name} {version}" for name, version in record["code"]["versions"].items()),
        }
        lines = "".join(f"<dt>{name}</dt><dd>{html}</dd>" for name, html in parts.items() if html)
        return f'<details class="behind"><summary>Data and provenance</summary><dl>{lines}</dl></details>'

    def _claim(self, id: str) -> str:
        claim = self.claims[id]
        about = "; ".join(filter(None, (claim.numbers, claim.evidence)))
        return f"{verdict(claim)}: {escape(claim.sentence)} <small>({escape(about)}; <code>{escape(id)}</code>)</small>"

    def _input(self, one: dict[str, str], page: str) -> str:
        address = self.addresses.file(one["path"], page)
        name = f'<a href="{address}">{escape(one["path"])}</a>' if address else escape(one["path"])
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


FONT = "DejaVu Sans"
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_STYLE = re.compile(r'style="[^"]*"')
_LEFT_OUT = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL)


class Drawn:
    """The figures of one site; `colours`: all that they have."""

    def __init__(self) -> None:
        self.colours = {"#000000"}

    def inline(self, svg: str, name: str, width: int, alt: str) -> str:
        """The SVG as an element of a page, `width` pixels wide where there is room. name: makes its ids its own.
        alt: what it shows."""
        own = re.sub(r"\W", "-", name)
        text = _LEFT_OUT.sub("", svg).strip()
        text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{own}-", text)
        text = text.replace("xlink:href", "href").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
        text = _STYLE.sub(lambda style: _COLOUR.sub(self._variable, style[0]), text)
        text = re.sub(r">\s*\n\s*<", "><", text).replace("\n", " ")
        head, rest = text.split(">", 1)
        head = re.sub(r' (?:width|height|role)="[^"]*"', "", head).replace(
            "<svg", f'<svg class="drawn" width="{width}"', 1
        )
        return f'{head} role="img" aria-label="{escape(alt)}">{rest}'

    def css(self) -> str:
        """The dark theme's colours, and the font."""
        dark = "".join(f"--c{colour[1:]}:{turned(colour)};" for colour in sorted(self.colours))
        faces = "".join(
            f'@font-face{{font-family:"{FONT}";font-weight:{weight};src:url(fonts/{file}.woff)format("woff")}}\n'
            for file, weight in (("DejaVuSans", 400), ("DejaVuSans-Bold", 700))
        )
        return f'{faces}html[data-theme="dark"]{{{dark}}}\n'

    def _variable(self, found: re.Match) -> str:
        self.colours.add(found[0])
        return f"var(--c{found[0][1:]},{found[0]})"


def turned(colour: str) -> str:
    """A colour for the dark theme: the same hue, its lightness turned round between the page's ground and white.

    >>> turned("#ffffff"), turned("#000000"), turned("#0072b2")
    ('#121212', '#f5f5f5', '#4cbfff')
    """
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    parts = colorsys.hls_to_rgb(hue, 0.96 - 0.89 * lightness, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def write_fonts(folder: Path) -> None:
    """Latin and Greek letters and the signs of the figures' font, as matplotlib brings it, with its licence."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    source = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    folder.mkdir(parents=True)
    signs = "●○–—‘’“”…−→←↑↓⇄±×≤≥≠≈✓✗√∞∑"
    kept = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x391, 0x3CA), *map(ord, signs)]
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it would list each glyph
    for file in ("DejaVuSans", "DejaVuSans-Bold"):
        font, buffer = TTFont(source / f"{file}.ttf"), io.BytesIO()
        subsetter = Subsetter(
            Options(hinting=False, layout_features=[], drop_tables=["FFTM", "DSIG", "MATH", "GPOS", "GSUB"])
        )
        subsetter.populate(unicodes=kept)
        subsetter.subset(font)
        font.flavor = "woff"
        font.save(buffer)
        (folder / f"{file}.woff").write_bytes(buffer.getvalue())
    (folder / "LICENSE_DEJAVU").write_bytes((source / "LICENSE_DEJAVU").read_bytes())
