"""The figure of stated confidence: a panel a style, right and wrong answers stacked."""

import matplotlib.pyplot as plt
import pandas as pd
from proctor.hle.anchor_figures import stated
from proctor.report.figures import style
from proctor.report.frame import faults


def test_each_style_has_its_panel_and_unreadable_replies_are_left_out():
    style()
    rows = pd.DataFrame(
        [
            dict(style=name, correct=right, confidence=said)
            for name, said in (("plain", 0.7), ("anchored", 0.97))
            for right in (True, False)
        ]
        + [dict(style="plain", correct=True, confidence=float("nan"))]
    )
    fig = stated(rows)
    fig.draw_without_rendering()
    counted = [sum(patch.get_height() for patch in ax.containers[0]) for ax in fig.axes]
    assert not faults(fig) and counted == [1, 1]
    plt.close(fig)


def test_no_answers_leave_every_panel_empty():
    style()
    fig = stated(pd.DataFrame(columns=["style", "correct", "confidence"]))
    fig.draw_without_rendering()
    assert not faults(fig) and len(fig.axes) == 3
    plt.close(fig)
