"""What the exercises of `notebooks/hle_verified/exercises.ipynb` expect, each computed another way than there."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from proctor.paths import ROOT
from proctor.report.exercises import Exercise

ACCURACY, SHOWN, LETTERS = 0.30, 0.25, 0.25  # true and shown accuracy; chance that a wrong letter meets a wrong key
BEFORE, AFTER = 0.1, 0.5  # accuracy before and after the repair
SENSITIVITY, SPECIFICITY, ANSWERS = 0.6, 0.5, 2500  # of a judge, and the answers that it marked
EXAM, DECISIONS = ROOT / "data/examples/exam_answers.csv", ROOT / "data/examples/exam_decisions.csv"
REVIEWED = 15  # of its 300 items


def exercises() -> dict[str, Exercise]:
    """The four exercises by name, for a `report.exercises.Checker`."""
    return {
        "hle_verified/1": Exercise(
            lambda: 100 * wrong_keys(LETTERS),
            "With letters a wrong answer meets a wrong key with chance 1/4, which gives back a part of what is lost.",
            tolerance=0.5,
            unit="percent",
            mistakes={"That is the share for free answers.": lambda: 100 * wrong_keys(0.0)},
        ),
        "hle_verified/2": Exercise(
            lambda: 100 * (rms_gap(BEFORE) - rms_gap(AFTER)),
            "The error is the root of the mean squared gap: square the gap of each half first, then take the mean.",
            tolerance=0.1,
            unit="points",
            mistakes={
                "That is the gain in accuracy. The two are equal only if confidence is the same on all items.": (
                    lambda: 100 * (AFTER - BEFORE)
                )
            },
        ),
        "hle_verified/3": Exercise(
            lambda: 100 * corrected_width(),
            "Find the share that the judge passes when 40 % are right, take Wilson's interval of it, and correct both "
            "limits.",
            tolerance=0.5,
            unit="points",
            mistakes={
                "That is the interval of the share that passed. The correction divides it by "
                "sensitivity + specificity - 1.": lambda: 100 * corrected_width() * (SENSITIVITY + SPECIFICITY - 1)
            },
        ),
        "hle_verified/4": Exercise(
            lambda: 100 * wrong_among_reviewed() / wrong_items().size,
            "Take the first 15 rows of `suspects`, count those whose decision is repaired or excluded, and divide by "
            "all wrong keys.",
            tolerance=0.5,
            unit="percent",
            mistakes={
                "That is the share of the reviewed keys that are wrong. Of how many wrong keys are these?": (
                    lambda: 100 * wrong_among_reviewed() / REVIEWED
                )
            },
        ),
    }


def wrong_items() -> np.ndarray:
    """The items of the example whose key the reviewer repaired or excluded."""
    return pd.read_csv(DECISIONS).query("decision != 'sound'")["id"].to_numpy()


def wrong_among_reviewed() -> int:
    """Wrong keys among the most suspicious items: weighted votes of each letter, those for the key taken off twice."""
    exam = pd.read_csv(EXAM, index_col="item")
    given = exam.drop(columns="key")
    right = given.eq(exam["key"], axis=0)
    weight = (right.sum() - right) / (len(exam) - 1)  # a system's accuracy on the other items
    shares = pd.DataFrame({letter: weight.where(given == letter, 0).sum(axis=1) for letter in "ABCDE"})
    shares = shares.div(weight.sum(axis=1), axis=0)
    is_key = pd.get_dummies(exam["key"]).astype(bool)
    suspicion = shares.mask(is_key).max(axis=1) - 2 * shares.where(is_key).max(axis=1)
    return int(np.isin(suspicion.nlargest(REVIEWED).index, wrong_items()).sum())


def wrong_keys(match: float) -> float:
    """The share e of wrong keys that shows 30 % as 25 %: observed = e h + (1 - e - e h) a, solved for e."""
    return (ACCURACY - SHOWN) / ((1 + match) * ACCURACY - match)


def rms_gap(accuracy: float) -> float:
    """Calibration error, in [0, 1], of a model that states 80 % on one half of the items and 100 % on the other."""
    return float(np.hypot(0.8 - accuracy, 1 - accuracy) / np.sqrt(2))


def corrected_width(accuracy: float = 0.4) -> float:
    """Width of the corrected interval by the normal formula: that of the observed share over Youden's index."""
    youden = SENSITIVITY + SPECIFICITY - 1
    seen = accuracy * youden + 1 - SPECIFICITY
    return float(2 * norm.ppf(0.975) * np.sqrt(seen * (1 - seen) / ANSWERS) / youden)
