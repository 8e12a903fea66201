"""Figures as part of a page: saved SVG whose colours follow the theme and whose letters have the font of the figures.

    Drawn().inline(svg, "uq/fig_S10", 770, alt)     # HTML; afterwards Drawn.css() has the colours of the dark theme

In the dark theme each colour has its lightness turned round and its hue kept, so that what was readable on white is
readable on black, and text on a dark cell stays text on a light one.
"""

import colorsys
import io
import logging
import re
from html import escape
from pathlib import Path

import matplotlib

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
