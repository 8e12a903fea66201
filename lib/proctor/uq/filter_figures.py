"""Pictures of the LLM filter's criteria: a small judge next to the paper's."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import COLUMN, axes, forest, role, short

LABELS = {
    "correctness": "answer is right",
    "solvability": "experts can solve it",
    "answerable": "approachable",
    "clear": "well-defined",
    "objective": "objective",
}


def criteria_beside_paper(table: pd.DataFrame, means: dict[str, np.ndarray], limits: dict, judge: str) -> Figure:
    """Figure S2's measured sibling: each criterion in percent, the paper's numbers hollow, the judge's filled.

    table: `filter_findings.criteria`. means: of each chance, the mean of each question, drawn as small bars. limits:
    what the filter keeps at most. judge: whose the measured marks are.
    """
    fig, ax = axes(width=COLUMN, height=3.1)
    labels, none = [LABELS[name] for name in table["criterion"]], np.full(len(table), np.nan)
    for row, values in enumerate(means.values()):
        ax.plot(values, np.full(len(values), row + 0.38), "|", color=role("muted").colour, markersize=5, zorder=1)
    for name, who, label in (("paper_before", "baseline", "paper, before"), ("paper_after", "paper", "paper, after")):
        forest(ax, labels, table[name], none, none, role=who, evidence="published", label=label, offset=-0.22)
    values = (table[name] for name in ("measured", "low", "high"))
    forest(ax, labels, *values, role=judge, label=f"{short(judge)}, before", offset=0.12)
    values, look = (table[f"independent{part}"] for part in ("", "_low", "_high")), role("highlight")
    forest(ax, labels, *values, role="highlight", offset=0.32)
    ax.plot([], [], look.marker, color=look.colour, label=f"{short(judge)}, independent replies")
    for row, limit in enumerate(limits.values()):
        ax.plot([limit] * 2, [row - 0.45, row + 0.45], color="black", linewidth=0.9, linestyle=(0, (3, 2)))
    ax.plot([], [], color="black", linewidth=0.9, linestyle=(0, (3, 2)), label="limit of the filter")
    ax.set(xlabel="mean, or share with only yes (%)", xlim=(-3, 104))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig
