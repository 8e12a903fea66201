"""The picture of one's own leaderboard, of 3 to 500 systems. Receives estimates, computes none."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proctor.kina.board_figures import draw_rank_sets
from proctor.report.figures import FULL, axes, forest, role, shorten

ROWS, TOP, NAME = 30, 20, 36  # rows drawn before folding, rows of the top where folded, letters of a name


def fold(table: pd.DataFrame, own: Sequence[str] = ()) -> pd.DataFrame:
    """The rows to draw: all where they are few, else the top, one's own, and a row for each part left out.

    Columns label, own, and those of `ranked_models.rank_models`, NaN in rows that stand for several."""
    mine = table["model"].isin(own).to_numpy()
    labels = np.array(shorten(table["model"], NAME), object)
    keep = mine | (np.arange(len(table)) < (len(table) if len(table) <= ROWS else TOP))
    rows: list[dict] = []
    left = 0
    for place, kept in enumerate([*keep, True]):
        if kept and left:
            rows.append({"label": f"… {left} more", "own": False})
            left = 0
        if place < len(table) and kept:
            rows.append({"label": labels[place], "own": bool(mine[place]), **table.iloc[place].to_dict()})
        left += not kept
    columns = ["label", "own", *table.columns]
    return pd.DataFrame(rows, columns=columns)


def draw(table: pd.DataFrame, own: Sequence[str] = (), evidence: str = "measured") -> Figure:
    """Accuracies with intervals beside the ranks that each system can have; where rows are folded, all below.

    table: of `ranked_models.rank_models`, the best first. own: systems to highlight."""
    shown = fold(table, own)
    folded, height = len(shown) > 0 and shown["model"].isna().any(), 1.0 + 0.155 * len(shown)
    low = 1.75 if folded else 0.0
    fig, grid = axes(
        2 if folded else 1,
        2,
        width=FULL,
        height=height + low,
        squeeze=False,
        height_ratios=[height, low] if folded else [1],
    )
    (left, right), who = grid[0], ["highlight" if mine else "ours" for mine in shown["own"]]
    forest(left, shown["label"], *(shown[c] for c in ("accuracy", "low", "high")), role=who, evidence=evidence)
    left.tick_params(axis="y", labelsize=6.5, length=0)
    left.set(xlabel="accuracy (%), 95 % interval of each alone", ylim=(len(shown) - 0.4, -0.6))
    draw_rank_sets(right, *_known(shown, ("rank", "set_low", "set_high")))
    right.set(xlabel="ranks it can have (all at once, 95 %)", ylim=(len(shown) - 0.4, -0.6))
    right.set_xlim(0, len(table) + 0.9 if not folded else float(shown["set_high"].max()) + 2)
    right.set_xticks(_ticks(int(right.get_xlim()[1])))
    right.set_yticks([])
    if folded:
        for ax in grid[1]:
            ax.remove()
        _whole(fig.add_subplot(grid[1][0].get_gridspec()[1, :]), table, own)
    return fig


def _known(shown: pd.DataFrame, columns: Sequence[str]) -> list[np.ndarray]:
    """Columns as they are drawn: rows that stand for several draw nothing."""
    return [shown[column].to_numpy(float) for column in columns]


def _ticks(last: int) -> list[int]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if last / step <= 8)
    return [1, *range(max(step, 2), last + 1, step)] if step > 1 else list(range(1, last + 1))


def _whole(ax: Axes, table: pd.DataFrame, own: Sequence[str]) -> None:
    """All systems in one line: accuracy by place, with the intervals as a band."""
    place = np.arange(1, len(table) + 1)
    ax.fill_between(place, table["low"], table["high"], color=role("ours").colour, alpha=0.25, linewidth=0)
    ax.plot(place, table["accuracy"], color=role("ours").colour, linewidth=1)
    mine = table["model"].isin(own).to_numpy()
    ax.plot(place[mine], table["accuracy"][mine], "o", color=role("highlight").colour, markersize=4)
    ax.set(xlabel=f"place, all {len(table)} systems", ylabel="accuracy (%)", xlim=(0, len(table) + 1))
