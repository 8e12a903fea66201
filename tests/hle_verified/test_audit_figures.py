"""The figure of audit probabilities: both auditors' pairs, and each kind."""

import matplotlib.pyplot as plt
import pandas as pd
from proctor.hle_verified.audit_effects import REPAIRS
from proctor.hle_verified.audit_figures import pairs_and_kinds, with_repairs
from proctor.hle_verified.planted_defects import COMPONENTS, Defect
from proctor.report.figures import style
from proctor.report.frame import faults


def test_it_shows_two_auditors_and_nineteen_kinds():
    style()
    rows = [dict(effect=effect, difference=0.2, low=-0.1, high=0.4) for effect in (*COMPONENTS, *REPAIRS)]
    effects = with_repairs(pd.DataFrame(rows[:3]), pd.DataFrame(rows[3:]))
    kinds = pd.DataFrame(
        [
            dict(
                kind=k.value,
                title=k.title,
                component=k.component,
                rejected_share=0.6,
                twin_rejected_share=0.2,
                rejected_n=10,
            )  # fmt: skip
            for k in Defect
        ]
    )
    fig = pairs_and_kinds({"qwen2.5-coder-1.5b": effects, "qwen2.5-coder-0.5b": effects}, kinds)
    fig.draw_without_rendering()
    assert not faults(fig) and len(fig.legends[0].get_texts()) == 4
    assert [text.get_text() for text in fig.axes[0].get_yticklabels()][3:] == ["repairs: answer", "repairs: rationale"]
    names = [text.get_text() for text in fig.axes[1].get_yticklabels()]
    assert len(names) == 19 and not any("(" in name for name in names)
    plt.close(fig)
