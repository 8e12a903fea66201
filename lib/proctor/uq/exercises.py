"""What the exercises of `notebooks/uq/exercises.ipynb` expect, each computed another way than the solution there."""

from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

from proctor.data.published import load_published
from proctor.paths import ROOT
from proctor.report.exercises import Exercise
from proctor.stats.reconstruct import base_rate
from proctor.uq.own_judges import corrected, judged, read_labels, read_verdicts

THREE_VOTES, PIPELINE = "C x3 |M", "(CC x3|U) => (FLC x3|U) => (C x3|U)"  # rows of o3 in Table S10
JUDGE = "qwen2.5-coder-0.5b"  # of the example's three


def exercises() -> dict[str, Exercise]:
    """The four exercises by name, for a `report.exercises.Checker`."""
    return {
        "uq/1": Exercise(
            lambda: 100 * equal_accuracy(),
            "Move the slider until both accuracies are equal. Accuracy is p * recall + (1 - p) * specificity.",
            tolerance=0.5,
            unit="percent",
            mistakes={"That is the share of wrong answers. Which class does recall speak of?": _share_of_wrong},
        ),
        "uq/2": Exercise(
            lambda: max(("majority", "unanimity"), key=lambda vote: balanced_accuracy(vote, 0.7, 0.4)),
            "Compute the chance of acceptance of a right and of a wrong answer, and take the mean of recall and "
            "specificity.",
            choices=("majority", "unanimity"),
        ),
        "uq/3": Exercise(
            lambda: judged_right(0.05),
            "First find how many accepted answers the interval of the precision needs. Then: how many of them are "
            "right, and of how many right ones are they a quarter?",
            tolerance=16,  # ten accepted answers, the step in which 40 % and a quarter are whole numbers
            unit="right answers",
            mistakes={
                "That many must be accepted. Of how many right answers do they come?": lambda: judged_right(0.05) / 1.6
            },
        ),
        "uq/4": Exercise(
            lambda: 100 * corrected(judgements()).estimate,
            "Group the labelled answers by `accept` and take the mean of `correct`; weigh both means by the shares of "
            "accepted and rejected among all 81 answers.",
            tolerance=0.1,
            unit="percent",
            mistakes={
                "That is what the judge accepts, right or wrong.": lambda: 100 * judgements()["accept"].mean(),
                "That is the share right among the labelled answers. The verdicts on the other 27 say more.": (
                    lambda: 100 * judgements()["correct"].mean()
                ),
                "These are the right ones among the accepted answers. Some of the rejected ones are right too.": (
                    lambda: 100 * corrected(judgements().query("accept == 1")).estimate * judgements()["accept"].mean()
                ),
            },
        ),
    }


def judgements() -> pd.DataFrame:
    """One row per answer of the example that the judge saw: accept (1, 0), correct (1, 0; NaN: no label)."""
    verdicts, labels = (ROOT / f"data/examples/judge_{name}.csv" for name in ("verdicts", "labels"))
    return judged(read_verdicts(verdicts), read_labels(labels)).query("judge == @JUDGE")


def equal_accuracy() -> float:
    """Share of right answers at which o3's 3-Iter pipeline and three votes under majority have one accuracy.

    From the printed figures alone: accuracy, precision and recall imply the base rate, and so the specificity."""
    rows = load_published("uq/table_S10").query("judges == 'o3'").set_index("strategy")
    recall, specificity = zip(*(_rates(rows.loc[name]) for name in (THREE_VOTES, PIPELINE)))
    return brentq(lambda p: p * (recall[0] - recall[1]) + (1 - p) * (specificity[0] - specificity[1]), 0, 1)


def balanced_accuracy(vote: str, right: float, wrong: float) -> float:
    """Of five independent votes that accept right answers with one chance and wrong ones with another: all patterns."""
    least = {"majority": 3, "unanimity": 5}[vote]
    accepts = [
        sum(
            np.prod([p if yes else 1 - p for yes in votes])
            for votes in product((0, 1), repeat=5)
            if sum(votes) >= least
        )
        for p in (right, wrong)
    ]
    return float((accepts[0] + 1 - accepts[1]) / 2)


def judged_right(half_width: float) -> float:
    """Right answers to be judged until Wilson's interval of the precision is +- `half_width`, by its formula."""
    z, precision, recall = norm.ppf(0.975), 0.4, 0.25

    def half(n: float) -> float:
        return z / (1 + z**2 / n) * np.sqrt(precision * (1 - precision) / n + z**2 / (4 * n**2))

    return brentq(lambda n: half(n) - half_width, 10, 1e6) * precision / recall


def _rates(row) -> tuple[float, float]:
    """Recall and specificity of a printed row, shares."""
    accuracy, precision, recall = (row[f"{name}_value"] for name in ("accuracy", "precision", "recall"))
    right = base_rate(accuracy, precision, recall)
    return recall / 100, (accuracy / 100 - right * recall / 100) / (1 - right)


def _share_of_wrong() -> float:
    return 100 * (1 - equal_accuracy())
