"""What judges detect of the planted defects: counts by component and kind with exact intervals, and AUCs.

    rejected = rejections(votes)
    detection_rates(rejected, truths)

A judge detects a damaged component by rejecting it; a sound component that it rejects is a false positive. What is
neither sound nor damaged by itself, such as the key of a broken problem, is left out of the counts.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from proctor.hle_verified.decision_rules import affirmed
from proctor.hle_verified.planted_defects import Defect, Truth
from proctor.stats import bootstrap
from proctor.stats.calibration import auc, auc_interval
from proctor.stats.proportions import clopper_pearson

PANELS = {"panel, all must accept": "all", "panel, most must accept": "most"}


def rejections(votes: pd.DataFrame) -> pd.DataFrame:
    """One row a judge, item and component: rejected, unreadable. Judges: each model, then both readings of the panel.

    A panel rejects what lacks the votes of its quorum and has one against it.
    """
    frames = [
        votes.assign(
            judge=votes["model"],
            rejected=[said is False for said in votes["sound"]],
            unreadable=[said is None for said in votes["sound"]],
        )
    ]
    grouped = votes.groupby(["item", "component"], sort=False)["sound"].agg(list).reset_index()
    for name, quorum in PANELS.items() if votes["model"].nunique() > 1 else ():
        frames.append(
            grouped.assign(
                judge=name,
                rejected=[not affirmed(said, quorum) and False in said for said in grouped["sound"]],
                unreadable=[None in said for said in grouped["sound"]],
            )
        )
    return pd.concat(frames, ignore_index=True)[["judge", "item", "component", "rejected", "unreadable"]]


def detection_rates(rejected: pd.DataFrame, truths: Mapping[str, Truth]) -> pd.DataFrame:
    """One row a judge and component: damaged ones and sound ones that it rejects, exact 95 % intervals.

    detected: damaged and rejected; false_positives: sound and rejected.
    """
    rows = []
    for (judge, part), group in rejected.groupby(["judge", "component"], sort=False):
        holds = [truths[item].holds[part] for item in group["item"]]
        row = dict(judge=judge, component=part, unreadable=int(group["unreadable"].sum()))
        for name, wanted in (("detected", False), ("false_positives", True)):
            hits = group.loc[[held is wanted for held in holds], "rejected"]
            row |= counted(name, int(hits.sum()), len(hits))
        rows.append(row)
    return pd.DataFrame(rows)


def detection_by_kind(rejected: pd.DataFrame, truths: Mapping[str, Truth]) -> pd.DataFrame:
    """One row a kind of defect and judge: items whose damaged component was rejected, of n, with exact intervals."""
    rows = []
    for kind in Defect:
        ids = {name for name, truth in truths.items() if truth.defect == kind}
        own = rejected[rejected["item"].isin(ids) & (rejected["component"] == kind.component)]
        rows += [
            dict(kind=kind.value, title=kind.title, component=kind.component, judge=judge)
            | counted("detected", int(group["rejected"].sum()), len(group))
            for judge, group in own.groupby("judge", sort=False)
        ]
    return pd.DataFrame(rows)


def auc_by_component(
    votes: pd.DataFrame,
    truths: Mapping[str, Truth],
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> pd.DataFrame:
    """One row a model and component: AUC of the probability of `sound` for sound against damaged components.

    Items are resampled. n_sound, n_damaged: those with a probability; with none of either there is no AUC (NaN).
    """
    rows = []
    for (model, part), group in votes.groupby(["model", "component"], sort=False):
        held = [truths[item].holds[part] for item in group["item"]]
        known = [(p, float(h)) for p, h in zip(group["p_sound"], held) if h is not None and pd.notna(p)]
        scores, sound = [p for p, _ in known], [h for _, h in known]
        row = dict(model=model, component=part, n_sound=sound.count(1), n_damaged=sound.count(0))
        found = auc_interval(scores, sound, rng, resamples, level) if len(set(sound)) == 2 else None
        rows.append(row | dict(auc=found.estimate, low=found.low, high=found.high) if found else row)
    return pd.DataFrame(rows, columns=["model", "component", "n_sound", "n_damaged", "auc", "low", "high"])


def auc_by_kind(votes: pd.DataFrame, truths: Mapping[str, Truth]) -> pd.DataFrame:
    """One row a kind of defect and model: chance that a damaged component seems less likely sound than a sound one.

    The sound ones are those of the same component. No interval: a kind has two items. items: damaged ones.
    """
    held = [truths[item].holds[part] for item, part in zip(votes["item"], votes["component"])]
    kinds = [str(truths[item].defect or "") for item in votes["item"]]
    judged = votes.assign(holds=held, kind=kinds).dropna(subset=["holds", "p_sound"])
    rows = []
    for (model, _), group in judged.groupby(["model", "component"], sort=False):
        sound = group[group["holds"].eq(True)]
        for kind, own in group[group["holds"].eq(False)].groupby("kind", sort=False):
            scores = pd.concat([own, sound])["p_sound"]
            rows.append(
                dict(kind=kind, model=model, items=len(own), auc=auc(-scores, [1] * len(own) + [0] * len(sound)))
            )
    return pd.DataFrame(rows, columns=["kind", "model", "items", "auc"])


def rejected_share(
    rejected: pd.DataFrame,
    truths: Mapping[str, Truth],
    sound: bool,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> pd.DataFrame:
    """One row a judge: share of the sound (or of the damaged) components that it rejects.

    Items are resampled; where each item has one such component the interval is exact (Clopper-Pearson).
    Columns: judge, parts, items, rejected, share, low, high.
    """
    held = [truths[item].holds[part] for item, part in zip(rejected["item"], rejected["component"])]
    rows = []
    for judge, own in rejected[[one is sound for one in held]].groupby("judge", sort=False):
        if own["item"].is_unique:
            k, n = int(own["rejected"].sum()), len(own)
            found = bootstrap.Interval(k / n, *clopper_pearson(k, n, level), level, "exact")
        else:
            found = bootstrap.interval(own["rejected"].astype(float), rng, resamples, level, clusters=own["item"])
        rows.append(
            dict(
                judge=judge,
                parts=len(own),
                items=own["item"].nunique(),
                rejected=int(own["rejected"].sum()),
                share=found.estimate,
                low=found.low,
                high=found.high,
            )
        )
    return pd.DataFrame(rows)


def counted(name: str, k: int, n: int) -> dict:
    """k of n as columns: the count, n, the share and its exact 95 % interval; NaN where n is 0."""
    low, high = clopper_pearson(k, n) if n else (float("nan"), float("nan"))
    return {
        name: k,
        f"{name}_n": n,
        f"{name}_share": k / n if n else float("nan"),
        f"{name}_low": low,
        f"{name}_high": high,
    }
