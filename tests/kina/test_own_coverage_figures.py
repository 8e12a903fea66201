import numpy as np
from proctor.data.schemas import Question
from proctor.kina.own_coverage import choose
from proctor.kina.own_coverage_figures import reached
from proctor.report.figures import style
from proctor.report.frame import faults


def test_it_keeps_the_rules_of_figures():
    style()
    items = [Question(id=str(n), question=f"word{n % 4} and word{n % 3}") for n in range(12)]
    fig, alt = reached(choose(items, 4, np.random.default_rng(0)))
    fig.draw_without_rendering()
    assert faults(fig) == [] and "no choice exceeds" in alt
