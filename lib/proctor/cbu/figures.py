"""CBU's figures beyond what `report.figures` offers. They receive estimates with intervals and compute none."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, role


def legend_below(fig: Figure, ax: Axes, columns: int = 3) -> None:
    """One legend of the axes' series, under all axes."""
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def rollout_error(curve: pd.DataFrame, utilities: np.ndarray, one: np.ndarray, n: int, bound: float) -> Figure:
    """Mean error against rollouts, and the error of n rollouts of one candidate against its utility. CBU, Figure 6.

    curve: as of `rollout_budget.error_curve`; one: exact error at each of `utilities`; bound: the paper's.
    """
    fig, (left, right) = axes(1, 2, width=FULL, height=2.7)
    ours, second = role("ours").colour, role("baseline").colour
    left.plot(curve["n"], curve["without"], "--", color=ours, label="without replacement, exact")
    left.plot(curve["n"], curve["sampled"], "o", color=ours, label="the same by subsamples")
    left.plot(curve["n"], curve["replaced"], "-.", color=second, label="with replacement, exact")
    left.plot(curve["n"], curve["bound"], ":", color=second, label="bound on the first")
    left.set(xscale="log", xlabel="rollouts n", ylabel="mean error against all rollouts")
    left.set_xticks(curve["n"], curve["n"])
    left.minorticks_off()
    right.plot(utilities, one, "--", color=ours)
    right.fill_between(utilities, 0, one, where=one < bound, color=ours, alpha=0.25, linewidth=0)
    right.set(xlabel="candidate's utility", ylabel=f"error of {n} rollouts", xlim=(-0.02, 1.02), ylim=(0, 0.19))
    for ax in (left, right):
        ax.axhline(bound, color=role("paper").colour, linewidth=0.9, label=f"paper: below this from n = {n}")
    legend_below(fig, left, 3)
    return fig


SCHEMES = {"uniform": "baseline", "halving": "ours", "racing": "highlight"}


def rollout_frontier(found: pd.DataFrame) -> Figure:
    """Acc@1 and regret of each scheme against its calls, both less those of the reference; all points, with intervals.

    found: as of `rollout_budget.frontier`.
    """
    fig, panels = axes(1, 2, width=FULL, height=2.9)
    texts = ("Acc@1, less 64 each (points)", "utility lost, less 64 each")
    for ax, metric, scale, text in zip(panels, ("acc1", "regret"), (100, 1), texts):
        for name, who in SCHEMES.items():
            part, look = found[found["scheme"].str.startswith(name)].dropna(subset=[f"{metric} gap"]), role(who)
            x = 100 * part["share"] * (1.04 if name == "uniform" else 1)  # beside halving at the same calls
            ax.vlines(x, scale * part[f"{metric} low"], scale * part[f"{metric} high"], color=look.colour, linewidth=1)
            ax.plot(x, scale * part[f"{metric} gap"], look.marker, color=look.colour, linestyle="none", label=name)
        ax.axhline(0, color=role("truth").colour, linewidth=0.7)
        ax.set(xscale="log", xlabel="calls (% of 64 a candidate)", ylabel=text)
        ax.set_xticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
        ax.minorticks_off()
    legend_below(fig, panels[0])
    return fig
