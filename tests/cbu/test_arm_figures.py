"""Figures of the arms: every family has its row, every method its interval."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from proctor.cbu import arm_figures, arms
from proctor.report.figures import style
from proctor.report.frame import faults


def effects(names):
    return pd.DataFrame([dict(effect=name, difference=0.2, low=-0.1, high=0.5) for name in names])


def test_effects_stand_beside_the_families_that_they_are_made_of():
    style()
    rows = [("tank", True), ("mean", True), ("long_sum", False)]
    families = pd.DataFrame(
        [dict(category=c, carries_over=over, questions=4, none=0.5, right=0.8, wrong=0.2) for c, over in rows]
    )
    fig = arm_figures.effects_and_families(effects(arms.EXPECTED), families, arms.EXPECTED)
    fig.draw_without_rendering()
    labels = [text.get_text() for text in fig.axes[1].get_yticklabels()]
    assert not faults(fig) and labels == ["tank (4)", "mean (4)", "long sum* (4)"]
    plt.close(fig)


def test_each_method_has_its_auc():
    style()
    fig = arm_figures.auc_of_methods(effects(["utility", "judge 1-10", "judge 1-10, 4 calls"]))
    fig.draw_without_rendering()
    assert not faults(fig) and len(fig.axes[0].get_yticklabels()) == 3
    plt.close(fig)


def test_other_effects_stand_in_their_groups_with_a_margin_where_arms_should_be_alike():
    style()
    groups = {"words": effects(["right again less right", "confident less wrong"]), "AUC": effects(["planted AUC"])}
    fig = arm_figures.other_effects(groups, arms.OTHER_EXPECTED)
    fig.draw_without_rendering()
    ax = fig.axes[0]
    assert not faults(fig) and len(ax.get_yticklabels()) == 3
    bands = [band for band in ax.collections if band.get_paths()[0].get_extents().width == pytest.approx(34)]
    assert len(bands) == 2
    plt.close(fig)


def test_each_family_and_arm_has_its_cell_and_a_missing_one_is_blank():
    style()
    row = dict(category="long_sum", carries_over=False, questions=4, none=0.5, right=0.8) | {"natural right": None}
    fig = arm_figures.arms_by_family(pd.DataFrame([row, row | {"category": "tank", "natural right": 0.25}]))
    fig.draw_without_rendering()
    ax = fig.axes[0]
    assert not faults(fig) and [text.get_text() for text in ax.get_xticklabels()] == ["none", "right", "natural\nright"]
    assert sorted(text.get_text() for text in ax.texts) == sorted(["50%", "80%", "50%", "80%", "25%"])
    plt.close(fig)
