"""Figures on strong judges: votes, panels, ties, the order of two outputs. They receive estimates and compute none."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, dumbbell, forest, marks, role, roles

NAMES = {
    "gpt-5.4": "GPT-5.4",
    "gpt-5.4-mini": "GPT-5.4 mini",
    "gpt-5.4-nano": "GPT-5.4 nano",
    "claude-sonnet-4.6": "Claude Sonnet 4.6",
    "claude-haiku-4.5": "Claude Haiku 4.5",
}


LOOKS = {judge: look._replace(short=NAMES[judge]) for judge, look in roles(NAMES).items()}  # the same in every figure


def votes_trade(
    table: pd.DataFrame, judges: Sequence[str], validators: Sequence[str], printed: pd.DataFrame, share: float
) -> Figure:
    """Precision against recall of each judge, a line over the validators; the last point is the strictest.

    table: `Resampled.table` at `share` right answers. printed: `printed_votes`, drawn hollow.
    """
    fig, ax = axes(width=FULL, height=3.5)
    for judge in judges:
        look = LOOKS[judge]
        part = table[table["judges"] == judge].set_index("validator").reindex(list(validators))
        x, y = part["recall"].to_numpy(), part["precision"].to_numpy()
        ax.vlines(x, part["precision_low"], part["precision_high"], color=look.colour, linewidth=0.8, alpha=0.5)
        ax.hlines(y, part["recall_low"], part["recall_high"], color=look.colour, linewidth=0.8, alpha=0.5)
        ax.plot(x, y, "-", marker=look.marker, color=look.colour, label=look.short)
    paper = role("paper")
    for row in printed.itertuples():
        x, y = [row.recall_M, row.recall_U], [row.precision_M, row.precision_U]
        ax.plot(x, y, "-", marker=paper.marker, color=paper.colour, linewidth=0.8, **marks("published"))
        at = dict(xytext=(0, 7 if x[1] > 85 else -12), ha="left" if row.model == "o3" else "center")
        ax.annotate(row.model, (x[1], y[1]), textcoords="offset points", fontsize=6.5, **at)
    label = "Table S10, majority to unanimity of five;\nno interval printed"
    ax.plot([], [], "-", marker=paper.marker, color=paper.colour, linewidth=0.8, label=label, **marks("published"))
    arrow = dict(arrowstyle="->", color=role("baseline").colour, linewidth=1)
    words = f"one call, then all of {', '.join(re.sub('[^0-9]', '', text) for text in validators[1:])}"
    ax.annotate("", (34, 49), (49, 40), arrowprops=arrow)
    ax.text(41, 51, f"stricter: {words}", fontsize=7.5, ha="center")
    ax.set(xlabel="recall (%)", ylabel=f"precision at {100 * share:g} % right answers (%)", xlim=(8, 101), ylim=(8, 59))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside right upper")
    return fig


def mixed_families(table: pd.DataFrame, mixed: str) -> Figure:
    """Best of four over the calls, by who judges: one model's repeats, or two models half each.

    table: `picks_table`. mixed: the name of the group of two.
    """
    fig, ax = axes(height=2.7)
    alone = [name for name in table["judges"].unique() if name != mixed]
    who = {name: LOOKS[name] for name in alone} | {mixed: role("highlight")._replace(short=mixed, marker="s")}
    for k, (name, look) in enumerate(who.items()):
        part = table[table["judges"] == name]
        x = np.log2(part["calls"]) + 0.05 * (k - 1)
        ax.vlines(x, part["fair_credit_low"], part["fair_credit_high"], color=look.colour, linewidth=1)
        ax.plot(x, part["fair_credit"], "-", marker=look.marker, color=look.colour, label=look.short)
    ax.set_xticks(range(4), ["1", "2", "4", "8"])
    ax.set(xlabel="judgements of each candidate", ylabel="right candidate picked (%)")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig


def ties(table: pd.DataFrame, judges: Sequence[str]) -> Figure:
    """One judgement against eight, with ties as errors and with fair credit. table: `picks_table`."""
    fig, ax = axes(height=2.3)
    rows, labels = [], []
    for judge in judges:
        part = table[table["judges"] == judge].set_index("calls")
        for column, words in (("ties_are_errors", "ties are errors"), ("fair_credit", "fair credit")):
            rows.append([part.loc[calls, f"{column}{end}"] for calls in (1, 8) for end in ("", "_low", "_high")])
            labels.append(f"{NAMES.get(judge, judge)},\n{words}")
    values = np.array(rows, float)
    dumbbell(ax, labels, values[:, 0], values[:, 3], names=("one judgement", "eight judgements"),
             role=("baseline", "judge"), evidence=("logged", "logged"), left_interval=(values[:, 1], values[:, 2]),
             right_interval=(values[:, 4], values[:, 5]))  # fmt: skip
    ax.set_xlabel("right candidate picked (%)")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


def order(table: pd.DataFrame, prompts: Mapping[str, str]) -> Figure:
    """Verdicts that change with the order, by judge and prompt. table: `order_table`; prompts: {prompt: its name}."""
    fig, ax = axes(height=2.6)
    labels = list(table["judge"].unique())
    for k, ((prompt, words), who) in enumerate(zip(prompts.items(), ("judge", "baseline"))):
        part = table[table["prompt"] == prompt].set_index("judge").reindex(labels)
        values = (part[f"changes{end}"] for end in ("", "_low", "_high"))
        forest(ax, labels, *values, role=who, evidence="logged", label=words, offset=0.26 * (k - 0.5))
    ax.set(xlabel="pairs whose verdict changes with the order (%)", xlim=(0, 100))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig
