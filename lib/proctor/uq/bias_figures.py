"""Figures of UQ's findings 3 to 5: bias, preference and ranks. They receive estimates and compute none."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from proctor.report.figures import FULL, axes, heatmap, marks, role, roles, short
from proctor.uq.bias import PANEL, PIPELINE, model_family

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


def bias_heatmap(
    bias: pd.DataFrame, judges: Sequence[str], authors: Sequence[str], validators: Sequence[str]
) -> Figure:
    """Bias by author (rows) and by judge and validator (columns).

    A frame marks the judge's own answers, dots its sibling's. bias: `bias.bias_by_author`.
    """
    shown = [(judge, validator) for judge in judges for validator in validators]
    grid = bias.pivot(index="author", columns=["judge", "validator"], values="bias").loc[[*authors, "all"], shown]
    written = grid.map(lambda value: f"{100 * value:+.0f}".replace("+0", "0").replace("-0", "0"))
    fig, ax = axes(width=FULL, height=2.3)
    heatmap(ax, 100 * grid, text=written, low=-100, high=100, center=0, label="bias (points)", fontsize=7.5)
    for column, (judge, _) in enumerate(shown):
        for row, author in enumerate(authors):
            if model_family(author) == model_family(judge):
                own = author == judge
                frame = Rectangle((column + 0.05, row + 0.06), 0.9, 0.88, fill=False, linewidth=1.3, zorder=4)
                frame.set_linestyle("-" if own else ":")
                ax.add_patch(frame)
    ax.set_xticks(np.arange(len(shown)) + 0.5, [validator for _, validator in shown])
    ax.set_yticks(np.arange(len(grid)) + 0.5, [short(name) for name in grid.index])
    ax.set(ylabel="answers by", xlabel="validator (frame: the judge's own answers; dotted: its sibling's)")
    for k, judge in enumerate(judges):
        ax.axvline(len(validators) * (k + 1), color="white", linewidth=4)
        ax.text(len(validators) * (k + 0.5), -0.15, f"judge: {short(judge)}", ha="center", va="bottom", fontsize=8)
    return fig


def preference_power(power: pd.DataFrame, recorded: int) -> Figure:
    """Chance to see a preference over wrong answers by each author; `recorded`: how many our exam has at most."""
    fig, ax = axes(height=2.7)
    groups = {f"a judge that accepts {share:.0%}": part for share, part in power.groupby("accepts")}
    for (name, part), who in zip(groups.items(), roles(groups).values()):
        ax.plot(part["n"], 100 * part["formula"], color=who.colour, linewidth=0.8)
        ax.plot(part["n"], 100 * part["seen"], color=who.colour, marker=who.marker, label=name, linestyle="none")
        ax.vlines(part["n"], 100 * part["low"], 100 * part["high"], color=who.colour, linestyle="--", linewidth=1)
    for n, text in ((recorded, "ours"), (100, "Table S1")):
        ax.axvline(n, color=role("muted").colour, linewidth=0.8, linestyle=":")
        ax.text(n * 1.04, 103, text, fontsize=6.5, va="top", color=role("trivial").colour)
    ticks = sorted(power["n"].unique())
    ax.axhline(80, color=role("muted").colour, linewidth=0.8)
    ax.set(xscale="log", xlabel="wrong answers by each of two authors", ylabel="chance to see it (%)", ylim=(0, 105))
    ax.set_xticks(ticks[::2], [f"{n:,}" for n in ticks[::2]])
    ax.minorticks_off()
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig


def rank_trajectories(ranks: pd.DataFrame, judges: Sequence[str], validators: Sequence[str]) -> Figure:
    """Rank of each author by share accepted, one panel a judge; bars: the ranks that it can have.

    ranks: judge, validator, author, rank, rank_low, rank_high.
    """
    authors = list(ranks["author"].unique())
    steps = [*validators, *[PANEL] * (PANEL in set(ranks["judge"])), "truth"]
    table = ranks.set_index(["judge", "validator", "author"])
    fig, panels = axes(1, len(judges), width=FULL, height=2.6, sharey=True, squeeze=False)
    for ax, judge in zip(panels[0], judges):
        keys = [(PANEL if step == PANEL else "key" if step == "truth" else judge, step) for step in steps]
        for k, author in enumerate(authors):
            one, who = table.loc[[(*key, author) for key in keys]], role(author)
            x = np.arange(len(steps)) + 0.2 * (k - (len(authors) - 1) / 2)
            ax.vlines(x, one["rank_low"] - 0.1, one["rank_high"] + 0.1, color=who.colour, linewidth=3.5, alpha=0.3)
            ax.plot(x, one["rank"], marker=who.marker, color=who.colour, linestyle="none", label=who.short)
            ax.plot(x[:-1], one["rank"][:-1], color=who.colour, linewidth=0.7)
        ax.axvline(len(steps) - 1.5, color=role("muted").colour, linewidth=0.8)
        ax.set(title=f"judge: {short(judge)}", xlim=(-0.5, len(steps) - 0.5), yticks=range(1, len(authors) + 1))
        ax.set_xticks(range(len(steps)), steps, rotation=60, ha="right")
        ax.grid(False, axis="x")
    panels[0, 0].set_ylim(len(authors) + 0.35, 0.65)
    panels[0, 0].set_ylabel("rank by share accepted")
    fig.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, title="answers by")
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
