"""Plots of estimates with their intervals. They receive estimates and compute none.

Each draws on an axes that it is given; who is drawn decides colour and marker (`role`), evidence decides whether
marks are hollow, filled or dashed (`roles.marks`). A `role` is a name such as "judge" or "smollm2-135m", or a Role
of `roles.roles` for models that are not ours.

Waffle charts: one square a thing, by category and severity.

waffle(ax, pd.DataFrame({"typo": [4, 7], "changes a claim": [1, 0]}, index=["UQ", "HLE"]), per_row=20)

Workflow diagrams: boxes on a grid, arrows between them, counts written in.

fig, ax = axes(width=FULL, height=1.6)
flow(ax, {"all": (0, 0, "500 questions"), "kept": (1, 0, "480 kept", "right"), "out": (1, 1, "20 left out")},
     [("all", "kept"), ("all", "out", "no answer")])
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch, Rectangle
from numpy.typing import ArrayLike

from proctor.report import roles
from proctor.report.frame import text_width, wrapped
from proctor.report.roles import BLACK, GREY, Role

Who = str | Role
Limits = tuple[ArrayLike, ArrayLike]  # (low, high), each of shape (n,)

_LINE = 1.1


def forest(
    ax: Axes,
    labels: Sequence[str],
    estimate: ArrayLike,
    low: ArrayLike | None,
    high: ArrayLike | None,
    *,
    role: Who | Sequence[Who] = "ours",
    evidence: str | Iterable[str] = "measured",
    label: str | None = None,
    offset: float = 0.0,
    reference: float | None = None,
) -> None:
    """Points with intervals, one row a label, the first on top.

    labels: n texts. estimate, low, high: shape (n,), in the unit of the x axis; a NaN estimate draws nothing, NaN
    limits draw a hollow mark (say in labels or caption why there is no interval), None no intervals. role: for all
    rows, or one each. label: the series' name in a legend. offset: rows downwards, for a second series on the same
    axes. reference: where a vertical line is drawn, such as chance. Raises ValueError when an interval does not hold
    its estimate, or a limit is infinite.

        forest(ax, ["V", "S"], [0.6, 0.7], [0.5, 0.6], [0.7, 0.8], role="paper", evidence="published", offset=-0.15)
        forest(ax, ["V", "S"], [0.5, 0.6], [0.3, 0.5], [0.7, 0.7], role="ours", offset=0.15, reference=0.5)
    """
    limits = (estimate, estimate) if low is None or high is None else (low, high)
    point, lower, upper = (np.asarray(each, float) for each in (estimate, *limits))
    if outside := np.flatnonzero((lower > point) | (upper < point)).tolist():
        said = ", ".join(f"{labels[i]} ({point[i]} not in [{lower[i]}, {upper[i]}])" for i in outside)
        raise ValueError(f"estimate outside its interval: {said}")
    if endless := [labels[i] for i in np.flatnonzero(np.isinf(lower) | np.isinf(upper)).tolist()]:
        raise ValueError(f"infinite limit: {', '.join(endless)}; use the end of the axis and say so, or NaN")
    who = [_role(each) for each in ([role] * len(labels) if isinstance(role, str | Role) else role)]
    rows, style = np.arange(len(labels)) + offset, roles.marks(evidence)
    there = ~np.isnan(point)
    bare = there & (np.isnan(lower) | np.isnan(upper))
    for i in np.flatnonzero(there & ~bare & (low is not None)):
        ax.plot(
            [lower[i], upper[i]],
            [rows[i], rows[i]],
            color=who[i].colour,
            linewidth=_LINE,
            zorder=2,
            linestyle=style.get("linestyle", "-"),
            solid_capstyle="butt",
        )
    _points(ax, point, rows, who, bare | ("markerfacecolor" in style), label)
    if reference is not None:
        ax.axvline(reference, color=BLACK, linewidth=0.7, zorder=1)
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.grid(False, axis="y")


def dumbbell(
    ax: Axes,
    labels: Sequence[str],
    left: ArrayLike,
    right: ArrayLike,
    *,
    names: tuple[str, str] = ("paper", "ours"),
    role: tuple[Who, Who] = ("paper", "ours"),
    evidence: tuple[str, str] = ("published", "measured"),
    left_interval: Limits | None = None,
    right_interval: Limits | None = None,
) -> None:
    """Two values a row, joined by a grey line, the first row on top; `names` are for the legend.

    labels: n texts. left, right: shape (n,), in the unit of the x axis. left_interval, right_interval: (low, high),
    each of shape (n,); with both, the two marks stand a little apart.

        dumbbell(ax, ["gpt-4o", "o3"], [3.1, 20.3], [4.0, 25.1], names=("as printed", "repaired"))
    """
    one, other = np.asarray(left, float), np.asarray(right, float)
    apart = 0.0 if left_interval is None or right_interval is None else 0.13
    for i in np.flatnonzero(~np.isnan(one + other)):
        ax.plot(
            [one[i], other[i]],
            [i - apart, i + apart],
            color=roles.role("muted").colour,
            linewidth=1.6,
            zorder=1,
            solid_capstyle="butt",
        )
    for k, (values, limits) in enumerate(((one, left_interval), (other, right_interval))):
        how = dict(role=role[k], evidence=evidence[k], label=names[k], offset=(2 * k - 1) * apart)
        forest(ax, labels, values, *(limits or (None, None)), **how)  # type: ignore[arg-type]


def heatmap(
    ax: Axes, frame: pd.DataFrame, *, text: pd.DataFrame | None = None, fontsize: float = 7, **how: Any
) -> None:
    """The frame's values as colours, each written into its cell; a NaN is left blank.

    frame: shape (rows, columns) of numbers, index and columns are the labels. text: what is written, of the frame's
    shape (default: the values). how: goes to `seaborn.heatmap`: fmt, vmin, vmax, center (the value that is white, for
    differences), cbar, cbar_kws.

        heatmap(ax, shares, fmt=".0%", vmin=0, vmax=1, cbar_kws={"label": "share accepted"})
    """
    import seaborn as sns  # takes a second to import

    written = dict(annot=True, fmt=".2f") if text is None else dict(annot=text.to_numpy(), fmt="")
    look = dict(cmap="vlag" if "center" in how else "Blues", linewidths=0.8, linecolor="white")
    sns.heatmap(frame.astype(float), ax=ax, annot_kws={"fontsize": fontsize}, **look | written | how)
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0, rotation=0)
    ax.grid(False)


def _points(ax: Axes, x: np.ndarray, y: np.ndarray, who: Sequence[Role], hollow: np.ndarray, label: str | None) -> None:
    """Marks, one call a look; the first carries the label."""
    looks = list(zip(who, hollow.tolist()))
    for look in sorted(set(looks), key=looks.index):
        at = np.array([each == look for each in looks])
        each, empty = look
        ax.plot(
            x[at],
            y[at],
            each.marker,
            color=each.colour,
            markersize=4.2,
            linestyle="none",
            zorder=3,
            label=label,
            markerfacecolor="white" if empty else each.colour,
        )
        label = None


def _role(who: Who) -> Role:
    return who if isinstance(who, Role) else roles.role(who)


def waffle(
    ax: Axes, counts: pd.DataFrame, *, per_row: int = 20, role: list[str] | None = None, legend: bool = True
) -> None:
    """Draw a block of squares for each category, its squares in the order of the columns, the first row on top.

    counts: whole numbers of shape (categories, severities); index and columns are the labels, the columns from mild
    to severe. per_row: squares in a row. role: a role for each column (default: light to dark). The legend goes under
    the axes. Raises ValueError for counts that are negative, no whole numbers, or all zero.
    """
    values = counts.to_numpy(float)
    if not values.sum() or (values < 0).any() or (values != np.round(values)).any():
        raise ValueError("counts must be whole numbers, none negative and not all zero")
    shades = colormaps["OrRd"](np.linspace(0.22, 1.0, counts.shape[1]))
    colours = [to_hex(shade) for shade in shades] if role is None else [roles.role(name).colour for name in role]
    top, middles = 0.0, []
    for row in values.astype(int):
        severity = np.repeat(np.arange(len(row)), row)
        for k, each in enumerate(severity):
            ax.add_patch(
                Rectangle(
                    (k % per_row + 0.06, top + k // per_row + 0.06),
                    0.88,
                    0.88,
                    facecolor=colours[each],
                    edgecolor="#555555",
                    linewidth=0.3,
                )
            )
        height = max(-(-len(severity) // per_row), 1)
        middles.append(top + height / 2)
        top += height + 0.6
    totals = values.sum(axis=1).astype(int)
    ax.set_yticks(middles, [f"{name} ({total})" for name, total in zip(counts.index, totals)])
    ax.set(xlim=(-0.1, min(per_row, totals.max()) + 0.1), ylim=(top - 0.5, -0.1), aspect="equal", xticks=[])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.grid(False)
    if legend:
        handles = [
            Patch(facecolor=colour, edgecolor="#555555", linewidth=0.3, label=f"{name} ({total})")
            for colour, name, total in zip(colours, counts.columns, values.sum(axis=0).astype(int))
        ]
        ax.get_figure(root=True).legend(  # type: ignore[union-attr]
            handles=handles,
            loc="outside lower center",
            ncols=min(len(handles), 4),
            handlelength=0.9,
            handleheight=0.9,
        )


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
    them is kept. Raises ValueError for a text that does not fit its box, KeyError for an unknown box.
    """
    placed = {name: Box(*box) for name, box in boxes.items()}
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
    for arrow in arrows:
        _draw_arrow(ax, Arrow(*arrow), placed, patches, unit)


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
    colour = GREY if box.role is None else roles.role(box.role).colour
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
    unit: tuple[float, float],
) -> None:
    source, target = boxes[arrow.source], boxes[arrow.target]
    across, down = (target.column - source.column) * unit[0], (target.row - source.row) * unit[1]  # in points
    x = (source.column + target.column) / 2 + 0.5 * arrow.bend * down / unit[0]  # the middle; boxes are equal in size
    y = (source.row + target.row) / 2 - 0.5 * arrow.bend * across / unit[1]
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
    ax.text(
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
