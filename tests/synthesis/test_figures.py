"""Each figure draws what it receives, says it in its alt text, and keeps to the house rules."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from proctor.audit.comparisons import baselines, row_intervals
from proctor.audit.feasibility import audit, feasibility
from proctor.audit.reported_table import Reported
from proctor.report.figures import style
from proctor.report.frame import faults
from proctor.synthesis import figures


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


def sound(drawn):
    fig, alt = drawn
    fig.draw_without_rendering()
    assert alt.endswith(".") and faults(fig) == []
    return fig, alt


def legend_texts(fig):
    return [text.get_text() for legend in fig.legends for text in legend.get_texts()]


def test_audit_draws_rows_without_counts_as_printed():
    rows = [
        Reported("fine", 400, 400, 90, accuracy="89.25", precision="81.33", recall="67.78"),
        Reported("impossible $", 400, 400, 90, accuracy="95.00", recall="20.00"),
        Reported("alone", 400, 400, accuracy="84.75"),
    ]
    found = audit(rows)
    measured = row_intervals(found, np.random.default_rng(1), 50)
    printed = {row.name: float(row.accuracy) / 100 for row in rows}
    fig, alt = sound(figures.audit_intervals(measured, baselines(found), feasibility(found), printed, 0.95))
    assert "as printed, no counts" in legend_texts(fig) and "impossible $, infeasible" in alt
    assert {text.get_text() for text in fig.axes[1].texts} == {"infeasible", "confusion table not known"}
