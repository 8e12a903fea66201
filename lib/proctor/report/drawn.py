"""Is the number that a figure's title rests on drawn in it?

is_drawn(fig, 0.42)        # as a mark, the end of a bar, a cell of a heatmap, or a text
"""

import re
from collections.abc import Iterator

import numpy as np
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from proctor.report.frame import GID

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
            if isinstance(artist, Line2D):
                yield np.asarray(artist.get_xydata(), float)
            elif isinstance(artist, AxesImage):
                yield np.ma.filled(np.ma.asarray(artist.get_array(), float), np.nan)
            elif isinstance(artist, Rectangle):
                yield np.array([*artist.get_bbox().get_points().ravel(), artist.get_width(), artist.get_height()])
            elif isinstance(artist, Collection):
                yield np.ma.filled(np.ma.asarray(artist.get_offsets(), float), np.nan)
                if artist.get_array() is not None:
                    yield np.ma.filled(np.ma.asarray(artist.get_array(), float), np.nan)


def _numbers(fig: Figure) -> Iterator[tuple[float, float]]:
    """Each number in the texts of the figure, without labels and ticks of axes, with half a unit of its last digit."""
    texts = [*fig.texts, *(child for ax in fig.axes for child in ax.get_children() if isinstance(child, Text))]
    for text in texts:
        if text.get_gid() != GID:
            for found in _NUMBER.findall(text.get_text()):
                digits = found.partition(".")[2]
                yield float(found.replace(",", "").replace("−", "-")), 0.5 * 10.0 ** -len(digits)
