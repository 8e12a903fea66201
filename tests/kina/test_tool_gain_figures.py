"""The figure of tool gains: effects on the left, each family's three arms on the right."""

import matplotlib.pyplot as plt
import pandas as pd
from proctor.kina.tool_gain_figures import ARMS, gains_and_families
from proctor.report.figures import style
from proctor.report.frame import faults


def test_families_have_a_row_and_arms_a_mark():
    style()
    gains = pd.DataFrame([dict(effect="calls alone less no tool", difference=-0.4, low=-0.8, high=-0.1)])
    table = pd.DataFrame(
        [
            {"category": name, "questions": 7} | dict.fromkeys(ARMS, share)
            for name, share in (("long_sum", 0.8), ("ages", 0))
        ]
    )
    fig = gains_and_families(gains, table)
    fig.draw_without_rendering()
    assert [text.get_text() for text in fig.axes[1].get_yticklabels()] == ["long sum (7)", "ages (7)"]
    assert not faults(fig) and len(fig.legends[0].get_texts()) == 3
    plt.close(fig)
