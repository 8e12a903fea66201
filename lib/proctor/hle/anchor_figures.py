"""Figure of `anchored_confidence`: which numbers a model states, with examples and without."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, role

TITLES = {"plain": "without examples", "anchored": "after 96 and 97 %", "low": "after 61 and 62 %"}


def stated(rows: pd.DataFrame) -> Figure:
    """Histograms of the confidence in percent by style; right and wrong answers are stacked.

    Of no answers at all, every style has an empty panel."""
    shown = {style: title for style, title in TITLES.items() if style in set(rows["style"])} or TITLES
    fig, panels = axes(1, len(shown), width=FULL, height=2.5, sharey=True)
    for ax, (style, title) in zip(panels, shown.items()):
        part = rows[rows["style"] == style].dropna(subset=["confidence"])
        values = [100 * part.loc[part["correct"] == side, "confidence"] for side in (True, False)]
        looks = [role("right"), role("wrong")]
        ax.hist(
            values,
            bins=np.arange(-2.5, 105, 5),
            stacked=True,
            color=[look.colour for look in looks],
            label=["right answers", "wrong answers"],
        )
        ax.set(title=title, xlabel="stated confidence (%)", xlim=(-3, 103))
    panels[0].set(ylabel="answers")
    fig.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig
