"""Figures of public runs on HLE. Each receives estimates, computes none, and returns (figure, alt text)."""

import numpy as np
import pandas as pd

from proctor.hle.figures import Drawn
from proctor.report.figures import FULL, axes, dumbbell, role


def stated_and_right(table: pd.DataFrame) -> Drawn:
    """Mean stated confidence against accuracy, a row a run (`frontier_runs.metrics`)."""
    fig, ax = axes(width=FULL, height=1.1 + 0.2 * len(table))
    who = dict(names=("is right", "says it is right"), role=("truth", "highlight"), evidence=("logged", "logged"))
    limits = dict(
        left_interval=(table["low"], table["high"]), right_interval=(table["stated_low"], table["stated_high"])
    )
    dumbbell(ax, list(table["model"]), table["accuracy"], table["stated_mean"], **who, **limits)
    ax.set(xlabel="percent of the answers, mean stated confidence in percent (95 % intervals)", xlim=(0, 100))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    ends = [f"{row.model} says {row.stated_mean:.0f}, is right in {row.accuracy:.0f} %" for row in table.itertuples()]
    return fig, "Stated confidence lies far right of accuracy for every run: " + "; ".join(ends) + "."


def right_again(table: pd.DataFrame) -> Drawn:
    """Of the items that either run of a model gets right, those that both do (`frontier_runs.retests`)."""
    fig, ax = axes(width=FULL, height=1.0 + 0.35 * len(table))
    rows, left = np.arange(len(table)), np.zeros(len(table))
    for column, who, name in (("both", "ours", "right in both runs"), ("one", "wrong", "right in one run only")):
        ax.barh(rows, table[column], left=left, color=role(who).colour, height=0.6, label=name)
        for row, (start, size) in enumerate(zip(left, table[column])):
            colour = "white" if who == "ours" else "black"
            ax.text(start + size / 2, row, str(size), ha="center", va="center", fontsize=8, color=colour)
        left = left + table[column].to_numpy()
    ax.set_yticks(rows, [f"{row.model}: {row.items:,} questions" for row in table.itertuples()])
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set(xlabel="questions that at least one run gets right")
    ax.grid(False, axis="y")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    text = "; ".join(f"{row.model} {row.both} in both and {row.one} in one only" for row in table.itertuples())
    return fig, f"Questions that two runs of one model get right: {text}."
