"""What a saved figure must keep to, and the claim that is drawn above it.

    box = frame(fig, "uq/fig_S10", ("measured",), "Judges reject most right answers", "holds", "+25 points [+3, +50]")
    fig.savefig(path, bbox_inches=box)

The header (evidence, claim, numbers) and the footer (the artifact's name) lie in strips outside the figure as it
was drawn: they never cover data, the figure grows in height, and its width stays.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axis import Axis, Tick
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox

from proctor.report.claims import MARKS
from proctor.report.roles import GREY

WIDTHS = COLUMN, FULL = 3.4, 7.0  # inches
SMALLEST = 6.0  # points, at the width that the figure is made for
TOLERANCE = 0.02  # inches
GID = "frame"
TAG, TITLE, NUMBERS, NAME = 7.5, 9.0, 7.0, 6.0  # points
_MARGIN = 3.0  # points, on both sides
_INK = "#1A1A1A"
_TAGS = {  # as the marks: hollow, filled, dashed
    "published": ("white", "-"),
    "reconstructed": ("white", "-"),
    "measured": ("#DDDDDD", "-"),
    "logged": ("#DDDDDD", "-"),
    "simulated": ("white", "--"),
}


def refuse(faults: str) -> None:
    raise ValueError(faults)


def frame(
    fig: Figure,
    name: str,
    evidence: Sequence[str],
    title: str,
    verdict: str = "",
    numbers: str = "",
    complain: Callable[[str], None] = refuse,
) -> Bbox:
    """Check the figure, draw header and footer, and return what to save, in inches.

    Fixes the layout: SVG and PNG share it, and a second call draws the same. complain: takes the text with all faults
    (default: raises it as ValueError).
    """
    for old in [drawn for drawn in fig.texts if drawn.get_gid() == GID]:
        old.remove()
    if engine := fig.get_layout_engine():
        engine.execute(fig)
        fig.set_layout_engine("none")
    for legend in fig.legends:
        legend.set_bbox_to_anchor((0, 0, 1, 1), fig.transFigure)  # else it follows the crop
    if found := faults(fig):
        complain("\n".join(f"{name}: {fault}" for fault in found))
    width, height = fig.get_size_inches()
    top = _header(fig, evidence, title, verdict, numbers)
    _place(fig, 72 * width - _MARGIN, -2, name, NAME, color=GREY, ha="right", va="top")
    return Bbox.from_extents(0, -(NAME + 5) / 72, width, height + top / 72)


def faults(fig: Figure) -> list[str]:
    """What the house rules find wrong with a figure whose layout is drawn, one line each."""
    width, height = fig.get_size_inches()
    found = []
    if not any(abs(width - allowed) < 1e-6 for allowed in WIDTHS):
        found.append(
            f"width is {width:g} inches; use COLUMN ({COLUMN}) or FULL ({FULL}) of proctor.report.figures: "
            "fig, ax = axes(width=FULL), or figsize=(FULL, height)"
        )
    if fig.get_suptitle():
        found.append(f"suptitle {fig.get_suptitle()!r}; leave it out, the claim is the title")
    texts = list(visible_texts(fig))
    sizes = {(float(text.get_fontsize()), text.get_text()) for text in texts}
    small = sorted((size, text) for size, text in sizes if size < SMALLEST - 1e-6)
    found += [f"{text!r} is {size:.3g} pt; the least is {SMALLEST:g} pt" for size, text in small[:5]]
    page = Bbox.from_bounds(0, 0, width, height).padded(TOLERANCE)
    drawn = fig.get_tightbbox()
    if not _inside(drawn, page):
        cut = [text.get_text() for text in texts if not _inside(_inches(text, fig), page)]
        sides = {"left": -drawn.x0, "bottom": -drawn.y0, "right": drawn.x1 - width, "top": drawn.y1 - height}
        over = ", ".join(f"{side} by {much:.2f} in" for side, much in sides.items() if much > TOLERANCE)
        found.append(f"something leaves the canvas ({over})" + (f": {', '.join(map(repr, cut[:5]))}" if cut else ""))
    found += [
        f"tick labels overlap: {one!r} and {other!r}; fewer ticks, shorter names or more room"
        for one, other in _overlapping(fig)
    ]
    return found


def visible_texts(artist: Artist) -> Iterator[Text]:
    """Every text below `artist` that is drawn."""
    if isinstance(artist, Text) and artist.get_text().strip():
        yield artist
    below = [artist.label, artist.offsetText, *_ticks(artist)] if isinstance(artist, Axis) else artist.get_children()
    for child in below:
        if child.get_visible() and (not isinstance(child, Axis) or getattr(artist, "axison", True)):
            yield from visible_texts(child)


def _ticks(axis: Axis) -> list[Tick]:
    """Those within the axis' limits."""
    return axis._update_ticks()  # type: ignore[attr-defined]  # nothing public leaves out ticks beyond the limits


