"""CBU's figures beyond what `report.figures` offers. They receive estimates with intervals and compute none."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proctor.cbu.candidates import KINDS
from proctor.report.figures import COLUMN, FULL, axes, flow, forest, role, roles, short

STEP = 0.24  # rows between two series of one label


def kind_labels() -> list[str]:
    """ "right (correct)", ...: the seven kinds of candidate, in their order."""
    return [f"{kind} ({'correct' if KINDS[kind].correct else 'wrong'})" for kind in KINDS]


def legend_below(fig: Figure, ax: Axes, columns: int = 3) -> None:
    """One legend of the axes' series, under all axes."""
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def forest_by(
    ax: Axes,
    found: pd.DataFrame,
    rows: Sequence[str],
    row: str,
    series: Mapping[str, str],
    by: str,
    estimate: str,
    *,
    scale: float = 100.0,
    reference: float | None = None,
    labels: Sequence[str] | None = None,
    evidence: str = "measured",
    spread: bool = True,
) -> None:
    """A forest with a row for each of `rows` (values of column `row`) and a series for each value of column `by`.

    series: {value of `by`: role}. found: columns `estimate`, low, high; times `scale`. A missing row stays empty.
    spread: whether the series stand apart within a row.
    """
    for place, (name, who) in enumerate(series.items()):
        own = found[found[by] == name].set_index(row).reindex(rows)
        missing = own[estimate].isna()  # 0 as their limits: else the legend shows a hollow mark for what is not drawn
        values = [scale * own[estimate], *(scale * own[end].mask(missing, 0.0) for end in ("low", "high"))]
        forest(
            ax,
            list(labels or rows),
            *(column.to_numpy(float) for column in values),
            role=who,
            evidence=evidence,
            label=short(name) or "no model",
            offset=STEP * (place - (len(series) - 1) / 2) if spread else 0.0,
            reference=reference if place == 0 else None,
        )


def of_models(models: Sequence[str]) -> dict[str, str]:
    """Each model with its own colour and marker: {name: role}."""
    return {name: name for name in models}


def table_2(found: pd.DataFrame, models: Sequence[str], rows: Sequence[str]) -> Figure:
    """AUC and Acc@1 of every method; found: as of `method_comparison.metric_table`."""
    fig, (left, right) = axes(1, 2, width=FULL, height=3.6, sharey=True)
    for ax, metric, chance in ((left, "AUC", 50), (right, "Acc@1", 200 / 7)):
        own = found[found["metric"] == metric]
        forest_by(ax, own, rows, "scorer", of_models(models), "model", "estimate", reference=chance)
        forest_by(ax, own, rows, "scorer", {"": "baseline"}, "model", "estimate", spread=False)
        ax.set(xlabel=f"{metric} (%); line: chance", xlim=(-3, 103))
    legend_below(fig, left, 4)
    return fig


def lead_by_transfer(found: pd.DataFrame, models: Sequence[str], rivals: Sequence[str]) -> Figure:
    """AUC of utility less each rival's in two groups; found: as of `method_comparison.differences_by_transfer`."""
    fig, panels = axes(1, 2, width=FULL, height=3.1, sharex=True, sharey=True)
    for ax, carries, title in zip(panels, (True, False), ("the method carries over", "it does not, by design")):
        part = found[found["carries_over"] == carries]
        forest_by(ax, part, rivals, "rival", of_models(models), "model", "difference", reference=0)
        ax.set(title=f"{title}: {part['questions'].max()} questions", xlim=(-105, 105))
        ax.set(xlabel="utility less rival, AUC (points)")
    legend_below(fig, panels[0])
    return fig


