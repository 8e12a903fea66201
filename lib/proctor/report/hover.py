"""Values that a mouse shows: a <title> for each point and bar of a figure's SVG.

names = name_marks(fig)                 # before it is drawn: what each mark shows
svg = with_values(svg, names)           # afterwards: "GPT-5: 25.6"
"""

import html
import re
from collections.abc import Mapping

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

MOST = 200  # marks of a series with titles: beyond that a dot is too small to be met


def name_marks(fig: Figure) -> dict[str, list[str]]:
    """{id in the SVG: what each of its marks shows}; gives the artists these ids."""
    found: dict[str, list[str]] = {}
    for ax in fig.axes:
        bars = [bar for group in ax.containers if isinstance(group, BarContainer) for bar in group]
        for artist in [*bars, *ax.lines, *ax.collections]:
            said = [_said(ax, x, y) for x, y in _places(ax, artist) if np.isfinite([x, y]).all()]
            if 0 < len(said) <= MOST and artist.get_gid() is None:
                name = f"mark_{len(found) + 1}"
                found[name] = said
                artist.set_gid(name)
    return found


def with_values(svg: str, names: Mapping[str, list[str]]) -> str:
    """The SVG with a <title> in each mark; a series of which not all marks are drawn gets none."""
    for name, said in names.items():
        if not (found := re.search(rf'^( *)<g id="{name}">.*?^\1</g>', svg, re.DOTALL | re.MULTILINE)):
            continue
        pieces = re.split("(<use [^>]*)/>", found[0])  # text, mark, text, mark, ... text
        titles = [f"<title>{html.escape(text, quote=False)}</title>" for text in said]
        if len(pieces) == 2 * len(titles) + 1:
            pieces[1::2] = [f"{mark}>{title}</use>" for mark, title in zip(pieces[1::2], titles)]
        elif len(pieces) == len(titles) == 1:
            pieces = [found[0].replace(">", f">{titles[0]}", 1)]
        svg = svg[: found.start()] + "".join(pieces) + svg[found.end() :]
    return svg


def _places(ax: Axes, artist: Artist) -> np.ndarray:
    """(marks, 2): where the marks of an artist stand; a bar stands at its length."""
    if isinstance(artist, Rectangle):
        (x, y), width, height = artist.get_center(), artist.get_width(), artist.get_height()
        return np.array([(width, y) if _words(ax.yaxis) else (x, height)])
    if isinstance(artist, Line2D) and artist.get_marker() != "None" and artist.get_transform() == ax.transData:
        return np.asarray(artist.get_xydata(), float)
    if isinstance(artist, PathCollection):
        return np.ma.filled(np.ma.asarray(artist.get_offsets(), float), np.nan)
    return np.empty((0, 2))


def _said(ax: Axes, x: float, y: float) -> str:
    """A mark by the label of its row or column and its value; else by both values."""
    for axis, place, value in ((ax.yaxis, y, x), (ax.xaxis, x, y)):
        if labels := _words(axis):
            return f"{labels[min(labels, key=lambda tick: abs(tick - place))]}: {value:.4g}"
    return f"{x:.4g}, {y:.4g}"


def _words(axis: Axis) -> dict[float, str]:
    """{place: label} of an axis that names things; of one with numbers none."""
    labels = {at: " ".join(text.get_text().split()) for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels())}
    return labels if any(re.search(r"[^\W\d]{2}", label) for label in labels.values()) else {}
