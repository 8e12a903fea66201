"""Pictures of answering and validating, of calls and of stages (UQ, appendices B.1 and I.5). They compute nothing."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, role, short
from proctor.uq.calls_and_stages import OUTCOMES

STAGE_ROLES = dict(zip(reversed(OUTCOMES), ("right", "human", "muted", "wrong")))
CHECK_ROLES = {"V": "ours", "C": "judge", "FLC": "utility", "CC": "baseline", "B": "paper"}


def gap_and_baseline(a: float, v: float, singles: pd.Series, right_share: float) -> Figure:
    """o3's answer accuracy a and validation accuracy v beside rejecting everything. a, v, singles: in percent."""
    fig, ax = axes(height=2.9)
    x, star = np.linspace(0, 50, 2), role("trivial")
    ax.plot(x, 100 - x, color=star.colour, linestyle=(0, (4, 2)), label="reject everything: 1 - a")
    ax.plot(x, x, color=role("baseline").colour, linewidth=1, label="answering: a")
    ax.vlines(a, a, v, color=role("paper").colour, linewidth=1)
    ax.plot(a, v, role("paper").marker, color=role("paper").colour, markerfacecolor="white", label="o3 validates (B.1)")
    ax.plot([100 * right_share] * len(singles), singles, "_", color="black", markersize=9, label="one call, Table S10")
    ax.set(xlabel="right answers among those judged, a (%)", ylabel="accuracy (%)", xlim=(0, 50), ylim=(0, 100))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


def answering_and_validating(
    accuracy: pd.DataFrame, gaps: pd.DataFrame, models: Sequence[str], baseline: str, o3: tuple[float, float]
) -> Figure:
    """Figure 3a: answering beside validating each other author, and the same verdicts balanced.

    o3: (answers, validates), in percent. accuracy: `answer_gap.answer_accuracy`; gaps: `answer_gap.gap_table`.
    """
    fig, (left, right) = axes(1, 2, width=FULL, height=3.1, width_ratios=[4, 3])
    answers, judge, star = role("truth"), role("judge"), role("trivial")
    at = {model: i for i, model in enumerate(models)}
    own = accuracy.loc[list(models)]
    _bars(
        left,
        np.arange(len(models)) - 0.25,
        *(100 * own[name] for name in ("accuracy", "low", "high")),
        answers,
        "answers",
        "s",
    )
    parts = gaps[(gaps["author"] != "all others")]
    place = parts["judge"].map(at) + 0.2 * parts.groupby("judge").cumcount()
    _bars(
        left,
        place,
        *(100 * parts[f"validates{end}"] for end in ("", "_low", "_high")),
        judge,
        "validates another model's answers",
        judge.marker,
    )
    rejecting = 100 * parts["rejecting_all"]
    left.plot(place, rejecting, "_", color=star.colour, markersize=11, label="rejecting all of these")
    n = len(models)
    left.plot(n - 0.25, o3[0], "s", color=answers.colour, markerfacecolor="white", markersize=4.5)
    left.plot(n, o3[1], judge.marker, color=judge.colour, markerfacecolor="white", markersize=5.5)
    left.set_xticks(range(n + 1), [*(short(model) for model in models), "o3\n(printed, hollow)"])
    left.set(ylabel="accuracy (%)", ylim=(-2, 102))
    whole = gaps[gaps["author"] == "all others"]
    for k, (name, part) in enumerate(whole.groupby(whole["validator"].ne(baseline), sort=True)):
        label = "pipeline" if name else baseline
        _bars(
            right,
            part["judge"].map(at) + 0.2 * (k - 0.5),
            *(100 * part[f"balanced_accuracy{end}"] for end in ("", "_low", "_high")),
            role("ours") if name else judge,
            f"validates, {label}",
            "o" if name else judge.marker,
        )
    right.axhline(50, color=star.colour, linewidth=0.9, label="accept or reject all", zorder=1)
    right.set_xticks(range(n), [short(model) for model in models])
    right.set(ylabel="balanced accuracy (%)", ylim=(-2, 102))
    for ax in (left, right):
        ax.grid(False, axis="x")
    _legend(fig, (left, right), 4)
    return fig


