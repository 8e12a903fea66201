"""Figure of `calculator`: right answers alone and with a tool, family by family."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, role

ARMS = {  # column: (label, look)
    "without": ("alone, in words", "baseline"),
    "with": ("calculator, calls alone", "wrong"),
    "with steps": ("calculator, words and calls", "ours"),
}


def gains_and_families(gains: pd.DataFrame, table: pd.DataFrame) -> Figure:
    """Left: the effects of `paired_effects` in points. Right: the shares of `calculator.by_family`."""
    fig, (left, right) = axes(1, 2, width=FULL, height=3.0, gridspec_kw={"width_ratios": [0.8, 1]})
    columns = (100 * gains[column] for column in ("difference", "low", "high"))
    forest(left, [name.replace(" less ", "\nless ") for name in gains["effect"]], *columns, reference=0)
    left.set(xlabel="right answers, difference (points)", title="over families")
    labels = [f"{row.category.replace('_', ' ')} ({row.questions})" for row in table.itertuples()]
    for offset, (arm, (label, name)) in zip((-0.22, 0.0, 0.22), ARMS.items()):
        look, rows = role(name), np.arange(len(labels)) + offset
        right.plot(100 * table[arm], rows, look.marker, color=look.colour, label=label, linestyle="none")
    right.set_yticks(np.arange(len(labels)), labels)
    right.set(xlim=(-4, 104), ylim=(len(labels) - 0.4, -0.6), xlabel="right answers (%)", title="by family (questions)")
    right.grid(False, axis="y")
    fig.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig
