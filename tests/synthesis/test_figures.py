"""Each figure draws what it receives, says it in its alt text, and keeps to the house rules."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
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


def test_waffle_has_a_square_for_each_comparison_and_agreement_is_grey():
    counts = pd.DataFrame({"agrees": [90, 8], "slip": [3, 0], "figure": [2, 1], "claim": [1, 0]}, index=["uq", "kina"])
    fig, alt = sound(figures.consistency_by_paper(counts))
    assert len(fig.axes[0].patches) == 105 and "UQ, 6 of 96; KINA, a review, 1 of 9" in alt
    grey = {patch.get_facecolor() for patch in fig.axes[0].patches[:90]}
    assert len(grey) == 1 and len(set(grey.pop()[:3])) == 1
    assert "agrees (98)" in legend_texts(fig)


def test_anatomy_marks_the_middle_of_the_resamples():
    scores, rng = np.array([1.0] * 7 + [0.0] * 3), np.random.default_rng(1)
    weights = rng.multinomial(10, np.full(10, 0.1), 500)
    means = weights @ scores / 10
    limits = {"percentile": (0.4, 1.0), "Wilson": (0.4, 0.89)}
    _, alt = sound(figures.interval_anatomy(scores, weights, means, limits, 0.6))
    assert "500 resamples" in alt and "Wilson interval 40% to 89%" in alt


def test_coverage_by_method_names_the_lowest():
    order = ["Wilson", "Clopper-Pearson", "percentile", "BCa", "plain percentile", "normal"]
    rows = [(m, n, p, 0.95 - 0.3 * (m == "normal"), 0.6, 0.97) for m in order for n in (10, 20) for p in (0.5, 0.9)]
    cells = pd.DataFrame(rows, columns=["method", "n", "p", "coverage", "low", "high"])
    _, alt = sound(figures.coverage_by_method(cells))
    assert "normal 65%" in alt


def test_coverage_by_resampling_has_two_lines_a_panel():
    rows = [(d, c, r, 0.9, 0.88, 0.92) for d in ("few", "many") for c in (0.0, 0.4) for r in ("items", "families")]
    cells = pd.DataFrame(rows, columns=["design", "correlation", "resampled", "coverage", "low", "high"])
    fig, _ = sound(figures.coverage_by_resampling(cells))
    assert legend_texts(fig) == ["families resampled", "items resampled"]


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