def gap_against_difficulty(found: pd.DataFrame, models: Sequence[str], methods: Mapping[str, str]) -> Figure:
    """Score gap of right and wrong against difficulty, a panel a model; methods: {name: role}. CBU, Figure 3.

    found: as of `score_gap.gap_by_difficulty`. Hollow marks: too few questions for an interval.
    """
    fig, panels = axes(1, len(models), width=FULL, height=2.6, sharey=True, squeeze=False)
    for ax, model in zip(panels[0], models):
        for place, (name, who) in enumerate(methods.items()):
            part = found[(found["model"] == model) & (found["method"] == name)]
            look, x = role(who), part["difficulty"].to_numpy() + 0.03 * (place - 0.5)
            ax.vlines(x, part["low"], part["high"], color=look.colour, linewidth=1.1)
            for hollow in (False, True):
                at = part["low"].isna().to_numpy() == hollow
                face = "white" if hollow else look.colour
                ax.plot(
                    x[at],
                    part["gap"][at],
                    look.marker,
                    color=look.colour,
                    markerfacecolor=face,
                    linestyle="none",
                    label=None if hollow else name,
                )
        at_foot = ("data", "axes fraction")
        for one in part.itertuples():
            ax.annotate(f"n={one.questions}", (one.difficulty, 0.02), xycoords=at_foot, fontsize=6.5, ha="center")
        ax.axhline(0, color=role("truth").colour, linewidth=0.7)
        ax.set(title=short(model), xlabel="difficulty: 1 - share solved", xlim=(-0.08, 1.12), ylim=(-0.45, 0.6))
    panels[0, 0].set_ylabel("score gap, right less wrong")
    legend_below(fig, panels[0, 0], 2)
    return fig


def rollout_error(curve: pd.DataFrame, utilities: np.ndarray, one: np.ndarray, n: int, bound: float) -> Figure:
    """Mean error against rollouts, and the error of n rollouts of one candidate against its utility. CBU, Figure 6.

    curve: as of `rollout_budget.error_curve`; one: exact error at each of `utilities`; bound: the paper's.
    """
    fig, (left, right) = axes(1, 2, width=FULL, height=2.7)
    ours, second = role("ours").colour, role("baseline").colour
    left.plot(curve["n"], curve["without"], "--", color=ours, label="without replacement, exact")
    left.plot(curve["n"], curve["sampled"], "o", color=ours, label="the same by subsamples")
    left.plot(curve["n"], curve["replaced"], "-.", color=second, label="with replacement, exact")
    left.plot(curve["n"], curve["bound"], ":", color=second, label="bound on the first")
    left.set(xscale="log", xlabel="rollouts n", ylabel="mean error against all rollouts")
    left.set_xticks(curve["n"], curve["n"])
    left.minorticks_off()
    right.plot(utilities, one, "--", color=ours)
    right.fill_between(utilities, 0, one, where=one < bound, color=ours, alpha=0.25, linewidth=0)
    right.set(xlabel="candidate's utility", ylabel=f"error of {n} rollouts", xlim=(-0.02, 1.02), ylim=(0, 0.19))
    for ax in (left, right):
        ax.axhline(bound, color=role("paper").colour, linewidth=0.9, label=f"paper: below this from n = {n}")
    legend_below(fig, left, 3)
    return fig


SCHEMES = {"uniform": "baseline", "halving": "ours", "racing": "highlight"}


def rollout_frontier(found: pd.DataFrame) -> Figure:
    """Acc@1 and regret of each scheme against its calls, both less those of the reference; all points, with intervals.

    found: as of `rollout_budget.frontier`.
    """
    fig, panels = axes(1, 2, width=FULL, height=2.9)
    texts = ("Acc@1, less 64 each (points)", "utility lost, less 64 each")
    for ax, metric, scale, text in zip(panels, ("acc1", "regret"), (100, 1), texts):
        for name, who in SCHEMES.items():
            part, look = found[found["scheme"].str.startswith(name)].dropna(subset=[f"{metric} gap"]), role(who)
            x = 100 * part["share"] * (1.04 if name == "uniform" else 1)  # beside halving at the same calls
            ax.vlines(x, scale * part[f"{metric} low"], scale * part[f"{metric} high"], color=look.colour, linewidth=1)
            ax.plot(x, scale * part[f"{metric} gap"], look.marker, color=look.colour, linestyle="none", label=name)
        ax.axhline(0, color=role("truth").colour, linewidth=0.7)
        ax.set(xscale="log", xlabel="calls (% of 64 a candidate)", ylabel=text)
        ax.set_xticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
        ax.minorticks_off()
    legend_below(fig, panels[0])
    return fig


