"""Drawing of leaderboards and their rank sets. Receives estimates, computes none."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, role, size
from proctor.report.roles import Role


def draw_rank_sets(
    ax: Axes,
    rank: Sequence[int],
    low: Sequence[int],
    high: Sequence[int],
    *,
    who: str | Role = "ours",
    width: float = 4.0,
    alpha: float = 0.45,
    label: str | None = None,
    offset: float = 0.0,
) -> None:
    """A bar a row from the lowest to the highest rank that it can have, and a dot at its rank; nothing where NaN."""
    who, rows = role(who) if isinstance(who, str) else who, np.arange(len(rank)) + offset
    low, high = np.asarray(low, float), np.asarray(high, float)
    ax.hlines(rows, low - 0.4, high + 0.4, color=who.colour, linewidth=width, alpha=alpha, label=label)
    ax.plot(rank, rows, ".", color=role("truth").colour, markersize=3)
    last = int(np.nanmax(high))
    ax.set_xticks(range(1, last + 1) if last <= 15 else [1, *range(10, last + 1, 10)])
    ax.grid(False, axis="y")


def draw_two_exams(models: Sequence[str], one: np.ndarray, other: np.ndarray) -> Figure:
    """Places of the same models in two exams; the three that move most are highlighted (with ties)."""
    fig, ax = axes(height=3.6)
    moved = np.abs(one - other)
    far = moved >= np.sort(moved)[-3]
    for model, first, second, stands_out in zip(models, one, other, far):
        look = role("highlight" if stands_out else "muted")
        ax.plot([0, 1], [first, second], "o--", markersize=3, color=look.colour, linewidth=1.6 if stands_out else 0.8)
        if stands_out:
            for x, place, side in ((-0.04, first, "right"), (1.04, second, "left")):
                ax.text(x, place, model, ha=side, va="center", fontsize=6, color=look.colour)
    ax.set(xlim=(-0.75, 1.75), ylim=(len(moved) + 0.7, 0.3), ylabel="place (1 is best)")
    ax.set_yticks([1, *range(5, len(moved) + 1, 5)])
    ax.set_xticks([0, 1], ["first exam", "second exam"])
    ax.grid(False)
    return fig


def draw_levels(table: pd.DataFrame) -> Figure:
    """A table of `subject_profiles.scores_by_level`: a box a model, with the true labels and with shuffled ones."""
    fig, panels = axes(1, 3, width=FULL, height=3.1, sharey=True)
    palette = {"as simulated": role("ours").colour, "labels shuffled": role("muted").colour}
    for ax, (level, part) in zip(panels, table.groupby("level", sort=False)):
        sns.boxplot(
            part, x="score", y="model", hue="labels", palette=palette, ax=ax, linewidth=0.5, fliersize=1, width=0.75
        )
        count = len(part) // part["model"].nunique() // 2
        ax.set(xlim=(-4, 104), xlabel="score (%)", ylabel="", title=f"{count} {level}s")
        ax.get_legend().remove()
    panels[0].tick_params(axis="y", labelsize=7)
    fig.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


def new_figure(height: float, width: float = FULL) -> Figure:
    """An empty figure of the house's size, for what lays out its own axes."""
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size(width, height))
