"""Figures on what people say: agreement with validators, and what their checks leave open. They compute nothing."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import axes, marks, role
from proctor.stats.bootstrap import Interval


def kappa_and_prevalence(
    share: np.ndarray, agreement: float, kappa: np.ndarray, at: float, measured: Interval, name: str
) -> Figure:
    """Kappa of two equal raters over the share of right answers, beside a published kappa at its own share `at`."""
    fig, ax = axes(height=2.5)
    ax.axhline(agreement, color=role("baseline").colour, linewidth=1.2, label="agreement of the two raters")
    ax.plot(100 * share, kappa, "--", color=role("ours").colour, label="their kappa")
    who = role("paper")
    ax.vlines(100 * at, measured.low, measured.high, color=who.colour, linewidth=1)
    ax.plot(100 * at, measured.estimate, who.marker, color=who.colour, label=name, **marks("reconstructed"))
    ax.set(xlabel="right answers among those rated (%)", ylabel="agreement, kappa", xlim=(-1, 101), ylim=(-0.08, 1.04))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig


def solve_rates(bounds: pd.DataFrame) -> Figure:
    """What each model passed, and what of it is verified, possible and possible at the validator's recall.

    bounds: `partial_verification.solve_rate_bounds`, one row a model.
    """
    fig, ax = axes(height=3.4)
    y, paper, wide = np.arange(len(bounds)), role("paper"), role("muted")
    ax.hlines(y, 100 * bounds["right_least"], 100 * bounds["right_most"], color=wide.colour, linewidth=2,
              label="right, if the recall on HLE carries over")  # fmt: skip
    ax.hlines(y, 100 * bounds["verified_right"], 100 * bounds["passed_and_right_most"], color=role("right").colour,
              linewidth=6, label="passed and right: verified to unchecked")  # fmt: skip
    ax.plot(100 * bounds["verified_right"], y, "|", color=role("truth").colour, markersize=9, label="verified right")
    ax.plot(
        100 * bounds["passed"], y, paper.marker, color=paper.colour, label="passed the validator", **marks("published")
    )
    for i, row in enumerate(bounds.itertuples()):
        text = f"{row.right} / {row.verified} / {row.passed_count}"
        ax.text(39, i, text, fontsize=6.5, color=role("trivial").colour, ha="right", va="center")
    ax.text(39, -0.75, "right / checked / passed", fontsize=6.5, color=role("trivial").colour, ha="right")
    ax.set_yticks(y, bounds["answer_model"])
    ax.set(xlabel="share of the 500 questions (%)", xlim=(-0.5, 39.5), ylim=(len(bounds) - 0.4, -0.9))
    ax.grid(False, axis="y")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig
