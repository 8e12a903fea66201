"""Sliders over a function that answers with a text and a figure, for JupyterLab."""

import io
import os
from collections.abc import Callable, Mapping

import ipywidgets as widgets
from IPython.display import display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from proctor.report import figures

SHOWN = "Sliders: open this notebook in JupyterLab (`make lab`) and run its cells; a saved page can't move them."
LOOK = dict(continuous_update=False, style={"description_width": "11em"}, layout={"width": "34em"})


def show(widget: widgets.Widget) -> None:
    """Display the widget. In a run by the workflow, which has no front end, one line stands for it."""
    if "PROCTOR_NOTEBOOK" in os.environ:
        display({"text/markdown": SHOWN, "text/plain": SHOWN}, raw=True)
    else:
        display(widget)


def slider(name: str, value: float, low: float, high: float, step: float, shown: str = ".2f") -> widgets.FloatSlider:
    """A labelled slider from `low` to `high`; `shown` formats its value."""
    return widgets.FloatSlider(value, min=low, max=high, step=step, description=name, readout_format=shown, **LOOK)


def panel(sliders: Mapping[str, widgets.Widget], answer: Callable[..., tuple[str, Figure]]) -> widgets.VBox:
    """The sliders, and below them what `answer` gives for their values: a text (HTML) and a figure.

    sliders: {parameter of `answer`: slider}. A ValueError of `answer` is shown in place of the text."""
    text, picture = widgets.HTML(), widgets.Image(format="png", layout={"width": "46em"})

    def update(_change: object = None) -> None:
        try:
            with plt.style.context(["default", figures.HOUSE]):
                said, fig = answer(**{name: slider.value for name, slider in sliders.items()})
                drawn = _png(fig)
        except ValueError as error:
            said, drawn = str(error), b""
        text.value, picture.value = f"<p>{said}</p>", drawn
        picture.layout.display = None if drawn else "none"

    for each in sliders.values():
        each.observe(update, "value")
    update()
    return widgets.VBox([*sliders.values(), text, picture])


def _png(fig: Figure) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=120)
    plt.close(fig)
    return buffer.getvalue()
