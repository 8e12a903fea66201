"""Figures of the synthesis. Each receives estimates, computes none, and returns (figure, alt text) for `out.figure`."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, role

Drawn = tuple[Figure, str]  # the figure and its alt text


def audit_intervals(
    measured: pd.DataFrame, trivial: pd.DataFrame, verdicts: pd.DataFrame, printed: Mapping[str, float], level: float
) -> Drawn:
    """Accuracy and balanced accuracy of an audited table's rows, with intervals.

    measured: `comparisons.row_intervals`. trivial: `comparisons.baselines`. verdicts: `feasibility.feasibility`.
    printed: {row: printed accuracy as a share}, for rows without counts.
    """
    names = verdicts["name"].tolist()
    short_names = [name if len(name) < 34 else f"{name[:32]}..." for name in names]
    labels = [name.replace("$", r"\$") for name in short_names]  # else matplotlib takes it for a formula
    fig, all_axes = axes(1, 2, width=FULL, height=1.1 + 0.24 * len(names), sharey=True)
    for ax, measure in zip(all_axes, ("accuracy", "balanced_accuracy")):
        part = measured[measured["measure"] == measure].set_index("name").reindex(names)
        exact = part[["exact_low", "exact_high"]].to_numpy().T
        ax.hlines(range(len(names)), *exact, color=role("muted").colour, linewidth=4, alpha=0.6, label="exact limits")
        middle = part[["estimate", "estimate_max"]].mean(axis=1)
        forest(ax, labels, middle, part["low"], part["high"], evidence="reconstructed", label=f"{level:.0%} interval")
        ax.set_xlabel(measure.replace("_", " "))
    accuracy, balanced = all_axes
    counted = set(measured["name"])
    for y, (name, verdict) in enumerate(zip(names, verdicts["verdict"])):
        if name in printed and name not in counted:
            accuracy.plot(printed[name], y, "x", color=role("muted").colour, label="as printed, no counts")
        if np.isnan(measured.query("measure == 'balanced_accuracy' and name == @name")["estimate"].sum(min_count=1)):
            text = "confusion table not known" if name in counted else verdict
            weight = "normal" if name in counted else "bold"
            at = balanced.get_yaxis_transform()
            balanced.text(0.98, y, text, ha="right", va="center", fontsize=7, weight=weight, transform=at)
    reject = role("trivial")
    rows = [names.index(name) for name in trivial["name"]]
    accuracy.plot(trivial["trivial_accuracy"], rows, "|", color=reject.colour, markersize=13, label="trivial answer")
    balanced.axvline(0.5, color=reject.colour, linewidth=1.2, zorder=1)
    handles = dict(zip(*reversed(accuracy.get_legend_handles_labels())))  # one entry a label
    fig.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    return fig, (
        f"Two panels, one row for each of {len(names)} rows of the table: accuracy beside that of the trivial answer, "
        "and balanced accuracy beside 0.5, with intervals where the counts are known. Verdicts: "
        + "; ".join(f"{name}, {verdict}" for name, verdict in zip(short_names, verdicts["verdict"]))
        + "."
    )
