"""Sliders over `how_many` for JupyterLab. Where no front end runs, one line says where they are."""

import io
import os
from collections.abc import Callable

import ipywidgets as widgets
import numpy as np
from IPython.display import display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from proctor.report import figures as house
from proctor.synthesis import figures, how_many

SHOWN = "Sliders: open this notebook in JupyterLab (`make lab`) and run its cells; a saved page can't move them."


def planner() -> None:
    """Show two tabs of sliders, items for a difference and a budget split, with the answer and its figure below.

    In a run by the workflow, which has no front end, they are made all the same, and one line stands for them."""
    tabs = widgets.Tab([items_panel(), split_panel()], titles=("Difference", "Budget"))
    if "PROCTOR_NOTEBOOK" in os.environ:
        display({"text/markdown": SHOWN, "text/plain": SHOWN}, raw=True)
    else:
        display(tabs)


def items_panel() -> widgets.VBox:
    """Sliders of `how_many.items_for_difference`."""
    return _panel(
        dict(
            rate=_slider("better model", 0.6, 0.05, 0.99, 0.01),
            difference=_slider("difference", 0.1, 0.005, 0.3, 0.005, ".3f"),
            correlation=_slider("correlation", 0.4, -0.2, 0.9, 0.05),
            power=_slider("power", 0.8, 0.5, 0.95, 0.05),
            family=widgets.IntSlider(1, 1, 50, description="family size", **_LOOK),
            icc=_slider("family's correlation", 0.1, 0.0, 0.9, 0.05),
        ),
        _items,
    )


def split_panel() -> widgets.VBox:
    """Sliders of `how_many.split_budget`; a call costs 1."""
    return _panel(
        dict(
            budget=widgets.FloatLogSlider(5_000, min=2, max=7, step=0.1, description="budget, calls", **_LOOK),
            icc=_slider("answers' correlation", 0.4, 0.05, 0.95, 0.05),
            item_cost=widgets.FloatLogSlider(10, min=-1, max=4, step=0.1, description="cost of an item", **_LOOK),
        ),
        _split,
    )


_LOOK = dict(continuous_update=False, style={"description_width": "11em"}, layout={"width": "34em"})


def _slider(name: str, value: float, low: float, high: float, step: float, shown: str = ".2f") -> widgets.FloatSlider:
    return widgets.FloatSlider(value, min=low, max=high, step=step, description=name, readout_format=shown, **_LOOK)


def _panel(sliders: dict[str, widgets.Widget], answer: Callable[..., tuple[str, Figure]]) -> widgets.VBox:
    text, picture = widgets.HTML(), widgets.Image(format="png", layout={"width": "46em"})

    def update(_change: object = None) -> None:
        try:
            with plt.style.context(["default", house.HOUSE]):
                told, fig = answer(**{name: slider.value for name, slider in sliders.items()})
                drawn = _png(fig)
        except ValueError as error:
            told, drawn = str(error), b""
        text.value, picture.value = f"<p>{told}</p>", drawn
        picture.layout.display = None if drawn else "none"

    for slider in sliders.values():
        slider.observe(update, "value")
    update()
    return widgets.VBox([*sliders.values(), text, picture])


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


def _png(fig: Figure) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=120)
    plt.close(fig)
    return buffer.getvalue()
