"""Reviewers who play the game of `tournament`: drawn reviews, and a crowd that imitates what earned more. Simulated.

`play` draws what `tournament.payoffs` computes. In `learn` a crowd finds its share of diligent reviewers, and knows
neither the mechanism nor the chances; `stable_equilibria` is where an endless crowd comes to rest.
"""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm, t

from proctor.kina.tournament import Mechanism, Reviewer, bonuses, payoffs
from proctor.stats import checks
from proctor.stats.interval import Interval


def play(
    mechanism: Mechanism,
    own: Reviewer,
    e: np.ndarray,
    f: np.ndarray,
    rng: np.random.Generator,
    other: Reviewer | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw one item for each pair of efforts: (what the own reviewer gains, the level of the released review).

    e, f: the own effort and the other's, integers of one shape, which both results have.
    """
    m, other = mechanism, other or own
    first, second = _levels(own, e, rng), _levels(other, f, rng)
    certain = (payoffs(m, own, other) - bonuses(m, own, other))[e, f]  # pay less cost
    if m.kind == "agreement":
        defect = rng.random(first.shape) < m.defects
        share = (defect & (first >= m.bar)) == (defect & (second >= m.bar))
    elif m.kind in ("each", "tournament"):
        better = (first > second) + (first == second) / 2 if m.kind == "tournament" else 1.0
        share = (rng.random(first.shape) < m.audit) * (first >= m.bar) * better
    else:
        share = np.zeros(first.shape)
    return certain + m.bonus * share, np.maximum(first, second)


def _levels(reviewer: Reviewer, efforts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    below = reviewer.cdf[:, :-1][efforts]
    return (rng.random(below.shape[:-1])[..., None] > below).sum(axis=-1)


def learn(
    mechanism: Mechanism,
    reviewer: Reviewer,
    rng: np.random.Generator,
    *,
    crowds: int = 8,
    reviewers: int = 1000,
    rounds: int = 400,
    mutation_rate: float = 0.005,
    start: float = 0.5,
) -> np.ndarray:
    """(crowds,): share of diligent reviewers in each of several crowds, mean over the second half of the rounds.

    In each round every reviewer reviews one item beside another reviewer of the crowd, then looks at what one more has
    earned. If that was more, it takes over the other's effort, with a chance in proportion to the difference. With
    chance `mutation_rate` it takes any effort instead. Two efforts; `start`: the share of diligent ones at first.
    """
    _check(reviewer, mutation_rate)
    for name, size in (("crowds", crowds), ("reviewers", reviewers), ("rounds", rounds)):
        checks.at_least_one(size, name)
    effort = (np.arange(reviewers) < start * reviewers).astype(int) * np.ones((crowds, 1), int)
    step, shares = _step(mechanism, reviewer), []
    for _ in range(rounds):
        gain, _ = play(mechanism, reviewer, effort, _someone(effort, rng), rng)
        observed = rng.integers(reviewers, size=effort.shape)
        better = np.take_along_axis(gain, observed, axis=1) - gain
        imitates = rng.random(effort.shape) < step * better
        effort = np.where(imitates, np.take_along_axis(effort, observed, axis=1), effort)
        effort = np.where(rng.random(effort.shape) < mutation_rate, rng.integers(2, size=effort.shape), effort)
        shares.append(effort.mean(axis=1))
    return np.mean(shares[rounds // 2 :], axis=0)


def stable_equilibria(mechanism: Mechanism, reviewer: Reviewer, mutation_rate: float = 0.005) -> list[float]:
    """The shares of diligence, rising, at which a crowd that learns as in `learn` neither rises nor falls on average.

    The mean of imitation is the replicator equation, x (1 - x) times what diligence gains, here with the pull of
    mutation towards 1/2; without mutation these are the equilibria, and 0 and 1. Exact for an endless crowd. Only
    stable ones.
    """
    _check(reviewer, mutation_rate)
    lazy, diligent = np.diff(payoffs(mechanism, reviewer), axis=0)[0]
    step = _step(mechanism, reviewer)

    def drift(x: float) -> float:
        gain = step * (lazy + (diligent - lazy) * x)
        return (1 - mutation_rate) * x * (1 - x) * gain + mutation_rate * (0.5 - x)

    grid = np.linspace(0, 1, 2001)
    falls = np.flatnonzero((drift(grid[:-1]) > 0) & (drift(grid[1:]) <= 0))  # upwards before, downwards after: stable
    return [float(brentq(drift, grid[i], grid[i + 1], xtol=1e-12)) for i in falls]


def _check(reviewer: Reviewer, mutation_rate: float) -> None:
    if len(reviewer.costs) != 2:
        raise ValueError(f"{len(reviewer.costs)} efforts: crowds learn between two")
    if not 0 < mutation_rate < 1:
        raise ValueError(
            f"mutation_rate is {mutation_rate:g}: must lie between 0 and 1, or an effort that dies out never comes back"
        )


def _someone(effort: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The effort of a reviewer of the same crowd, drawn anew for each."""
    return np.take_along_axis(effort, rng.integers(effort.shape[1], size=effort.shape), axis=1)


def _step(mechanism: Mechanism, reviewer: Reviewer) -> float:
    """One over the largest difference of two earnings, so that imitation has a chance of at most 1."""
    costs = payoffs(mechanism, reviewer) - bonuses(mechanism, reviewer)
    return 1 / (mechanism.bonus + np.ptp(costs))


def worst_deviation(table: pd.DataFrame, n: int, of: str, *, unit: str, degrees: int | None = None) -> Interval:
    """Of several drawn means, the one farthest from its exact value: drawn minus exact, with its interval.

    table: columns drawn, error (standard error) and exact, one row per mean. The interval is as wide as so many
    comparisons need (`with_limits`). n: draws behind each mean.
    """
    away = table["drawn"] - table["exact"]
    at = away.abs().idxmax()
    limits = with_limits(table, degrees).loc[at]
    low, high = (limits[side] - table.loc[at, "exact"] for side in ("low", "high"))
    method = "normal" if degrees is None else "Student"
    return Interval(away[at], low, high, 1 - 0.05 / len(table), method, n=n, of=of, unit=unit, family=len(table))


def with_limits(table: pd.DataFrame, degrees: int | None = None) -> pd.DataFrame:
    """The table with columns low and high: drawn plus and minus a multiple of error, for as many comparisons as rows.

    The multiple is normal, or Student's with `degrees` of freedom.
    """
    tail = 0.025 / len(table)
    width = (norm.isf(tail) if degrees is None else t.isf(tail, degrees)) * table["error"]
    return table.assign(low=table["drawn"] - width, high=table["drawn"] + width)
