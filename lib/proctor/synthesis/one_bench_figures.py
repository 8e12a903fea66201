"""Figures of all methods on one bench. Each receives estimates, computes none, and returns (figure, alt text)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, heatmap, role, short

SAME = "chosen and judged on the same candidates"
AUC = "AUC within questions (%)"

Drawn = tuple[Figure, str]  # the figure and its alt text


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
