"""Drawings of HLE-Verified's notebooks. They receive estimates and counts and compute none."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from proctor.report.figures import FULL, axes, dumbbell, flow, marks, role

LABELS = {"valid": "right", "invalid": "wrong", "uncertain": "muted"}  # colours of the three labels, by role


def _legend_of(fig: Figure, *panels: Axes, ncols: int = 3) -> None:
    """One legend under the figure, of the series in all panels."""
    found = {label: handle for ax in panels for handle, label in zip(*ax.get_legend_handles_labels())}
    fig.legend(list(found.values()), list(found), loc="outside lower center", ncols=ncols, fontsize=7)


def quoted_gains(gains: pd.DataFrame) -> Figure:
    """Gains of Table 2 beside those quoted in the text, a panel a set. gains: table of `score_gains.table_2_gains`."""
    fig, panels = axes(columns=2, width=FULL, height=2.7, sharey=True)
    order = gains[gains["set"] == "full set"].sort_values("printed", ascending=False)["model"].tolist()
    for ax, (name, frame) in zip(panels, gains.groupby("set", sort=False)):
        frame = frame.set_index("model").loc[order]
        dumbbell(ax, order, frame["printed"], frame["text"], names=("Table 2", "text of section 5.2"),
                 role=("paper", "judge"), evidence=("published", "published"))  # fmt: skip
        for i, row in enumerate(frame.itertuples()):
            said = "not quoted" if pd.isna(row.text) else "" if row.agrees else f"{row.text_less_table:+.2f}"
            ax.annotate(said, (np.nanmax([row.printed, row.text]), i), (7, 0), textcoords="offset points",
                        va="center", fontsize=6.5)  # fmt: skip
        ax.set(xlabel="gain of accuracy (points)")
        ax.set_title(f"{name}: {frame['agrees'].eq(True).sum()} of {frame['text'].count()} quoted gains agree")
        ax.margins(x=0.2)
    _legend_of(fig, *panels)
    return fig


def accuracies_before_and_after(table: pd.DataFrame) -> Figure:
    """Accuracy before and after the repair by model, with both half-widths, gain and rank beside.

    table: of `score_gains.accuracies_before_and_after`.
    """
    fig, ax = axes(width=FULL, height=2.6)
    y = np.arange(len(table))
    ax.hlines(y, table["before"], table["after"], color=role("muted").colour, linewidth=3)
    for when, who, label in (("before", "baseline", "as published"), ("after", "paper", "after the repair")):
        look = role(who)
        for width, line in (("alike", 0.9), ("apart", 2.6)):
            half = table[f"{width}_{when}"]
            ax.hlines(y, table[when] - half, table[when] + half, color=look.colour, linewidth=line)
        ax.plot(table[when], y, look.marker, color=look.colour, label=label, **marks("published"))
    words = [(-0.9, "gain", "rank")]
    words += [(i, f"+{r.gain:.2f}", f"{r.rank_before} to {r.rank_after}") for i, r in enumerate(table.itertuples())]
    for row, *texts in words:
        for x, text in zip((1.02, 1.12), texts):
            ax.text(x, row, text, transform=ax.get_yaxis_transform(), fontsize=7, va="center")
    ax.set(xlabel="accuracy (%); bars: five answers to an item alike (thin) or independent (thick)", xlim=(0, 62))
    ax.set_yticks(y, table["model"])
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.grid(False, axis="y")
    _legend_of(fig, ax)
    return fig


def repaired_and_rest(table: pd.DataFrame) -> Figure:
    """By model: repaired items less the other sound ones. table: of `score_gains.repaired_against_rest`.

    Thick: between uncertain items all answered wrongly and all rightly; thin: with the error of sampling; diamond: less
    the whole rest, uncertain items included.
    """
    fig, ax = axes(width=FULL, height=2.6)
    y, look = np.arange(len(table)), role("paper")
    ax.hlines(
        y, table["low"], table["high"], color=look.colour, linewidth=0.9, label="with the error of sampling items"
    )
    ax.hlines(y, table["easier_least"], table["easier_most"], color=look.colour, linewidth=3.5, alpha=0.5,
              label="whatever the answers to uncertain items")  # fmt: skip
    ax.plot(table["easier_than_rest"], y, look.marker, color=look.colour, label="if uncertain items count as the rest",
            **marks("reconstructed"))  # fmt: skip
    ax.axvline(0, color=role("truth").colour, linewidth=0.7)
    ax.set(xlabel="accuracy after repair: repaired items less other sound items (points)")
    ax.set_yticks(y, table["model"])
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.grid(False, axis="y")
    _legend_of(fig, ax)
    return fig


def calibration_and_accuracy(falls: pd.DataFrame) -> Figure:
    """Fall of the calibration error against the gain of accuracy. falls: table of `score_gains.calibration_falls`."""
    fig, ax = axes(height=3.0)
    ax.plot([0, 45], [0, 45], color=role("muted").colour)
    ax.text(20.5, 22.5, "fall = gain", fontsize=7, rotation=45, rotation_mode="anchor", ha="center")
    for (name, frame), who in zip(falls.groupby("set", sort=False), ("paper", "baseline")):
        look = role(who)
        ax.vlines(frame["expected"], frame["fall_low"], frame["fall_high"], color=look.colour, linewidth=0.9)
        ax.plot(frame["expected"], frame["fall"], look.marker, color=look.colour, label=name, **marks("published"))
    ax.set(xlabel="gain of accuracy (points)", ylabel="fall of calibration error (points)")
    ax.set(xlim=(0, 45), ylim=(0, 45), aspect="equal")
    ax.legend(loc="lower right")
    return fig


def taxonomy(kinds: pd.DataFrame, leads: pd.Series, cells: int) -> Figure:
    """The tree of defects: item, component, kinds. kinds: code, component, name; leads: by code, subjects it leads.

    cells: subjects of Table 1.
    """
    fig, ax = axes(width=FULL, height=3.5)
    boxes, arrows, row = {"item": (0, 0.75, f"an item: {len(kinds)} kinds of defect", "all")}, [], 0
    for component, look in (("problem", "ours"), ("answer", "paper"), ("rationale", "judge")):
        own = kinds[kinds["component"] == component]
        lists = [own[start : start + 5] for start in range(0, len(own), 5)]
        boxes[component] = (1, row + (len(lists) - 1) / 2, f"{component}: {len(own)} kinds", look)
        arrows.append(("item", component))
        for part in lists:
            lines = [
                f"{one.code} {one.name.partition(' (')[0]}" + f": {leads[one.code]} of {cells}" * bool(leads[one.code])
                for one in part.itertuples()
            ]
            boxes[f"{component} {row}"] = (2, row, "\n".join(lines), look)
            arrows.append((component, f"{component} {row}"))
            row += 1
    flow(ax, boxes, arrows, size=(0.9, 0.86))
    return fig


def labels_by_subject(limits: pd.DataFrame, components: Sequence[str]) -> Figure:
    """Labels by subject, a panel a component; hatched: what the text leaves open.

    limits: `defect_labels.label_limits`.
    """
    fig, panels = axes(columns=len(components), width=FULL, height=2.8, sharey=True)
    subjects = limits.drop_duplicates("subject").set_index("subject")["items"]
    open_ = dict(facecolor="white", edgecolor=role("muted").colour, hatch="////", linewidth=0.4)
    for ax, component in zip(panels, components):
        own = limits[limits["component"] == component].set_index(["subject", "label"])
        known = (100 * own["least"] / own["items"]).unstack().loc[subjects.index]
        y = np.arange(len(subjects))
        ax.barh(y, 100, **open_)
        starts = {"valid": 0, "invalid": known["valid"], "uncertain": 100 - known["uncertain"]}
        for label, start in starts.items():
            ax.barh(y, known[label], left=start, color=role(LABELS[label]).colour)
        ax.set(xlabel="% of the subject's items", xlim=(0, 100), ylim=(len(subjects) - 0.4, -0.6))
        ax.set_yticks(y, [f"{name} ({n:,})" for name, n in subjects.items()])
        ax.set_title(component)
        ax.grid(False)
    handles = [Patch(color=role(name).colour, label=label) for label, name in LABELS.items()]
    handles.append(Patch(**open_, label="open: the text does not say which"))
    fig.legend(handles=handles, loc="outside lower center", ncols=4)
    return fig


def labels_by_component(table: pd.DataFrame, n_all: int) -> Figure:
    """Least and most items of each label, by component. table: `defect_labels.component_limits`."""
    fig, ax = axes(width=FULL, height=2.7)
    y = np.arange(len(table)) + 0.6 * (np.arange(len(table)) // 3)
    for at, row in zip(y, table.itertuples()):
        ax.barh(at, row.most - row.least, left=row.least, color=role(LABELS[row.label]).colour)
        ax.plot([row.least_not_gold, row.most_not_gold], [at + 0.5] * 2, color=role("baseline").colour, linewidth=1)
    ax.plot([], [], color=role("baseline").colour, linewidth=1, label="if of the 1,832 items that are not gold")
    ax.axvline(n_all / 2, color=role("truth").colour, linestyle="--", linewidth=0.8, label="half of all items")
    ax.set_yticks(y, table["component"] + ": " + table["label"])
    ax.set(xlabel="items (bar: from the least to the most that the text allows)", xlim=(0, n_all))
    ax.set_ylim(y[-1] + 0.8, -0.7)
    ax.grid(False, axis="y")
    _legend_of(fig, ax)
    return fig


def leading_defects(top: pd.DataFrame, components: Sequence[str]) -> Figure:
    """The most frequent defect of each component and subject. top: `defect_labels.top_defects`."""
    fig, panels = axes(columns=len(components), width=FULL, height=2.2, sharey=True)
    words = {"Format Semantic Error": "format", "Information Missing": "structure", "Semantic Error": "wording",
             "Knowledge Error": "knowledge", "Incorrect Answer": "wrong answer"}  # fmt: skip
    for ax, component in zip(panels, components):
        part = top[top["component"] == component].reset_index(drop=True)
        ax.barh(part.index, 100, facecolor="white", edgecolor=role("muted").colour, hatch="////", linewidth=0.4)
        ax.barh(part.index, part["percent"], color=role("right").colour)
        for i, row in part.iterrows():
            ax.text(3, i, f"{words[row['defect']]} {row['percent']} ({row['smallest']}?)", va="center", fontsize=6.5,
                    bbox=dict(facecolor="white", edgecolor="none", alpha=0.75, pad=0.8))  # fmt: skip
        ax.set(xlabel="% of the component's defects", xlim=(0, 100), ylim=(len(part) - 0.5, -0.5))
        ax.set_yticks(part.index, part["subject"])
        ax.set_title(component)
        ax.grid(False)
    return fig
