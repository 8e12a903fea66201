"""Figures of the synthesis. Each receives estimates, computes none, and returns (figure, alt text) for `out.figure`."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, heatmap, marks, role, waffle

Drawn = tuple[Figure, str]  # the figure and its alt text

PAPERS = {"uq": "UQ", "hle": "HLE", "hle_verified": "HLE-Verified", "kina": "KINA, a review", "cbu": "CBU"}
SEVERITIES = {
    "agrees": "agrees",
    "slip": "slip: nothing builds on it",
    "figure": "figure: ask before use",
    "claim": "claim: a sentence rests on it",
}


# Consistency


def consistency_by_paper(counts: pd.DataFrame) -> Drawn:
    """One square per comparison. counts: from `audit.consistency_check.counts_by_severity`."""
    named = counts.rename(index=PAPERS, columns=SEVERITIES)
    fig, ax = axes(width=FULL, height=2.35)
    waffle(ax, named, per_row=44)
    patches = [*ax.patches, *fig.legends[0].get_patches()]
    mildest = patches[0].get_facecolor()  # agreement is no mild form of disagreement: grey
    for patch in patches:
        if patch.get_facecolor() == mildest:
            patch.set_facecolor("#E6E6E6")
    ax.set_xlabel("one square: one printed figure, compared with what the paper's other printed figures imply")
    disagree = counts.drop(columns="agrees").sum(axis=1)
    parts = "; ".join(f"{PAPERS[paper]}, {disagree[paper]} of {total}" for paper, total in counts.sum(axis=1).items())
    return fig, (
        "Waffle chart: a block of squares for each paper, one square for each comparison of a printed figure with the "
        f"paper's other figures, darker with the severity of the disagreement. Disagreements: {parts}."
    )


# Intervals


def interval_anatomy(
    scores: np.ndarray, weights: np.ndarray, means: np.ndarray, limits: Mapping[str, tuple[float, float]], truth: float
) -> Drawn:
    """One sample, three of its resamples, the accuracies of all resamples, and the intervals.

    scores: 0/1 of shape (items,). weights: how often each item is in each resample, (resamples, items). means: accuracy
    of each resample, (resamples,). limits: {method: (low, high)}, the first that of the resamples. truth: drawn dashed.
    """
    n, (low, high) = len(scores), next(iter(limits.values()))
    fig, (top, middle, bottom) = axes(3, height=3.6, height_ratios=[1.5, 2, 0.9])
    drawn = np.vstack([np.ones(n), weights[:3]])
    image = np.tile([to_rgba(role("right" if right else "wrong").colour) for right in scores], (len(drawn), 1, 1))
    image[..., 3] = drawn > 0
    top.imshow(image, aspect="auto")
    for row, item in np.argwhere(drawn > 0):
        top.text(item, row, f"{drawn[row, item]:.0f}", ha="center", va="center_baseline", fontsize=6)
    names = ["the sample", "resample 1", "resample 2", "resample 3"]
    top.set_yticks(range(4), [f"{name}: {mean:.0%}" for name, mean in zip(names, drawn @ scores / n)])
    top.set(xticks=[])
    top.set_title("right (blue) or wrong (orange), times drawn", fontsize=7.5, loc="right")
    top.grid(False)
    values, times = np.unique(np.round(means, 6), return_counts=True)
    inside = (values >= low - 1e-6) & (values <= high + 1e-6)
    colours = np.where(inside, role("ours").colour, role("muted").colour)
    middle.bar(100 * values, 100 * times / len(means), width=75 / n, color=colours)
    middle.set(ylabel="% of resamples", xlim=(30, 101))
    middle.set_title(f"{len(means):,} resamples: the middle 95 % (blue)", fontsize=7.5, loc="right")
    ends = 100 * np.array(list(limits.values())).T
    point = np.full(len(limits), 100 * scores.mean())
    forest(bottom, list(limits), point, *ends, role=["ours", "baseline"][: len(limits)], evidence="simulated")
    bottom.set(xlabel="accuracy (%)", xlim=middle.get_xlim())
    for ax in (middle, bottom):
        ax.axvline(100 * truth, color=role("truth").colour, linestyle="--", linewidth=1)
    label = f"dashed: the\ntruth, {truth:.0%}"
    middle.text(0.99, 0.97, label, transform=middle.transAxes, ha="right", va="top", fontsize=7)
    return fig, (
        f"Top: {n} items, right or wrong, and how often each is drawn in three resamples. Middle: accuracies of "
        f"{len(means):,} resamples, the middle 95 % from {low:.0%} to {high:.0%} marked. Bottom: "
        + "; ".join(f"{name} interval {a:.0%} to {b:.0%}" for name, (a, b) in limits.items())
        + f". The true accuracy is {truth:.0%}."
    )


def coverage_by_method(coverage: pd.DataFrame) -> Drawn:
    """Coverage of nominal 95 % intervals, a panel for each true accuracy. coverage: `coverage.coverage_by_method`."""
    order = ["Wilson", "Clopper-Pearson", "percentile", "BCa", "plain percentile", "normal"]
    panels = list(coverage.groupby("p"))
    fig, all_axes = axes(1, len(panels), width=FULL, height=2.3, sharey=True)
    for ax, (p, part) in zip(all_axes, panels):
        table = 100 * part.pivot(index="method", columns="n", values="coverage").loc[order]
        table.index = [f"{name} (HLE)" if name == "normal" else name for name in order]
        heatmap(ax, table, fmt=".0f", low=65, high=125, center=95, bar=False, fontsize=7.5)
        ax.set_title(f"true accuracy {p:.0%}", fontsize=8)
        ax.set_xlabel("items in the exam")
    error = 100 * (coverage["high"] - coverage["low"]).max() / 2
    fig.supxlabel(
        f"% of intervals that contain the truth (should be 95; simulation error at most ±{error:.1f})", fontsize=8
    )
    least = coverage.groupby("method")["coverage"].min()
    return fig, (
        "Three heatmaps, one for each true accuracy: rows are six interval methods, columns numbers of items, cells "
        "the percentage of intervals that contain the truth. Lowest: "
        + "; ".join(f"{name} {least[name]:.0%}" for name in order)
        + "."
    )


def coverage_by_resampling(found: pd.DataFrame) -> Drawn:
    """Coverage by correlation within families, a panel for each design. found: `coverage.coverage_by_resampling`."""
    designs = list(found.groupby("design", sort=False))
    fig, all_axes = axes(1, len(designs), height=2.4, sharey=True)
    looks = {"families": ("ours", "families resampled"), "items": ("baseline", "items resampled")}
    for ax, (design, part) in zip(all_axes, designs):
        ax.axhspan(93, 97, color=role("muted").colour, alpha=0.4, linewidth=0)
        for resampled, own in part.groupby("resampled"):
            look, label = role(looks[resampled][0]), looks[resampled][1]
            error = 100 * np.abs(own[["low", "high"]].T.to_numpy() - own["coverage"].to_numpy())
            ax.errorbar(
                own["correlation"],
                100 * own["coverage"],
                yerr=error,
                color=look.colour,
                marker=look.marker,
                markersize=3.5,
                elinewidth=0.9,
                label=label,
                **marks("simulated"),
            )
        ax.set_title(design, fontsize=7.5)
        ax.set_xlabel("correlation in a family", fontsize=7.5)
    all_axes[0].set(ylabel="% of intervals with the truth", ylim=(45, 101))
    all_axes[-1].text(0.4, 97.6, "grey: 93 to 97 %", ha="right", fontsize=6.5)
    fig.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    ends = found[found["correlation"] == found["correlation"].max()]
    return fig, (
        "Coverage of 95 % intervals against the correlation within families, a panel for each design. At the highest "
        "correlation: "
        + "; ".join(f"{row.design}, {row.resampled} resampled, {row.coverage:.0%}" for row in ends.itertuples())
        + "."
    )


# Audit


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