def generation_against_validation(
    accuracy: pd.DataFrame, gaps: pd.DataFrame, models: Sequence[str], baseline: str
) -> Figure:
    """Figure S8: validation against answer accuracy, as the paper measures it and balanced; both with intervals."""
    fig, grid = axes(1, 2, width=FULL, height=3.0, sharex=True)
    whole, star = gaps[gaps["author"] == "all others"], role("trivial")
    for ax, figure in zip(grid, ("validates", "balanced_accuracy")):
        for model in models:
            own, look = 100 * accuracy.loc[model], role(model)
            trivial = np.nan if figure == "validates" else 50
            for row in whole[whole["judge"] == model].itertuples():
                trivial = 100 * row.rejecting_all if figure == "validates" else 50
                single = row.validator == baseline
                value, low, high = (100 * getattr(row, f"{figure}{end}") for end in ("", "_low", "_high"))
                x = own["accuracy"] + (-0.5 if single else 0.5)
                ax.vlines(x, low, high, color=look.colour, linewidth=1)
                if single:
                    ax.hlines(value, own["low"], own["high"], color=look.colour, linewidth=0.7, alpha=0.5)
                ax.plot(
                    x,
                    value,
                    look.marker,
                    color=look.colour,
                    markersize=6 if single else 3.5,
                    label=f"{look.short}, {baseline if single else 'pipeline'}",
                )
            ax.plot(
                own["accuracy"],
                trivial,
                "_",
                color=star.colour,
                markersize=16,
                label="reject everything" if model == models[-1] else None,
            )
        ax.set(xlabel="answer accuracy (%)", ylim=(-2, 102))
    grid[0].set_ylabel("validation accuracy (%)")
    grid[1].set_ylabel("balanced accuracy (%)")
    fig.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, columnspacing=1)
    return fig


def transfer(table: pd.DataFrame, judges: Sequence[str], checks: Sequence[str]) -> Figure:
    """Figure 3b: balanced accuracy and AUC of each judge and check on each set of answers, with intervals."""
    sets = list(table["answers"].unique())
    fig, grid = axes(2, len(sets), width=FULL, height=4.6, sharey=True, sharex=True)
    for row, (figure, label) in zip(grid, (("balanced_accuracy", "balanced accuracy (%)"), ("auc", "AUC of p (%)"))):
        for ax, name in zip(row, sets):
            for k, check in enumerate(checks):
                part = table[(table["check"] == check) & (table["answers"] == name)]
                part = part.set_index("judge").loc[list(judges)]
                look = role(CHECK_ROLES.get(check, "all"))
                _bars(
                    ax,
                    np.arange(len(judges)) + 0.15 * (k - (len(checks) - 1) / 2),
                    *(100 * part[f"{figure}{end}"] for end in ("", "_low", "_high")),
                    look,
                    check,
                    look.marker,
                )
            ax.axhline(50, color=role("trivial").colour, linewidth=0.9, label="chance", zorder=1)
            ax.set_xticks(range(len(judges)), [short(judge) for judge in judges])
            ax.set(ylim=(0, 102))
            ax.grid(False, axis="x")
        row[0].set_ylabel(label)
    for ax, name in zip(grid[0], sets):
        ax.set_title(name, fontsize=8)
    fig.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6, title="check")
    return fig


def calls_and_accuracy(rows: pd.DataFrame) -> Figure:
    """Figure S10: accuracy and balanced accuracy against calls. rows: `table_s10.o3_rows`; without counts a cross."""
    fig, grid = axes(1, 2, width=FULL, height=2.9, sharex=True)
    looks = ("o3", role("ours"), "o3"), ("Gemini 2.5 Pro; o3", role("all"), "o3 and Gemini 2.5 Pro")
    rows = rows.assign(x=rows["calls"] * 1.07 ** _beside(rows["calls"]))
    for ax, name, trivial in zip(grid, ("accuracy", "balanced_accuracy"), (87, 50)):
        for who, look, label in looks:
            part = rows[(rows["judges"] == who) & (rows["solutions"] > 0)]
            values = (100 * part[f"{name}{end}"].astype(float) for end in ("", "_boot_low", "_boot_high"))
            _bars(ax, part["x"], *values, look, label, look.marker, hollow=True)
        ax.axhline(trivial, color=role("trivial").colour, linestyle=(0, (4, 2)), linewidth=1, label="reject everything")
        ax.set(
            xlabel="calls per answer, all votes",
            ylabel=f"{name.replace('_', ' ')} (%)",
            xscale="log",
            xticks=[1, 3, 5, 10, 20],
            xticklabels=["1", "3", "5", "10", "20"],
        )
        ax.minorticks_off()
    bare = rows[rows["solutions"] == 0]
    grid[0].plot(
        bare["x"],
        bare["accuracy_printed"],
        "x",
        color=role("baseline").colour,
        markersize=5,
        label="as printed, fits no counts: no interval",
    )
    for i, row in enumerate(bare.itertuples()):
        grid[0].annotate(
            row.name,
            (row.x, row.accuracy_printed),
            (0, 5 if i % 2 else -9),
            textcoords="offset points",
            fontsize=6.5,
            color=role("baseline").colour,
            ha="center",
        )
    grid[1].text(
        0.98,
        0.97,
        f"{len(bare)} rows without counts have none",
        transform=grid[1].transAxes,
        fontsize=6.5,
        color=role("baseline").colour,
        ha="right",
        va="top",
    )
    fig.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, columnspacing=1)
    return fig


