import numpy as np
import pandas as pd
import pytest
from proctor.report.figures import style
from proctor.report.frame import faults, visible_texts
from proctor.uq.own_answers_figures import acceptance


@pytest.mark.parametrize("known", [True, False])
def test_right_and_wrong_answers_are_drawn_apart_where_they_are_known(known):
    style()
    row = {f"{name}{end}": value for name in ("share", "of_right", "of_wrong") for end, value in (("", 50.0), ("_low", 30.0), ("_high", 70.0))}  # fmt: skip
    table = pd.DataFrame([{"author": f"author {n}"} | row for n in range(40)])
    if not known:
        table[["of_right", "of_wrong"]] = np.nan
    fig, alt = acceptance(table, "measured")
    fig.draw_without_rendering()
    texts = [text.get_text() for text in visible_texts(fig)]
    assert faults(fig) == [] and ("wrong answers" in texts) == known and "author 0" in alt
