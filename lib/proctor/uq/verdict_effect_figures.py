"""Figures of `verdict_effects` and `verdict_means`: right answers accepted, wrong ones rejected, and gains."""

import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import FULL, axes, forest, role, roles
from proctor.uq.verdict_effects import FITTED, HALF, REASONED, STYLES
from proctor.uq.verdict_means import TWO

LOOKS = {HALF: "wrong", FITTED: "ours", REASONED: "judge"}


def plane_and_gains(table: pd.DataFrame, gains: pd.DataFrame) -> Figure:
    """Left: each check's two rates by style (`by_check`). Right: gains in balanced accuracy (`effects_by_check`)."""
    fig, (left, right) = axes(1, 2, width=FULL, height=3.1)
    left.plot([0, 100], [100, 0], color="#BDBDBD", linewidth=0.8, linestyle="--", zorder=1)
    left.text(3, 4, "line: as good as chance", fontsize=7, color="#4A4A4A")
    for style in STYLES:
        part, look = table[table["style"] == style], role(LOOKS[style])
        x, y = 100 * part["wrong_rejected"], 100 * part["right_accepted"]
        left.plot(x, y, look.marker, color=look.colour, label=style, linestyle="none", zorder=3)
    for (x, y), part in table.groupby(["wrong_rejected", "right_accepted"]):
        names = ", ".join(dict.fromkeys(part["check"]))
        left.annotate(names, (100 * x, 100 * y), (5, 4), textcoords="offset points", fontsize=7)
    left.set(xlim=(-4, 104), ylim=(-4, 110), xlabel="wrong answers rejected (%)", ylabel="right answers accepted (%)")
    left.set_title("verdicts by check")
    checks = table["check"].unique().tolist()
    for style, offset in ((FITTED, -0.14), (REASONED, 0.14)):
        part = gains.set_index("effect").loc[[f"{check}: {style}" for check in checks]] * 100
        columns = (part[column] for column in ("difference", "low", "high"))
        forest(right, checks, *columns, role=LOOKS[style], label=style, offset=offset, reference=0)
    right.set(xlabel="gain in balanced accuracy (points)", title="against the bare verdict at one half")
    handles, labels = left.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=3)
    return fig


def areas_and_gains(table: pd.DataFrame, gains: pd.DataFrame) -> Figure:
    """Left: AUC by check and judge (`verdict_means.aucs`). Right: what more verdicts gain (`verdict_means.effects`)."""
    fig, (left, right) = axes(1, 2, width=FULL, height=3.3)
    names = table["check"].unique().tolist()
    judges = table["judge"].unique().tolist()
    looks = roles(judges) | {TWO: role("all")}
    for place, judge in enumerate(judges):
        part = table[table["judge"] == judge].set_index("check").reindex(names)
        columns = (part[column] for column in ("auc", "auc_low", "auc_high"))
        offset = 0.24 * (place - (len(judges) - 1) / 2)
        forest(left, names, *columns, role=looks[judge], label=judge, offset=offset, reference=0.5)
    left.set(xlabel="AUC of the bare probability", title="does it rank right above wrong?")
    forest(right, gains["effect"], *(100 * gains[name] for name in ("difference", "low", "high")), reference=0)
    right.set(xlabel="gain (points)", title="against the single verdict")
    fig.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig
