"""The figure of verdicts: three styles in the plane, and checks that share a point share its label."""

import matplotlib.pyplot as plt
import pandas as pd
from proctor.report.figures import style
from proctor.report.frame import faults
from proctor.uq.verdict_effect_figures import areas_and_gains, plane_and_gains
from proctor.uq.verdict_effects import FITTED, HALF, REASONED


def test_checks_that_share_a_point_share_its_label():
    style()
    rates = {HALF: (1, 0), FITTED: (0.8, 0.5), REASONED: (1, 0)}
    table = pd.DataFrame(
        [
            dict(check=check, style=name, right_accepted=right, wrong_rejected=wrong + (check == "B") * (wrong > 0) / 9)
            for check in ("C", "B")
            for name, (right, wrong) in rates.items()
        ]
    )
    gains = pd.DataFrame(
        [
            dict(effect=f"{c}: {name}", difference=0.1, low=-0.1, high=0.3)
            for c in ("C", "B")
            for name in (FITTED, REASONED)
        ]
    )
    fig = plane_and_gains(table, gains)
    fig.draw_without_rendering()
    labels = [text.get_text() for text in fig.axes[0].texts]
    assert not faults(fig) and len(fig.legends[0].get_texts()) == 3
    assert sorted(labels[1:]) == ["B", "C", "C, B"]
    plt.close(fig)


def test_every_judge_is_drawn_and_gains_that_are_not_known_leave_their_row():
    style()
    judges = [f"judge {k}" for k in range(6)]
    table = pd.DataFrame([dict(judge=name, check="C", auc=0.6, auc_low=0.5, auc_high=0.7) for name in judges])
    gains = pd.DataFrame([dict(effect="mean", difference=float("nan"), low=float("nan"), high=float("nan"))])
    fig = areas_and_gains(table, gains)
    fig.draw_without_rendering()
    assert [text.get_text() for text in fig.legends[0].get_texts()] == judges
    assert [label.get_text() for label in fig.axes[1].get_yticklabels()] == ["mean"]
    plt.close(fig)
