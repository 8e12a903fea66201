"""Figures of all methods on one bench. Each receives estimates, computes none, and returns (figure, alt text)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.report.figures import FULL, axes, forest, heatmap, role, short
from proctor.synthesis.figures import Drawn

SAME = "chosen and judged on the same candidates"
AUC = "AUC within questions (%)"


def together(agreement: pd.DataFrame, names: Sequence[str], fmt: str = ".1f") -> Drawn:
    """Which methods order the same pairs of right and wrong wrongly: correlations, averaged over the models.

    agreement: rows of `one_bench.agreement` of one set. names: the methods, in the order of rows and columns; one that
    never varies is left out, unless none does: then all are there, and every cell is blank.
    """
    mean = agreement.groupby(["one", "other"])["errors"].mean()
    square = pd.DataFrame(np.nan, index=list(names), columns=list(names))
    for (one, other), value in mean.items():
        i, j = sorted((names.index(one), names.index(other)))
        square.iloc[j, i] = value
    varies = square.notna().any(axis=1) | square.notna().any(axis=0)
    there = square.index[varies | ~varies.any()]
    shown = square.loc[there, there].iloc[1:, :-1]
    text = shown.map(lambda value: format(value, fmt).replace("-0.0", "0.0") if np.isfinite(value) else "")
    fig, ax = axes(width=FULL, height=max(0.8 + 0.25 * len(there), 2.8))
    heatmap(ax, shown, text=text, low=-1, high=1, center=0, label="correlation of errors", fontsize=6.5)
    ax.tick_params(axis="x", rotation=90)
    known = mean.dropna()
    alt = f"Heat map of {len(names)} methods: correlation of their wrongly ordered pairs, "
    if known.empty:
        return fig, alt + "all blank, for no two methods vary."
    low, high = known.idxmin(), known.idxmax()
    return fig, alt + (
        f"from {known.min():.2f} ({low[0]} and {low[1]}) to {known.max():.2f} ({high[0]} and {high[1]})."
    )


def gains(table: pd.DataFrame, sets: Mapping[str, str], evidence: str = "measured", units: str = "families") -> Drawn:
    """The best combination less the best single method at equal cost: a panel a set, a row a budget, a series a model.

    table: rows of `one_bench.combinations`. Filled marks: judged on families (or `units`) left out, with intervals;
    crosses: chosen and judged on the same candidates.
    """
    budgets = sorted(table["budget"].unique())
    labels = [f"{budget:g} call{'s' if budget != 1 else ''}" for budget in budgets]
    fig, panels = axes(
        1, len(sets), width=FULL, height=1.35 + 0.42 * len(budgets), sharex=True, sharey=True, squeeze=False
    )
    models = list(table["model"].unique())
    for ax, (name, title) in zip(panels[0], sets.items()):
        for k, model in enumerate(models):
            at = table[(table["set"] == name) & (table["model"] == model)].set_index("budget").reindex(budgets)
            values = [100 * at[end] for end in ("difference", "low", "high")]
            offset, who = 0.22 * (k - (len(models) - 1) / 2), model or "judge"
            look = dict(role=who, evidence=evidence, label=short(model) or f"{units} left out", offset=offset)
            forest(ax, labels, *values, reference=0, **look)
            same = dict(color=role(who).colour, s=16, linewidths=0.9, zorder=4)
            mark = dict(marker="x", label=SAME if k == len(models) - 1 else None)
            ax.scatter(100 * at["in_sample"], np.arange(len(budgets)) + offset, **mark, **same)
        ax.set(title=title, xlabel="gain in AUC (points)")
    handles = {name: mark for ax in fig.axes for mark, name in zip(*ax.get_legend_handles_labels())}
    fig.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles))
    ends = [100 * table["difference"].agg(end) for end in ("min", "max")]
    return fig, (
        f"Forest plots by budget: the best combination less the best single method, {ends[0]:+.0f} to {ends[1]:+.0f} "
        f"points on {units} left out; in sample {100 * table['in_sample'].min():+.0f} to "
        f"{100 * table['in_sample'].max():+.0f} points."
    )


def frontier(
    quality: pd.DataFrame, chosen: pd.DataFrame, name: str, evidence: str = "measured", units: str = "families"
) -> Drawn:
    """Quality against calls: each method of the set `name` with its interval, and what a budget buys.

    quality: rows of `one_bench.quality`. chosen: rows of `one_bench.combinations`: the best single method and the best
    combination that a budget allows, chosen without the families (or `units`) that it is judged on. A panel a model.
    """
    part, budgets = quality[quality["set"] == name], chosen[chosen["set"] == name]
    models = list(part["model"].unique())
    fig, panels = axes(1, len(models), width=FULL, height=2.75, sharey=True, squeeze=False)
    for ax, model in zip(panels[0], models):
        own = part[part["model"] == model].sort_values(["calls", "within"])
        place = own.groupby("calls").cumcount() - (own.groupby("calls")["calls"].transform("size") - 1) / 2
        x, look = own["calls"] + 0.055 * place, role("baseline" if model else "judge")
        y, low, high = (100 * own[end] for end in ("within", "within_low", "within_high"))
        ax.vlines(x, low, high, color="#BDBDBD", linewidth=0.8, zorder=1)
        ax.plot(x, y, "o", color=look.colour, markersize=3, zorder=2, label="a method, with interval")
        for i in own["within"].nlargest(1 if model else 0).index:
            ax.annotate(
                own.loc[i, "method"], (x[i], y[i]), (0, 4), textcoords="offset points", ha="center", fontsize=6.5
            )
        bought = budgets[budgets["model"] == model].sort_values("budget")
        for column, who, text in (
            ("single", "ours", "best single method"),
            ("combination", "utility", "best combination"),
        ):
            how = dict(color=role(who).colour, marker=role(who).marker, linewidth=1.1, markersize=4, zorder=3)
            ax.plot(bought["budget"], 100 * bought[column], label=f"{text}, {units} left out", **how)
        if part["within_low"].min() < 0.5:
            ax.axhline(50, color=role("truth").colour, linewidth=0.7, zorder=1)
        ax.set(title=short(model), xlabel="calls a candidate, at most")
    panels[0, 0].set_ylabel(AUC)
    handles = {text: mark for ax in fig.axes for mark, text in zip(*ax.get_legend_handles_labels())}
    fig.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles))
    tops = [
        f"{short(m) or 'all judges'} {100 * rows['single'].max():.0f} %"
        for m, rows in budgets.groupby("model", sort=False)
    ]
    return fig, (
        f"AUC within questions against calls a candidate ({name}). Best single method on {units} left out: "
        f"{', '.join(tops)}."
    )
