"""The funnel of UQ's dataset."""

from matplotlib.figure import Figure

from proctor.report.figures import COLUMN, axes, role


def funnel(stages: list[str], paper: list[float], ours: list[float] | None = None, name: str = "") -> Figure:
    """Questions left after each stage, on a logarithmic axis; the paper's, and those of a dump beside it.

    stages: labels; paper, ours: questions left, NaN where a stage was not run. name: of the dump.
    """
    fig, ax = axes(width=COLUMN, height=0.5 + 0.42 * len(stages))
    series = [("paper", "paper", paper)] + ([(name, "ours", ours)] if ours else [])
    height = 0.7 / len(series)
    for k, (label, who, counts) in enumerate(series):
        for i, count in enumerate(counts):
            if count != count:
                continue
            place = i + (k - (len(series) - 1) / 2) * height
            fill = dict(facecolor="white") if who == "paper" else dict(facecolor=role(who).colour, alpha=0.6)
            edge = dict(edgecolor=role(who).colour, linewidth=1, height=height * 0.9)
            ax.barh(place, count, label=label if i == 0 else None, **fill, **edge)
            ax.annotate(f"{count:,.0f}", (count, place), (3, 0), textcoords="offset points", va="center", fontsize=7)
    ax.set_yticks(range(len(stages)), stages)
    ax.invert_yaxis()
    few = min(count for *_, counts in series for count in counts if count == count) < 20
    ax.set(xscale="log", xlabel="questions left (logarithmic)", xlim=(1 if few else 10, 6e7))
    ax.grid(False, axis="y")
    if ours:
        fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig
