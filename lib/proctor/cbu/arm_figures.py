"""Figures of `arm_effects`: what a candidate changes, family by family, and who ranks right above wrong."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.cbu.utility import NONE
from proctor.report.figures import COLUMN, FULL, axes, forest, role

ARM_ROLES = {NONE: "muted", "right": "right", "wrong": "wrong"}


def effects_and_families(
    effects: pd.DataFrame, families: pd.DataFrame, expected: Mapping[str, tuple[float, float, float]]
) -> Figure:
    """Left: `arm_effects` in points, hollow where the study expected them. Right: share solved by family and arm."""
    fig, (left, right) = axes(1, 2, width=FULL, height=3.0)
    names = effects["effect"].tolist()
    guessed = np.array([expected[name][0] - expected[name][1] for name in names]) * 100
    unknown = np.full(len(names), np.nan)
    forest(left, names, guessed, unknown, unknown, role="paper", label="expected before", offset=-0.18)
    columns = (effects[column] * 100 for column in ("difference", "low", "high"))
    forest(left, names, *columns, role="utility", label="measured", offset=0.1, reference=0)
    left.set(xlabel="neighbours solved, difference (points)", title="effect of the candidate")
    labels = [
        f"{row.category.replace('_', ' ')}{'' if row.carries_over else '*'} ({row.questions})"
        for row in families.itertuples()
    ]
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


def auc_of_methods(table: pd.DataFrame) -> Figure:
    """AUC of right against wrong by method; table: `arm_effects.auc_table`."""
    fig, ax = axes(width=COLUMN, height=0.9 + 0.26 * len(table))
    limits = (100 * (0.5 + table[column]) for column in ("difference", "low", "high"))
    who = ["utility" if name == "utility" else "judge" for name in table["effect"]]
    forest(ax, table["effect"].tolist(), *limits, role=who, reference=50)
    ax.set(xlim=(0, 104), xlabel="AUC, right against wrong (%)")
    return fig
