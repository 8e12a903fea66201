"""Drawing of what an exam of so many items can see. Receives estimates, computes none."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from proctor.report.figures import FULL, axes, role


def draw_lead_gaps(lines: Mapping[int, tuple[np.ndarray, np.ndarray]], gaps: pd.DataFrame, marked: int) -> Figure:
    """Smallest gap that an exam sees against its items, a line for each agreement of the two models, and printed gaps.

    lines: {percent of the items on which the models agree: (items, points)}. marked: the one whose lower side is
    shaded. gaps: columns exam, items, gap of `exam_resolution.printed_gaps`; hollow marks at the exam's items.
    """
    fig, ax = axes(width=FULL, height=3.8)
    dark = role("ours").colour
    for agree, (items, points) in lines.items():
        ax.plot(items, points, color=dark, linewidth=2.2 if agree == marked else 1.0)
        label = f"{agree} % of the items" + (" (unrelated)" if agree == 50 else "")
        weight = "bold" if agree == marked else "normal"
        ax.text(items[-1] * 1.04, points[-1], label, color=dark, va="center", fontsize=8, fontweight=weight)
    items, points = lines[marked]
    ax.fill_between(items, 0.5, points, color=role("muted").colour, alpha=0.3, linewidth=0)
    ax.set(xscale="log", yscale="log", xlim=(items[0], 9800), ylim=(0.75, 16))
    ax.set(xlabel="items of the exam", ylabel="gap between two models (points)")
    top = max(line[-1] for _, line in lines.values())
    ax.text(
        items[-1] * 1.04, 1.3 * top, "smallest gap seen with 80 %\nchance, if the two agree on", fontsize=8, color=dark
    )
    ax.text(items[0] * 1.06, 0.87, "too small to be seen", fontsize=8.5, color="#4A4A4A", style="italic")
    _plain_ticks(ax.xaxis, (300, 500, 1000, 3000))
    _plain_ticks(ax.yaxis, (1, 2, 3, 5, 10))
    ax.grid(False)
    exams, paper = gaps.groupby("items", sort=False)["exam"].unique(), role("paper")
    for count, names in exams.items():
        ax.axvline(count, color=role("baseline").colour, linewidth=0.8, linestyle=":", zorder=1)
        ax.text(count, 16.6, f"{', '.join(names)}\n{count:,}", ha="center", va="bottom", fontsize=8)
    label = "printed gap, 1st to 2nd or 2nd to 3rd"
    sides = {"KINA": (-1, 1.0), "HLE": (1, 0.89), "HLE-Verified": (-1, 1.1)}  # where the number stands beside the mark
    for exam, part in gaps.groupby("exam", sort=False):
        side, nudge = sides.get(str(exam), (1, 1.0))
        x = part["items"] * (1 if len(exams[part["items"].iloc[0]]) == 1 else 1.06**side)
        look = dict(color=paper.colour, markerfacecolor="white", markersize=6, zorder=4)
        ax.plot(x, part["gap"], paper.marker, **look, label=label)
        label = None
        for at, gap in zip(x, part["gap"]):
            where = dict(ha="left" if side > 0 else "right", va="center", zorder=3)
            ax.text(at * 1.055**side, gap * nudge, f"{gap:.3g}", **where, fontsize=8.5, color=paper.colour)
    ax.legend(loc="upper right", handletextpad=0.2)
    return fig


def draw_items_needed(lines: Mapping[str, tuple[np.ndarray, np.ndarray]], marks: pd.DataFrame, n_items: int) -> Figure:
    """Items needed against the gap. lines: {label: (points, items)}; marks: rows named, columns points, items."""
    fig, ax = axes(height=2.7)
    for (label, (points, items)), who in zip(lines.items(), ("baseline", "ours")):
        ax.plot(points, items, "--", color=role(who).colour, label=label)
    ax.axhline(n_items, color=role("trivial").colour, linewidth=0.8)
    ax.text(0.21, n_items * 0.85, f"KINA: {n_items} items", va="top", fontsize=7)
    for (name, row), shape in zip(marks.iterrows(), "Dso"):
        colour = role("ours" if "assumed" in str(name) else "paper").colour
        label = f"{name}: {row['items']:,.0f}"
        ax.plot(row["points"], row["items"], shape, color=colour, markerfacecolor="white", label=label)
    ax.set(xscale="log", yscale="log", xlabel="true gap between two models (points)", ylabel="items needed")
    ax.set(ylim=(40, 6e7), xlim=(0.19, 11))
    _plain_ticks(ax.xaxis, (0.2, 0.5, 1, 2, 5, 10))
    ax.legend(fontsize=6.5, loc="upper right")
    return fig


def draw_few_items(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Tables of `exam_resolution.few_items_table`, a panel each: agreement with the true order against items asked."""
    fig, panels = axes(1, len(tables), width=FULL, height=2.5, sharey=True)
    looks = dict(information=role("ours"), middling=role("human"), random=role("baseline"))
    for ax, (name, table) in zip(panels, tables.items()):
        for rule, part in table.groupby("rule", sort=False):
            look = looks[str(rule)]
            ax.plot(
                part["items"], part["tau"], look.marker, linestyle="--", color=look.colour, label=rule, markersize=4
            )
            ax.fill_between(part["items"], part["low"], part["high"], color=look.colour, alpha=0.18, linewidth=0)
        ax.set(xscale="log", xlabel="items asked", title=name)
        _plain_ticks(ax.xaxis, (25, 50, 100, 200, 400, 899))
    panels[0].set_ylabel("agreement with the\ntrue order (Kendall's τ)")
    panels[-1].legend(title="chosen by", loc="lower right")
    return fig


