"""An exam before and after its repair, item by item (HLE-Verified, section 5), the repair being known to be right."""

from collections.abc import Mapping
from math import log, sqrt

import numpy as np
import pandas as pd

from proctor.exam import run_exam
from proctor.hle_verified.decision_rules import answer_consensus
from proctor.hle_verified.key_noise import diagnose
from proctor.hle_verified.planted_defects import Truth
from proctor.stats.bootstrap import Interval, paired_difference
from proctor.stats.calibration import calibration_error
from proctor.stats.compare import mcnemar
from proctor.stats.power import items_needed

MEASURES = ("score", "stated", "probability", "agreement")
CONFIDENCES = MEASURES[1:]
PARTS = {  # of the exam, by the components whose items they hold
    "all items": ("none", "problem", "answer", "rationale"),
    "revised: problem or answer": ("problem", "answer"),
    "problem": ("problem",),
    "answer": ("answer",),
}


def attempts_after_repair(tried: pd.DataFrame, again: pd.DataFrame, truths: Mapping[str, Truth]) -> pd.DataFrame:
    """The attempts that count once the exam is repaired, graded with the sound keys; columns of `run_exam`.

    tried, again: attempts at the items as given, and at the sound version of those whose problem was damaged. Those
    replace the first; for all other items the same attempts count, so that a damaged rationale changes nothing.
    Raises ValueError where a model did not try an item's sound version.
    """
    other = {item for item in set(tried["question_id"]) if truths[item].holds["problem"] is False}
    keys = ["model", "question_id"]
    missing = set(map(tuple, tried[keys][tried["question_id"].isin(other)].to_numpy())) - set(
        map(tuple, again[keys].to_numpy())
    )
    if missing:
        model, item = min(missing)
        raise ValueError(
            f"item {item} has a damaged problem, and {model} was not asked its sound version: "
            "run stages.sound_attempts for the same models"
        )
    after = pd.concat([tried[~tried["question_id"].isin(other)], again[again["question_id"].isin(other)]])
    right = [
        isinstance(answer, str) and run_exam.grade(truths[item].sound, answer)  # else it could not be read
        for item, answer in zip(after["question_id"], after["answer"])
    ]
    return after.assign(correct=right)


