"""Sliders over `how_many` for JupyterLab."""

import ipywidgets as widgets
import numpy as np
from matplotlib.figure import Figure

from proctor.report.sliders import LOOK, panel, show, slider
from proctor.synthesis import figures, how_many


def planner() -> None:
    """Show two tabs of sliders, items for a difference and a budget split, with the answer and its figure below."""
    show(widgets.Tab([items_panel(), split_panel()], titles=("Difference", "Budget")))


def items_panel() -> widgets.VBox:
    """Sliders of `how_many.items_for_difference`."""
    return panel(
        dict(
            rate=slider("better model", 0.6, 0.05, 0.99, 0.01),
            difference=slider("difference", 0.1, 0.005, 0.3, 0.005, ".3f"),
            correlation=slider("correlation", 0.4, -0.2, 0.9, 0.05),
            power=slider("power", 0.8, 0.5, 0.95, 0.05),
            family=widgets.IntSlider(1, 1, 50, description="family size", **LOOK),
            icc=slider("family's correlation", 0.1, 0.0, 0.9, 0.05),
        ),
        _items,
    )


def split_panel() -> widgets.VBox:
    """Sliders of `how_many.split_budget`; a call costs 1."""
    return panel(
        dict(
            budget=widgets.FloatLogSlider(5_000, min=2, max=7, step=0.1, description="budget, calls", **LOOK),
            icc=slider("answers' correlation", 0.4, 0.05, 0.95, 0.05),
            item_cost=widgets.FloatLogSlider(10, min=-1, max=4, step=0.1, description="cost of an item", **LOOK),
        ),
        _split,
    )


def _items(
    rate: float, difference: float, correlation: float, power: float, family: int, icc: float
) -> tuple[str, Figure]:
    plan = how_many.items_for_difference(rate, rate - difference, correlation, power, family=family, icc=icc)
    lines = sorted({0.0, 0.4, 0.8, round(correlation, 2)})
    curves = how_many.item_curves([rate], np.geomspace(0.005, min(0.3, rate), 40), lines, power)
    at = dict(rate=rate, difference=difference, n=plan.n)
    told = f"<b>{plan.n:,} {plan.unit}</b>: {plan.aim}. Assumed: {'; '.join(plan.assumes)}."
    return told, figures.needed_items(curves, power, {}, at)[0]


def _split(budget: float, icc: float, item_cost: float) -> tuple[str, Figure]:
    found = how_many.split_budget(budget, icc / 4, (1 - icc) / 4, item_cost, 1.0)
    ratio = (1 - icc) / icc
    fig, _ = figures.budget_split(how_many.split_curves(ratio, [item_cost], np.geomspace(1, 128, 60)), ratio, {})
    told = (
        f"<b>{found.n:,} items with {found.k} repeats</b>: standard error {100 * found.error:.2f} points of an "
        f"accuracy near 50 %; one repeat each leaves {100 * found.once:.2f}."
    )
    return told, fig