def information(base: np.ndarray, curves: Mapping[str, np.ndarray]) -> Figure:
    """Bits per rollout against the solver's base rate."""
    fig, ax = axes(width=COLUMN, height=2.7)
    for (name, look), style in zip(roles(curves).items(), ("--", "-.")):
        ax.plot(base, curves[name], style, color=look.colour, label=name)
    ax.set(xlabel="base rate of the solver on the neighbour", ylabel="bits per rollout", ylim=(0, None))
    legend_below(fig, ax, 1)
    return fig


def separations(panels: Mapping[str, tuple[pd.DataFrame, str, Sequence[str]]], models: Sequence[str]) -> Figure:
    """Forests of right less wrong by model, side by side; panels: {title: (summary, column of rows, rows)}.

    Summaries: as of `separation.summarise`.
    """
    fig, both = axes(1, len(panels), width=FULL, height=2.8, sharex=True)
    for ax, (title, (found, column, rows)) in zip(both, panels.items()):
        forest_by(ax, found, rows, column, of_models(models), "model", "difference", reference=0)
        ax.set(title=title, xlim=(-105, 105), xlabel="solved after right less wrong (points)")
    legend_below(fig, both[0])
    return fig


def error_kinds(printed: pd.DataFrame, missed: pd.DataFrame, models: Sequence[str]) -> Figure:
    """The paper's labels beside planted errors. CBU, Figure 4.

    printed: as of `printed_scores.error_counts`; missed: as of `score_shapes.missed_by_judge`.
    """
    fig, (left, right) = axes(1, 2, width=FULL, height=2.8)
    labels = [*printed["error"], "unjustified interpretation"]
    values = [np.append(100 * printed[column], np.nan) for column in ("share", "low", "high")]
    forest(left, labels, *values, role="paper", evidence="measured")
    hollow = dict(color=role("paper").colour, markerfacecolor="white", linestyle="none", zorder=4)
    left.plot(values[0][:-1], range(len(printed)), marker=role("paper").marker, **hollow)
    left.text(50, len(printed), "count not in the text", ha="center", va="center", fontsize=7)
    left.set(xlabel="of 112 selected solutions (%)", xlim=(-4, 104), title="paper: labels, overlapping")
    kinds = [kind for kind in KINDS if not KINDS[kind].correct]
    names = [f"{kind}: {KINDS[kind].error}" for kind in kinds]
    forest_by(right, missed, kinds, "kind", of_models(models), "method", "estimate", labels=names)
    right.set(xlabel="only the judge likes it (%)", xlim=(-4, 104), title="ours: planted errors")
    legend_below(fig, right)
    return fig


def above_mean_shares(found: pd.DataFrame, printed: pd.DataFrame, models: Sequence[str], judge: str) -> Figure:
    """Share of each kind of candidate above the question's mean, a panel a model and one of the paper. CBU, Figure 5.

    found: as of `score_behaviour.mean_by` with method "<model> / <validator>"; printed: `shares_above_mean`.
    """
    fig, panels = axes(1, 1 + len(models), width=FULL, height=3.3)
    series = {judge: "judge", "utility": "utility"}
    for ax, model in zip(panels, models):
        own = found[found["method"].str.startswith(f"{model} / ")]
        own = own.assign(validator=own["method"].str.removeprefix(f"{model} / "))
        forest_by(ax, own, list(KINDS), "kind", series, "validator", "estimate", labels=kind_labels())
        ax.set(title=short(model), xlim=(-5, 105))
        if ax is not panels[0]:
            ax.set_yticks(range(len(KINDS)), [""] * len(KINDS))
    last, rows = panels[-1], list(printed["row"].unique())
    for place, who in enumerate(("judge", "utility")):
        own = printed[printed["validator"] == who]
        y = np.arange(len(rows)) + STEP * (place - 0.5)
        last.hlines(y, 100 * own["low"], 100 * own["high"], color=role(who).colour)
        last.plot(100 * own["share"], y, role(who).marker, color=role(who).colour, markerfacecolor="white")
    last.set_yticks(range(len(rows)), rows)
    last.set(title="paper, printed", xlim=(-5, 105), ylim=(len(rows) - 0.4, -0.6))
    for ax in panels:
        ax.set_xlabel("above the mean (%)")
    legend_below(fig, panels[0])
    return fig


