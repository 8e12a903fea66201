"""Figures of `arm_effects`: what a candidate changes, family by family, and who ranks right above wrong."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proctor.cbu.arms import Expected
from proctor.cbu.utility import NONE
from proctor.report.figures import COLUMN, FULL, axes, forest, heatmap, role

ARM_ROLES = {NONE: "muted", "right": "right", "wrong": "wrong"}


def effects_and_families(
    effects: pd.DataFrame, families: pd.DataFrame, expected: Mapping[str, tuple[float, float, float]]
) -> Figure:
    """Left: `arm_effects` in points, hollow where the study expected them. Right: share solved by family and arm."""
    fig, (left, right) = axes(1, 2, width=FULL, height=3.0)
    _beside_expected(left, effects, expected)
    left.set(xlabel="neighbours solved, difference (points)", title="effect of the candidate")
    labels = _named(families)
    rows = np.arange(len(labels))
    for arm, name in ARM_ROLES.items():
        look = role(name)
        colour = "#6E6E6E" if arm == NONE else look.colour
        right.plot(100 * families[arm], rows, look.marker, color=colour, label=f"after {arm}", linestyle="none")
    right.set_yticks(rows, labels)
    right.set(xlim=(-4, 104), ylim=(len(labels) - 0.4, -0.6), xlabel="neighbours solved (%)")
    right.set_title("by family; *: nothing carries over")
    right.grid(False, axis="y")
    for ax, columns in ((left, 2), (right, 3)):
        ax.legend(loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=columns, columnspacing=1, handletextpad=0.3)
    return fig


def other_effects(groups: Mapping[str, pd.DataFrame], expected: Mapping[str, Expected]) -> Figure:
    """Effects of the other arms, a block a group of effects that are told together (tables of `paired_effects`).

    Hollow: expected before. Grey bands: the margin within which two arms count as alike, where that was expected.
    """
    effects = pd.concat(groups.values(), ignore_index=True)
    fig, ax = axes(width=FULL, height=0.9 + 0.25 * len(effects))
    _beside_expected(ax, effects, expected)
    for row, name in enumerate(effects["effect"]):
        if name in expected and expected[name].margin is not None:
            wide = 100 * expected[name].margin
            ax.fill_betweenx([row - 0.4, row + 0.5], -wide, wide, color="#EDEDED", zorder=0, linewidth=0)
    for end in np.cumsum([len(table) for table in groups.values()])[:-1]:
        ax.axhline(end - 0.45, color="#BDBDBD", linewidth=0.6)
    ax.set(xlim=(-104, 104), xlabel="difference (points)")
    ax.legend(loc="upper right")
    return fig


def arms_by_family(families: pd.DataFrame) -> Figure:
    """Share solved by family and arm; families: `arm_effects.by_family` of all arms. Blank: no such candidate."""
    shares = families.drop(columns=["category", "carries_over", "questions"])
    fig, ax = axes(width=FULL, height=3.0)
    shares = shares.set_axis(_named(families), axis=0).rename(columns=lambda arm: arm.replace(" ", "\n"))
    heatmap(ax, shares, fmt=".0%", low=0, high=1, bar=False)
    return fig


def _beside_expected(ax: Axes, effects: pd.DataFrame, expected: Mapping[str, Any]) -> None:
    """Effects in points, and hollow what was expected of them; one that lacks an expectation has no hollow mark."""
    names = effects["effect"].tolist()
    pairs = [expected.get(name, (np.nan, np.nan)) for name in names]
    guessed = np.array([first - second for first, second, *_ in pairs]) * 100
    unknown = np.full(len(names), np.nan)
    forest(ax, names, guessed, unknown, unknown, role="paper", label="expected before", offset=-0.18)
    columns = (effects[column] * 100 for column in ("difference", "low", "high"))
    forest(ax, names, *columns, role="utility", label="measured", offset=0.1, reference=0)


def _named(families: pd.DataFrame) -> list[str]:
    """Families with an asterisk where nothing carries over, and their number of questions."""
    return [
        f"{row.category.replace('_', ' ')}{'' if row.carries_over else '*'} ({row.questions})"
        for row in families.itertuples()
    ]


def auc_of_methods(table: pd.DataFrame) -> Figure:
    """AUC of right against wrong by method; table: `arm_effects.auc_table`."""
    fig, ax = axes(width=COLUMN, height=0.9 + 0.26 * len(table))
    limits = (100 * (0.5 + table[column]) for column in ("difference", "low", "high"))
    who = ["utility" if name == "utility" else "judge" for name in table["effect"]]
    forest(ax, table["effect"].tolist(), *limits, role=who, reference=50)
    ax.set(xlim=(0, 104), xlabel="AUC, right against wrong (%)")
    return fig
