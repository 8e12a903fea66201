"""Pictures of validators (UQ, appendix B.2 and B.3). They receive estimates and compute none."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, flow, forest, role, short
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