def above_mean_plane(
    path: np.ndarray,
    printed: pd.DataFrame,
    pooled: pd.DataFrame,
    models: Sequence[str],
    judge: str,
    curves: Mapping[float, np.ndarray],
) -> Figure:
    """Shares of right against wrong candidates above the mean; curves: {AUC: (points, 2)} of equal separation.

    path: as of `score_shapes.bend_scores`; printed: `printed_points`; pooled: mean_by of `above` by truth (0, 1).
    """
    fig, ax = axes(width=COLUMN, height=4.4)
    for auc, points in curves.items():
        ax.plot(*(100 * points.T), color=role("muted").colour, linewidth=0.6, zorder=0)
        middle = points[np.argmin(abs(points.sum(axis=1) - 1.25))]
        box = dict(facecolor="white", edgecolor="none", pad=0.5)
        ax.text(*(100 * middle), f"AUC {auc:.2f}", fontsize=6, ha="center", va="center", bbox=box)
    ax.plot(*(100 * path.T), "--", color=role("ours").colour, linewidth=1, label="one order, bent scores (simulated)")
    for name, row in printed.iterrows():
        ends, y, look = 100 * row[["wrong_low", "wrong_high"]].to_numpy(float), 100 * row["right"], role("paper")
        marker = role(str(name)).marker
        ax.hlines(y, *ends, color=look.colour)
        ax.plot(ends.mean(), y, marker, color=look.colour, markerfacecolor="white", label=f"paper, 235B, {name}")
    for model in models:
        for validator, who in ((judge, "judge"), ("utility", "utility")):
            own = pooled[pooled["method"] == f"{model} / {validator}"].set_index("truth")
            if not {0, 1} <= set(own.index):
                continue  # the validator scored no candidates of one kind
            x, y = own.loc[0], own.loc[1]
            look = role(model)
            ax.hlines(100 * y["estimate"], 100 * x["low"], 100 * x["high"], color=look.colour, linewidth=0.7)
            ax.vlines(100 * x["estimate"], 100 * y["low"], 100 * y["high"], color=look.colour, linewidth=0.7)
            ax.plot(
                100 * x["estimate"],
                100 * y["estimate"],
                role(who).marker,
                color=look.colour,
                label=f"{short(model)}, {who}",
            )
    ax.set(
        xlabel="wrong candidates above the mean (%)",
        ylabel="right candidates above the mean (%)",
        xlim=(0, 100),
        ylim=(0, 100),
    )
    legend_below(fig, ax, 2 if len(models) == 3 and max(len(short(model)) for model in models) < 6 else 1)
    return fig


def score_histogram(chances: pd.DataFrame, models: Sequence[str]) -> Figure:
    """Chance of each score, of correct and of wrong candidates, a panel a model. CBU, Figure 7.

    chances: as of `score_shapes.score_chances`.
    """
    fig, panels = axes(1, len(models), width=FULL, height=2.4, sharey=True, squeeze=False)
    for ax, model in zip(panels[0], models):
        for truth, name, shift in ((False, "wrong", -0.2), (True, "right", 0.2)):
            own = chances[(chances["model"] == model) & (chances["correct"] == truth)]
            ax.bar(own["score"] + shift, 100 * own["chance"], 0.4, color=role(name).colour, label=name)
            ax.vlines(
                own["score"] + shift, 100 * own["low"], 100 * own["high"], color=role("truth").colour, linewidth=0.6
            )
        ax.set(title=short(model), xlabel="score", xticks=sorted(chances["score"].unique()))
    panels[0, 0].set_ylabel("chance (%)")
    legend_below(fig, panels[0, 0], 2)
    return fig


