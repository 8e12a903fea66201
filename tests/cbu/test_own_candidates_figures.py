import pandas as pd
from proctor.cbu.own_candidates_figures import utilities
from proctor.report.figures import style
from proctor.report.frame import faults


def test_it_keeps_the_rules_of_figures():
    style()
    rows = [dict(model="m", candidate=f"c{n}", utility=n / 9, low=0.0, high=1.0, base=0.5) for n in range(9)]
    fig, alt = utilities(pd.DataFrame(rows), "m", "measured")
    fig.draw_without_rendering()
    assert faults(fig) == [] and "the best 0.89" in alt
