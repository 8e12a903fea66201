"""Drawing of slopes over model size, costs of answers and gains by tools. Receives estimates, computes none."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from proctor.kina.scaling import Curve
from proctor.report.figures import FULL, axes, forest, role, roles, short
from proctor.report.roles import OWN_MODELS


def draw_scaling(table: pd.DataFrame, millions: Mapping[str, float], published: Mapping[str, float]) -> Figure:
    """A table of `scaling.slope_table`: accuracies over size by exam, and the slopes with intervals under the paper's.

    published: {name: slope}, drawn hollow, since the review prints no interval.
    """
    fig, (left, right) = axes(1, 2, width=FULL, height=2.9, width_ratios=[1, 1.05])
    looks = roles(list(table["exam"]))
    sizes, lines = list(millions.values()), ["-", "-", ":", ":", ":"]
    for row, line in zip(table.to_dict("records"), lines):
        look = looks[row["exam"]]
        values = [row[model] for model in millions]
        left.plot(sizes, values, look.marker, linestyle=line, color=look.colour, label=row["exam"])
    left.set(xscale="log", xlabel="model, by parameters (log)", ylabel="accuracy (%)", ylim=(-3, 75))
    names = [short(model) for model in millions]
    left.set_xticks(sizes, names, rotation=0 if max(map(len, names)) < 6 else 30)
    left.set_xticks([], minor=True)
    left.xaxis.set_minor_formatter(NullFormatter())
    left.legend(loc="upper left", fontsize=6.5)
    names = [*(f"{name} (KINA, no interval)" for name in published), *table["exam"]]
    blank, theirs = np.full(len(published), np.nan), np.full(len(table), np.nan)
    forest(right, names, [*published.values(), *theirs], [*blank, *theirs], [*blank, *theirs], role="paper")
    ours = [np.concatenate([blank, table[column]]) for column in ("slope", "low", "high")]
    forest(right, names, *ours, role=[role("paper")] * len(published) + [looks[name] for name in table["exam"]])
    right.set(xlabel="points of accuracy for tenfold parameters", xlim=(-2, 88))
    return fig


def draw_curves(curves: Mapping[float, Curve], published: Mapping[str, float], at: Mapping[str, float]) -> Figure:
    """Slope against mean accuracy, a curve for each gain in ability; published slopes as lines.

    at: {name: mean accuracy} where the middle curve has the published slope, marked there.
    """
    fig, ax = axes(width=FULL, height=2.7)
    for (gain, curve), look in zip(curves.items(), (role("baseline"), role("ours"), role("utility"))):
        ax.plot(curve.mean, curve.slope, "--", color=look.colour, label=f"{gain:g} logits")
    paper = role("paper")
    for name, slope in published.items():
        ax.axhline(slope, color=paper.colour, linewidth=0.8)
        ax.plot(at[name], slope, paper.marker, color=paper.colour, markerfacecolor="white", markersize=6)
        ax.text(57, slope + 0.5, f"{name}: {slope:g} (published)", ha="center", fontsize=7.5, color=paper.colour)
    ax.set(xlabel="mean accuracy of the simulated models (%)", ylabel="slope\n(points for tenfold parameters)")
    ax.set(xlim=(8, 100), ylim=(0, 30))
    ax.legend(title="ability gained by tenfold parameters", loc="upper left", ncols=3)
    return fig


def draw_costs(cost: pd.DataFrame, table: pd.DataFrame) -> Figure:
    """Compute of an answer as shares up to there, by model; and of each right answer with intervals.

    cost: as `costs.with_compute` gives it. table: `costs.cost_table`.
    """
    fig, (left, right) = axes(1, 2, width=FULL, height=2.5, width_ratios=[1.2, 1])
    models = list(table["model"])
    palette = {model: look.colour for model, look in roles(models).items()}
    sns.ecdfplot(cost, x="compute", hue="model", palette=palette, ax=left, legend=False, stat="percent")
    for model in models:
        top = cost.loc[cost["model"] == model, "compute"].median()
        left.text(top, 103, short(model), color=palette[model], ha="center", fontsize=8)
    left.set(
        xscale="log", ylim=(0, 112), ylabel="answers up to there (%)", xlabel="an answer: billion parameters × tokens"
    )
    wanted = table.reindex(columns=["each_right", "low", "high"])
    endless = np.isinf(wanted["high"].to_numpy(float))
    known = wanted.replace(np.inf, np.nan).to_numpy(float)
    # where no model has a right answer, there is no limit to draw
    start, end = (None, 2 * np.nanmax(known)) if np.isfinite(known).any() else (0.01, 1.0)
    wanted = wanted.replace(np.inf, end)
    looks = [roles(models)[model] for model in models]
    forest(right, [short(model) for model in models], *wanted.to_numpy(float).T, role=looks)
    right.set(xscale="log", xlabel="each right answer: the same unit", xlim=(start, end))
    for row in np.flatnonzero(endless):
        right.text(end * 0.95, row - 0.12, "no upper end", ha="right", va="bottom", fontsize=7, color=looks[row].colour)
    for ax, ticks in ((left, (30, 100, 300)), (right, (300, 1000, 3000))):
        ax.minorticks_off()
        if set(models) <= set(OWN_MODELS):
            ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        else:
            ax.xaxis.set_major_locator(LogLocator(numticks=4))
    return fig


def draw_tool_gain(differ: Sequence[float], lower: Mapping[float, np.ndarray], published: float) -> Figure:
    """Lower end of the interval of one of five gains (points) against the items that differ (percent), a line each."""
    fig, ax = axes(height=2.7)
    for (gain, limit), look in zip(lower.items(), (role("paper"), role("ours"), role("utility"), role("human"))):
        label = f"{gain:g}{' (published)' if gain == published else ''}"
        ax.plot(differ, limit, color=look.colour, label=label)
    ax.axhline(0, color=role("truth").colour, linewidth=0.7)
    ax.set(xlabel="items answered differently with tools (%)", xlim=(0, 70), ylim=(-5, 6.5))
    ax.set(ylabel="lower end of the gain's\n99 % interval (points)")
    ax.legend(title="gain (points)", loc="upper right", ncols=2, fontsize=7)
    return fig
