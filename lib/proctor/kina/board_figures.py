"""Rank sets as bars: a row a model. Receives estimates, computes none."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from proctor.report.figures import role
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