def workflow(counts: Mapping[str, int]) -> Figure:
    """From questions over candidates and neighbours to solved rollouts, with counts. CBU, Figure 2.

    counts: as of `example.workflow_counts`.
    """
    fig, ax = axes(width=FULL, height=2.6)
    boxes: dict[str, tuple] = {"question": (0, 1, f"{counts['questions']} questions Q", "all")}
    arrows = []
    rows = (
        ("right", "right", "right candidates C"),
        ("wrong", "wrong", "wrong candidates C"),
        ("none", "baseline", ""),
    )
    for place, (name, who, text) in enumerate(rows):
        shown = f"{counts[name]} {text}" if text else "no candidate shown"
        rollouts, solved = counts[f"rollouts_{name}"], counts[f"solved_{name}"]
        boxes[name] = (1, place, shown, who)
        boxes[f"{name} rollouts"] = (2, place, f"{rollouts} rollouts on {counts['neighbours']} neighbours Q*", who)
        boxes[f"{name} solved"] = (3, place, f"{solved} of {rollouts} solved", who)
        arrows += [("question", name), (name, f"{name} rollouts"), (f"{name} rollouts", f"{name} solved")]
    flow(ax, boxes, arrows)
    return fig


def when_utility_works(cases: pd.DataFrame, rollouts: np.ndarray, curves: Mapping[str, np.ndarray]) -> Figure:
    """Chance of the right order against rollouts, one curve a case; curves: {case: (rollouts,) in [0, 1]}."""
    fig, ax = axes(width=COLUMN, height=3.4)
    for name, look in roles(curves).items():
        row, values = cases.set_index("case").loc[name], curves[name]
        label = f"{name}: r {row['r']:g}, w {row['w']:g}"
        ax.plot(rollouts, 100 * values, f"{look.marker}--", color=look.colour, label=label)
    ax.set(xscale="log", xlabel="rollouts on each candidate", ylabel="right above wrong (%)", ylim=(-4, 104))
    ax.set_xticks(rollouts, rollouts)
    ax.minorticks_off()
    legend_below(fig, ax, 1)
    return fig


def utility_by_kind(found: pd.DataFrame, models: Sequence[str]) -> Figure:
    """Mean utility of each kind by model; a dotted line is the model's base rate (as of `example.utility_by_kind`)."""
    fig, ax = axes(width=FULL, height=3.4)
    forest_by(ax, found, list(KINDS), "kind", of_models(models), "model", "utility", labels=kind_labels())
    for model in models:
        base = 100 * found.loc[found["model"] == model, "base"].iloc[0]
        ax.axvline(base, color=role(model).colour, linestyle=":", label=f"{short(model)}, no candidate shown")
    ax.set(xlabel="neighbours solved after seeing the candidate (%)")
    legend_below(fig, ax, 3)
    return fig


def lead_over_judge(found: pd.DataFrame, printed: pd.DataFrame, models: Sequence[str], judge: str) -> Figure:
    """AUC of utility and judge by model: ours with intervals, the paper's printed ones hollow. CBU, Figure 1.

    found: as of `method_comparison.metric_table`; printed: `printed_scores.table_2_cells`.
    """
    fig, ax = axes(width=FULL, height=3.0)
    own = found[(found["metric"] == "AUC") & found["scorer"].isin([judge, "utility"])]
    paper = printed[printed["metric"] == "auc"]
    labels = [*map(short, models), *(f"{name} (paper)" for name in paper["backbone"].str.replace("_", "-").str.upper())]
    for place, (scorer, column) in enumerate(((judge, "judge"), ("utility", "cbu"))):
        who, part = "judge" if scorer == judge else "utility", own[own["scorer"] == scorer].set_index("model")
        values = [
            np.append(100 * part[name].reindex(list(models)).astype(float), paper[column])
            for name in ("estimate", "low", "high")
        ]
        values[1][len(models) :] = values[2][len(models) :] = np.nan  # no interval is printed
        forest(
            ax, labels, *values, role=who, label=scorer, offset=STEP * (place - 0.5), reference=50 if place else None
        )
    ax.set(xlabel="AUC (%): right above wrong within a question; hollow: as printed, no interval", xlim=(0, 100))
    legend_below(fig, ax, 2)
    return fig