def calls_measured(scores: pd.DataFrame, right: float) -> Figure:
    """Accuracy and balanced accuracy against mean calls with early exit. right: share of right answers."""
    fig, grid = axes(1, 2, width=FULL, height=3.3, sharex=True)
    who = list(scores["judges"].unique())
    for ax, name, trivial in zip(grid, ("accuracy", "balanced_accuracy"), (100 * (1 - right), 50)):
        for k, judges in enumerate(who):
            part, look = scores[scores["judges"] == judges], _look(judges)
            x = part["calls"] * 1.018 ** (_beside(part["calls"]) * len(who) + k - (len(who) - 1) / 2)
            values = (100 * part[f"{name}{end}"] for end in ("", "_low", "_high"))
            _bars(ax, x, *values, look, judges if judges == "all three" else look.short, look.marker)
        ax.axhline(trivial, color=role("trivial").colour, linestyle=(0, (4, 2)), linewidth=1, label="reject everything")
        ax.set(
            xlabel="mean calls per answer",
            ylabel=f"{name.replace('_', ' ')} (%)",
            xscale="log",
            xticks=[1, 2, 4, 10],
            xticklabels=["1", "2", "4", "10"],
            ylim=(0, 102),
        )
        ax.minorticks_off()
    fig.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, columnspacing=1)
    return fig


def stages(counts: pd.DataFrame, alone: pd.DataFrame, judges: Sequence[str], authors: Sequence[str], n: int) -> Figure:
    """Figure S11: where each author's answers end by judge, and what each stage accepts alone. n: answers an author."""
    fig, grid = axes(2, len(judges), width=FULL, height=4.4, sharey=True, squeeze=False)
    place = np.arange(len(authors))
    for (top, bottom), judge in zip(grid.T, judges):
        part, foot = counts.loc[judge].loc[list(authors)], np.zeros(len(authors))
        for name, who in STAGE_ROLES.items():
            top.bar(
                place,
                part[name],
                bottom=foot,
                width=0.7,
                color=role(who).colour,
                label=name.replace("_", " ").replace("passes", "passes all"),
            )
            for i, height in enumerate(part[name]):
                top.text(i, foot[i] + height / 2, height or "", ha="center", va="center", fontsize=7)
            foot += part[name].to_numpy()
        for k, check in enumerate(("CC", "FLC", "C")):
            bars = bottom.bar(
                place + 0.24 * (k - 1),
                alone.loc[judge].loc[list(authors), check],
                width=0.22,
                color=role(CHECK_ROLES[check]).colour,
                label=f"{check} alone accepts",
            )
            bottom.bar_label(bars, fontsize=6.5)
        for ax in (top, bottom):
            ax.hlines(
                part["right"],
                place - 0.42,
                place + 0.42,
                color="black",
                linewidth=2,
                label="right answers" if ax is top else None,
            )
            ax.set_xticks(place, [short(author) for author in authors] if ax is bottom else [""] * len(authors))
            ax.grid(False)
        top.set_title(f"judge {short(judge)}", fontsize=8)
        top.set_ylim(0, 1.13 * n)
        bottom.set_xlabel("answers by")
    for ax in grid[:, 0]:
        ax.set_ylabel("answers")
    _legend(fig, grid[:, 0], 4)
    return fig


def author_forest(table: pd.DataFrame, judges: Sequence[str]) -> Figure:
    """Finding 8: strongest less weakest author in points, by judge, with corrected intervals."""
    fig, ax = axes(height=3.0)
    names = list(table["what"].unique())
    for k, judge in enumerate(judges):
        part = table[table["judge"] == judge].set_index("what").loc[names]
        forest(
            ax,
            names,
            part["points"],
            part["low"],
            part["high"],
            role=judge,
            label=short(judge),
            offset=0.24 * (k - (len(judges) - 1) / 2),
        )
    ax.axvline(0, color=role("trivial").colour, linewidth=0.9, zorder=1)
    ax.set(xlabel="strongest less weakest author (points)")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, title="judge")
    return fig


def _bars(ax: Axes, x, value, low, high, look, label: str, marker: str, hollow: bool = False) -> None:
    ax.vlines(x, low, high, color=look.colour, linewidth=1.1, zorder=2)
    ax.plot(
        x,
        value,
        marker,
        color=look.colour,
        markersize=4.5,
        label=label,
        zorder=3,
        markerfacecolor="white" if hollow else look.colour,
    )


def _beside(values: pd.Series) -> pd.Series:
    """Equal values get places around 0: -0.5 and 0.5 for two, say."""
    groups = values.groupby(values.round(1))
    return groups.cumcount() - (groups.transform("size") - 1) / 2


def _look(judges: str):
    return role("all") if judges == "all three" else role(judges)


def _legend(fig: Figure, panels: Sequence[Axes], columns: int) -> None:
    handles, labels = (sum(pair, []) for pair in zip(*(ax.get_legend_handles_labels() for ax in panels)))
    fig.legend(handles, labels, loc="outside lower center", ncols=columns, columnspacing=1)
