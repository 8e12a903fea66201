"""Do validator and people agree, and could they have disagreed? (UQ, appendices B.3 and I.3, Tables S2 and S9.)"""

import numpy as np
import pandas as pd

from proctor.data.published import load_published
from proctor.stats.bootstrap import Interval, paired_difference, statistic_interval
from proctor.stats.proportions import clopper_pearson
from proctor.stats.reconstruct import accuracy_counts, agreement_counts

CELLS = ["both_passed", "only_validator", "only_people", "neither"]


def rated_answers(n: int = 25) -> pd.DataFrame:
    """Table S9 (and S2) as counts: one row an answer model, the 2x2 table that its three printed rates leave.

    low, high: exact 95 % limits of the agreement. always_reject: how often rejecting everything agrees with people.
    kappa: the exact fraction as text, "" where it does not exist. Raises ValueError unless exactly one table fits.
    """
    rows = []
    for row in load_published("uq/table_S9").itertuples():
        (found,) = agreement_counts(row.passed_validator, row.passed_human, row.agreement, n)
        (reasoning,) = accuracy_counts(row.reasoning_accuracy, n)
        agreed = found.both + found.neither
        low, high = clopper_pearson(agreed, n)
        counts = dict(zip(CELLS, (found.both, found.only_a, found.only_b, found.neither)))
        shares = dict(agreement=agreed / n, low=low, high=high, always_reject=1 - (found.both + found.only_b) / n)
        kappa = "" if found.kappa is None else str(found.kappa)
        known = dict(reasoning_right=reasoning.k, kappa_printed=row.cohens_kappa, kappa=kappa)
        rows.append(dict(answer_model=row.answer_model) | counts | shares | known)
    return pd.DataFrame(rows)


def verdicts_of(cells) -> tuple[np.ndarray, np.ndarray]:
    """(validator, people) passed, 0/1 of shape (answers,), from the four counts `CELLS` of a row or a sum of rows."""
    counts = [int(cells[name]) for name in CELLS]
    return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)


def gain_over_rejecting(cells, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """Agreement with people less that of rejecting everything, by answer: their questions are not printed."""
    validator, people = verdicts_of(cells)
    return paired_difference(validator == people, people == 0, rng, resamples)


def kappa(a: np.ndarray, b: np.ndarray) -> float:
    """Cohen's kappa of two raters' labels, shape (items,); NaN where chance alone agrees fully.

    >>> round(kappa(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0])), 3)
    0.5
    """
    expected = sum(np.mean(a == label) * np.mean(b == label) for label in set(a) | set(b))
    return float((np.mean(a == b) - expected) / (1 - expected)) if expected < 1 else float("nan")


def kappa_interval(cells, rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """Cohen's kappa of validator and people, answers resampled; `undefined` counts the resamples without one."""
    return statistic_interval(kappa, list(verdicts_of(cells)), rng, resamples)


def kappa_of_equal_raters(share: np.ndarray | float, error: float) -> tuple[float, np.ndarray | float]:
    """(agreement, kappa) of two raters who err on a share `error` of all answers, independently.

    share: of right answers, where kappa depends on it and agreement does not.

    >>> agreement, at_half = kappa_of_equal_raters(0.5, 0.05)
    >>> round(agreement, 3), round(at_half, 2), round(kappa_of_equal_raters(0.04, 0.05)[1], 2)
    (0.905, 0.81, 0.4)
    """
    passed, agreement = share * (1 - error) + (1 - share) * error, (1 - error) ** 2 + error**2
    chance = passed**2 + (1 - passed) ** 2
    return agreement, (agreement - chance) / (1 - chance)


def _labels(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    truth = np.where(part["correct"].astype(bool), "accept", "reject")
    return truth, part["outcome"].to_numpy(str)