def draw_false_alarms(table: pd.DataFrame) -> Figure:
    """A table of `exam_resolution.false_alarms`: percent of equal pairs that get a winner, by number of looks."""
    fig, ax = axes(height=2.4)
    for (rule, part), who in zip(table.groupby("rule", sort=False), ("wrong", "ours")):
        look = role(who)
        limits = (part["percent"] - part["low"], part["high"] - part["percent"])
        ax.errorbar(
            part["looks"], part["percent"], limits, marker=look.marker, linestyle="--", color=look.colour, label=rule
        )
    ax.axhline(5, color=role("trivial").colour, linewidth=0.8)
    ax.text(50, 5.6, "5 %", fontsize=7, ha="right")
    ax.set(xscale="log", xlabel="looks at the running result", ylabel="equal models told apart (%)", ylim=(0, 40))
    _plain_ticks(ax.xaxis, (1, 2, 5, 10, 20, 50))
    ax.legend(loc="upper left")
    return fig


def draw_items_asked(table: pd.DataFrame, n_items: int) -> Figure:
    """A table of `exam_resolution.stopping_table`: items asked on average against the true gap."""
    fig, ax = axes(height=2.3)
    look = role("ours")
    limits = (table["asked"] - table["asked_low"], table["asked_high"] - table["asked"])
    ax.errorbar(table["points"], table["asked"], limits, marker=look.marker, linestyle="--", color=look.colour)
    ax.axhline(n_items, color=role("trivial").colour, linewidth=0.8)
    ax.text(table["points"].max(), n_items + 20, f"all {n_items} items", fontsize=7, ha="right")
    ax.set(xlabel="true gap (points)", ylabel="items asked on average", ylim=(0, 1.15 * n_items))
    return fig


def _plain_ticks(axis: Axes, ticks: Sequence[float]) -> None:
    """These ticks of a logarithmic axis as plain numbers, and no others."""
    axis.set_ticks(ticks, [f"{tick:,g}" for tick in ticks])
    axis.set_ticks([], minor=True)
    axis.set_minor_formatter(NullFormatter())
