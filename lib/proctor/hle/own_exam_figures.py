"""The picture of one's own exam. Receives estimates, computes none."""

import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, heatmap, shorten

MODELS, CATEGORIES = 30, 14  # drawn at most; the tables have all


def accuracies(results: pd.DataFrame, by_category: pd.DataFrame, evidence: str) -> tuple[Figure, str]:
    """Accuracy of each model with its interval, the best first, beside its accuracy by category; and the alt text.

    results, by_category: of `hle.metrics.metrics_table`, by model, and by model and category."""
    best = results.sort_values("accuracy", ascending=False, kind="stable").head(MODELS)
    names = shorten(best["model"])
    cells = by_category.pivot(index="model", columns="category", values="accuracy").loc[best["model"]]
    largest = by_category.groupby("category")["n"].sum().sort_values(ascending=False, kind="stable").index
    cells = cells[largest[:CATEGORIES]].set_axis(names)
    cells.columns = [name.removesuffix("/") for name in shorten(cells.columns, 16)]
    height = 1.75 + 0.24 * len(best)
    fig, (left, right) = axes(1, 2, width=FULL, height=height, sharey=False, width_ratios=[1, 1.25])
    forest(left, names, *(100 * best[column] for column in ("accuracy", "low", "high")), evidence=evidence)
    left.set(xlabel="right answers (%)", xlim=(-2, 102), ylim=(len(best) - 0.5, -0.5))
    heatmap(right, 100 * cells, fmt=".0f", low=0, high=100, label="right (%)")
    right.set_yticks([])
    right.tick_params(axis="x", labelrotation=90, length=0)
    told = ", ".join(f"{name} {100 * value:.0f} %" for name, value in list(zip(names, best["accuracy"]))[:5])
    return fig, f"Accuracy of models with 95 % intervals ({told}), beside it a table of accuracy by category."
