"""What an answer costs, and what a right answer costs, of recorded models.

They run on one machine and have no price. Compute stands for cost: parameters times tokens (prompt and reply), in
billions. It is proportional to the arithmetic of one pass and knows nothing of hardware, batches or prices.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval, statistic_interval


def with_compute(answers: pd.DataFrame, millions: Mapping[str, float]) -> pd.DataFrame:
    """The answers with columns tokens and compute (billion parameters times tokens)."""
    tokens = answers["prompt_tokens"] + answers["completion_tokens"]
    return answers.assign(tokens=tokens, compute=answers["model"].map(millions) / 1000 * tokens)


def per_answer(compute: np.ndarray, right: np.ndarray) -> float:
    """Answers for each unit of compute, by the median answer."""
    return 1 / float(np.median(compute))


def per_right_answer(compute: np.ndarray, right: np.ndarray) -> float:
    """Right answers for each unit of compute: defined even where none is right, as its inverse, the cost, is not.

    >>> per_right_answer(np.array([10.0, 20.0]), np.array([True, False])) == 1 / 30
    True
    """
    return float(right.sum() / compute.sum())


def cost_table(cost: pd.DataFrame, seed: int, resamples: int) -> pd.DataFrame:
    """One row a model: accuracy (percent), tokens of a reply, compute of an answer and of each right answer.

    cost: as `with_compute` gives it. low, high: of each_right, families of questions resampled; high is inf where more
    than 2.5 % of the resamples have no right answer, so that their cost has no upper end.
    """
    rows = []
    for model, these in cost.groupby("model", sort=False):
        replies = these["completion_tokens"]
        row = dict(
            model=model,
            accuracy=100 * these["correct"].mean(),
            reply_median=replies.median(),
            reply_most=replies.max(),
            cut_off=int(these["cut_off"].sum()),
            compute_median=these["compute"].median(),
        )
        if these["correct"].any():
            found = statistic_interval(
                per_right_answer,
                [these["compute"], these["correct"]],
                np.random.default_rng(seed),
                resamples,
                clusters=these["category"].to_numpy(),
            )
            high = 1 / found.low if found.low > 0 else np.inf
            row |= dict(each_right=1 / found.estimate, low=1 / found.high, high=high)
        rows.append(row)
    columns = [
        "model",
        "accuracy",
        "reply_median",
        "reply_most",
        "cut_off",
        "compute_median",
        "each_right",
        "low",
        "high",
    ]
    return pd.DataFrame(rows, columns=columns)


def cost_ratio(
    cost: pd.DataFrame,
    dear: str,
    cheap: str,
    of: Callable[[np.ndarray, np.ndarray], float],
    seed: int,
    resamples: int,
) -> Interval:
    """How many times as much the model `dear` costs as `cheap`, families of questions resampled with both models.

    of: `per_answer` or `per_right_answer`.
    """
    tables = (cost[cost["model"] == model].set_index("question_id") for model in (dear, cheap))
    one, other = tables
    other = other.loc[one.index]

    def ratio(compute: np.ndarray, right: np.ndarray, other_compute: np.ndarray, other_right: np.ndarray) -> float:
        least = of(compute, right)
        return of(other_compute, other_right) / least if least > 0 else np.nan

    arrays = [one["compute"], one["correct"], other["compute"], other["correct"]]
    return statistic_interval(
        ratio, arrays, np.random.default_rng(seed), resamples, clusters=one["category"].to_numpy()
    )
