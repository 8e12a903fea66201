"""Figures on what people say: agreement with validators, and what their checks leave open. They compute nothing."""

import numpy as np
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
