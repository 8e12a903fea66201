"""Sliders over a function that prints and draws, for JupyterLab."""

import os
from collections.abc import Callable
from typing import Any

from IPython.display import Markdown, display
from IPython.utils.capture import capture_output
from ipywidgets import interactive

SHOWN = "Sliders: open this notebook in JupyterLab (`make lab`) and run its cells; a saved page can't move them."


def play(answer: Callable[..., None], **sliders: Any) -> None:
    """Sliders, and below them what `answer` prints and draws at their values; they begin at its own defaults.

    sliders: {parameter of `answer`: (least, most, step)}, or what else `ipywidgets.interactive` takes. In a run by the
    workflow, which has no front end, one line stands for them; `answer` runs once all the same, so that an error shows.
    """
    if "PROCTOR_NOTEBOOK" in os.environ:
        with capture_output():
            answer()
        display(Markdown(SHOWN))
    else:
        display(interactive(answer, **sliders))
