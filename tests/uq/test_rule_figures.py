"""Pictures of the rules draw what their tables hold, within the house's frame."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from proctor.report import figures, frame
from proctor.uq import rule_figures
from proctor.uq.dataset.rule_findings import GRID
from proctor.uq.dataset.rules import RULES


@pytest.fixture(autouse=True)
def house():
    figures.style()
    yield
    plt.close("all")


def faults(fig) -> list[str]:
    fig.draw_without_rendering()
    return frame.faults(fig)


def test_every_rule_shows_its_questions_and_those_of_it_alone():
    counts = pd.DataFrame(dict(rule=list(RULES), failed=range(100, 1000, 100), alone=[0, 1, 2, 3, 40, 50, 60, 70, 80]))
    fig = rule_figures.failed_rules(counts)
    assert sorted(text.get_text() for text in fig.axes[0].texts) == sorted(f"{n}" for n in counts["alone"])
    failed, alone = fig.axes[0].lines
    assert sorted(failed.get_xdata()) == list(counts["failed"]) and min(alone.get_xdata()) == 0.5
    assert set(rule_figures.RULE_NAMES) == set(RULES) and faults(fig) == []


def test_losses_by_tag_have_their_intervals():
    lost = pd.DataFrame(
        dict(tag=["metabolism", "all tags"], holds=["meta", "any"], share=[2, 5], low=[1, 3], high=[4, 9])
    )
    fig = rule_figures.substring_losses(lost, "simulated")
    drawn = {tuple(line.get_xdata()) for line in fig.axes[0].lines if len(line.get_xdata()) == 2}
    assert {(1, 4), (3, 9)} <= drawn and faults(fig) == []


@pytest.mark.parametrize("evidence", ["simulated", "measured"])
def test_every_threshold_has_a_panel_with_its_present_value(evidence):
    rows = [(name, value, k == 1, 0.5 * k) for name, values in GRID.items() for k, value in enumerate(values)]
    fig = rule_figures.threshold_sensitivity(
        pd.DataFrame(rows, columns=["setting", "value", "now", "relative"]), evidence
    )
    assert len(fig.axes) == len(GRID) == len(rule_figures.SETTINGS)
    assert all(list(ax.lines[2].get_xdata()) == [1] for ax in fig.axes) and faults(fig) == []
