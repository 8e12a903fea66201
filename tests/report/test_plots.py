import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from proctor.report.figures import dumbbell, flow, forest, heatmap, role, roles, save, waffle
from proctor.report.provenance import describe

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]


def spans(lines):
    return [tuple(line.get_xdata()) for line in lines]


def bars(ax):
    return [line for line in ax.lines if line.get_marker() == "None" and len(line.get_xdata()) == 2]


def marks(ax):
    return [line for line in ax.lines if line.get_marker() != "None"]


def test_a_forest_draws_what_it_is_given(ax):
    forest(ax, ["a", "b"], [0.2, 0.5], [0.1, 0.5], [0.4, 0.8], offset=0.25, label="ours", reference=0.3)
    assert spans(bars(ax)[:2]) == [(0.1, 0.4), (0.5, 0.8)]
    (points,) = marks(ax)
    assert points.get_xdata().tolist() == [0.2, 0.5] and points.get_ydata().tolist() == [0.25, 1.25]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"] and ax.yaxis_inverted()
    assert ax.get_legend_handles_labels()[1] == ["ours"]


@pytest.mark.parametrize("who", [MODELS, list(roles(["o3", "gpt-4o", MODELS[0]]).values())])
def test_a_forest_of_models_gives_each_its_colour_and_marker(ax, who):
    forest(ax, MODELS, [1, 2, 3], [0, 1, 2], [2, 3, 4], role=who, evidence="published")
    looks = [role(each) if isinstance(each, str) else each for each in who]
    assert [(line.get_color(), line.get_marker()) for line in marks(ax)] == [look[:2] for look in looks]
    assert all(line.get_markerfacecolor() == "white" for line in marks(ax))


def test_a_row_without_limits_is_hollow_and_simulated_bars_are_dashed(ax):
    forest(ax, ["a", "b", "c"], [1, 2, np.nan], [0, np.nan, np.nan], [2, np.nan, np.nan], evidence="simulated")
    assert len(bars(ax)) == 1 and bars(ax)[0].get_linestyle() == "--"
    assert [line.get_markerfacecolor() for line in marks(ax)] == [role("ours").colour, "white"]


@pytest.mark.parametrize(
    "low, message",
    [
        ([0.3, 0.1], r"a \(0.2 not in"),
        ([-np.inf, 0.1], "infinite limit: a"),
    ],
)
def test_a_forest_refuses_what_does_not_fit(ax, low, message):
    with pytest.raises(ValueError, match=message):
        forest(ax, ["a", "b"], [0.2, 0.2], low, [0.4, 0.4])


def test_a_dumbbell_joins_two_values_of_two_kinds(ax):
    dumbbell(ax, ["a", "b"], [1, np.nan], [3, 4], right_interval=([2, 3], [5, 5]))
    joined = [bar for bar in bars(ax) if bar.get_color() == role("muted").colour]
    assert spans(joined) == [(1, 3)], "what lacks a side is not joined"
    left, right = marks(ax)
    assert left.get_markerfacecolor() == "white" and right.get_markerfacecolor() == role("ours").colour
    assert spans(bar for bar in bars(ax) if bar not in joined) == [(2, 5), (3, 5)]
    assert ax.get_legend_handles_labels()[1] == ["paper", "ours"]


def test_a_heatmap_takes_texts_of_its_own(ax):
    frame = pd.DataFrame([[0.1, 0.2]], columns=["x", "y"])
    heatmap(ax, frame, text=pd.DataFrame([["few", "more"]]), cbar=False)
    assert [text.get_text() for text in ax.texts] == ["few", "more"]


BOXES = {
    "all": (0, 0, "500 questions"),
    "kept": (1, 0, "480 questions kept by all judges", "right"),
    "out": (1, 1, "20\nout", "wrong"),
    "end": (2, 0, "end"),
}


def test_a_flow_writes_boxes_and_labels_and_saves(ax, own_figures):
    arrows = [("all", "kept"), ("all", "out", "no"), ("kept", "end", "all")]
    flow(ax, BOXES, arrows, size=(0.74, 0.66), above=0.6)
    texts = [text.get_text().replace("\n", " ") for text in ax.texts]
    assert texts == ["500 questions", "480 questions kept by all judges", "20 out", "end", "no", "all"]
    save(ax.figure, describe("uq/flow", evidence="published"), claim="How it goes", alt="Boxes")


def test_a_flow_whose_text_does_not_fit_its_box_is_refused(ax):
    with pytest.raises(ValueError, match="its text needs"):
        flow(ax, BOXES, [], size=(0.2, 0.2))


def test_a_waffle_has_a_square_for_each(ax):
    counts = pd.DataFrame({"mild": [14, 0, 3], "severe": [3, 2, 0]}, index=["UQ", "HLE", "KINA"])
    waffle(ax, counts, ["#aaaaaa", "#111111"], per_row=10)
    assert [to_hex(patch.get_facecolor()) for patch in ax.patches[10:19]] == ["#aaaaaa"] * 4 + ["#111111"] * 5
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["UQ (17)", "HLE (2)", "KINA (3)"]
    corners = {(round(patch.get_x(), 3), round(patch.get_y(), 3)) for patch in ax.patches}
    assert len(ax.patches) == len(corners) == 22, "no square covers another"
