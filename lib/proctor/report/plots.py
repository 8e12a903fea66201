"""Plots of estimates with their intervals. They receive estimates and compute none.

Each draws on an axes that it is given; who is drawn decides colour and marker (`role`), evidence decides whether
marks are hollow, filled or dashed (`roles.marks`). A `role` is a name such as "judge" or "smollm2-135m", or a Role
of `roles.roles` for models that are not ours.

Waffle charts: one square a thing, by category and severity.

waffle(ax, pd.DataFrame({"typo": [4, 7], "changes a claim": [1, 0]}, index=["UQ", "HLE"]), [GREY, BLACK],
       per_row=20)

Workflow diagrams: boxes on a grid, arrows between them, counts written in.

fig, ax = axes(width=FULL, height=1.6)
flow(ax, {"all": (0, 0, "500 questions"), "kept": (1, 0, "480 kept", "right"), "out": (1, 1, "20 left out")},
     [("all", "kept"), ("all", "out", "no answer")], size=(0.74, 0.66))
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from numpy.typing import ArrayLike

from proctor.report import roles
from proctor.report.frame import text_width, wrapped
from proctor.report.roles import BLACK, GREY, Role

Who = str | Role
Limits = tuple[ArrayLike, ArrayLike]  # (low, high), each of shape (n,)


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
    given = [role] * len(labels) if isinstance(role, str | Role) else role
    who = [each if isinstance(each, Role) else roles.role(each) for each in given]
    rows, style = np.arange(len(labels)) + offset, roles.marks(evidence)
    there = ~np.isnan(point)
    bare = there & (np.isnan(lower) | np.isnan(upper))
    for i in np.flatnonzero(there & ~bare & (low is not None)):
        ax.plot(
            [lower[i], upper[i]],
            [rows[i], rows[i]],
            color=who[i].colour,
            linewidth=1.1,
            zorder=2,
            linestyle=style.get("linestyle", "-"),
            solid_capstyle="butt",
        )
    looks = list(zip(who, (bare | ("markerfacecolor" in style)).tolist()))
    for each, hollow in dict.fromkeys(looks):  # one call a look; the first carries the label
        at = np.array([look == (each, hollow) for look in looks])
        ax.plot(
            point[at],
            rows[at],
            each.marker,
            color=each.colour,
            markersize=4.2,
            linestyle="none",
            zorder=3,
            label=label,
            markerfacecolor="white" if hollow else each.colour,
        )
        label = None
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


def waffle(ax: Axes, counts: pd.DataFrame, colours: Sequence[str], *, per_row: int) -> None:
    """Draw a block of squares for each category, its squares in the order of the columns, the first row on top.

    counts: whole numbers of shape (categories, kinds); index and columns are the labels. colours: one for each column.
    per_row: squares in a row.
    """
    totals = counts.sum(axis=1)
    top, middles = 0.0, []
    for row in counts.to_numpy(int):
        for k, colour in enumerate(np.repeat(colours, row)):
            corner = (k % per_row + 0.06, top + k // per_row + 0.06)
            ax.add_patch(Rectangle(corner, 0.88, 0.88, facecolor=colour, edgecolor="#555555", linewidth=0.3))
        height = max(-(-row.sum() // per_row), 1)
        middles.append(top + height / 2)
        top += height + 0.6
    ax.set_yticks(middles, [f"{name} ({total})" for name, total in totals.items()])
    ax.set(xlim=(-0.1, min(per_row, totals.max()) + 0.1), ylim=(top - 0.5, -0.1), aspect="equal", xticks=[])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.grid(False)


def flow(
    ax: Axes,
    boxes: Mapping[str, tuple],
    arrows: Iterable[tuple[str, ...]],
    *,
    size: tuple[float, float],
    fontsize: float = 7.0,
    above: float = 0.0,
) -> None:
    """Draw the diagram on an axes of its own, which it fills.

    boxes: {name: (column, row, text) or (column, row, text, role)}; column and row are places on a grid, from 0 at the
    top left, fractions allowed, the role gives the colour (default: grey). arrows: (from, to) or (from, to, label),
    by the boxes' names. size: of a box, as shares of the grid's cell. above: rows of free space above. Texts are
    wrapped to their box; `\\n` in them is kept. Raises ValueError for a text that does not fit its box, KeyError for
    an unknown box.
    """
    grid = np.array([box[:2] for box in boxes.values()], float)
    (left, top), (right, bottom) = grid.min(axis=0), grid.max(axis=0)
    x = left - size[0] / 2 - 0.02, right + size[0] / 2 + 0.02
    y = bottom + size[1] / 2 + 0.04, top - size[1] / 2 - 0.04 - above
    ax.set_axis_off()
    ax.set(xlim=x, ylim=y)
    fig = ax.get_figure(root=True)
    assert isinstance(fig, Figure)
    fig.draw_without_rendering()  # lays the axes out, so that it is known how many points a cell has
    window = ax.get_window_extent()
    cell = 72 / fig.dpi * window.width / (x[1] - x[0]), 72 / fig.dpi * window.height / (y[0] - y[1])
    patches = {}
    for name, (column, row, text, *role) in boxes.items():
        colour = roles.role(role[0]).colour if role else GREY
        patches[name] = FancyBboxPatch(
            (column - size[0] / 2, row - size[1] / 2),
            *size,
            facecolor=tuple(1 - 0.14 * (1 - part) for part in to_rgb(colour)),
            edgecolor=colour,
            boxstyle=f"round,pad=0,rounding_size={4 / cell[0]}",
            mutation_aspect=cell[0] / cell[1],
            linewidth=0.9,
            zorder=2,
        )
        ax.add_patch(patches[name])
        text = _fitted(name, text, fontsize, size[0] * cell[0] - 6, size[1] * cell[1] - 4)
        ax.text(column, row, text, ha="center", va="center", fontsize=fontsize, linespacing=1.2, zorder=3)
    for source, target, *label in arrows:
        start, end = boxes[source][:2], boxes[target][:2]
        ax.add_patch(
            FancyArrowPatch(
                start,
                end,
                arrowstyle="-|>",
                color="#444444",
                linewidth=0.9,
                shrinkA=0,
                shrinkB=1,
                mutation_scale=7,
                patchA=patches[source],
                patchB=patches[target],
                zorder=1,
                clip_on=False,
            )
        )
        if not label:
            continue
        (middle_x, middle_y), (across, down) = np.add(start, end) / 2, np.abs(np.subtract(end, start)) * cell
        along = across > 3 * down  # a row: the label stands above its arrow, else on it
        ax.text(
            middle_x,
            middle_y - 2.5 / cell[1] if along else middle_y,
            label[0],
            fontsize=6.5,
            color="#444444",
            zorder=4,
            linespacing=1.1,
            bbox=dict(facecolor="white", edgecolor="none", pad=0.6),
            ha="center",
            va="bottom" if along else "center",
        )


def _fitted(name: str, text: str, fontsize: float, width: float, height: float) -> str:
    """The text in lines that fit the room in a box, in points; raises ValueError where they do not."""
    lines = [line for part in text.split("\n") for line in wrapped(part, fontsize, width)]
    widest, tall = max((text_width(line, fontsize) for line in lines), default=0), 1.25 * fontsize * len(lines)
    if widest > width + 0.5 or tall > height + 0.5:
        raise ValueError(
            f"box {name}: its text needs {widest:.0f} x {tall:.0f} points, it has {width:.0f} x {height:.0f}; make the "
            "figure or size= larger, or the text shorter"
        )
    return "\n".join(lines)