def wrapped(text: str, size: float, width: float, weight: str = "normal") -> list[str]:
    """`text` in lines no wider than `width`; both in points. A single word may be wider."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size, weight) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """In points, in the figures' font."""
    font = FontProperties(family=matplotlib.rcParams["font.family"], size=size, weight=weight)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]


def _header(fig: Figure, evidence: Sequence[str], title: str, verdict: str, numbers: str) -> float:
    """Draw the header and return its height in points."""
    width, height = 72 * fig.get_size_inches()
    room = width - 2 * _MARGIN
    titles, details = wrapped(title, TITLE, room, "bold"), wrapped(numbers, NUMBERS, room)
    chip = f"{MARKS[verdict]} {verdict}" if verdict else ""
    tags = sum(text_width(kind, TAG) + 11 for kind in evidence)
    below = 14.0 if chip and tags + text_width(chip, TAG) + 8 > room else 0.0  # four tags or more fill a column's width
    total = 18.5 + below + 11.5 * len(titles) + 9.5 * len(details) + 5
    y = height + total - 3
    x = _MARGIN + 3
    for kind in evidence:  # all five have room in a column's width
        face, line = _TAGS[kind]
        box = dict(boxstyle="round,pad=0.25", facecolor=face, edgecolor=GREY, linewidth=0.6, linestyle=line)
        _place(fig, x, y - 6.5, kind, TAG, va="center_baseline", color=_INK, bbox=box)
        x += text_width(kind, TAG) + 11
    y -= below
    if chip:
        box = dict(boxstyle="round,pad=0.25", facecolor=_INK, linewidth=0)
        _place(fig, width - _MARGIN - 3, y - 6.5, chip, TAG, va="center_baseline", ha="right", color="white", bbox=box)
    y -= 15.5
    for lines, size, step, colour, weight in (
        (titles, TITLE, 11.5, _INK, "bold"),
        (details, NUMBERS, 9.5, GREY, "normal"),
    ):
        for line in lines:
            y -= step
            _place(fig, _MARGIN, y + 0.25 * size, line, size, color=colour, va="baseline", weight=weight)
    return total


def _place(fig: Figure, x: float, y: float, text: str, size: float, **how) -> None:
    width, height = 72 * fig.get_size_inches()
    fig.text(x / width, y / height, text, fontsize=size, gid=GID, parse_math=False, **how)


def _overlapping(fig: Figure) -> Iterator[tuple[str, str]]:
    """The first overlapping pair of neighbouring tick labels of each axis (slanted labels are not judged)."""
    for ax in fig.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if not (ax.get_visible() and ax.axison and axis.get_visible()):
                continue
            labels = [label for tick in _ticks(axis) if tick.get_visible() for label in visible_texts(tick)]
            boxes = [(label.get_text(), _inches(label, fig)) for label in labels if label.get_rotation() % 90 == 0]
            for (label, box), (other, next_box) in pairwise(boxes):
                shared = Bbox.intersection(box, next_box)
                if shared and shared.width > 0.01 and shared.height > 0.3 * min(box.height, next_box.height):
                    yield label, other
                    break


def _inches(text: Text, fig: Figure) -> Bbox:
    return Bbox(text.get_window_extent().get_points() / fig.dpi)


def _inside(box: Bbox, page: Bbox) -> bool:
    return bool(box.x0 >= page.x0 and box.y0 >= page.y0 and box.x1 <= page.x1 and box.y1 <= page.y1)


_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")


def is_drawn(fig: Figure, value: float) -> bool:
    """Whether some mark, line, bar, cell or text of the figure stands at `value`, up to the rounding of its text."""
    marks = np.concatenate([np.ravel(part) for part in _marks(fig)] or [np.empty(0)])
    if np.isclose(marks, value, rtol=1e-3, atol=1e-9).any():
        return True
    return any(abs(number - value) <= min(half * 1.01, abs(value) / 10) for number, half in _numbers(fig))


def _marks(fig: Figure) -> Iterator[np.ndarray]:
    for ax in fig.axes:
        for artist in ax.get_children():
            if isinstance(artist, Rectangle):
                yield np.array([*artist.get_bbox().get_points().ravel(), artist.get_width(), artist.get_height()])
            for read in ("get_xydata", "get_offsets", "get_array"):  # of lines, collections and images
                values = getattr(artist, read, lambda: None)()
                if values is not None:
                    yield np.ma.filled(np.ma.asarray(values, float), np.nan)


def _numbers(fig: Figure) -> Iterator[tuple[float, float]]:
    """Each number in the texts of the figure, without labels and ticks of axes, with half a unit of its last digit."""
    texts = [*fig.texts, *(child for ax in fig.axes for child in ax.get_children() if isinstance(child, Text))]
    for text in texts:
        if text.get_gid() != GID:
            for found in _NUMBER.findall(text.get_text()):
                digits = found.partition(".")[2]
                yield float(found.replace(",", "").replace("−", "-")), 0.5 * 10.0 ** -len(digits)
