"""Table 2 of HLE-Verified, recomputed: gains, the share of repaired items, ranks, calibration (section 5).

    printed = load_published("hle_verified/table_2").set_index("model")
    facts = load_published("hle_verified/facts").set_index("fact")
    table_2_gains(printed, facts)

All accuracies and gains are in percent and points. A printed figure stands for the span of numbers that round to it
(`stats.rounding`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
import pandas as pd
from scipy.stats import kendalltau, norm, rankdata

from proctor.stats.compare import comparable, mcnemar_bounds
from proctor.stats.proportions import Confusion, official_half_width
from proctor.stats.reconstruct import accuracy_counts
from proctor.stats.rounding import Span, rounded

MODELS = {  # of Table 2, as the names of facts write them
    "Gemini3-pro": "gemini",
    "GPT-5.2-High": "gpt",
    "Claude-Opus4.5": "claude_opus_4_5",
    "Grok 4.1-fast-reasoning": "grok",
    "Claude-Opus4.6": "claude_opus_4_6",
    "Deepseek-V3.2": "deepseek",
    "Qwen3-Max-Thinking": "qwen3_max",
}
SETS = {"full set": ("full", "full"), "revised subset": ("subset", "revised")}  # names in the table and in the facts


def table_2_gains(printed: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """One row a set and model: before, after, the printed gain, the recomputed one with its span, the text's gain.

    printed: Table 2 by model; facts: by fact. table_agrees, agrees: whether the table's and the text's gain can be the
    difference of the two accuracies (agrees is None where the text quotes none). text_less_table: in points.
    """
    rows = []
    for name, (column, word) in SETS.items():
        for model, row in printed.iterrows():
            before, after, gain = (row[f"{column}_{part}"] for part in ("raw_accuracy", "verified_accuracy", "gain"))
            span, text = rounded(after) - rounded(before), facts["value"].get(f"gain_{word}_{MODELS[model]}_text")
            rows.append(
                dict(
                    set=name,
                    model=model,
                    before=float(before),
                    after=float(after),
                    printed=float(gain),
                    recomputed=span.middle,
                    low=float(span.low),
                    high=float(span.high),
                    text=None if text is None else float(text),
                    table_agrees=span.meets(rounded(gain)),
                    agrees=None if text is None else span.meets(rounded(text)),
                )
            )
    return pd.DataFrame(rows).assign(text_less_table=lambda frame: frame["text"] - frame["printed"])


def average_gains(table: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """One row a set: the claimed range of the mean gain, the mean, and what a missing eighth model may gain.

    table: of `table_2_gains`. outside: models whose own gain is not in the range. eighth_least, eighth_most: between
    which gains of an eighth model the mean of eight stays in the range. errors_gone_least, _most: gain over errors
    (percent).
    """
    rows = []
    for name, (_, word) in SETS.items():
        low, high = (float(facts["value_value"][f"gain_{word}_average_{end}"]) for end in ("low", "high"))
        frame = table[table["set"] == name]
        gain, count = frame["printed"], facts["value_value"]["evaluated_models"]
        gone = 100 * gain / (100 - frame["before"])
        rows.append(
            dict(
                set=name,
                claimed_low=low,
                claimed_high=high,
                mean=gain.mean(),
                mean_of_text=frame["text"].mean(),
                outside=", ".join(frame["model"][~gain.between(low, high)]),
                eighth_least=count * low - gain.sum(),
                eighth_most=count * high - gain.sum(),
                errors_gone_least=gone.min(),
                errors_gone_most=gone.max(),
            )
        )
    return pd.DataFrame(rows)


def largest_p(table: pd.DataFrame, sizes: Mapping[str, int]) -> float:
    """The largest McNemar p of the gains, whichever items were right before and after. sizes: items by set."""
    worst = [
        mcnemar_bounds(*(round(row[when] * sizes[row["set"]] / 100) for when in ("after", "before")), sizes[row["set"]])
        for _, row in table.iterrows()
    ]
    return float(max(bounds[1].p for bounds in worst))


@dataclass(frozen=True)
class RepairedShare:
    """The share of repaired items that the gains imply if the other items stand still.

    parts: one row a model (see `repaired_share`). common: the share that the largest group of models has in common;
    fits: those models. items: the span of repaired items among all evaluated ones.
    """

    parts: pd.DataFrame
    common: Span
    fits: tuple[str, ...]
    items: Span


def repaired_share(printed: pd.DataFrame, n_full: int) -> RepairedShare:
    """Split the full set's gain into repaired items and the rest: gain = share * gain of subset + (1 - share) * rest.

    parts: by model the share that its two gains imply, whether it meets the common one, and under the common share the
    accuracy of the rest before and after, its move (points) and the share of the gain that the repaired items explain,
    each with the ends that rounding leaves (`_low`, `_high`).
    """
    spans = {
        model: {name: rounded(text) for name, text in row.items() if str(name).endswith("_accuracy")}
        for model, row in printed.iterrows()
    }
    rise = {
        model: {c: s[f"{c}_verified_accuracy"] - s[f"{c}_raw_accuracy"] for c in ("full", "subset")}
        for model, s in spans.items()
    }
    shares = {model: r["full"] / r["subset"] for model, r in rise.items()}
    point = max((s.low for s in shares.values()), key=lambda low: sum(s.low <= low <= s.high for s in shares.values()))
    fits = tuple(model for model, s in shares.items() if s.low <= point <= s.high)
    common = Span(max(shares[model].low for model in fits), min(shares[model].high for model in fits))
    rows = []
    for model, s in spans.items():
        before, after = (
            (s[f"full_{when}_accuracy"] - common * s[f"subset_{when}_accuracy"]) / (1 - common)
            for when in ("raw", "verified")
        )
        moved = (rise[model]["full"] - common * rise[model]["subset"]) / (1 - common)
        explained = common * rise[model]["subset"] / rise[model]["full"]
        row = dict(model=model, **_ends("share", shares[model]), fits=model in fits)
        for name, span in (("rest_before", before), ("rest_after", after), ("rest_moved", moved)):
            row |= _ends(name, span)
        rows.append(row | _ends("explained", explained))
    return RepairedShare(pd.DataFrame(rows).set_index("model"), common, fits, common * n_full)


def fitting_sizes(printed: pd.DataFrame, rollouts: int, most: int) -> pd.Series:
    """How many of the subset's accuracies are counts of right answers out of rollouts * n, for n from 1 to `most`."""
    figures = [row[f"subset_{when}_accuracy"] for _, row in printed.iterrows() for when in ("raw", "verified")]
    sizes = range(1, most + 1)
    counts = [accuracy_counts(text, sizes, samples=rollouts, roundings=("half_up", "half_even")) for text in figures]
    fitting = np.sum([np.isin(sizes, [count.n for count in found]) for found in counts], axis=0)
    return pd.Series(fitting, index=pd.Index(sizes, name="items"), name="figures")


