"""Pictures of the LLM filter draw what their tables hold, within the house's frame."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from proctor.report import figures, frame
from proctor.uq import filter_figures
from proctor.uq.dataset.llm_filter import CHANCES, CRITERIA


@pytest.fixture(autouse=True)
def house():
    figures.style()
    yield
    plt.close("all")


def faults(fig) -> list[str]:
    fig.draw_without_rendering()
    return frame.faults(fig)


def test_published_numbers_are_hollow_and_measured_ones_filled():
    none = [np.nan] * 2
    table = pd.DataFrame(dict(criterion=list(CRITERIA), paper_before=[51, 78, *[np.nan] * 3]))
    table = table.assign(paper_after=[14, 32, 100, 100, 100], measured=[57, 60, 0, 0, 0], low=[50, 55, 0, 0, 0])
    table = table.assign(high=[60, 65, 9, 9, 9], independent=[*none, 27, 47, 35])
    table = table.assign(independent_low=[*none, 20, 40, 30], independent_high=[*none, 30, 50, 40])
    means = {name: pd.Series([20.0, 90.0]) for name in CHANCES}
    fig = filter_figures.criteria_beside_paper(table, means, CHANCES, "smollm2-135m")
    shown = [text.get_text() for text in fig.legends[0].get_texts()]
    assert "paper, before" in shown and "135M, before" in shown and faults(fig) == []
    bars = [line for line in fig.axes[0].lines if line.get_marker() == "|"]
    assert [line.get_xdata().tolist() for line in bars] == [[20, 90]] * 2
