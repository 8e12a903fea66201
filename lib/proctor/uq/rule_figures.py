"""Pictures of the rules on a dump: the funnel by rule, the cost of two readings, the sensitivity to thresholds."""

import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import COLUMN, FULL, axes, forest, role
from proctor.report.roles import marks

SETTINGS = {
    "min_age_years": "least age (years)",
    "min_views": "least views",
    "min_votes": "least votes",
    "max_views_per_vote": "most views a vote",
    "top_percent": "top share of a site (%)",
}
RULE_NAMES = {
    "age": "age",
    "views": "views",
    "votes": "votes",
    "views_per_vote": "views a vote",
    "top_share": "top share of its site",
    "no_answers": "no answer",
    "no_why": 'no "why"',
    "no_images": "no image",
    "on_topic": "no off-topic tag",
}


def failed_rules(by_rule: pd.DataFrame) -> Figure:
    """Questions that fail each rule, and those that fail it alone, on a logarithmic axis.

    by_rule: `funnel.by_rule`. A rule that no question fails alone has a mark at the left edge.
    """
    table = by_rule.sort_values("failed", ascending=False)
    fig, ax = axes(width=COLUMN, height=3.2)
    rows = range(len(table))
    look, alone = role("baseline"), role("ours")
    ax.hlines(
        rows, table["alone"].clip(lower=0.5), table["failed"], color=role("muted").colour, linewidth=1.4, zorder=1
    )
    ax.plot(table["failed"], rows, look.marker, color=look.colour, label="fail this rule")
    ax.plot(table["alone"].clip(lower=0.5), rows, alone.marker, color=alone.colour, label="fail no other")
    for row, count in zip(rows, table["alone"]):
        ax.annotate(f"{count:,}", (max(count, 0.5), row), (0, 4), textcoords="offset points", ha="center", fontsize=7)
    ax.set_yticks(rows, [RULE_NAMES[name] for name in table["rule"]])
    ax.set_ylim(len(table) - 0.5, -0.9)
    ax.set(xscale="log", xlabel="questions (logarithmic)")
    ax.grid(False, axis="y")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


def substring_losses(lost: pd.DataFrame, evidence: str) -> Figure:
    """Share of the kept questions that matching by substring drops, by tag, with its interval.

    lost: tag, holds, share, low, high, in percent of the questions that whole tags keep.
    """
    fig, ax = axes(width=COLUMN, height=0.9 + 0.3 * len(lost))
    labels = [f"{row.tag} ({row.holds})" for row in lost.itertuples()]
    forest(ax, labels, lost["share"], lost["low"], lost["high"], role="wrong", evidence=evidence)
    ax.set(xlabel="kept questions dropped (%)", xlim=(0, None))
    return fig


def threshold_sensitivity(table: pd.DataFrame, evidence: str) -> Figure:
    """Questions kept, relative to the rules as they are, as one threshold changes: a panel a threshold.

    table: `rule_findings.sensitivity`.
    """
    fig, panels = axes(1, len(SETTINGS), width=FULL, height=2.2, sharey=True)
    look = role("ours")
    for ax, (setting, label) in zip(panels, SETTINGS.items()):
        part = table[table["setting"] == setting].reset_index(drop=True)
        ax.axhline(1, color="black", linewidth=0.6)
        ax.plot(part.index, part["relative"].clip(lower=0.02), color=look.colour, **{"marker": "o", **marks(evidence)})
        now = part[part["now"]]
        ax.plot(now.index, now["relative"], "s", color=role("highlight").colour, label="as in rules.yaml")
        ax.set_xticks(part.index, [str(value) for value in part["value"]])
        ax.set_xlabel(label)
        ax.set_xlim(-0.4, len(part) - 0.6)
        ax.set_yscale("log")
    panels[0].set_ylabel("kept, relative")
    panels[0].set_yticks([0.05, 0.1, 0.25, 0.5, 1, 2, 4], ["1/20", "1/10", "1/4", "1/2", "1", "2", "4"])
    panels[0].minorticks_off()
    fig.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center")
    return fig
