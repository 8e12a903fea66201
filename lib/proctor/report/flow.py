"""Workflow diagrams: boxes on a grid, arrows between them, counts written in.

fig, ax = axes(width=FULL, height=1.6)
flow(ax, {"all": (0, 0, "500 questions"), "kept": (1, 0, "480 kept", "right"), "out": (1, 1, "20 left out")},
     [("all", "kept"), ("all", "out", "no answer")])
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from proctor.report.frame import text_width, wrapped
from proctor.report.roles import GREY, role


class Box(NamedTuple):
    """column, row: place on the grid, from 0 at the top left, fractions allowed. role: its colour (default: grey)."""

    column: float
    row: float
    text: str
    role: str | None = None


class Arrow(NamedTuple):
    """From one box to another, by name. bend: how far it curves to its left (negative: to its right), 0 is straight."""

    source: str
    target: str
    label: str = ""
    bend: float = 0.0


def flow(
    ax: Axes,
    boxes: Mapping[str, Box | tuple],
    arrows: Sequence[Arrow | tuple],
    *,
    size: tuple[float, float] = (0.74, 0.66),
    fontsize: float = 7.0,
    above: float = 0.0,
) -> None:
    """Draw the diagram on an axes of its own, which it fills.

    boxes: {name: Box, or a tuple of its fields}. arrows: Arrow, or a tuple of its fields. size: of a box, as shares
    of the grid's cell. above: rows of free space for arrows that bend. Texts are wrapped to their box; `\\n` in
    them is kept. Raises ValueError for an unknown box, a text that does not fit its box, a label that covers a box and
    an arrow that passes behind one.
    """
    placed = {name: Box(*box) for name, box in boxes.items()}
    lines = [Arrow(*arrow) for arrow in arrows]
    unknown = {end for arrow in lines for end in (arrow.source, arrow.target)} - set(placed)
    if unknown:
        raise ValueError(f"arrows name {', '.join(sorted(unknown))}; the boxes are {', '.join(placed)}")
    columns, rows = ([getattr(box, end) for box in placed.values()] for end in ("column", "row"))
    ax.set_axis_off()
    ax.set(
        xlim=(min(columns) - size[0] / 2 - 0.02, max(columns) + size[0] / 2 + 0.02),
        ylim=(max(rows) + size[1] / 2 + 0.04, min(rows) - size[1] / 2 - 0.04 - above),
    )
    fig = ax.get_figure(root=True)
    assert isinstance(fig, Figure)
    fig.draw_without_rendering()  # lays the axes out, so that it is known how many points a box has
    window = ax.get_window_extent()
    unit = (
        72 / fig.dpi * window.width / abs(ax.get_xlim()[1] - ax.get_xlim()[0]),
        72 / fig.dpi * window.height / abs(ax.get_ylim()[1] - ax.get_ylim()[0]),
    )
    patches = {name: _draw_box(ax, name, box, size, unit, fontsize) for name, box in placed.items()}
    for arrow in lines:
        _draw_arrow(ax, arrow, placed, patches, size, unit)


def _draw_box(
    ax: Axes, name: str, box: Box, size: tuple[float, float], unit: tuple[float, float], fontsize: float
) -> FancyBboxPatch:
    width, height = size[0] * unit[0] - 6, size[1] * unit[1] - 4  # points, inside
    lines = [line for part in box.text.split("\n") for line in wrapped(part, fontsize, width)]
    widest = max((text_width(line, fontsize) for line in lines), default=0)
    if widest > width + 0.5 or 1.25 * fontsize * len(lines) > height + 0.5:
        raise ValueError(
            f"box {name}: its text needs {widest:.0f} x {1.25 * fontsize * len(lines):.0f} points, it "
            f"has {width:.0f} x {height:.0f}; make the figure or size= larger, or the text shorter"
        )
    colour = GREY if box.role is None else role(box.role).colour
    face = tuple(1 - 0.14 * (1 - part) for part in to_rgb(colour))
    patch = FancyBboxPatch(
        (box.column - size[0] / 2, box.row - size[1] / 2),
        *size,
        facecolor=face,
        edgecolor=colour,
        boxstyle=f"round,pad=0,rounding_size={4 / unit[0]}",
        mutation_aspect=unit[0] / unit[1],
        linewidth=0.9,
        zorder=2,
    )
    ax.add_patch(patch)
    ax.text(
        box.column, box.row, "\n".join(lines), ha="center", va="center", fontsize=fontsize, linespacing=1.2, zorder=3
    )
    return patch


def _draw_arrow(
    ax: Axes,
    arrow: Arrow,
    boxes: Mapping[str, Box],
    patches: Mapping[str, FancyBboxPatch],
    size: tuple[float, float],
    unit: tuple[float, float],
) -> None:
    source, target = boxes[arrow.source], boxes[arrow.target]
    across, down = (target.column - source.column) * unit[0], (target.row - source.row) * unit[1]  # in points
    x = (source.column + target.column) / 2 + 0.5 * arrow.bend * down / unit[0]  # the middle; boxes are equal in size
    y = (source.row + target.row) / 2 - 0.5 * arrow.bend * across / unit[1]
    along = np.linspace(0, 1, 201)[:, None]  # a parabola through the middle, as arc3 draws it
    bow = np.array([x, y]) - (np.array(source[:2]) + target[:2]) / 2
    path = (1 - along) * source[:2] + along * target[:2] + 4 * along * (1 - along) * bow
    for name, box in boxes.items():
        behind = (np.abs(path - box[:2]) < np.array(size) / 2).all(axis=1)
        if behind.any() and name not in (arrow.source, arrow.target):
            raise ValueError(
                f"arrow {arrow.source} to {arrow.target} passes behind box {name}; bend it, or move the box"
            )
    ax.add_patch(
        FancyArrowPatch(
            source[:2],
            target[:2],
            arrowstyle="-|>",
            color="#444444",
            linewidth=0.9,
            shrinkA=0,
            shrinkB=1,
            mutation_scale=7,
            patchA=patches[arrow.source],
            patchB=patches[arrow.target],
            zorder=1,
            clip_on=False,
            connectionstyle=f"arc3,rad={-arrow.bend}",
        )
    )
    if not arrow.label:
        return
    how: dict[str, Any] = dict(ha="center", va="center")
    if abs(across) > 3 * abs(down):  # along a row: above its arrow
        how, y = dict(ha="center", va="bottom"), y - 2.5 / unit[1]
    elif abs(down) > 3 * abs(across):  # along a column: right of its arrow
        how, x = dict(ha="left", va="center"), x + 3 / unit[0]
    text = ax.text(
        x,
        y,
        arrow.label,
        fontsize=6.5,
        color="#444444",
        zorder=4,
        linespacing=1.1,
        bbox=dict(facecolor="white", edgecolor="none", pad=0.6),
        **how,
    )
    extent = text.get_window_extent()
    for name, patch in patches.items():
        if extent.shrunk(0.97, 0.97).overlaps(patch.get_window_extent()):
            raise ValueError(
                f"label {arrow.label!r} covers box {name}; break it by \\n, make boxes smaller (size=) or "
                "the figure larger"
            )
