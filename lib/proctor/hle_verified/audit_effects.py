"""What one audit probability tells of a damaged item and its sound twin, and of a wrong repair and a right one.

    found = pairs(rows)                    # rows: paired_audits.paired_audits, of one auditor
    rankings(found), rejections(found), by_kind(found), repairs(rows, found)

Every comparison is within an item, and families of questions are the units (`exam.paired_effects`). Three thresholds
are fitted, one a component: each family is judged by the one of highest balanced accuracy on the others' pairs.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binom

from proctor.exam.paired_effects import paired_effects
from proctor.hle_verified.outcomes import counted
from proctor.hle_verified.paired_defects import DAMAGED, RIGHT, SOUND, WRONG
from proctor.hle_verified.planted_defects import COMPONENTS, Defect
from proctor.hle_verified.stages import AUDITS, TEMPERATURE
from proctor.stats.calibration import auc_interval, best_threshold
from proctor.stats.paired_proportions import score_interval

COLUMNS = ["base", "category", "level", "kind", "component", "good", "bad", "above", "threshold", "good_rejected",
           "bad_rejected"]  # fmt: skip


REPAIRS = ("answer: right above wrong", "rationale: right above wrong", "whole audit: right less wrong pass")


def pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a damaged item, of one auditor: COLUMNS. good, bad: the probability that the component is sound, of the
    sound twin and of the damaged item. above: 1 where good is larger, 0.5 where they are alike, else 0. threshold:
    fitted on the other families, NaN where it can't be; good_rejected, bad_rejected: whether they do not exceed it.

    Pairs without both probabilities are left out. Raises ValueError for the rows of several auditors.
    """
    if rows["model"].nunique() > 1:
        raise ValueError(f"audits by {rows['model'].nunique()} auditors: give the rows of one")
    sound = rows[rows["state"] == SOUND].set_index(["base", "component"])["p_sound"].astype(float)
    damaged = rows[(rows["state"] == DAMAGED) & ~rows["holds"].astype(bool)].dropna(subset=["p_sound"])
    found = damaged.assign(bad=damaged["p_sound"].astype(float))
    found["good"] = sound.reindex(pd.MultiIndex.from_frame(found[["base", "component"]])).to_numpy()
    found = found.dropna(subset=["good"])
    found["above"] = (1 + np.sign(found["good"] - found["bad"])) / 2
    found["threshold"] = _thresholds(found)
    for side in ("good", "bad"):
        found[f"{side}_rejected"] = found[side] <= found["threshold"]
    return found[COLUMNS].set_index(found["kind"] + " " + found["base"])


def _thresholds(found: pd.DataFrame) -> pd.Series:
    fitted = pd.Series(np.nan, found.index)
    for _, part in found.groupby("component"):
        for family in part["category"].unique():
            others = part[part["category"] != family]
            if len(others):
                p = others[["good", "bad"]].to_numpy().ravel(order="F")
                fitted[part.index[part["category"] == family]] = best_threshold(p, np.arange(len(p)) < len(others))
    return fitted


