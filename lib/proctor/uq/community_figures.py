"""Figures on a community that reviews answers. They receive estimates and compute none."""

import numpy as np
import pandas as pd
from matplotlib.dates import ConciseDateFormatter, MonthLocator
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from proctor.report.figures import COLUMN, FULL, Role, axes, forest, role, roles

DASHED = "--"  # simulated
STATES = {"right": "right", "wrong": "wrong", "disputed": "baseline", "open": "muted"}  # state -> role


def over_time(history: pd.DataFrame) -> Figure:
    """Reviewed answers by state, and resolved questions with those truly resolved; history: `resolution.history`."""
    fig, (left, right) = axes(1, 2, width=FULL, height=2.5)
    base = np.zeros(len(history))
    for state, who in STATES.items():
        top = base + history[state].to_numpy(float)
        left.fill_between(history["at"], base, top, color=role(who).colour, linewidth=0, label=f"called {state}"
                          if state in ("right", "wrong") else state)  # fmt: skip
        base = top
    right.plot(history["at"], history["resolved"], DASHED, color=role("ours").colour, label="resolved by the rule")
    truly = history["resolved"] - history["false"]
    right.plot(history["at"], truly, DASHED, color=role("truth").colour, label="of these truly resolved")
    right.fill_between(history["at"], truly, history["resolved"], color=role("wrong").colour, alpha=0.35, linewidth=0,
                       label="resolved by mistake")  # fmt: skip
    for ax, what in ((left, "answers with a review"), (right, "questions")):
        ax.set(ylabel=what, ylim=(0, None), xlim=(history["at"].min(), history["at"].max()))
        ax.xaxis.set_major_locator(MonthLocator(interval=3))
        ax.xaxis.set_major_formatter(ConciseDateFormatter(ax.xaxis.get_major_locator(), show_offset=False))
        ax.legend(loc="upper left")
    left.set_ylim(0, 1.45 * base.max())
    right.set_ylim(0, 1.35 * history["resolved"].max())
    return fig


def cautious_ranking(table: pd.DataFrame, published: dict, truth: pd.Series) -> Figure:
    """Share of the questions that each system is credited with, what unsettled answers leave possible, and the truth.

    table: `system_ranking.ranking`; published: `published_people`, the last row, hollow. truth: system -> share that a
    right and passed answer of its solves; NaN where there is none.
    """
    fig, ax = axes(height=3.3)
    rows = pd.concat([table, pd.DataFrame([published])], ignore_index=True)
    y = np.arange(len(rows))
    ax.hlines(y, 100 * rows["share"], 100 * rows["share_most"], color=role("muted").colour, linewidth=6,
              label="if unsettled answers are right")  # fmt: skip
    looks = [role("ours")] * len(table) + [role("paper")]
    shares = (100 * rows[name].to_numpy(float) for name in ("share", "low", "high"))
    forest(ax, rows["system"].tolist(), *shares, role=looks, evidence="simulated", label="verified, with limits")
    ax.lines[-1].set_markerfacecolor("white")
    ax.lines[-1].set_label("people, as published")
    known = truth.reindex(rows["system"]).to_numpy(float)
    ax.plot(
        100 * known, y, role("truth").marker, color=role("truth").colour, markersize=5, label="truly right and passed"
    )
    ax.set(xlabel="share of the 500 questions (%)", xlim=(-0.4, None))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig


def effort_and_learning(screens: pd.DataFrame, points: pd.DataFrame, rounds: pd.DataFrame) -> Figure:
    """Reviews for a true resolution over the share of right answers, and resolutions as a screen learns.

    screens: `review_effort.screen_table` (formula); points: base_rate, screen, reviews, low, high (simulated); rounds:
    `screen_learning.round_table`.
    """
    fig, (left, right) = axes(1, 2, width=FULL, height=2.9)
    looks = {"none": role("baseline")}
    for name, part in screens.groupby("screen", sort=False):
        look = looks.setdefault(name, role("judge"))
        label = "no screen" if name == "none" else "screen first"
        left.plot(100 * part["base_rate"], part["reviews_per_resolution"], color=look.colour, linewidth=1, label=label)
        seen = points[points["screen"] == name]
        off = [seen["reviews"] - seen["low"], seen["high"] - seen["reviews"]]
        left.errorbar(100 * seen["base_rate"], seen["reviews"], off, fmt=look.marker, color=look.colour, linewidth=1,
                      label=f"{label}, simulated")  # fmt: skip
    left.set(xscale="log", yscale="log", xlabel="right answers among those submitted (%)")
    left.set_ylabel("reviews for a true resolution")
    left.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    left.set_yticks([10, 30, 100, 300], ["10", "30", "100", "300"])
    left.minorticks_off()
    who = {"best possible": "truth", "learning": "ours", "fixed": "judge"}
    for name, key in who.items():
        part, look = rounds[rounds["screen"] == name], role(key)
        right.fill_between(part["round"], part["low"], part["high"], color=look.colour, alpha=0.2, linewidth=0)
        right.plot(
            part["round"], part["resolutions"], DASHED, marker=look.marker, color=look.colour, label=f"{name} screen"
        )
    right.set(xlabel="round", ylabel="true resolutions per 100 reviews", ylim=(0, None))
    for ax in (left, right):
        ax.legend(loc="best")
    return fig


