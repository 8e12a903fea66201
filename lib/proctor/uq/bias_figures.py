"""Figures of UQ's findings 3 to 5: bias, preference and ranks. They receive estimates and compute none."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proctor.report.figures import axes, marks, role, roles
from proctor.uq.bias import PIPELINE

GROUPS = ("Claude Sonnet 3.7", "o3-mini", "o3")  # judges of Table S10; the rest are several models
NAMED = {  # labels of the published figures: (text, offset in points)
    ("o3", PIPELINE): ("o3, 3-Iter", (-34, 40)),
    ("o3", "C x3 |M"): ("o3, majority of 3", (8, 4)),
    ("o3-mini", PIPELINE): ("o3-mini, 3-Iter", (-20, 14)),
}


def bias_and_skill(validators: pd.DataFrame) -> Figure:
    """Balanced accuracy over bias of every published validator, both with 95 % intervals.

    validators: `bias.published_validators`.
    """
    fig, ax = axes(height=3.0)
    for name, part, who in _by_judge(validators):
        x, y = 100 * part["bias"], 100 * part["balanced_accuracy"]
        light = dict(color=who.colour, linewidth=0.5, alpha=0.45)
        ax.hlines(y, 100 * part["bias_low"], 100 * part["bias_high"], **light)
        ax.vlines(x, 100 * part["balanced_accuracy_low"], 100 * part["balanced_accuracy_high"], **light)
        ax.plot(x, y, who.marker, color=who.colour, label=name, zorder=3, **marks("reconstructed"))
        _annotate(ax, part, x, y, who.colour)
    ax.axhline(50, color=role("trivial").colour, linestyle=":", linewidth=1)
    ax.axvline(0, color=role("muted").colour, linewidth=0.8, zorder=0)
    ax.text(88, 49.4, "accepts by lot", fontsize=6.5, ha="right", va="top", color=role("trivial").colour)
    ax.set(xlabel="bias: accepted minus right (points, 95 %)", ylabel="balanced accuracy (%, 95 %)", xlim=(-17, 90))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


def preference_power(power: pd.DataFrame) -> Figure:
    """Chance to see a preference over wrong answers by each author."""
    fig, ax = axes(height=2.7)
    groups = {f"a judge that accepts {share:.0%}": part for share, part in power.groupby("accepts")}
    for (name, part), who in zip(groups.items(), roles(groups).values()):
        ax.plot(part["n"], 100 * part["formula"], color=who.colour, linewidth=0.8)
        ax.plot(part["n"], 100 * part["seen"], color=who.colour, marker=who.marker, label=name, linestyle="none")
        ax.vlines(part["n"], 100 * part["low"], 100 * part["high"], color=who.colour, linestyle="--", linewidth=1)
    ax.axvline(100, color=role("muted").colour, linewidth=0.8, linestyle=":")
    ax.text(104, 103, "Table S1", fontsize=6.5, va="top", color=role("trivial").colour)
    ticks = sorted(power["n"].unique())
    ax.axhline(80, color=role("muted").colour, linewidth=0.8)
    ax.set(xscale="log", xlabel="wrong answers by each of two authors", ylabel="chance to see it (%)", ylim=(0, 105))
    ax.set_xticks(ticks[::2], [f"{n:,}" for n in ticks[::2]])
    ax.minorticks_off()
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig


def order_chances(chances: pd.DataFrame, columns: Mapping[str, str]) -> Figure:
    """Chance of a true order of all models over Youden's J of the validator; columns: of `chances`, and their names."""
    fig, ax = axes(height=3.1)
    for (column, name), who in zip(columns.items(), roles(list(columns.values())).values()):
        point, low, high = (100 * chances[f"{column}{end}"] for end in ("", "_low", "_high"))
        ax.vlines(chances["youden"], low, high, color=who.colour, linestyle="--", linewidth=0.8)
        ax.plot(chances["youden"], point, who.marker, color=who.colour, markersize=3.5, label=name)
    ax.set(xlabel="Youden's J of the validator", ylabel="all five ranked as by truth (%)")
    ax.set(xlim=(0, 0.41), ylim=(-3, 103))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig


def tipping_points(chances: pd.DataFrame, gap: float) -> Figure:
    """The preference that turns two models round, for each validator of Table S10, with 95 % limits."""
    fig, ax = axes(height=3.0)
    for name, part, who in _by_judge(chances):
        x, y = part["youden"], 100 * part["tipping"]
        ax.vlines(x, 100 * part["tipping_low"], 100 * part["tipping_high"], color=who.colour, linewidth=0.7, alpha=0.6)
        ax.plot(x, y, who.marker, color=who.colour, label=name, **marks("reconstructed"))
        _annotate(ax, part[part["judges"] == "o3"], x, y, who.colour)
    ax.axhline(100 * gap, color=role("truth").colour, linewidth=0.8)
    ax.text(0.005, 100 * gap - 0.05, "the models' gap in accuracy", fontsize=6.5, va="top")
    ax.set(xlabel="Youden's J of the validator", ylabel="preference (points, 95 %)")
    ax.set(xlim=(0, 0.46), ylim=(-0.2, 100 * gap + 0.2))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


def first_places(chances: pd.DataFrame) -> Figure:
    """Chance that four or more models come first somewhere, over the correlation of the validators' acceptances."""
    fig, ax = axes(height=2.8)
    groups = {f"{n} answers of each model": part for n, part in chances.groupby("n")}
    for (name, part), who in zip(groups.items(), roles(groups).values()):
        point, low, high = (100 * part[f"four_or_more{end}"] for end in ("", "_low", "_high"))
        ax.vlines(part["correlation"], low, high, color=who.colour, linestyle="--", linewidth=1)
        ax.plot(part["correlation"], point, "--", marker=who.marker, color=who.colour, label=name, linewidth=0.8)
    ax.set(xlabel="correlation of the six validators' acceptances", ylabel="studies with four or more firsts (%)")
    ax.set(xlim=(-0.05, 1.05), ylim=(0, 75))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig


def _by_judge(frame: pd.DataFrame):
    """(name, rows, role) of each group of judges of Table S10."""
    names = frame["judges"].where(frame["judges"].isin(GROUPS), "several models")
    who = roles([*GROUPS, "several models"])
    for name in (*GROUPS, "several models"):
        yield name, frame[names == name], who[name]


def _annotate(ax: Axes, part: pd.DataFrame, x, y, colour: str) -> None:
    for judges, strategy, across, up in zip(part["judges"], part["strategy"], x[part.index], y[part.index]):
        if (judges, strategy) in NAMED:
            text, offset = NAMED[judges, strategy]
            line = dict(arrowstyle="-", color=colour, linewidth=0.6, shrinkA=0, shrinkB=3)
            how = dict(textcoords="offset points", fontsize=6.5, color=colour, zorder=5, arrowprops=line)
            ax.annotate(text, (across, up), offset, **how)