def auc_by_component(found: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """One row a component: pairs, mean good and bad, above (share of pairs that are ranked rightly), AUC over all items
    with low and high (families resampled), and the rates of the fitted threshold: good_rejected, bad_rejected."""
    table = []
    for component in COMPONENTS:
        part = found[found["component"] == component]
        columns = ["good", "bad", "above", "good_rejected", "bad_rejected"]
        row = dict(component=component, pairs=len(part)) | part[columns].astype(float).mean().to_dict()
        score, sound = np.r_[part["good"], part["bad"]], np.r_[np.ones(len(part)), np.zeros(len(part))]
        area = auc_interval(score, sound, rng, resamples, clusters=np.r_[part["category"], part["category"]])
        table.append(row | dict(auc=area.estimate, low=area.low, high=area.high))
    return pd.DataFrame(table)


def rankings(found: pd.DataFrame) -> pd.DataFrame:
    """`paired_effects` of each component: share of pairs in which the sound twin ranks above, less one half."""
    above = {part: found.loc[found["component"] == part, "above"] for part in COMPONENTS}
    return paired_effects({part: (own, own * 0 + 0.5) for part, own in above.items()}, found["category"])


def rejections(found: pd.DataFrame) -> pd.DataFrame:
    """`paired_effects` of each component at the fitted threshold: damaged ones rejected, less their sound twins."""
    own = {part: found[found["component"] == part] for part in COMPONENTS}
    gaps = {part: (one["bad_rejected"], one["good_rejected"]) for part, one in own.items()}
    return paired_effects(gaps, found["category"])


def by_kind(found: pd.DataFrame) -> pd.DataFrame:
    """One row a kind: its items, above, and how many of the damaged and of their sound twins are rejected; difference
    with low and high (Tango, each kind alone, items as if independent), and `found`: whether the interval that takes
    all kinds together leaves 0 out. A kind without items has NaN."""
    table, level = [], 1 - 0.05 / max(found["kind"].nunique(), 1)
    for kind in Defect:
        part = found[found["kind"] == kind]
        rejected = part["bad_rejected"].astype(int), part["good_rejected"].astype(int)
        alone, together = score_interval(*rejected), score_interval(*rejected, level)
        row = dict(kind=kind.value, title=kind.title, component=kind.component, above=part["above"].mean())
        row |= counted("rejected", int(rejected[0].sum()), len(part))
        row |= counted("twin_rejected", int(rejected[1].sum()), len(part))
        row |= dict(difference=alone.estimate, low=alone.low, high=alone.high, found=together.low > 0)
        table.append(row)
    return pd.DataFrame(table)


def passes(rows: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """One row a version whose three components are audited, of one auditor: base, category, state, problem, answer,
    rationale (probabilities), passed (whether all three exceed the thresholds of the other families in `found`)."""
    wide = rows.pivot(index=["base", "category", "state", "kind"], columns="component", values="p_sound")
    wide = wide[list(COMPONENTS)].astype(float).dropna().reset_index()
    limits = found.drop_duplicates(["category", "component"]).pivot(
        index="category", columns="component", values="threshold"
    )
    over = wide[list(COMPONENTS)].to_numpy() > limits.reindex(wide["category"], columns=COMPONENTS).to_numpy(float)
    return wide.assign(passed=over.all(axis=1))


def repair_effects(passed: pd.DataFrame) -> pd.DataFrame:
    """`paired_effects` (REPAIRS) of right repairs against wrong ones of the same item: pairs in which the right one's
    answer, and its rationale, rank above, less one half; and the share that passes the whole audit."""
    repaired = {state: passed[passed["state"] == state].set_index("base") for state in (RIGHT, WRONG)}
    right, wrong = repaired[RIGHT], repaired[WRONG]
    answer, rationale = ((1 + np.sign(right[part] - wrong[part])) / 2 for part in ("answer", "rationale"))
    values = (answer, answer * 0 + 0.5), (rationale, rationale * 0 + 0.5), (right["passed"], wrong["passed"])
    return paired_effects(dict(zip(REPAIRS, values)), right["category"])


def by_state(passed: pd.DataFrame) -> pd.DataFrame:
    """One row what was done to the item: untouched and sound, untouched with a damaged rationale, changed rightly,
    changed wrongly; items, mean probability of each component, and the items that pass with an exact interval.

    Untouched items with a damaged problem or key are not here: their other components have no truth to audit."""
    names = {
        SOUND: "untouched, sound",
        DAMAGED: "untouched, damaged rationale",
        RIGHT: "changed, right",
        WRONG: "changed, wrong",
    }
    table = []
    for state, name in names.items():
        part = passed[(passed["state"] == state) & ~passed["base"].str.contains("+", regex=False)]
        means = part[list(COMPONENTS)].mean().to_dict()
        table.append(
            dict(repairs=name, items=len(part)) | means | counted("passed", int(part["passed"].sum()), len(part))
        )
    return pd.DataFrame(table)


def left_alone(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a damaged and a sound component, and an audited one: whether damage in one part moves the audit of
    another. damaged, audited, items, difference: mean probability of the damaged item less its sound twin's."""
    sound = rows[rows["state"] == SOUND].set_index(["base", "component"])["p_sound"].astype(float)
    own = rows[rows["state"] == DAMAGED].assign(damaged=lambda part: part["kind"].map(lambda k: Defect(k).component))
    twin = sound.reindex(pd.MultiIndex.from_frame(own[["base", "component"]])).to_numpy()
    own = own.assign(difference=own["p_sound"].astype(float) - twin)
    table = own.groupby(["damaged", "component"], sort=False)["difference"].agg(["size", "mean"]).reset_index()
    return table.set_axis(["damaged", "audited", "items", "difference"], axis=1)


# Samples in the place of the probability


def at_temperature(p: ArrayLike, temperature: float) -> np.ndarray:
    """The probability of one of two tokens, p at temperature 1, at another one.

    >>> at_temperature([0.5, 0.8], 0.5).round(3).tolist()
    [0.5, 0.941]
    """
    p = np.asarray(p, float)
    yes, no = p ** (1 / temperature), (1 - p) ** (1 / temperature)
    return yes / (yes + no)


def sampled_above(good: ArrayLike, bad: ArrayLike, samples: int) -> np.ndarray:
    """The chance that `samples` verdicts of chance good have more Y than as many of chance bad, ties counting half.

    >>> sampled_above([0.9], [0.9], 8).round(3).tolist(), sampled_above([1.0], [0.0], 8).tolist()
    ([0.5], [1.0])
    """
    counts = np.arange(samples + 1)
    good, bad = (np.asarray(p, float)[:, None] for p in (good, bad))
    one, other = binom.pmf(counts, samples, good), binom.pmf(counts, samples, bad)
    return (one * (other.cumsum(axis=1) - other / 2)).sum(axis=1)


def by_samples(
    found: pd.DataFrame, sizes: Sequence[int] = (1, AUDITS), temperature: float = TEMPERATURE
) -> pd.DataFrame:
    """One row a component: share of pairs ranked rightly by the probability, and by so many verdicts drawn from it at a
    temperature, in expectation (exact, nothing is drawn)."""
    table = []
    for component in COMPONENTS:
        part = found[found["component"] == component]
        drawn = [at_temperature(part[side], temperature) for side in ("good", "bad")]
        row = {"component": component, "pairs": len(part), "probability": part["above"].mean()}
        table.append(row | {f"{n} sample{'s' * (n > 1)}": pd.Series(sampled_above(*drawn, n)).mean() for n in sizes})
    return pd.DataFrame(table)
