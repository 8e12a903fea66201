"""Does a screen that learns from people's reviews make resolving cheaper, round after round? (UQ, appendix C.)

Each round brings new answers; a validator scores them by several checks, the best-scored ones are read by as many
people as there are reviews to spend, and the labels so found teach the validator for the next round. It sees labels
of the answers only that it let through. Simulated.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval

SCREENS = ("fixed", "learning", "best possible")


@dataclass(frozen=True)
class Rounds:
    """informative: by check, how far apart right and wrong answers score, in standard deviations; the validator starts
    with equal weights. slots: answers read a round, by `readers` people each, right with chance `skill`."""

    informative: Sequence[float] = (1.6, 0.8, 0.0, 0.0, 0.0, 0.0)
    rounds: int = 8
    answers: int = 600
    base_rate: float = 0.04
    slots: int = 60
    readers: int = 5
    skill: float = 0.85


def fisher_weights(scores: np.ndarray, labels: np.ndarray, prior: np.ndarray, worth: float) -> np.ndarray:
    """Weights of the checks that tell labels best apart (Fisher 1936), drawn to `prior`, itself worth `worth` labels.

    scores (answers, checks), labels (answers,), both kinds given; else the prior.
    """
    if labels.all() or not labels.any():
        return prior
    centred = np.where(labels[:, None], scores - scores[labels].mean(axis=0), scores - scores[~labels].mean(axis=0))
    spread = centred.T @ centred / len(scores) + 0.1 * np.eye(scores.shape[1])
    found = np.linalg.solve(spread, scores[labels].mean(axis=0) - scores[~labels].mean(axis=0))
    found, start = (weights / max(np.linalg.norm(weights), 1e-12) for weights in (found, prior))
    few = min(int(labels.sum()), int((~labels).sum()))
    return (few * found + worth * start) / (few + worth)


def one_run(setting: Rounds, screen: str, seed: int, worth: float = 10.0) -> np.ndarray:
    """True resolutions of each round, shape (rounds,). The same seed brings the same answers to every screen."""
    distance = np.asarray(setting.informative, float)
    prior = np.ones(len(distance))
    weights = distance if screen == "best possible" else prior
    seen, labels, resolved = [], [], []
    for number in range(setting.rounds):
        rng = np.random.default_rng([seed, number])
        right = rng.random(setting.answers) < setting.base_rate
        scores = rng.normal(size=(setting.answers, len(distance))) + right[:, None] * distance
        readers = rng.random((setting.answers, setting.readers)) < setting.skill
        called = np.where(right, readers.mean(axis=1) > 0.5, readers.mean(axis=1) < 0.5)
        read = np.argsort(-scores @ weights, kind="stable")[: setting.slots]
        resolved.append(int((called & right)[read].sum()))
        seen.append(scores[read])
        labels.append(called[read])
        if screen == "learning":
            weights = fisher_weights(np.concatenate(seen), np.concatenate(labels), prior, worth)
    return np.array(resolved)


def run_rounds(setting: Rounds, communities: int, seed: int) -> dict[str, np.ndarray]:
    """Of each screen: true resolutions per 100 reviews, shape (communities, rounds), all on the same answers."""
    per = 100 / (setting.slots * setting.readers)
    return {
        screen: per * np.array([one_run(setting, screen, seed + number) for number in range(communities)])
        for screen in SCREENS
    }


def round_table(found: dict[str, np.ndarray], rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """screen, round, resolutions per 100 reviews with 95 % limits, communities resampled."""
    rows = []
    for screen, values in found.items():
        for number, each in enumerate(bootstrap.intervals(values.T, rng, resamples, bounds=(0, 100)), 1):
            rows.append((screen, number, each.estimate, each.low, each.high))
    return pd.DataFrame(rows, columns=["screen", "round", "resolutions", "low", "high"])


def gain(found: dict[str, np.ndarray], rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """The learning screen's lead over the fixed one in the last round, resolutions per 100 reviews."""
    lead = found["learning"][:, -1] - found["fixed"][:, -1]
    return bootstrap.interval(lead, rng, resamples, bounds=(-100, 100))


def later_gain(found: dict[str, np.ndarray], rng: np.random.Generator, resamples: int = 2_000) -> Interval:
    """How much the lead grows in the second half of the rounds, less its growth in the first half.

    Growth: the lead at the half's last round less that at the end of the half before. Compounding would be > 0.
    """
    lead = found["learning"] - found["fixed"]
    middle = lead.shape[1] // 2
    growth = (lead[:, -1] - lead[:, middle - 1]) - (lead[:, middle - 1] - lead[:, 0])
    return bootstrap.interval(growth, rng, resamples, bounds=(-400, 400))
