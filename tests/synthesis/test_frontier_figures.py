"""The figure of both sides draws each question of the given units once, within the house's rules."""

import pandas as pd
from proctor.report.figures import style
from proctor.report.frame import faults
from proctor.synthesis.frontier_figures import side_by_side


def test_a_row_a_question_and_a_panel_a_unit():
    style()
    table = pd.DataFrame(
        dict(paper=["uq", "hle", "kina"], label=["one", "two", "three"], says="> 0", unit=["points", "AUC", ""])
        | dict(here_evidence=["measured", "published", "measured"], reading=["opposite answers", "same answer", ""])
        | {f"{side}_{end}": [value] * 3 for side in ("here", "frontier") for end, value in
           (("estimate", 0.5), ("low", 0.4), ("high", 0.6), ("numbers", "0.5"))}
    )  # fmt: skip
    fig, alt = side_by_side(table, {"points": "points", "AUC": "AUC"})
    fig.draw_without_rendering()
    assert not faults(fig)
    assert [tick.get_text() for ax in fig.axes for tick in ax.get_yticklabels()] == ["UQ: one", "HLE: two"]
    assert [text.get_text() for ax in fig.axes for text in ax.texts] == ["opposite"]
    names = {text.get_text() for text in fig.legends[0].get_texts()}
    assert {"our small models", "the paper's own numbers", "strong models (logs)"} <= names
    assert "one: 0.5 against 0.5" in alt and "three" not in alt
