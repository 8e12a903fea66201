"""The picture of a validator on one's own answers. Receives estimates, computes none."""

import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, shorten

AUTHORS = 30  # drawn at most; the table has all


def acceptance(table: pd.DataFrame, evidence: str) -> tuple[Figure, str]:
    """Shares of accepted answers by author or judge (`own_answers.acceptance`): of right and of wrong ones where the
    truth is known, else of all; and the alt text."""
    shown = table.head(AUTHORS)
    known = bool(shown[["of_right", "of_wrong"]].notna().all(axis=1).any())
    series = {"of_right": "right answers", "of_wrong": "wrong answers"} if known else {"share": "all answers"}
    fig, ax = axes(width=FULL, height=1.55 + 0.26 * len(shown))
    for n, (name, label) in enumerate(series.items()):
        how = dict(role={"of_right": "right", "of_wrong": "wrong"}.get(name, "ours"), label=label, evidence=evidence)
        values = (shown[f"{name}{end}"] for end in ("", "_low", "_high"))
        forest(ax, shorten(shown.iloc[:, 0]), *values, offset=0.3 * (n - (len(series) - 1) / 2), **how)
    ax.set(xlabel="accepted (%)", xlim=(-2, 102))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    first = shown.iloc[0]
    told = ", ".join(f"{first[name]:.0f} % of {label}" for name, label in series.items())
    return (
        fig,
        f"Shares of answers that are accepted, by {shown.columns[0]}, with 95 % intervals; {first.iloc[0]}: {told}.",
    )
