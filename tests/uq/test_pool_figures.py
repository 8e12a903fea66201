"""The funnel writes every count."""

import pytest
from matplotlib import pyplot as plt
from proctor.report import frame
from proctor.report.figures import style
from proctor.uq import pool_figures


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


def faults(fig) -> list[str]:
    fig.draw_without_rendering()
    return frame.faults(fig)


def test_the_funnel_writes_every_count_and_leaves_out_what_was_not_run():
    fig = pool_figures.funnel(
        ["raw", "rules", "models"], [3_000_000, 33_916, 7_685], [12_000, 252, float("nan")], "dump"
    )
    written = [text.get_text() for text in fig.axes[0].texts]
    assert sorted(written) == sorted(["3,000,000", "33,916", "7,685", "12,000", "252"])
    assert faults(fig) == []
