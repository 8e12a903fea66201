import matplotlib

matplotlib.use("agg")
import numpy as np
import pytest
from matplotlib import pyplot as plt
from proctor.report.frame import is_drawn


def bars(ax):
    ax.bar([0, 1], [0.2, 0.731])


def points(ax):
    ax.scatter([1, 2], [0.1, 0.731])


def heat(ax):
    ax.imshow(np.array([[0.1, 0.731]]))


def label(ax):
    ax.text(0, 0, "+0.73 on average")


def thousands(ax):
    ax.annotate("2,500 items", (0, 0))


@pytest.mark.parametrize(
    ("draw", "value"), [(bars, 0.731), (points, 0.731), (heat, 0.731), (label, 0.731), (thousands, 2500.4)]
)
def test_a_number_is_found_as_mark_bar_cell_or_text(draw, value):
    fig, ax = plt.subplots()
    draw(ax)
    assert is_drawn(fig, value) and not is_drawn(fig, 0.55)
    plt.close(fig)
