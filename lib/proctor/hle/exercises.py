"""What the exercises of `notebooks/hle/exercises.ipynb` expect, each computed another way than the solution there."""

import asyncio
from collections.abc import Callable
from functools import cache
from itertools import count, product

import pandas as pd

from proctor.data.published import load_published
from proctor.data.schemas import Question
from proctor.exam import recorded as exam_recorded
from proctor.exam.marking import read_keys
from proctor.exam.run_exam import matches_key
from proctor.models.studies import ask_all, study
from proctor.paths import ROOT
from proctor.report.exercises import Exercise

MODELS, LOSS = 6, 0.1  # gatekeepers, and the share of good questions that may be lost by luck
SURE = 90  # percent: a confidence of at least this much


@cache
def recorded() -> pd.DataFrame:
    """The answers of the third exercise, from the recordings. Not for a notebook, whose kernel has a loop already."""
    return asyncio.run(ask_all(study(exam_recorded.answers, levels=1), mode="replay"))[0]


def exercises(answers: pd.DataFrame | None = None) -> dict[str, Exercise]:
    """The four exercises by name, for a `report.exercises.Checker`.

    answers: one row an answer, columns confidence (0 to 1; NaN where none was read) and correct; None: `recorded`.
    """

    def given() -> pd.DataFrame:
        return recorded() if answers is None else answers

    return {
        "hle/1": Exercise(
            options_needed,
            "A question is lost if two or more of the six guess it. Start at two options and count upwards.",
            unit="options",
            mistakes={
                "One model may be right under this rule; only a second one rejects the question.": (
                    lambda: options_needed(allowed=0)
                )
            },
        ),
        "hle/2": Exercise(
            lambda: printed("calibration_error") ** 2 / 100 - printed("accuracy"),
            "Square the calibration error as a share, not in percent, and take the accuracy off.",
            tolerance=0.05,
            unit="percent",
            mistakes={
                "That is error less accuracy. The bound has the square of the error.": (
                    lambda: printed("calibration_error") - printed("accuracy")
                )
            },
        ),
        "hle/3": Exercise(
            lambda: right_among_sure(given()),
            "Keep the rows whose stated confidence is 90 % or more, and take the mean of `correct` over these.",
            tolerance=0.1,
            unit="percent",
            mistakes={"That is the accuracy of all answers.": lambda: 100 * float(given()["correct"].mean())},
        ),
        "hle/4": Exercise(
            lambda: points_gained(matches_key),
            "Take the rows of model-a: the mean of `right` minus the mean of `before`, times 100.",
            tolerance=0.1,
            unit="points",
            mistakes={
                "That is by equal text. `mark` compares what is meant: 2^{10} is 1024.": (
                    lambda: points_gained(lambda question, text: text == question.answer)
                ),
                "That is model-a's accuracy now. What was it before?": lambda: 2 * points_gained(matches_key),
            },
        ),
    }


def points_gained(right: Callable[[Question, str], bool | None]) -> float:
    """By how many points the accuracy of the example's kept replies rises when `right` marks their last words."""
    keys = {question.id: question for question in read_keys(ROOT / "data/examples/keys.csv")}
    replies = pd.read_csv(ROOT / "data/examples/replies.csv").query("model == 'model-a'")
    said = replies["reply"].str.rpartition("Answer: ")[2]
    now = [right(keys[item], text) is True for item, text in zip(replies["question_id"], said)]
    return 100 * (sum(now) - (replies["correct"] == "yes").sum()) / len(replies)


def options_needed(allowed: int = 1) -> int:
    """Fewest options at which six guessing models fail a question in at most a tenth of the cases: all patterns.

    allowed: how many models may be right."""
    for options in count(2):
        chance = sum(
            (1 / options) ** sum(right) * (1 - 1 / options) ** (MODELS - sum(right))
            for right in product((0, 1), repeat=MODELS)
            if sum(right) > allowed
        )
        if chance <= LOSS:
            return options
    raise AssertionError("unreachable: the chance falls to 0")


def printed(column: str) -> float:
    """GPT-4o's figure in Table 1, in percent. E^2 - a is the least mean confidence, whatever the bins."""
    return load_published("hle/table_1").set_index("model").loc["GPT-4o", f"{column}_value"]


def right_among_sure(answers: pd.DataFrame) -> float:
    """Percent of the answers stated with at least 90 % that are right, counted one by one."""
    sure = [bool(right) for said, right in zip(answers["confidence"], answers["correct"]) if 100 * said >= SURE - 1e-9]
    return 100 * sum(sure) / len(sure)