def both_versions(
    tried: pd.DataFrame, again: pd.DataFrame, truths: Mapping[str, Truth], halves: bool = False
) -> pd.DataFrame:
    """One row a model and item: what a model makes of the item as given (before) and of the repaired one (after).

    Arguments and errors as `attempts_after_repair`. Columns: model, item, defect ("" for none), component (or
    "none"), family, `<measure>_before`, `<measure>_after`. score: share of attempts that agree with the key. stated,
    probability: mean confidence, in words and of the answer's tokens, NaN where no attempt has one. agreement: share of
    attempts that give the commonest answer (`answer_consensus`). halves: before from the first half of the
    attempts and after from the second, so that a sound item too is asked twice.
    """
    second = dict(list(attempts_after_repair(tried, again, truths).groupby(["model", "question_id"])))
    rows = []
    for (model, item), before in tried.groupby(["model", "question_id"], sort=False):
        after, truth = second[model, item], truths[item]
        if halves:
            before, after = before[: len(before) // 2], after[len(after) // 2 :]
        rows.append(
            dict(
                model=model,
                item=item,
                defect=str(truth.defect or ""),
                family=truth.sound.category,
                component=truth.defect.component if truth.defect else "none",
            )
            | _measures(before, "before")
            | _measures(after, "after")
        )
    return pd.DataFrame(rows)


def _measures(attempts: pd.DataFrame, when: str) -> dict[str, float]:
    values = (
        attempts["correct"].mean(),
        attempts["confidence"].mean(),
        attempts["probability"].mean(),
        answer_consensus(attempts["answer"])[1] / len(attempts),
    )
    return {f"{measure}_{when}": float(value) for measure, value in zip(MEASURES, values)}


def measured_gains(versions: pd.DataFrame, seed: int, resamples: int, level: float = 0.95) -> pd.DataFrame:
    """One row a model and part of the exam: accuracy before and after, the gain paired by item, McNemar's p.

    versions: of `both_versions`. Items are resampled (each row draws from the seed anew). only_after, only_before:
    items that most attempts get right in one version alone; p is of those.
    """
    rows = []
    for model, own in versions.groupby("model", sort=False):
        for part, components in PARTS.items():
            frame = own[own["component"].isin(components)]
            before, after = frame["score_before"].to_numpy(), frame["score_after"].to_numpy()
            gain = paired_difference(after, before, np.random.default_rng(seed), resamples, level)
            test = mcnemar((after > 0.5).astype(int), (before > 0.5).astype(int))
            rows.append(
                dict(
                    model=model,
                    part=part,
                    items=len(frame),
                    before=before.mean(),
                    after=after.mean(),
                    gain=gain.estimate,
                    low=gain.low,
                    high=gain.high,
                    only_after=test.only_a,
                    only_before=test.only_b,
                    p=test.p,
                )
            )
    return pd.DataFrame(rows)


def gains_by_family(versions: pd.DataFrame, level: float = 0.95) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Gains of the items with a damaged problem or answer, the models' mean: (by item, by family), in points.

    by item: family, item, gain. by family: family, items, gain, low, high. A family has a few items, so its interval is
    Hoeffding's for means of numbers from -1 to 1, cut at -100 and 100; together the intervals hold with `level`.
    """
    few = versions[versions["component"].isin(PARTS["revised: problem or answer"])]
    gain = 100 * (few["score_after"] - few["score_before"])
    by_item = gain.groupby([few["family"], few["item"]]).mean().rename("gain").reset_index()
    table = by_item.groupby("family")["gain"].agg(["size", "mean"]).set_axis(["items", "gain"], axis=1)
    half = 100 * np.sqrt(2 * log(2 * len(table) / (1 - level)) / table["items"])
    table = table.assign(low=(table["gain"] - half).clip(-100), high=(table["gain"] + half).clip(upper=100))
    return by_item, table.sort_values("gain", ascending=False).reset_index()


def mean_repair_gain(versions: pd.DataFrame, rng: np.random.Generator, resamples: int, level: float = 0.95) -> Interval:
    """Gain over the items with a damaged problem or answer and over the models, items being resampled."""
    few = versions[versions["component"].isin(PARTS["revised: problem or answer"])]
    return paired_difference(
        few["score_after"], few["score_before"], rng, resamples, level, clusters=few["item"].to_numpy()
    )


def confidence_shifts(versions: pd.DataFrame, seed: int, resamples: int, level: float = 0.95) -> pd.DataFrame:
    """One row a model, set of items and measure of confidence: mean of after less before, in points, with interval."""
    rows = []
    for model, of_model in versions.groupby("model", sort=False):
        for name in ("all items", "problem"):
            own = of_model[of_model["component"].isin(PARTS[name])]
            for measure in CONFIDENCES:
                both = own[[f"{measure}_after", f"{measure}_before"]].dropna()
                shift = paired_difference(*both.to_numpy().T, np.random.default_rng(seed), resamples, level)
                rows.append(
                    dict(
                        model=model,
                        items_of="damaged problem" if name == "problem" else name,
                        confidence=measure,
                        items=len(both),
                        shift=100 * shift.estimate,
                        low=100 * shift.low,
                        high=100 * shift.high,
                    )
                )
    return pd.DataFrame(rows)


def calibration_before_and_after(tried: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """One row a model and version: calibration error of the stated confidences, HLE's and the debiased one.

    tried, after: attempts that count before and after the repair (`attempts_after_repair`). NaN where too few attempts
    state a confidence.
    """
    rows = []
    for model in dict.fromkeys(tried["model"]):
        for when, table in (("before", tried), ("after", after)):
            frame = table[(table["model"] == model) & table["confidence"].notna()]
            stated, right = frame["confidence"], frame["correct"].astype(int)
            rows.append(
                dict(model=model, when=when, attempts=len(frame), confidence=stated.mean(), accuracy=right.mean())
                | {kind: _error(stated, right, kind) for kind in ("official", "debiased")}
            )
    return pd.DataFrame(rows)


def _error(stated: pd.Series, right: pd.Series, kind: str) -> float:
    """`calibration_error`; NaN below the answers that it needs, which models that state no confidence don't give."""
    least = {"official": 100, "debiased": 2}[kind]
    return calibration_error(stated, right, kind) if len(stated) >= least else float("nan")


def confidence_diagnoses(halved: pd.DataFrame, seed: int, resamples: int, level: float = 0.95) -> pd.DataFrame:
    """One row a model (and all together) and measure: does confidence find the items with a damaged problem?

    halved: of `both_versions` with halves. by_drop, by_low: AUCs of `key_noise.diagnose` with intervals. shift: mean
    rise on damaged items less that on sound ones; spread: standard deviation between sound items (points). needed:
    damaged items, with as many sound ones, that show such a shift with a chance of 80 %.
    """
    rows = []
    for who, frame in [*halved.groupby("model", sort=False), ("all", halved)]:
        for measure in CONFIDENCES:
            part = frame.dropna(subset=[f"{measure}_before", f"{measure}_after"])
            bad, items = part["component"] == "problem", part["item"]
            before, after = part[f"{measure}_before"], part[f"{measure}_after"]
            rng = np.random.default_rng(seed)
            found = diagnose(before, after, bad.astype(int), rng, resamples, level, clusters=items)
            shift, spread = found.shift_damaged.estimate - found.shift_sound.estimate, float(before[~bad].std())
            known = spread > 0 and shift != 0
            row = dict(
                who=who, confidence=measure, damaged_items=items[bad].nunique(), sound_items=items[~bad].nunique()
            )
            row |= dict(shift=100 * shift, spread=100 * spread)
            row["needed"] = float(items_needed(abs(shift), spread * sqrt(2))) if known else float("nan")
            for name, one in (("by_drop", found.by_drop), ("by_low", found.by_low_confidence)):
                row |= {name: one.estimate, f"{name}_low": one.low, f"{name}_high": one.high}
            rows.append(row)
    return pd.DataFrame(rows)
