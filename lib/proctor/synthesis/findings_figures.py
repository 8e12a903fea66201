"""Figures of the papers' findings and their verdicts. They receive counts and verdicts, compute none."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from proctor.report.claims import FAILS, HOLDS, MARKS, UNSETTLED
from proctor.report.figures import FULL, axes, dumbbell
from proctor.report.roles import Role
from proctor.synthesis.figures import PAPERS, Drawn
from proctor.synthesis.findings import MIXED, OUTCOMES, SOURCES, UNTESTED

COLOURS = {HOLDS: "#1F5A99", MIXED: "#B9A3D0", UNSETTLED: "#D9D9D9", FAILS: "#9E1B1B", UNTESTED: "#FFFFFF"}
NAMES = {
    "printed": "the paper's own\nnumbers",
    "simulated": "simulation\nor proof",
    "measured": "our small models\n(measured)",
    "logged": "public records\n(logged)",
}
_SIGNS = MARKS | {MIXED: "~", UNTESTED: ""}
_TEXT = {name: "white" if name in (HOLDS, FAILS) else "black" for name in OUTCOMES}
_EDGE = "#8A8A8A"


def outcomes(counts: pd.DataFrame) -> Drawn:
    """Stacked counts: above a bar a paper over all evidence, below a bar a kind of evidence over all papers.

    counts: `findings.counts`.
    """
    every = counts[counts["source"] == "all"].set_index("paper")[list(OUTCOMES)].rename(index=PAPERS)
    tested = list(OUTCOMES[:-1])
    kinds = counts.groupby("source", sort=False)[tested].sum().loc[list(SOURCES)].rename(index=NAMES)
    fig, (top, bottom) = axes(2, width=FULL, height=4.1, height_ratios=[len(every), len(kinds) + 0.6], sharex=True)
    _stacked(top, every)
    _stacked(bottom, kinds)
    top.set_title("by paper, all evidence together", loc="left")
    bottom.set_title("by kind of evidence: the findings that it tested", loc="left")
    bottom.set_xlabel("findings")
    handles = [Patch(facecolor=COLOURS[name], edgecolor=_EDGE, linewidth=0.5, label=name) for name in OUTCOMES]
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    told = [
        f"{name}: " + ", ".join(f"{row[outcome]} {outcome}" for outcome in part.columns if row[outcome])
        for part in (every, kinds.rename(index=lambda name: name.replace("\n", " ")))
        for name, row in part.iterrows()
    ]
    return fig, "Stacked bars of the number of findings with each outcome. " + "; ".join(told) + "."


def several_sources(table: pd.DataFrame) -> Drawn:
    """A row a finding, a column a kind of evidence: the verdict as a colour and a sign.

    table: rows of `findings.by_finding`, those that several sources tested.
    """
    fig, ax = axes(width=FULL, height=0.22 * len(table) + 1.2)
    _matrix(ax, table)
    drawn = [name for name in OUTCOMES if (table[list(SOURCES)] == name).any(axis=None)]
    signs = {name: f"{_SIGNS[name]} {name}".strip() for name in drawn}
    handles = [Patch(facecolor=COLOURS[name], edgecolor=_EDGE, linewidth=0.5, label=signs[name]) for name in drawn]
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    told = [
        f"{label}: " + ", ".join(f"{source} {row[source]}" for source in SOURCES if row[source] != UNTESTED)
        for label, (_, row) in zip(labels(table), table.iterrows())
    ]
    return fig, "Verdicts of findings that several kinds of evidence tested. " + "; ".join(told) + "."


def needed(rows: pd.DataFrame) -> Drawn:
    """The n of today and the n that would decide, a row a finding, coloured by what the estimate leans to.

    rows: `findings.nearest` with paper and label; those without an n are left out.
    """
    rows = rows[rows["needed"].notna()].reset_index(drop=True)
    fig, ax = axes(width=FULL, height=0.2 * len(rows) + 1.1)
    for leaning, name in ((HOLDS, "n for: holds"), (FAILS, "n for: does not hold")):
        these = rows["leaning"] == leaning
        today, then = (rows[column].where(these) for column in ("n", "needed"))
        role = Role(COLOURS[leaning], "o" if leaning == HOLDS else "s", name)
        dumbbell(ax, labels(rows), today, then, names=("n of today", name), role=("baseline", role),
                 evidence=("measured", "measured"))  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlabel("n (questions, items, tasks or families; logarithmic)")
    known = dict(zip(*reversed(ax.get_legend_handles_labels())))
    fig.legend(known.values(), known, loc="outside lower center", ncols=len(known))
    told = [
        f"{label}: {n:,.0f} to {to:,.0f} {of}, leaning to {leaning}"
        for label, n, to, of, leaning in zip(labels(rows), rows["n"], rows["needed"], rows["of"], rows["leaning"])
    ]
    return fig, "The n of today and the n that would decide, by finding. " + "; ".join(told) + "."


def labels(table: pd.DataFrame) -> list[str]:
    """ "UQ: compounds beat one prompt": the paper and the finding's label, or the words of its id."""
    words = [
        label or finding.partition("/claim_")[2].replace("_", " ")
        for label, finding in zip(table["label"], table["finding"])
    ]
    return [f"{PAPERS[paper].partition(',')[0]}: {text}" for paper, text in zip(table["paper"], words)]


def _stacked(ax: Axes, part: pd.DataFrame) -> None:
    left = np.zeros(len(part))
    for name in part.columns:
        width = part[name].to_numpy()
        ax.barh(part.index, width, left=left, color=COLOURS[name], edgecolor=_EDGE, linewidth=0.5, height=0.72)
        for at, (start, count) in enumerate(zip(left, width)):
            if count:
                middle = start + count / 2
                ax.text(middle, at, str(count), ha="center", va="center", fontsize=7.5, color=_TEXT[name])
        left += width
    ax.invert_yaxis()
    ax.grid(False, axis="y")


def _matrix(ax: Axes, part: pd.DataFrame) -> None:
    for at, (_, row) in enumerate(part.iterrows()):
        for column, source in enumerate(SOURCES):
            name = row[source]
            edge = "#E6E6E6" if name == UNTESTED else _EDGE
            corner = column - 0.45, at - 0.42
            ax.add_patch(Rectangle(corner, 0.9, 0.84, facecolor=COLOURS[name], edgecolor=edge, linewidth=0.5))
            ax.text(column, at, _SIGNS[name], ha="center", va="center", fontsize=8, color=_TEXT[name])
    ax.set(xlim=(-0.5, len(SOURCES) - 0.5), ylim=(len(part) - 0.4, -0.6))
    ax.set_yticks(range(len(part)), labels(part))
    ax.set_xticks(range(len(SOURCES)), NAMES.values())
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
