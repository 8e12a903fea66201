"""The figure of small models and strong models side by side. It receives estimates, computes none."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from proctor.report.claims import parse
from proctor.report.figures import FULL, axes, forest, role
from proctor.synthesis.figures import PAPERS, Drawn
from proctor.synthesis.frontier import OPPOSITE

SMALL, PRINTED, FRONTIER = "our small models", "the paper's own numbers", "strong models (logs)"
TURNS = "where the answer turns"


def side_by_side(table: pd.DataFrame, units: dict[str, str]) -> Drawn:
    """A row a question, a panel a unit: both sides with their intervals, and a bar where the sentence turns.

    table: `frontier.answers`. units: {unit: what the axis says}. Questions of other units are not drawn.
    """
    parts = [table[table["unit"] == unit] for unit in units]
    heights = [len(part) + 1.2 for part in parts]
    fig, panels = axes(len(parts), 1, width=FULL, height=0.36 * sum(heights) + 0.5, height_ratios=heights)
    for ax, part, text in zip(np.atleast_1d(panels), parts, units.values()):
        _panel(ax, part)
        ax.set_xlabel(text)
    handles = {name: mark for ax in fig.axes for mark, name in zip(*ax.get_legend_handles_labels())}
    fig.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles))
    said = [f"{row.label}: {row.here_numbers} against {row.frontier_numbers}" for row in pd.concat(parts).itertuples()]
    return fig, "Papers' side against strong models, question by question. " + "; ".join(said) + "."


def _panel(ax: Axes, part: pd.DataFrame) -> None:
    labels = [f"{PAPERS[row.paper]}: {row.label}" for row in part.itertuples()]
    measured = part["here_evidence"].str.contains("measured")
    for name, rows, who, evidence in (
        (SMALL, measured, "baseline", "measured"),
        (PRINTED, ~measured, "paper", "published"),
    ):
        if rows.any():
            values = [part[f"here_{end}"].where(rows) for end in ("estimate", "low", "high")]
            forest(ax, labels, *values, role=who, evidence=evidence, label=name, offset=-0.16)
    values = [part[f"frontier_{end}"] for end in ("estimate", "low", "high")]
    forest(ax, labels, *values, role="ours", evidence="logged", label=FRONTIER, offset=0.16)
    for at, (says, reading) in enumerate(zip(part["says"], part["reading"])):
        bound, name = parse(says)[1][0], None if at else TURNS
        ax.vlines(bound, at - 0.38, at + 0.38, color=role("truth").colour, linewidth=1.4, zorder=1, label=name)
        if reading == OPPOSITE:
            right = dict(transform=ax.get_yaxis_transform(), ha="right", va="center", fontsize=7.5)
            ax.text(0.995, at, "opposite", color=role("highlight").colour, **right)
