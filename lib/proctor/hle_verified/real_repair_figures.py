"""Figures of a benchmark that experts repaired. Each receives estimates, computes none."""

import pandas as pd
from matplotlib.figure import Figure

from proctor.hle_verified.real_repairs import METHODS, SIGNALS
from proctor.report.figures import FULL, axes, dumbbell, role, waffle

NAMES = {
    "anthropic_claude-3-5-sonnet-20240620": "Claude 3.5 Sonnet",
    "anthropic_claude-3-opus-20240229": "Claude 3 Opus",
    "meta_llama-3.1-405b-instruct-turbo": "Llama 3.1 405B",
    "openai_gpt-4o-2024-05-13": "GPT-4o",
    "qwen_qwen2.5-72b-instruct-turbo": "Qwen2.5 72B",
    "google_gemini-1.5-pro-001": "Gemini 1.5 Pro 001",
    "openai_gpt-4-0613": "GPT-4",
    "qwen_qwen2-72b-instruct": "Qwen2 72B",
    "writer_palmyra-x-004": "Palmyra X 004",
    "openai_gpt-4-turbo-2024-04-09": "GPT-4 Turbo",
    "google_gemini-1.5-pro-preview-0409": "Gemini 1.5 Pro preview",
    "meta_llama-3.2-90b-vision-instruct-turbo": "Llama 3.2 90B",
    "meta_llama-3.1-70b-instruct-turbo": "Llama 3.1 70B",
    "mistralai_mistral-large-2407": "Mistral Large 2",
}
LOOKS = {"printed": "baseline", "formula": "judge", "difference": "ours"}
LINES = {"against_key": "ours", "other_letter": "utility", "strongest": "judge", "disagreement": "wrong"}


def before_and_after(table: pd.DataFrame) -> Figure:
    """Accuracy under both keys on the items whose key was changed, a row a model (`real_repairs.gains`)."""
    fig, ax = axes(width=FULL, height=3.9)
    limits = {
        side: tuple(table[f"changed_{when}_{end}"] for end in ("low", "high"))
        for side, when in (("left_interval", "before"), ("right_interval", "after"))
    }
    names = [NAMES.get(model, model) for model in table["model"]]
    who = dict(names=("printed key", "repaired key"), role=("wrong", "ours"), evidence=("logged", "logged"))
    dumbbell(ax, names, table["changed_before"], table["changed_after"], **who, **limits)
    ax.set(xlim=(0, 100), xlabel=f"right of the {table['changed_items'].iloc[0]} items whose key experts changed (%)")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return fig


def prediction_error(table: pd.DataFrame) -> Figure:
    """Mean points off over the share of labelled items, a line a method (`Predictions.table`)."""
    fig, ax = axes(width=FULL, height=2.9)
    for method, text in METHODS.items():
        part, look = table[table["method"] == method], role(LOOKS[method])
        x = part["items"].to_numpy()
        if method != "printed":
            ax.fill_between(x, part["off_low"], part["off_high"], color=look.colour, alpha=0.15, linewidth=0)
        ax.plot(x, part["off"], "-", marker=look.marker, color=look.colour)
        ax.annotate(text, (x[-1], part["off"].iloc[-1]), xytext=(7, 0), textcoords="offset points", va="center",
                    color=look.colour, fontsize=7.5)  # fmt: skip
    ends = table["items"].min(), table["items"].max()
    ax.set(xscale="log", xlim=(0.9 * ends[0], 5.2 * ends[1]), ylim=(0, None))
    ax.set_xticks(table["items"].unique(), [f"{n:,}" for n in table["items"].unique()])
    ax.minorticks_off()
    ax.set(xlabel="items that experts label", ylabel="predicted repaired accuracy,\npoints off (mean, 90 % of draws)")
    return fig


def what_finds(curve: pd.DataFrame, budget: float) -> Figure:
    """Share of the wrong keys found over the share of items reviewed, a line a signal (`real_repairs.found_curve`)."""
    fig, ax = axes(width=FULL, height=3.1)
    for signal, who in LINES.items():
        part = curve[curve["signal"] == signal]
        ax.plot(part["reviewed"], part["found"], "-", color=role(who).colour, label=SIGNALS[signal])
    most = curve["reviewed"].max()
    ax.plot([0, most], [0, most], ":", color=role("baseline").colour, label="items in random order")
    ax.axvline(100 * budget, color=role("truth").colour, linewidth=0.7)
    ax.text(100 * budget + 0.2, 97, f"budget of {100 * budget:g} %", fontsize=7.5, va="top")
    ax.set(
        xlim=(0, most), ylim=(0, 100), xlabel="items reviewed, most suspicious first (%)", ylabel="wrong keys found (%)"
    )
    fig.legend(*ax.get_legend_handles_labels(), loc="outside right upper")
    return fig


def impossible_items(table: pd.DataFrame) -> Figure:
    """A square an item that no model solves, by what experts say of it (`real_repairs.by_error`)."""
    fig, ax = axes(width=FULL, height=2.0)
    by = table.set_index("error_type")["impossible"]
    counts = {"wrong key": by.get("wrong_groundtruth", 0), "other flaw": 0, "sound, only hard": by.get("ok", 0)}
    counts["other flaw"] = by.sum() - sum(counts.values())
    waffle(ax, pd.DataFrame([counts], index=["items"]), per_row=34, role=["wrong", "judge", "right"])
    ax.set_yticks([])
    return fig