def accuracies_before_and_after(table: pd.DataFrame, n: int, rollouts: int) -> pd.DataFrame:
    """One row a model, the best before first: accuracies, gain, ranks, half-widths of both accuracies.

    alike_*: if an item's answers are always alike (n answers); apart_*: if they are independent (rollouts * n).
    """
    frame = table.sort_values("before", ascending=False, kind="stable").reset_index(drop=True)
    found = frame[["model", "before", "after", "printed"]].rename(columns={"printed": "gain"})
    for when in ("before", "after"):
        found[f"rank_{when}"] = rankdata(-frame[when], method="min").astype(int)
        found[f"alike_{when}"] = [official_half_width(value, n) for value in frame[when]]
        found[f"apart_{when}"] = [official_half_width(value, rollouts * n) for value in frame[when]]
    return found


def rank_changes(table: pd.DataFrame, sizes: Mapping[str, int], level: float = 0.05) -> pd.DataFrame:
    """One row a set: pairs of models that are told apart before and after the repair, and pairs that change order.

    Pairs are compared by their margins alone, with McNemar's test bounded over all pairings of the items and Holm's
    correction; each of the two tables gets half of `level`. turned: pairs in the other order after the repair;
    turned_proven: both orders beyond chance; kept_proven: the same order beyond chance both times. So with confidence
    1 - level the number of pairs that truly turn lies from turned_proven to pairs - kept_proven.
    """
    rows = []
    for name, frame in table.groupby("set", sort=False):
        n = sizes[name]
        found = {}
        for when in ("before", "after"):
            right = [round(value * n / 100) for value in frame[when]]
            models = [Confusion(tp=k, fp=0, fn=n - k, tn=0) for k in right]
            found[when] = pd.DataFrame(comparable(models, list(frame["model"]), level / 2)).set_index(["a", "b"])
        proven = {when: one["verdict"] == "differs whatever the pairing" for when, one in found.items()}
        product = found["before"]["points"] * found["after"]["points"]
        both = proven["before"] & proven["after"]
        turned = product < 0
        rows.append(
            dict(
                set=name,
                pairs=len(product),
                proven_before=int(proven["before"].sum()),
                proven_after=int(proven["after"].sum()),
                turned=int(turned.sum()),
                turned_proven=int((turned & both).sum()),
                kept_proven=int((both & (product > 0)).sum()),
                which_turned="; ".join(" / ".join(pair) for pair in product.index[turned]),
                kendall_tau_b=kendalltau(frame["before"], frame["after"]).statistic,
                range_before=np.ptp(frame["before"]),
                range_after=np.ptp(frame["after"]),
            )
        )
    return pd.DataFrame(rows)


