"""UQ's Figures 2, S1, S2 and S3 and the funnel, with the published numbers."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from proctor.report.figures import COLUMN, FULL, axes, dumbbell, flow, role

LEFT = ("unanswered questions", "after rules", "after LLM judges", "after human review")


def dataset_pipeline(pool: pd.DataFrame, facts: Mapping[str, float]) -> Figure:
    """Figure 2: what is left after each stage, and what is dropped.

    pool: `question_pool.pool_by_stage`. facts: fact -> value, of data/published/uq/facts.csv.
    """
    fig, ax = axes(width=FULL, height=1.8)
    boxes, arrows = {}, []
    for i, (row, words) in enumerate(zip(pool.itertuples(), LEFT)):
        share = f"{row.of_original_printed} % of the crawl" if i else f"of {facts['sites_appendix']:.0f} sites"
        count = f"about {row.questions:,}" if i == 0 else f"{row.questions:,}"
        boxes[f"left{i}"] = (i, 0, f"{count}\n{words}\n{share}", "highlight" if i == 3 else "paper")
        if i:
            boxes[f"out{i}"] = (i, 1, f"{row.dropped:,} dropped", "muted")
            arrows += [(f"left{i - 1}", f"left{i}"), (f"left{i - 1}", f"out{i}")]
    boxes["diamond"] = (4, 0, f"{facts['diamond_questions']:.0f}\ndiamond questions:\nmost votes, views", "right")
    flow(ax, boxes, [*arrows, ("left3", "diamond")], size=(0.8, 0.7))
    return fig


def dataset_rules(pool: pd.DataFrame, facts: Mapping[str, float]) -> Figure:
    """Figure S1: what each stage asks of a question (section A.1), with the same counts.

    pool, facts: as in `dataset_pipeline`.
    """

    def printed(name: str) -> str:
        return f"{facts[name]:,.0f}"

    asks = (
        f"Rules: at least {printed('min_age')} years, {printed('min_views_low')} to {printed('min_views_high')} views, "
        f"{printed('min_votes_low')} to {printed('min_votes_high')} votes by site, top {printed('top_share')} % of it, "
        "no answer",
        f"Two models: right at most {printed('max_answer_correctness')} %, solvable by experts at most "
        f"{printed('max_expert_solvability')} %, three yes/no criteria in all {printed('calls_per_criterion')} calls",
        f"People: read with {printed('model_answers_shown')} model answers, or the top of a site by votes",
    )
    fig, ax = axes(width=FULL, height=3.6)
    boxes, arrows = {}, []
    for i, (row, words) in enumerate(zip(pool.itertuples(), LEFT)):
        share = f"\n{row.of_previous_printed} % of the stage before" if i else f"\nof {printed('sites_appendix')} sites"
        count = f"about {row.questions:,}" if i == 0 else f"{row.questions:,}"
        boxes[f"left{i}"] = (0, i, f"{count} {words}{share}", "highlight" if i == 3 else "paper")
        if i:
            boxes[f"ask{i}"] = (1, i - 0.5, asks[i - 1], ("baseline", "judge", "human")[i - 1])
            boxes[f"out{i}"] = (2, i - 0.5, f"{row.dropped:,} dropped", "muted")
            arrows += [(f"left{i - 1}", f"ask{i}"), (f"ask{i}", f"left{i}"), (f"ask{i}", f"out{i}")]
    diamond = f"{printed('diamond_questions')} diamond questions: at least {printed('diamond_min_views')} views"
    boxes["diamond"] = (2, 3.12, f"{diamond}, votes by site", "right")
    flow(ax, boxes, [*arrows, ("left3", "diamond")], size=(0.86, 0.48))
    return fig


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


def llm_filter_effect(facts: Mapping[str, float]) -> Figure:
    """Figure S2: the two difficulties before and after the LLM filter, and the three criteria after it, in percent."""
    fig, ax = axes(width=COLUMN, height=2.3)
    labels = ["answer is right", "experts can solve it", "approachable", "well-defined", "objective"]
    unknown = float("nan")
    before = [facts["correctness_before"], facts["solvability_before"], *[unknown] * 3]
    after = [facts["correctness_after"], facts["solvability_after"], *[facts["quality_after"]] * 3]
    published = ("published", "published")
    names = ("before the filter", "after it")
    dumbbell(ax, labels, before, after, names=names, role=("baseline", "paper"), evidence=published)
    for row in (2, 3, 4):
        ax.annotate("before: not in the text", (96, row), ha="right", va="center", fontsize=7)
    for row, limit in enumerate((facts["max_answer_correctness"], facts["max_expert_solvability"])):
        ax.plot([limit] * 2, [row - 0.35, row + 0.35], color="black", linewidth=0.9, linestyle=(0, (3, 2)))
    ax.plot([], [], color="black", linewidth=0.9, linestyle=(0, (3, 2)), label="limit of the filter")
    ax.set(xlabel="mean, or share of questions (%)", xlim=(0, 104))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig


def domains(categories: pd.DataFrame, stages: Mapping[str, str]) -> Figure:
    """Figure S3, left: share of each domain after each stage, on a logarithmic axis.

    categories: `question_pool.pool_by_category`. stages: its stages -> their labels, in order.
    """
    fig, ax = axes(width=COLUMN, height=2.6)
    order = categories[categories["stage"] == list(stages)[-1]].sort_values("questions", ascending=False)["category"]
    for who, (stage, label) in zip(("baseline", "judge", "human"), stages.items()):
        shares = categories[categories["stage"] == stage].set_index("category")["share"][list(order)]
        look = role(who)
        ax.plot(shares, range(len(order)), look.marker, color=look.colour, markerfacecolor="white", label=label)
    ax.set_yticks(range(len(order)), list(order))
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="share of questions left (%)", xlim=(0.05, 150))
    ax.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig


def sites(composition: pd.DataFrame) -> Figure:
    """Figure S3, right: questions of each site in the final set, on a logarithmic axis.

    composition: `question_pool.composition("uq/table_S8")`.
    """
    table = composition.sort_values("questions", ascending=False, kind="stable")
    fig, (left, right) = axes(1, 2, width=FULL, height=3.4)
    half = (len(table) + 1) // 2
    for ax, part in ((left, table.iloc[:half]), (right, table.iloc[half:])):
        rows = range(len(part))
        ax.hlines(rows, 0.8, part["questions"], color=role("muted").colour, linewidth=1)
        look = role("paper")
        ax.plot(part["questions"], rows, look.marker, color=look.colour, markerfacecolor="white", markersize=4)
        for row, count in zip(rows, part["questions"]):
            ax.annotate(f"{count}", (count, row), (5, 0), textcoords="offset points", va="center", fontsize=7)
        ax.set_yticks(rows, part["site"])
        ax.set_ylim(half - 0.4, -0.6)
        ax.set(xscale="log", xlim=(0.8, 500), xlabel="questions (logarithmic)")
        ax.grid(False, axis="y")
    return fig