def reviews_needed(table: pd.DataFrame) -> Figure:
    """Error of the majority over the number of reviews: lines the formula, marks the simulation.

    table: `review_effort.majority_table`. An error below the axis is not drawn; its interval is cut there.
    """
    fig, ax = axes(height=3.4)
    looks, bottom = roles(table["panel"]), 1e-4
    for name, part in table.groupby("panel", sort=False):
        look = looks[name]
        ax.plot(part["reviews"], part["formula"], color=look.colour, linewidth=1)
        seen = part[part["error"] > bottom]
        off = [seen["error"] - seen["low"].clip(lower=bottom), seen["high"] - seen["error"]]
        ax.errorbar(seen["reviews"], seen["error"], off, fmt=look.marker, color=look.colour, linewidth=1, label=name)
    ax.axhline(0.05, color=role("truth").colour, linewidth=0.6)
    ax.set(yscale="log", ylim=(bottom, 1), xlabel="reviews of an answer", ylabel="the majority is mistaken")
    ax.set_yticks([0.001, 0.01, 0.05, 0.1, 0.5], ["0.1 %", "1 %", "5 %", "10 %", "50 %"])
    ax.minorticks_off()
    ax.set_xticks(sorted(set(table["reviews"])))
    how = dict(title="lines: formula; marks: simulated, with limits", title_fontsize=7)
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1, **how)
    return fig


def detection(table: pd.DataFrame) -> Figure:
    """Power and false alarms of four tests over the reviews that each reviewer wrote.

    table: `reviewers.detection` with a column `kind`, the dishonest group of the panel ("none": nobody).
    """
    fig, panels = axes(1, 3, width=FULL, height=2.9, sharey=True)
    looks = {"raw agreement": "baseline", "beyond chance": "ours", "pairs": "wrong", "favour": "judge"}
    titles = {"always no": "two who always say no", "colluding": "four who collude", "none": "nobody: false alarms"}
    for ax, (kind, title) in zip(panels, titles.items()):
        part = table[(table["kind"] == kind) & (table["group"] == ("honest" if kind == "none" else kind))]
        for test, each in part.groupby("test", sort=False):
            look = role(looks[test])
            ax.fill_between(each["reviews_each"], each["low"], each["high"], color=look.colour, alpha=0.15, linewidth=0)
            ax.plot(each["reviews_each"], each["flagged"], DASHED, marker=look.marker, color=look.colour, label=test)
        ax.set(xlabel="reviews of each reviewer", ylim=(-0.03, 1.03))
        ax.set_title(title, fontsize=8)
    panels[2].axhline(0.05, color=role("truth").colour, linewidth=0.6)
    panels[0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    panels[0].set_ylabel("communities in which one is flagged")
    handles, labels = panels[2].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=4)
    return fig


def against_majority(table: pd.DataFrame) -> Figure:
    """Mistaken answers of Dawid and Skene's model less those of the majority; table: `compare_with_majority`."""
    fig, ax = axes(width=COLUMN, height=2.6)
    better: list[Role] = [role("right") if high < 0 else role("wrong") if low > 0 else role("muted")
                          for low, high in zip(table["low"], table["high"])]  # fmt: skip
    values = (table[name] for name in ("difference", "low", "high"))
    forest(ax, table["panel"].tolist(), *values, role=better, evidence="simulated", reference=0)
    ax.set_xlabel("model less majority (points)")
    return fig
