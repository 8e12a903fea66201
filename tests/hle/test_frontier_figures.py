import pandas as pd
import pytest
from proctor.hle import frontier_figures
from proctor.report.figures import style
from proctor.report.frame import faults


@pytest.fixture(autouse=True)
def house():
    style()


def test_stated_lies_beside_right_and_the_alt_text_tells_both():
    table = pd.DataFrame(
        dict(model=["one", "two"], accuracy=[25.0, 8], low=[22.0, 6], high=[28.0, 10], stated_mean=[80.0, 90])
        | dict(stated_low=[79.0, 89], stated_high=[81.0, 91])
    )
    fig, alt = frontier_figures.stated_and_right(table)
    fig.draw_without_rendering()
    assert not faults(fig) and "one says 80, is right in 25 %" in alt


def test_bars_hold_the_counts_of_both_and_one():
    table = pd.DataFrame(dict(model=["one"], items=[1000], both=[120], one=[80]))
    fig, alt = frontier_figures.right_again(table)
    widths = [patch.get_width() for patch in fig.axes[0].patches]
    assert widths == [120, 80] and "one 120 in both and 80 in one only" in alt
