"""Figures of HLE. Each receives estimates, computes none, and returns (figure, alt text) for `out.figure`."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from proctor.report.figures import FULL, axes, dumbbell, flow, forest, role, roles

Drawn = tuple[Figure, str]  # the figure and its alt text

_CLAIMED = {"stated": "what it says", "token": "what its tokens say", "right": "how often it is right"}


# Collection


def subject_shares(groups: pd.DataFrame) -> Drawn:
    """Shares of questions and of listed subjects by group (`contributors.subject_groups`), the largest first."""
    fig, ax = axes(height=2.9)
    values = groups["share_of_names"], groups["share_of_questions"]
    names = ("of the 50 listed subjects", "of the 3,000 questions")
    how = dict(names=names, role=("baseline", "paper"), evidence=("published", "published"))
    dumbbell(ax, list(groups["group"]), *values, **how)
    ax.set(xlabel="share (%)", xlim=(0, None))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    text = "; ".join(
        f"{row.group} {row.share_of_questions:.0f} and {row.share_of_names:.0f} %" for row in groups.itertuples()
    )
    return fig, f"Share of questions and share of listed subject names by group: {text}."


def choice_rules(rules: pd.DataFrame) -> Drawn:
    """Chance that a question passes on which all models guess, by options, a line a rule and kind of question."""
    fig, ax = axes(height=2.7)
    looks = {"all but one": "paper", "below chance": "baseline"}
    for (rule, kind), part in rules.groupby(["rule", "kind"], sort=False):
        line = "-" if kind == "with image" else "--"
        label = f"{rule}, {part['models'].iloc[0]} models"
        look = dict(color=role(looks[rule]).colour, marker=role(looks[rule]).marker, markerfacecolor="white")
        ax.plot(part["options"], 100 * part["passes"], line, label=label, **look)
    ax.set(xlabel="options of the question", ylabel="passes, if all guess (%)", ylim=(0, 100))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, columnspacing=1)
    first = rules.iloc[0]
    return fig, (
        "Chance that a multiple-choice question passes when every model guesses, rising with the number of options. "
        f"With {first['options']} options and {first['models']} models: {100 * first['passes']:.0f} % pass by "
        f"{first['rule']!r}."
    )


def pipeline(published: pd.DataFrame, ours: pd.DataFrame) -> Drawn:
    """The creation of the exam with the counts that are printed (upper row), and our questions (lower row).

    published: `collection.funnel` of attempts, to review and accepted. ours: `gatekeepers.funnel_of_exams`.
    """
    low, high = (100 * published.loc[1, f"of_previous_{end}"] for end in ("least", "most"))
    n = ours.set_index("step")["n"]
    fig, ax = axes(width=FULL, height=2.0)
    boxes = {
        "attempts": (0, 0, "over 70,000 attempts", "paper"),
        "stump": (1, 0, "about 13,000 stump the models", "paper"),
        "first": (2, 0, "first review: 1 to 3 experts", "paper"),
        "second": (3, 0, "second review: organizers approve", "paper"),
        "public": (4, 0, "3,000 public, and a private set", "paper"),
        "ours": (0, 1, f"ours: {n['generated: sent in']} generated", "ours"),
        "ours_stump": (1, 1, f"{n['stump all models']} stump three models", "ours"),
        "mmlu": (2.5, 1, f"ours: {n['MMLU: sent in']} of MMLU", "ours"),
        "mmlu_pass": (4, 1, f"{n.iloc[3]} or {n.iloc[4]} pass, by the rule for choice", "ours"),
    }
    arrows = [
        ("attempts", "stump", f"{low:.0f} to\n{high:.0f} %"),
        ("stump", "first"),
        ("first", "second"),
        ("second", "public"),
        ("ours", "ours_stump"),
        ("mmlu", "mmlu_pass"),
    ]
    flow(ax, boxes, arrows, size=(0.72, 0.62))
    return fig, (
        f"Flow of HLE's questions: over 70,000 attempts, {low:.0f} to {high:.0f} % of which stump the models, two "
        f"rounds of review, 3,000 public questions and a private set. Below, ours: {boxes['ours_stump'][2]} of "
        f"{n['generated: sent in']} generated questions; of MMLU's {n['MMLU: sent in']}, {boxes['mmlu_pass'][2]}."
    )


def retest(curves: pd.DataFrame, printed: Sequence[float], compared: pd.DataFrame) -> Drawn:
    """Left: implied accuracy before the check (`gatekeepers.implied_curves`). Right: our models before and after it.

    printed: accuracies of the gatekeepers on the exam. compared: `gatekeepers.before_and_after`. Shares in [0, 1].
    """
    fig, (left, right) = axes(columns=2, width=FULL, height=2.6)
    for (kind, line), style in zip(curves.groupby("kind", sort=False), ("--", "-.")):
        look = dict(color=role("paper").colour, linestyle=style, label=kind)
        left.plot(100 * line["retest_accuracy"], 100 * line["before"], **look)
    left.plot([0, 20], [0, 20], ":", color=role("baseline").colour, label="no filter")
    left.vlines(100 * np.asarray(printed), 0, 6, color=role("truth").colour, linewidth=1.2, label="Table 1")
    left.set(
        xlabel="HLE: accuracy after the check (%)", ylabel="implied accuracy before (%)", ylim=(0, 100), xlim=(0, 20)
    )
    left.legend(loc="upper right", fontsize=7)
    sides = {"before the check": ("before", 0.4, -0.15), "after it, asked again": ("after", 1.0, 0.15)}
    who, means = [roles(compared["model"])[model] for model in compared["model"]], []
    for side, alpha, offset in sides.values():
        values = 100 * compared[[side + end for end in ("", "_low", "_high")]].to_numpy().T
        means.append(values[0].mean())
        for i, each in enumerate(who):
            right.plot(values[1:, i], [i + offset] * 2, color=each.colour, linewidth=1.4, alpha=alpha)
            right.plot(values[0, i], i + offset, each.marker, color=each.colour, markersize=6, alpha=alpha)
    right.set_yticks(range(len(who)), [each.short for each in who])
    right.set(xlabel="ours: accuracy (%), 95 % interval", ylim=(len(who) - 0.4, -0.6), xlim=(-1, None))
    right.grid(False, axis="y")
    black = role("truth").colour
    handles = [Line2D([], [], marker="o", color=black, alpha=alpha, label=k) for k, (_, alpha, _) in sides.items()]
    right.legend(handles=handles, loc="lower right", fontsize=7)
    return fig, (
        f"Left: the accuracy before the check that an accuracy after it implies, for "
        f"{' and '.join(curves['kind'].unique())}; all printed ones imply more than 45 %. Right: our models, "
        f"{means[0]:.0f} % before the check and {means[1]:.0f} % when asked again, on average."
    )


def wrong_keys(curves: pd.DataFrame, implied: tuple[float, float], labels: dict[str, str]) -> Drawn:
    """Wrong keys among the questions that pass against those sent in (`gatekeepers.wrong_keys_that_pass`).

    implied: (share on the exam, share sent in) that HLE-Verified's figures imply. labels: filter -> legend.
    """
    fig, ax = axes(height=2.9)
    looks = dict(zip(labels, (("paper", "-"), ("ours", "--"), ("ours", "-."))))
    for name, label in labels.items():
        part, (who, line) = curves[curves["filter"] == name], looks[name]
        ax.plot(100 * part["sent"], 100 * part["past"], line, color=role(who).colour, label=label)
    ends = 100 * curves["sent"].max()
    ax.plot([0, ends], [0, ends], ":", color=role("baseline").colour, label="no filter")
    x, y = 100 * implied[1], 100 * implied[0]
    ax.plot(x, y, role("truth").marker, color=role("truth").colour, markerfacecolor="white", markersize=6, zorder=4)
    line = dict(arrowstyle="-", linewidth=0.6)
    ax.annotate("HLE-Verified\nwould imply", (x, y), (x - 4, y + 30), fontsize=7, va="center", arrowprops=line)
    ax.set(
        xlabel="wrong keys among those sent in (%)", ylabel="among those that pass (%)", xlim=(0, ends), ylim=(0, 100)
    )
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=1)
    return fig, (
        f"Share of wrong keys past the check against the share sent in. HLE's filter multiplies it; a mark at {x:.1f} "
        f"% sent in and {y:.0f} % past the check is what HLE-Verified's figures would imply."
    )


# Measured models


def confidence_and_truth(claimed: pd.DataFrame, examples: Sequence[float] = ()) -> Drawn:
    """Stated confidence, token probability and accuracy, a line a model (`confidence.claims_and_accuracy`).

    examples: confidences that the prompt's worked examples state, marked at the left.
    """
    fig, ax = axes(width=FULL, height=2.7)
    claimed = claimed[claimed["n"] > 0]
    who = roles(claimed["model"])
    for i, row in enumerate(claimed.to_dict("records")):
        each, x = who[row["model"]], np.arange(3) + 0.11 * (i - (len(claimed) - 1) / 2)
        y, low, high = (100 * np.array([row[name + end] for name in _CLAIMED]) for end in ("", "_low", "_high"))
        ax.vlines(x, low, high, color=each.colour, linewidth=1.6)
        ax.plot(x, y, each.marker, linestyle="-", color=each.colour, markersize=6.5, linewidth=1.2)
        text = dict(va="center", color=each.colour, weight="bold", fontsize=10)
        ax.text(2.09 + 0.055 * len(claimed), y[2], each.short, **text)
    for value in examples:
        ax.plot([-0.62, -0.42], [100 * value] * 2, color=role("baseline").colour, linewidth=1.6)
    if len(examples):
        x, y = -0.62, 100 * min(examples) - 4
        ax.text(x, y, "stated by the prompt's\nworked examples", fontsize=8, va="top", color=role("baseline").colour)
    ax.set(xlim=(-0.66, 2.55), ylim=(0, 103), ylabel="percent", xticks=range(3))
    ranges = [(100 * claimed[name].min(), 100 * claimed[name].max()) for name in _CLAIMED]
    under = [
        f"{what}\n{low:.0f} to {high:.0f} %" if low <= high else f"{what}\nnot given"
        for what, (low, high) in zip(_CLAIMED.values(), ranges)
    ]
    ax.set_xticklabels(under, fontsize=9)
    ax.grid(False, axis="x")
    lines = [
        f"{each.short} from {100 * row.stated:.0f} over {100 * row.token:.0f} to {100 * row.right:.0f} %"
        for row, each in zip(claimed.itertuples(), who.values())
    ]
    marks = " and ".join(f"{100 * value:.0f}" for value in examples)
    return fig, (
        "A line a model falls from what it says over what its tokens say to how often it is right: "
        f"{'; '.join(lines)}. Grey marks: the prompt's worked examples state {marks} %."
    )


def accuracy_groups(accuracies: pd.DataFrame, exam: str, chance: float) -> Drawn:
    """Accuracy by group of questions, a mark a model (`confidence.accuracy_by_group`); `chance` on the exam."""
    groups = list(dict.fromkeys(accuracies["questions"]))
    fig, ax = axes(height=0.34 * len(groups) + 0.75)
    labels = [f"{name} (chance {100 * chance:.0f} %)" if name == exam else name for name in groups]
    wide = accuracies.set_index(["model", "questions"])[["accuracy", "low", "high"]].mul(100)
    by_model = {model: wide.loc[model].reindex(groups).to_numpy().T for model in dict.fromkeys(accuracies["model"])}
    _models(fig, ax, labels, by_model)
    levels = sum(name.startswith("level ") for name in groups)
    for edge in {levels + 0.5, len(groups) - 1.5}:
        ax.axhline(edge, color=role("muted").colour, linewidth=0.6)
    ax.vlines(100 * chance, len(groups) - 1.5, len(groups) - 0.5, color=role("baseline").colour, linestyle=":")
    ax.set(xlabel="accuracy (%), 95 % interval", xlim=(-2, 102))
    best = accuracies.loc[accuracies["accuracy"].idxmax()]
    return fig, (
        f"Accuracy of {len(by_model)} models over all families, by level, by family and on {exam}, with intervals. "
        f"The largest is {100 * best['accuracy']:.0f} % ({best['model']}, {best['questions']}); many are 0 %."
    )


def calibration_curves(curves: pd.DataFrame, titles: dict[str, str]) -> Drawn:
    """One panel a signal: claimed against right (`confidence.calibration_curves`). titles: signal -> panel's title.

    A point's area grows with its number of answers; bars are drawn from three answers on.
    """
    fig, panels = axes(columns=len(titles), height=2.5, sharey=True)
    who = roles(curves["model"])
    for ax, (signal, title) in zip(np.atleast_1d(panels), titles.items()):
        ax.plot([0, 100], [0, 100], color=role("baseline").colour, linewidth=0.8, linestyle=":")
        for model, these in curves[curves["signal"] == signal].groupby("model", sort=False):
            each, several = who[model], these[these["n"] > 2]
            limits = 100 * several["low"], 100 * several["high"]
            ax.vlines(100 * several["claimed"], *limits, color=each.colour, linewidth=0.9)
            look = dict(color=each.colour, marker=each.marker, edgecolor="white", linewidth=0.4)
            ax.scatter(100 * these["claimed"], 100 * these["right"], s=4 + these["n"], zorder=3, clip_on=False, **look)
        ax.set(xlim=(-3, 106), ylim=(-4, 104), xticks=[0, 50, 100])
        ax.set_xlabel(f"{title} (%)")
    np.atleast_1d(panels)[0].set_ylabel("right (%)")
    _model_legend(fig, curves["model"])
    below = (curves["right"] < curves["claimed"]).sum()
    return fig, (
        f"Panels for {' and '.join(titles.values())} against the share right, a mark a model. "
        f"{below} of {len(curves)} points lie below the diagonal."
    )


def _size(model: str) -> tuple[bool, float, str]:
    """Sorts models by the size in their short name, 135M before 0.5B."""
    name = roles([model])[model].short
    number = name[:-1].replace(".", "", 1)
    unit = {"M": 1e6, "B": 1e9}.get(name[-1:], 0.0)
    return (False, float(name[:-1]) * unit, name) if number.isdecimal() and unit else (True, 0.0, name)


def _models(fig: Figure, ax: Axes, labels: Sequence[str], by_model: dict[str, np.ndarray]) -> None:
    """A forest of several models, side by side on each row; by_model: (estimate, low, high), each of the rows."""
    who = roles(by_model)
    for i, (model, values) in enumerate(by_model.items()):
        forest(ax, labels, *values, role=who[model], offset=0.24 * (i - (len(by_model) - 1) / 2))
    _model_legend(fig, by_model)


def _model_legend(fig: Figure, models) -> None:
    who = roles(models)
    handles = [
        Line2D([], [], marker=each.marker, color=each.colour, linestyle="none", markersize=4.2, label=each.short)
        for each in who.values()
    ]
    if not handles:  # no model gave what the figure shows
        return
    fig.legend(handles=handles, loc="outside lower center", ncols=len(handles), handletextpad=0.1)
