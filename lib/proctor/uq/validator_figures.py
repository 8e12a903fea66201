"""Pictures of validators (UQ, appendix B.2 and B.3). They receive estimates and compute none."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, Role, axes, flow, forest, role, roles, short
from proctor.stats.bootstrap import Interval

JUDGES = ("Claude Sonnet 3.7", "o3-mini", "o3", "Multi-model")
CHECK_NAMES = {
    "V": "V vanilla",
    "C": "C correctness",
    "FLC": "FLC fact/logic",
    "CC": "CC cycle",
    "B": "B answers first",
    "R": "R relevance *",
    "FA": "FA one result *",
}


def judge_roles() -> dict[str, Role]:
    """One look for each judge of Table S10; several models are "all"."""
    looks = {name: look._replace(marker=marker) for (name, look), marker in zip(roles(JUDGES[:3]).items(), "<>o")}
    return looks | {"Multi-model": role("all")._replace(short="several models", marker="s")}


def accuracy_and_balance(rows: pd.DataFrame, rejecting: float) -> Figure:
    """Accuracy against balanced accuracy of the rows that have counts, and a star for rejecting everything.

    rows: `table_s10.first_solutions`. rejecting: the accuracy of rejecting every answer, as a share.
    """
    fig, ax = axes(height=3.2)
    star = role("trivial")
    ax.axhline(50, color=star.colour, linewidth=0.7, zorder=1)
    for name, look in judge_roles().items():
        part = rows[rows["model"] == name]
        x, y = 100 * part["accuracy"].astype(float), 100 * part["balanced_accuracy"].astype(float)
        for across, values in ((True, part["accuracy_boot_low"]), (False, part["balanced_accuracy_boot_low"])):
            high = part["accuracy_boot_high" if across else "balanced_accuracy_boot_high"]
            draw = ax.hlines if across else ax.vlines
            draw(y if across else x, 100 * values, 100 * high, color=look.colour, linewidth=0.5, alpha=0.3, zorder=1)
        ax.plot(x, y, look.marker, color=look.colour, markerfacecolor="white", markersize=4.5, label=look.short)
    ax.plot(100 * rejecting, 50, star.marker, color=star.colour, markersize=13, zorder=4, clip_on=False)
    ax.annotate(
        "reject everything",
        (100 * rejecting, 50),
        (69, 44.6),
        fontsize=7.5,
        ha="center",
        color=star.colour,
        arrowprops=dict(arrowstyle="-", color=star.colour, linewidth=0.6, shrinkB=6),
    )
    ax.set(xlabel="accuracy (%)", ylabel="balanced accuracy (%)", xlim=(15, 92), ylim=(43, 77))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, columnspacing=1)
    return fig


def table_forest(rows: pd.DataFrame, rejecting: float) -> Figure:
    """Every row of Table S10: accuracy, balanced accuracy and LR+ with bootstrap intervals; no counts, no interval.

    rows: `table_s10.first_solutions(table, counts=False)`.
    """
    fig, grid = axes(1, 3, width=FULL, height=6.4, sharey=True)
    looks, none = judge_roles(), rows["solutions"] == 0
    names = rows["name"].to_list()
    panels = (
        ("accuracy", "accuracy (%)", 100 * rejecting, 100),
        ("balanced_accuracy", "balanced accuracy (%)", 50, 100),
        ("lr_positive", "likelihood ratio of an acceptance", 1, 1),
    )
    for ax, (figure, label, trivial, unit) in zip(grid, panels):
        values = [unit * rows[f"{figure}{end}"].astype(float) for end in ("", "_boot_low", "_boot_high")]
        forest(ax, names, *values, role=[looks[model] for model in rows["model"]], evidence="reconstructed")
        ax.axvline(trivial, color=role("trivial").colour, linestyle=(0, (4, 2)), linewidth=1, zorder=1)
        ax.set_xlabel(label)
    at = np.flatnonzero(none)
    grid[0].plot(rows.loc[none, "accuracy_printed"].astype(float), at, "x", color=role("baseline").colour, markersize=4)
    for i in at:
        grid[1].text(50.7, i, "fits no counts", fontsize=6, color=role("baseline").colour, va="center")
    grid[0].set_yticks(range(len(names)), names, fontsize=6.5)
    grid[2].set(xscale="log", xticks=[0.7, 1, 2, 4], xticklabels=["0.7", "1", "2", "4"])
    grid[2].minorticks_off()
    for name in JUDGES:
        colour, marker, label = looks[name]
        grid[0].plot([], [], marker, color=colour, markerfacecolor="white", label=label)
    grid[0].plot([], [], "x", color=role("baseline").colour, markersize=4, label="as printed, fits no counts")
    grid[0].plot([], [], color=role("trivial").colour, linestyle=(0, (4, 2)), linewidth=1, label="reject everything")
    fig.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, columnspacing=1)
    return fig


def precision_recall(rows: pd.DataFrame, right_share: float, levels: Sequence[float]) -> Figure:
    """Precision against recall with exact intervals, and curves of equal accuracy; the last level is rejecting all."""
    fig, ax = axes(height=3.4)
    recall, grey, star = np.linspace(0.005, 1, 400), role("muted").colour, role("trivial").colour
    for level in levels:
        curve = 1 / (2 - (level - (1 - right_share)) / (right_share * recall))
        last = level == levels[-1]
        ax.plot(
            100 * recall,
            100 * curve,
            color=star if last else grey,
            linestyle=(0, (4, 2)) if last else "-",
            linewidth=0.9,
            zorder=0,
        )
        ax.text(101, 100 * curve[-1], f"{level:.0%}", fontsize=6.5, va="center", color=star if last else "#6E6E6E")
    ax.text(101, 56, "accuracy", fontsize=6.5, color="#6E6E6E")
    ax.text(99, 51, "as accurate as rejecting everything", fontsize=6.5, color=star, ha="right")
    for name, look in judge_roles().items():
        part = rows[rows["model"] == name]
        (x, x_arms), (y, y_arms) = (
            (
                100 * part[figure].astype(float),
                100 * np.array([part[figure] - part[f"{figure}_low"], part[f"{figure}_high"] - part[figure]], float),
            )
            for figure in ("recall", "precision")
        )
        ax.errorbar(
            x,
            y,
            y_arms,
            x_arms,
            look.marker,
            markersize=4,
            elinewidth=0.5,
            alpha=0.9,
            color=look.colour,
            markerfacecolor="white",
            label=look.short,
        )
    ax.set(xlabel="recall (%)", ylabel="precision (%)", xlim=(0, 100), ylim=(0, 67))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, columnspacing=1)
    return fig


def pipeline(row: pd.Series, calls: tuple[int, int]) -> Figure:
    """UQ Figure S5: the default pipeline with the counts of its printed row. calls: least and most a verdict."""
    fig, ax = axes(width=FULL, height=2.2)
    n, right, tp, fp = (int(row[name]) for name in ("n", "positives", "tp", "fp"))
    boxes = {
        "in": (0, 0, f"{n} answers\n{right} right\n{n - right} wrong"),
        "CC": (1, 0, "1 Cycle consistency\n2 calls a vote", "judge"),
        "FLC": (2, 0, "2 Fact/logic check\n1 call a vote", "judge"),
        "C": (3, 0, "3 Correctness\n1 call a vote", "judge"),
        "pass": (4, 0, f"{tp + fp} accepted\n{tp} right\n{fp} wrong", "right"),
        "out": (2, 1.15, f"{n - tp - fp} rejected\n{right - tp} right\n{n - right - fp} wrong", "wrong"),
    }
    votes = "all 3 votes\naccept"
    arrows = [
        ("in", "CC"),
        ("CC", "FLC", votes),
        ("FLC", "C", votes),
        ("C", "pass", votes),
        ("CC", "out", "one vote rejects"),
        ("FLC", "out"),
        ("C", "out", "one vote rejects"),
    ]
    flow(ax, boxes, arrows, size=(0.62, 0.62))
    words = f"{calls[0]} to {calls[1]} calls a verdict\nthat stops when it is settled"
    ax.text(4.31, 1.15, words, fontsize=6.5, ha="right", va="center", color="#6E6E6E")
    return fig


def right_and_wrong_accepted(shares: pd.DataFrame, models: Sequence[str]) -> Figure:
    """Wrong answers accepted against right ones by model and check. shares: `judge_findings.accepted_shares`."""
    fig, ax = axes(height=3.5)
    ax.plot([0, 100], [0, 100], color=role("trivial").colour, linewidth=0.9, zorder=1)
    ax.text(
        70,
        72.5,
        "accepts both alike",
        fontsize=7,
        rotation=45,
        rotation_mode="anchor",
        ha="center",
        transform_rotates_text=True,
        color=role("trivial").colour,
    )
    ax.text(3, 103, "a perfect judge", fontsize=7, color=role("trivial").colour, va="center")
    ax.plot(0, 100, role("trivial").marker, color=role("trivial").colour, markersize=9, zorder=4, clip_on=False)
    for model in models:
        part, look = shares[shares["judge"] == model], role(model)
        x, y = part["wrong_accepted"], part["right_accepted"]
        for draw, at, name in ((ax.hlines, y, "wrong_accepted"), (ax.vlines, x, "right_accepted")):
            draw(at, part[f"{name}_low"], part[f"{name}_high"], color=look.colour, linewidth=0.7, alpha=0.35)
        ax.plot(x, y, look.marker, color=look.colour, markersize=5, zorder=3, label=look.short, clip_on=False)
        if (corner := x.min()) > 90:
            ax.text(corner - 12, 96, f"all {len(x)} checks", fontsize=7, ha="right", va="center", color=look.colour)
    for row in shares[shares["gap"] > 25].itertuples():
        ax.annotate(
            row.check,
            (row.wrong_accepted, row.right_accepted),
            (4, 3),
            textcoords="offset points",
            fontsize=7,
            color=role(row.judge).colour,
        )
    ax.set(
        xlabel="wrong answers accepted (%)",
        ylabel="right answers accepted (%)",
        xlim=(-2, 102),
        ylim=(-2, 106),
        xticks=range(0, 101, 25),
        yticks=range(0, 101, 25),
    )
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, title="judge")
    return fig


def checks_forest(scores: pd.DataFrame, checks: Sequence[str], length: Interval) -> Figure:
    """Balanced accuracy and AUC of each judge and check with intervals, chance, and the AUC of the answer's length."""
    fig, grid = axes(1, 2, width=FULL, height=3.5, sharey=True)
    judges = list(scores["judge"].unique())
    names = [CHECK_NAMES.get(check, check) for check in checks]
    for ax, figure in zip(grid, ("balanced_accuracy", "auc")):
        for i, judge in enumerate(judges):
            part = scores[scores["judge"] == judge].set_index("check").loc[list(checks)]
            values = [100 * part[f"{figure}{end}"] for end in ("", "_low", "_high")]
            forest(ax, names, *values, role=judge, label=short(judge), offset=0.24 * (i - (len(judges) - 1) / 2))
        ax.axvline(50, color=role("trivial").colour, linewidth=0.9, zorder=1, label="chance")
    grid[1].axvline(
        100 * length.estimate,
        color=role("baseline").colour,
        linewidth=1.2,
        linestyle=":",
        zorder=1,
        label="AUC of the answer's length",
    )
    grid[0].set(xlabel="balanced accuracy (%)", xlim=(20, 85))
    grid[1].set(xlabel="AUC of p, the probability of accepting (%)", xlim=(20, 85))
    fig.legend(*grid[1].get_legend_handles_labels(), loc="outside lower center", ncols=5, columnspacing=1.2)
    return fig


def misread_rejections(counts: pd.DataFrame, styles: int) -> Figure:
    """Rejections read as acceptances by attack, of `styles`. counts: `verdict_attacks.misread`."""
    fig, ax = axes(height=3.3)
    place = np.arange(len(counts))
    for column, look, label, shift in (
        ("public", role("paper"), "first verdict (public code)", -0.2),
        ("ours", role("ours"), "verdict of the last line (ours)", 0.2),
    ):
        ax.barh(place + shift, counts[column], height=0.36, color=look.colour, label=label)
        for at, value in zip(place + shift, counts[column]):
            ax.text(value + 0.08, at, str(int(value)), va="center", fontsize=6.5, color=look.colour)
    ax.set_yticks(place, counts.index)
    ax.set(xlabel=f"rejections read as acceptances, of {styles}", xlim=(0, styles), ylim=(len(counts) - 0.4, -0.6))
    ax.grid(False, axis="y")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig
