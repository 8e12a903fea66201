"""Drawing of real leaderboards: many systems, of which only the top is told in full. Receives estimates."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.kina.board_figures import draw_rank_sets
from proctor.kina.real_boards import short_name
from proctor.report.figures import FULL, axes, forest, role


def draw_top(table: pd.DataFrame, top: int = 24) -> Figure:
    """The first rows of a table of `ranked_models.rank_models`; the rest is one row that says how many there are.

    Systems that can't be told from the leader are coloured, the others grey.
    """
    shown, rest = table.head(top), table.iloc[top:]
    tied = int(table.loc[0, "set_high"])
    who = ["ours" if place < tied else "baseline" for place in range(len(shown))]
    names = [short_name(name, 40) for name in shown["model"]]
    folded = f"… {len(rest)} more, down to {rest['accuracy'].min():.0f} %" if len(rest) else ""
    labels = [*names, folded] if folded else names
    fig, (left, right) = axes(1, 2, width=FULL, height=0.9 + 0.165 * len(labels), sharey=True)
    blank = [np.nan] * (len(labels) - len(names))
    columns = [[*shown[column], *blank] for column in ("accuracy", "low", "high")]
    forest(left, labels, *columns, role=[*who, *["muted"] * len(blank)], evidence="logged")
    left.tick_params(axis="y", labelsize=6.5, length=0)
    left.set(xlabel="tasks solved (%), 95 % interval of each alone")
    draw_rank_sets(right, shown["rank"][:tied], shown["set_low"][:tied], shown["set_high"][:tied], who="ours")
    later = shown.iloc[tied:]
    if len(later):
        draw_rank_sets(right, later["rank"], later["set_low"], later["set_high"], who="baseline", offset=tied)
    right.set_xticks([1, *range(10, int(shown["set_high"].max()) + 1, 10)])
    right.tick_params(axis="y", length=0)
    right.set(xlabel="ranks it can have (all at once, 95 %)")
    if 0 < tied < len(shown):
        for ax in (left, right):
            ax.axhline(tied - 0.5, color=role("trivial").colour, linewidth=0.9)
        edge = right.get_xlim()[1]
        right.set_xlim(right=1.3 * edge)
        for y, text, who in (
            ((tied - 1) / 2, "not told\nfrom the\nleader", "ours"),
            (tied + 1.5, "told from\nthe leader", "baseline"),
        ):
            right.text(1.29 * edge, y, text, ha="right", va="center", fontsize=7.5, color=role(who).colour)
    return fig


def draw_not_told(boards: pd.DataFrame) -> Figure:
    """A table of `real_boards.overview`: on each board the systems that may be first, of all."""
    fig, ax = axes(width=FULL, height=0.8 + 0.27 * len(boards))
    rows, first = np.arange(len(boards)), boards["not_told"] + 1
    ax.barh(rows, boards["systems"], color=role("muted").colour, height=0.62, label="told from the leader")
    ax.barh(rows, first, color=role("ours").colour, height=0.62, label="may be first")
    for row, (some, every) in enumerate(zip(first, boards["systems"])):
        ax.text(every + 1.5, row, f"{some} of {every} may be first", va="center", fontsize=7.5)
    ax.set_yticks(rows, [f"{board} ({items:,} items)" for board, items in zip(boards["board"], boards["items"])])
    ax.set_ylim(len(boards) - 0.4, -0.6)
    ax.set(xlabel="systems on the board", xlim=(0, 1.27 * boards["systems"].max()))
    ax.grid(False, axis="y")
    ax.legend(loc="lower right")
    return fig


def draw_chosen(table: pd.DataFrame, level: float) -> Figure:
    """A table of `real_boards.choose_on_earlier`: agreement with the later systems' order, by rule of choice.

    The band holds the share `level` of the random choices.
    """
    fig, ax = axes(width=FULL, height=2.5)
    chance = role("baseline")
    ax.fill_between(
        table["items"],
        table["random_low"],
        table["random_high"],
        color=chance.colour,
        alpha=0.25,
        linewidth=0,
        label=f"random items, {100 * level:g} % of draws",
    )
    ax.plot(table["items"], table["random"], color=chance.colour, marker=chance.marker, label="random items, mean")
    for rule, who, name in (
        ("best_quarter", "ours", "most information at the best quarter"),
        ("information", "highlight", "most information at all"),
        ("middling", "judge", "solved by about half"),
    ):
        look = role(who)
        ax.plot(table["items"], table[rule], color=look.colour, marker=look.marker, label=name)
    ax.set(xscale="log", xlabel="items used", ylabel="agreement with the order\non all items (Kendall's τ)")
    ax.set_xticks(table["items"], [str(n) for n in table["items"]])
    ax.minorticks_off()
    ax.legend(loc="lower right")
    return fig