def repaired_against_rest(
    table: pd.DataFrame, share: RepairedShare, uncertain_share: float, n_full: int, level: float
) -> pd.DataFrame:
    """One row a model: accuracy after repair on the repaired items less that on the other sound items, in points.

    The rest of the exam holds the uncertain items, whose keys may be wrong. rest: its accuracy. sound_least,
    sound_most: that of its sound items if every uncertain item is answered rightly, or wrongly. easier_least,
    easier_most: repaired items less those two. low, high: the same with the error of sampling items, normal, one
    answer an item.
    """
    s = share.common.middle
    kept = 1 - s - uncertain_share
    z = norm.ppf((1 + level) / 2)
    after = table[table["set"] == "revised subset"].set_index("model")["after"]
    rows = []
    for model, part in share.parts.iterrows():
        repaired, rest = after[model], part["rest_after"]
        most, least = rest * (1 - s) / kept, max(rest * (1 - s) - 100 * uncertain_share, 0) / kept
        error = sqrt(repaired * (100 - repaired) / (s * n_full) + rest * (100 - rest) * (1 - s) / (kept**2 * n_full))
        rows.append(
            dict(
                model=model,
                repaired=repaired,
                rest=rest,
                sound_least=least,
                sound_most=most,
                easier_than_rest=repaired - rest,
                easier_least=repaired - most,
                easier_most=repaired - least,
                low=repaired - most - z * error,
                high=repaired - least + z * error,
            )
        )
    return pd.DataFrame(rows).sort_values("rest", ascending=False, ignore_index=True)


def calibration_falls(printed: pd.DataFrame) -> pd.DataFrame:
    """One row a set and model: fall of the calibration error, and the fall expected from the gain of accuracy (points).

    If a model is overconfident throughout and its stated confidence stays, the error falls by what accuracy gains.
    """
    rows = []
    for name, (column, _) in SETS.items():
        for model, row in printed.iterrows():
            before, after = (row[f"{column}_{when}_calibration"] for when in ("raw", "verified"))
            gain = rounded(row[f"{column}_verified_accuracy"]) - rounded(row[f"{column}_raw_accuracy"])
            fall = rounded(before) - rounded(after)
            rows.append(
                dict(set=name, model=model, before=float(before), after=float(after), **_ends("fall", fall))
                | dict(expected=gain.middle, within_rounding=fall.meets(gain), remainder=fall.middle - gain.middle)
            )
    return pd.DataFrame(rows)


def same_figures_chance(printed: pd.DataFrame) -> dict[str, float]:
    """How likely two models share their accuracies before the repair on both sets, by a rough count.

    full: any pair shares the figure of two decimals on the full set, accuracies anywhere in their range. both: and the
    subset's as well, which follows the full set's up to a normal scatter about a line; one of the two has one decimal.
    """
    first, second = printed["full_raw_accuracy_value"], printed["subset_raw_accuracy_value"]
    line = np.polyval(np.polyfit(first, second, 1), first)
    scatter = sqrt(np.sum(np.square(second - line)) / (len(first) - 2))
    full = len(first) * (len(first) - 1) / 2 * 0.01 / np.ptp(first)
    return dict(full=float(full), both=float(full * 0.1 / (2 * sqrt(pi) * scatter)))


def _ends(name: str, span: Span) -> dict[str, float]:
    return {name: span.middle, f"{name}_low": float(span.low), f"{name}_high": float(span.high)}
