"""The picture of one's own candidates. Receives estimates, computes none."""

import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, shorten

ROWS = 30  # drawn at most; the table has all


def utilities(table: pd.DataFrame, model: str, evidence: str) -> tuple[Figure, str]:
    """Utility of each candidate to one solver with its interval, and the base rate as a hollow mark; the alt text.

    table: of `own_candidates.table`."""
    shown = table[table["model"] == model].head(ROWS)
    fig, ax = axes(width=FULL, height=1.5 + 0.16 * len(shown))
    names = shorten(shown["candidate"], 40)
    forest(ax, names, *(shown[c] for c in ("utility", "low", "high")), evidence=evidence, label="with the candidate")
    none = shown["base"] * float("nan")
    forest(ax, names, shown["base"], none, none, role="baseline", evidence=evidence, label="with none")
    ax.tick_params(axis="y", labelsize=6.5)
    ax.set(xlabel=f"neighbours solved by {shorten([model])[0]} (share)", xlim=(-0.03, 1.03))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    best = shown.sort_values("utility", ascending=False).iloc[0]
    told = f"the best {best['utility']:.2f}"
    return fig, f"Utility of {len(shown)} candidates with intervals, beside what is solved with none; {told}."
