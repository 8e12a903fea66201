"""The picture of a choice of items. Receives estimates, computes none."""

import numpy as np
from matplotlib.figure import Figure

from proctor.kina.own_coverage import Choice
from proctor.report.figures import axes, role


def reached(choice: Choice) -> tuple[Figure, str]:
    """What the first items of the choice reach, the bound, and random choices of its size; and the alt text."""
    fig, ax = axes(height=2.6)
    last, (low, high) = len(choice.curve) - 1, np.quantile(choice.random, [0.025, 0.975])
    ax.plot(range(last + 1), 100 * choice.curve, ".-", color=role("ours").colour, label="chosen")
    ax.axhline(100 * choice.bound, color=role("truth").colour, linewidth=0.9, linestyle=":", label="no choice exceeds")
    bar = dict(color=role("baseline").colour, label="random choices (95 %)")
    ax.errorbar([last], [50 * (low + high)], yerr=[50 * (high - low)], fmt="none", linewidth=2, **bar)
    ax.set(xlabel="items chosen", ylabel="of the field represented (%)", ylim=(0, 103))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, columnspacing=1)
    return fig, (
        f"Share of the field that the first items represent, rising to {100 * choice.value:.0f} %; no choice exceeds "
        f"{100 * choice.bound:.0f} %; random choices reach {100 * low:.0f} to {100 * high:.0f} %."
    )
