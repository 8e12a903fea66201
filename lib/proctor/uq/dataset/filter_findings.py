"""What the replies of the LLM filter are worth: ratings next to the truth, and unanimity."""

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval, interval
from proctor.uq.dataset.llm_filter import CHANCES, CRITERIA, REPEATS, YES_NO

KEEPS = {name: f"mean of its replies at most {limit} %" for name, limit in CHANCES.items()} | dict.fromkeys(
    YES_NO, "yes in every reply"
)


def drop_reasons(found: pd.DataFrame) -> pd.DataFrame:
    """A row a criterion: what it keeps, the questions that it drops, and those that it drops alone.

    found: as `llm_filter.filter_questions` gives it.
    """
    rows = [
        (name, KEEPS[name], sum(name in failed for failed in found["failed_on"]), sum(found["failed_on"] == (name,)))
        for name in CRITERIA
    ]
    return pd.DataFrame(rows, columns=["criterion", "keeps", "dropped", "alone"])


def criteria(
    found: pd.DataFrame, yes: pd.DataFrame, facts: Mapping[str, float], rng: np.random.Generator, resamples: int
) -> pd.DataFrame:
    """A row a criterion, in percent: the paper's number before and after the filter, and that of `found` before it.

    measured, low, high: the mean of the questions' means, with its bootstrap interval, or the share of questions with
    only yes, without one: a seed may be shared by all questions.
    reply_1, ...: of each reply alone. independent: the share that would have only yes if the
    replies of a question were independent draws, from the judge's probability of a yes (`llm_filter.chances_of_yes`),
    with its bootstrap interval.
    """
    rows = []
    for name in CRITERIA:
        replies = reply_matrix(found, name)
        if name in CHANCES:
            every = interval(question_means(found, name).dropna(), rng, resamples, bounds=(0, 100))
            limits, alone = (every.estimate, every.low, every.high), (np.nan,) * 3
            before, after = facts[f"{name}_before"], facts[f"{name}_after"]
        else:
            all_yes = (replies == 1).all(axis=1)
            limits = (100 * all_yes.mean(), np.nan, np.nan)
            drawn = interval(100 * yes[name].dropna() ** REPEATS, rng, resamples, bounds=(0, 100))
            alone = (drawn.estimate, drawn.low, drawn.high)
            before, after = np.nan, facts["quality_after"]
        scale = 1 if name in CHANCES else 100
        rows.append((name, before, after, *limits, *alone, *(scale * pd.DataFrame(replies).mean())))
    columns = ["criterion", "paper_before", "paper_after", "measured", "low", "high", "independent"]
    columns += ["independent_low", "independent_high"] + [f"reply_{n + 1}" for n in range(REPEATS)]
    return pd.DataFrame(rows, columns=columns)


def reply_matrix(found: pd.DataFrame, name: str) -> np.ndarray:
    """The replies to a criterion, shape (questions, replies); NaN for a missing one."""
    return np.array([[np.nan if reply is None else float(reply) for reply in row] for row in found[name]])


def question_means(found: pd.DataFrame, name: str) -> pd.Series:
    """The mean of each question's readable replies to a criterion; NaN where there is none."""
    return pd.DataFrame(reply_matrix(found, name)).mean(axis=1)


def holds_answer(text: str, references: Iterable[str]) -> bool:
    """Whether one of the reference answers stands in the text, as whole words; case and punctuation do not count.

    >>> holds_answer("The city is New York City.", ["New York"]), holds_answer("It is 1.", ["1991", "1990"])
    (True, False)
    """
    words = _words(text)
    return any(f" {plain} " in f" {words} " for reference in references if (plain := _words(reference)))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def over_rating(found: pd.DataFrame, right: Iterable[bool], rng: np.random.Generator, resamples: int) -> Interval:
    """By how many points the judge's mean chance that an answer is right exceeds the share that are right."""
    excess = question_means(found, "correctness") - 100 * np.asarray(list(right), float)
    return interval(excess.dropna(), rng, resamples, bounds=(-100, 100))
