"""Findings 1, 2 and I.4 of UQ on the models' own answers, each as one sentence with its quantity.

A sentence about every judge is decided by its smallest gain, with intervals corrected for the number of judges.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval
from proctor.uq import judge_findings
from proctor.uq.table_s10 import smallest

PIPELINE, SHORT_PIPELINE = "(CC u3|U) => (FLC u3|U) => (C u3|U)", "CC => FLC => C"
NUMBERS = {  # claim: the paper's finding
    "uq/measured_accuracy": "1",
    "uq/measured_balance": "1",
    "uq/measured_prompt": "1",
    "uq/measured_reflection": "1",
    "uq/measured_unanimity": "1",
    "uq/measured_panel": "1",
    "uq/measured_precision": "2",
    "uq/measured_iterations": "2",
    "uq/measured_strength": "I.4",
}


def claims(
    found: pd.DataFrame,
    majority: pd.DataFrame,
    unanimous: pd.DataFrame,
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> list[dict[str, Any]]:
    """Keywords of `Output.claim`, in the order of NUMBERS.

    found: verdicts of each judge alone (`run_validator.validate`) with V, C, C u3 |U and both pipelines; the judges in
    the order of their capability. majority, unanimous: verdicts of all judges together on C.
    """
    judges = list(found["judges"].unique())
    family = max(len(judges), 1)
    level = 1 - 0.05 / family
    questions = found["question_id"].nunique()

    def every(id: str, sentence: str, one: str, other: str, figure: str) -> dict[str, Any]:
        gains = judge_findings.gains(found, one, other, rng, resamples, figure, level)
        return _claim(id, sentence, smallest(gains.values()), "> 0", questions, family)

    accepted = [int((frame["outcome"] == "accept").sum()) for frame in (majority, unanimous)]
    panel = judge_findings.panel_gains(majority, found, "C", rng, resamples, level)
    name, precision = _most_precise(found, rng, resamples)
    pairs = list(combinations(judges, 2))
    stronger = [_stronger(found, *pair, rng, resamples, 1 - 0.05 / max(len(pairs), 1)) for pair in pairs]
    longer = judge_findings.mean_gain(found, [PIPELINE], [SHORT_PIPELINE], rng, resamples)
    return [
        every("uq/measured_accuracy", "The 3-Iter pipeline is more accurate than the vanilla prompt with every judge",
              PIPELINE, "V", "right"),
        every("uq/measured_balance", "The 3-Iter pipeline separates right from wrong better than V with every judge",
              PIPELINE, "V", "balanced"),
        every("uq/measured_prompt", "The correctness prompt is more accurate than the vanilla prompt with every judge",
              "C", "V", "right"),
        every("uq/measured_reflection", "Reflection separates right from wrong better than one call with every judge",
              "C u3 |U", "C", "balanced"),
        dict(id="uq/measured_unanimity", sentence="Unanimity of three judges accepts fewer answers than their majority",
             holds=accepted[1] < accepted[0], exact=f"{accepted[1]} and {accepted[0]} accepted", n=len(majority),
             of="answers"),
        _claim("uq/measured_panel", "The majority of all judges separates right from wrong worse than its best judge",
               smallest(panel.values()), "< 0", questions, family),
        _claim("uq/measured_precision", f"The most precise validator ({name}) accepts more wrong than right answers",
               precision, "< 50", questions, found.groupby(["judges", "validator"]).ngroups, "%"),
        _claim("uq/measured_iterations", "Three votes a stage separate right from wrong worse than one vote a stage",
               longer, "< 0", questions),
        _claim("uq/measured_strength", "The stronger model validates better, in every pair of judges",
               smallest(stronger), "> 0", questions, max(len(pairs), 1)),
    ]  # fmt: skip


def as_table(claims: Sequence[Any], printed: pd.DataFrame) -> pd.DataFrame:
    """Finding, claim, what the paper prints, what the labelled answers show, and the verdict; `claims` as judged.

    printed: `table_s10.printed`.
    """
    texts = _printed_side(printed)
    rows = [(NUMBERS[one.id], one.sentence, texts[one.id], one.numbers, one.verdict) for one in claims]
    return pd.DataFrame(rows, columns=["finding", "claim", "printed", "on_labelled_answers", "verdict"])


def _most_precise(found: pd.DataFrame, rng: np.random.Generator, resamples: int) -> tuple[str, Interval]:
    tried = found.groupby(["judges", "validator"]).ngroups
    return judge_findings.precision_interval(found, rng, resamples, 1 - 0.05 / tried)


def _stronger(found: pd.DataFrame, weak: str, strong: str, rng, resamples: int, level: float) -> Interval:
    part = found[found["validator"] == "C"]
    return judge_findings.gains(part, strong, weak, rng, resamples, "balanced", level, ("validator", "judges"))["C"]


def _claim(
    id: str, sentence: str, interval: Interval, says: str, n: int, family: int = 1, unit: str = "points"
) -> dict[str, Any]:
    return dict(id=id, sentence=sentence, interval=interval, says=says, n=n, of="questions", family=family,
                level=interval.level, unit=unit)  # fmt: skip


def _printed_side(figures: pd.DataFrame) -> dict[str, str]:
    at = figures["accuracy"]
    judges = ("Claude Sonnet 3.7", "o3-mini", "o3")
    gains = {
        "uq/measured_accuracy": ("3-Iter", "V"),
        "uq/measured_prompt": ("C", "V"),
        "uq/measured_reflection": ("C u5 |U", "C x5 |U"),
    }
    texts = {
        id: f"{one} for {other}: " + ", ".join(f"{judge} {at[judge, one] - at[judge, other]:+.1f}" for judge in judges)
        for id, (one, other) in gains.items()
    }
    texts["uq/measured_reflection"] += " (Claude's reflection on other answers)"
    steps = figures.loc[("o3", "5-Iter")] - figures.loc[("o3", "3-Iter")]
    recall, best = figures["recall"], figures["precision"].max()
    several = "Multi-model"
    return texts | {
        "uq/measured_balance": "not printed",
        "uq/measured_unanimity": f"recall, 5 models: {recall[several, 'C |M, 5 models']:.1f} to "
        f"{recall[several, 'C |U, 5 models']:.1f} %",
        "uq/measured_panel": f"C, accuracy: 5 models {at[several, 'C |M, 5 models']:.1f}, o3 {at['o3', 'C']:.1f} %",
        "uq/measured_precision": f"best precision {best:.1f} %",
        "uq/measured_iterations": f"o3, 5 for 3: precision {steps['precision']:+.1f}, recall {steps['recall']:+.1f}",
        "uq/measured_strength": "C: " + ", ".join(f"{judge} {at[judge, 'C']:.1f} %" for judge in judges),
    }
