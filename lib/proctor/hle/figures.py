"""Figures of HLE. Each receives estimates, computes none, and returns (figure, alt text) for `out.figure`."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from proctor.report.figures import FULL, axes, forest, role, roles

Drawn = tuple[Figure, str]  # the figure and its alt text

_CLAIMED = {"stated": "what it says", "token": "what its tokens say", "right": "how often it is right"}


# Measured models


def confidence_and_truth(claimed: pd.DataFrame, examples: Sequence[float] = ()) -> Drawn:
    """Stated confidence, token probability and accuracy, a line a model (`confidence.claims_and_accuracy`).

    examples: confidences that the prompt's worked examples state, marked at the left.
    """
    fig, ax = axes(width=FULL, height=2.7)
    claimed = claimed[claimed["n"] > 0]
    who = roles(claimed["model"])
    for i, row in enumerate(claimed.to_dict("records")):
        each, x = who[row["model"]], np.arange(3) + 0.11 * (i - (len(claimed) - 1) / 2)
        y, low, high = (100 * np.array([row[name + end] for name in _CLAIMED]) for end in ("", "_low", "_high"))
        ax.vlines(x, low, high, color=each.colour, linewidth=1.6)
        ax.plot(x, y, each.marker, linestyle="-", color=each.colour, markersize=6.5, linewidth=1.2)
        text = dict(va="center", color=each.colour, weight="bold", fontsize=10)
        ax.text(2.09 + 0.055 * len(claimed), y[2], each.short, **text)
    for value in examples:
        ax.plot([-0.62, -0.42], [100 * value] * 2, color=role("baseline").colour, linewidth=1.6)
    if len(examples):
        x, y = -0.62, 100 * min(examples) - 4
        ax.text(x, y, "stated by the prompt's\nworked examples", fontsize=8, va="top", color=role("baseline").colour)
    ax.set(xlim=(-0.66, 2.55), ylim=(0, 103), ylabel="percent", xticks=range(3))
    ranges = [(100 * claimed[name].min(), 100 * claimed[name].max()) for name in _CLAIMED]
    under = [
        f"{what}\n{low:.0f} to {high:.0f} %" if low <= high else f"{what}\nnot given"
        for what, (low, high) in zip(_CLAIMED.values(), ranges)
    ]
    ax.set_xticklabels(under, fontsize=9)
    ax.grid(False, axis="x")
    lines = [
        f"{each.short} from {100 * row.stated:.0f} over {100 * row.token:.0f} to {100 * row.right:.0f} %"
        for row, each in zip(claimed.itertuples(), who.values())
    ]
    marks = " and ".join(f"{100 * value:.0f}" for value in examples)
    return fig, (
        "A line a model falls from what it says over what its tokens say to how often it is right: "
        f"{'; '.join(lines)}. Grey marks: the prompt's worked examples state {marks} %."
    )


def accuracy_groups(accuracies: pd.DataFrame, exam: str, chance: float) -> Drawn:
    """Accuracy by group of questions, a mark a model (`confidence.accuracy_by_group`); `chance` on the exam."""
    groups = list(dict.fromkeys(accuracies["questions"]))
    fig, ax = axes(height=0.34 * len(groups) + 0.75)
    labels = [f"{name} (chance {100 * chance:.0f} %)" if name == exam else name for name in groups]
    wide = accuracies.set_index(["model", "questions"])[["accuracy", "low", "high"]].mul(100)
    by_model = {model: wide.loc[model].reindex(groups).to_numpy().T for model in dict.fromkeys(accuracies["model"])}
    _models(fig, ax, labels, by_model)
    levels = sum(name.startswith("level ") for name in groups)
    for edge in {levels + 0.5, len(groups) - 1.5}:
        ax.axhline(edge, color=role("muted").colour, linewidth=0.6)
    ax.vlines(100 * chance, len(groups) - 1.5, len(groups) - 0.5, color=role("baseline").colour, linestyle=":")
    ax.set(xlabel="accuracy (%), 95 % interval", xlim=(-2, 102))
    best = accuracies.loc[accuracies["accuracy"].idxmax()]
    return fig, (
        f"Accuracy of {len(by_model)} models over all families, by level, by family and on {exam}, with intervals. "
        f"The largest is {100 * best['accuracy']:.0f} % ({best['model']}, {best['questions']}); many are 0 %."
    )


def calibration_curves(curves: pd.DataFrame, titles: dict[str, str]) -> Drawn:
    """One panel a signal: claimed against right (`confidence.calibration_curves`). titles: signal -> panel's title.

    A point's area grows with its number of answers; bars are drawn from three answers on.
    """
    fig, panels = axes(columns=len(titles), height=2.5, sharey=True)
    who = roles(curves["model"])
    for ax, (signal, title) in zip(np.atleast_1d(panels), titles.items()):
        ax.plot([0, 100], [0, 100], color=role("baseline").colour, linewidth=0.8, linestyle=":")
        for model, these in curves[curves["signal"] == signal].groupby("model", sort=False):
            each, several = who[model], these[these["n"] > 2]
            limits = 100 * several["low"], 100 * several["high"]
            ax.vlines(100 * several["claimed"], *limits, color=each.colour, linewidth=0.9)
            look = dict(color=each.colour, marker=each.marker, edgecolor="white", linewidth=0.4)
            ax.scatter(100 * these["claimed"], 100 * these["right"], s=4 + these["n"], zorder=3, clip_on=False, **look)
        ax.set(xlim=(-3, 106), ylim=(-4, 104), xticks=[0, 50, 100])
        ax.set_xlabel(f"{title} (%)")
    np.atleast_1d(panels)[0].set_ylabel("right (%)")
    _model_legend(fig, curves["model"])
    below = (curves["right"] < curves["claimed"]).sum()
    return fig, (
        f"Panels for {' and '.join(titles.values())} against the share right, a mark a model. "
        f"{below} of {len(curves)} points lie below the diagonal."
    )


def _size(model: str) -> tuple[bool, float, str]:
    """Sorts models by the size in their short name, 135M before 0.5B."""
    name = roles([model])[model].short
    number = name[:-1].replace(".", "", 1)
    unit = {"M": 1e6, "B": 1e9}.get(name[-1:], 0.0)
    return (False, float(name[:-1]) * unit, name) if number.isdecimal() and unit else (True, 0.0, name)


def _models(fig: Figure, ax: Axes, labels: Sequence[str], by_model: dict[str, np.ndarray]) -> None:
    """A forest of several models, side by side on each row; by_model: (estimate, low, high), each of the rows."""
    who = roles(by_model)
    for i, (model, values) in enumerate(by_model.items()):
        forest(ax, labels, *values, role=who[model], offset=0.24 * (i - (len(by_model) - 1) / 2))
    _model_legend(fig, by_model)


def _model_legend(fig: Figure, models) -> None:
    who = roles(models)
    handles = [
        Line2D([], [], marker=each.marker, color=each.colour, linestyle="none", markersize=4.2, label=each.short)
        for each in who.values()
    ]
    if not handles:  # no model gave what the figure shows
        return
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles), handletextpad=0.1)
