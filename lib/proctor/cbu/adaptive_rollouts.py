"""Fewer rollouts for the same ranking: sequential halving and racing, where the paper spends 64 on every candidate.

    draw = replay_rollouts(outcomes)                           # recorded 0/1 rollouts
    uniform(draw, 10, 64)                                      # the paper: 640 calls
    halving(draw, 10, 160, rng)                                # 160 calls in all, most of them on the best quarter
    race_to_best(draw, 10, delta=0.05, margin=0.25)            # drops what cannot be the best
    race_against_base(draw, 10, base=(12, 64), delta=0.05)     # which candidates help more than no candidate

A rollout is 0 or 1 (CBU, section 3). The schemes see counts only, so `draw` may ask a model or read a recording.
Rollouts of several neighbours must come in turns, as `simulate` deals them, so that every n weighs the
neighbours equally. The estimate of a dropped candidate is too low on average, and the winner's is too high: report the
order of an adaptive scheme, not its estimates.

Sequential halving: Karnin, Koren and Somekh (ICML 2013). Racing: Maron and Moore (NIPS 1993).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log2

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from proctor.cbu.ranking_metrics import top_chance
from proctor.stats import checks
from proctor.stats.proportions import clopper_pearson

LOOKS = (4, 8, 16, 32, 64)  # rollouts of a candidate when racing looks at it: those of CBU, Figure 6
MOST = LOOKS[-1]

Draw = Callable[[int, int], int]  # draw(candidate, n): successes among its next n rollouts


@dataclass(frozen=True)
class RacingResult:
    """What a scheme learned. All of shape (candidates,).

    successes, calls: rollouts that succeeded, and all. stage: how long the candidate stayed in; those that stayed to
    the end have the highest. verdict: of `race_against_base`, 1 above the base, -1 below, 0 undecided; else all 0.
    """

    successes: np.ndarray
    calls: np.ndarray
    stage: np.ndarray
    verdict: np.ndarray

    @property
    def estimate(self) -> np.ndarray:
        """Share of successes."""
        return self.successes / self.calls

    @property
    def score(self) -> np.ndarray:
        """What to rank by: whoever stayed in longer comes first, then the estimate."""
        return 2 * self.stage + self.estimate

    @property
    def kept(self) -> np.ndarray:
        """Whether the candidate stayed to the end."""
        return self.stage == self.stage.max()


def uniform(draw: Draw, candidates: int, rollouts: int = MOST) -> RacingResult:
    """The same number of rollouts for every candidate."""
    found = _Tally(draw, candidates)
    found.up_to(checks.at_least_one(rollouts, "rollouts"))
    return found.result()


def halving(draw: Draw, candidates: int, budget: int, rng: np.random.Generator, most: int = MOST) -> RacingResult:
    """Sequential halving: in each of log2(candidates) rounds the budget's share goes evenly to those still in, and the
    better half stays.

    Never more than `budget` calls in all, nor than `most` for one candidate; what a round leaves over goes to the next
    ones. Earlier rollouts count on. Ties at the cut are broken by `rng`. Raises ValueError if the budget does not give
    every candidate one rollout in the first round.
    """
    found = _Tally(draw, candidates)
    rounds = max(ceil(log2(candidates)), 1)
    if budget < rounds * candidates:
        raise ValueError(
            f"budget {budget} is too small: {rounds} rounds of {candidates} candidates need {rounds * candidates}"
        )
    for left in range(rounds, 0, -1):
        each = (budget - int(found.calls.sum())) // (left * int(found.alive.sum()))
        found.up_to(np.minimum(found.calls + each, most))
        alive = np.flatnonzero(found.alive)
        order = np.lexsort((rng.random(len(alive)), -found.successes[alive] / found.calls[alive]))
        found.drop(alive[order[ceil(len(alive) / 2) :]])
    return found.result()


def race_to_best(
    draw: Draw, candidates: int, delta: float = 0.05, margin: float = 0.0, looks: Sequence[int] = LOOKS
) -> RacingResult:
    """Racing to the best candidate: after `looks` rollouts each, drop whomever the leader beats by an exact test.

    Stops with one left, or with all others' upper limits within `margin` of the leader's lower one, or after the last
    look. With a chance of at least 1 - delta all of this holds: a candidate of the highest true utility is kept; and if
    it stopped before the last look, the first-ranked is within `margin` of it.

    For the best to be dropped Fisher's test of it against some other must fail at some look, each with a chance of at
    most delta / ((candidates - 1) x looks); with a margin half of delta is for the one-sided Clopper-Pearson limits,
    delta / 2 / (candidates x looks) each (union bounds; the looks are set beforehand). Candidates that tie are never
    told apart, so that a margin of 0 spends everything on them.
    """
    if not 0 <= margin < 1:
        raise ValueError(f"margin is {margin}: a difference of utilities, from 0 to below 1")
    part = _part(delta, looks) / (2 if margin else 1)
    found = _Tally(draw, candidates)
    for n in looks:
        found.up_to(n)
        alive = np.flatnonzero(found.alive)
        k = found.successes[alive]
        low, high = limits(n, part / candidates)[k].T if margin else (np.zeros(len(k)), np.ones(len(k)))
        others = np.delete(high, k.argmax())
        found.drop(alive[fisher(n, n)[k.max(), k] <= part / max(candidates - 1, 1)])
        if found.alive.sum() == 1 or others.max() <= low.max() + margin:
            break
    return found.result()


def race_against_base(
    draw: Draw, candidates: int, base: tuple[int, int], delta: float = 0.05, looks: Sequence[int] = LOOKS
) -> RacingResult:
    """Racing against the solver that has seen no candidate: which candidates help it, which mislead it?

    base: its successes and rollouts. A candidate stops once Fisher's test tells it from the base (`verdict`). With a
    chance of at least 1 - delta no verdict on the question is wrong: each test at delta / (2 x candidates x looks).
    """
    successes, rollouts = base
    if not 0 <= successes <= rollouts or rollouts < 1:
        raise ValueError(f"base is {base}: the successes and the rollouts, at least one, without a candidate")
    alpha, found = _part(delta, looks) / (2 * candidates), _Tally(draw, candidates)
    for n in looks:
        found.up_to(n)
        alive = np.flatnonzero(found.alive)
        k = found.successes[alive]
        higher, lower = fisher(n, rollouts)[k, successes] <= alpha, fisher(rollouts, n)[successes, k] <= alpha
        found.verdict[alive] = higher.astype(int) - lower
        found.drop(alive[higher | lower])
        if not found.alive.any():
            break
    return found.result()


@lru_cache(maxsize=256)
def limits(n: int, alpha: float) -> np.ndarray:
    """Clopper-Pearson limits (low, high), each failing with a chance of at most alpha; (n + 1, 2), row k for k of n.

    They hold too where neighbours differ in difficulty: such a sum has lighter tails (Hoeffding 1956).
    """
    return _shared(np.array([clopper_pearson(k, n, 1 - 2 * alpha) for k in range(n + 1)]))


@lru_cache(maxsize=256)
def fisher(n: int, m: int) -> np.ndarray:
    """One-sided p-values (n + 1, m + 1) of Fisher's exact test: entry [j, k] of j of n being more often than k of m."""
    j, k = np.arange(n + 1)[:, None], np.arange(m + 1)
    return _shared(hypergeom.sf(j - 1, n + m, j + k, n))


def replay_rollouts(outcomes: ArrayLike) -> Draw:
    """Draw from recorded rollouts 0/1, (candidates, rollouts), in their order. Raises ValueError when they run out."""
    outcomes = np.asarray(outcomes)
    if outcomes.ndim != 2 or outcomes.size == 0 or not np.isin(outcomes, (0, 1)).all():
        raise ValueError(f"outcomes has shape {outcomes.shape}: needs a table of 0 and 1, (candidates, rollouts)")
    upto = np.c_[np.zeros(len(outcomes), int), outcomes.cumsum(axis=1)]
    taken = np.zeros(len(outcomes), int)

    def draw(candidate: int, n: int) -> int:
        start, stop = taken[candidate], taken[candidate] + n
        if stop > outcomes.shape[1]:
            raise ValueError(
                f"candidate {candidate} has {outcomes.shape[1]} rollouts, {stop} are wanted: "
                "record more, or lower the looks or the most that one may have"
            )
        taken[candidate] = stop
        return int(upto[candidate, stop] - upto[candidate, start])

    return draw


def simulate(rates: ArrayLike, rollouts: int, rng: np.random.Generator) -> np.ndarray:
    """Simulated rollouts 0/1 of known success rates, (candidates, rollouts). Simulated evidence.

    rates: (candidates,), or (candidates, neighbours), whose rollouts come in turns.
    """
    rates = np.asarray(rates, float)
    checks.probability(rates.ravel(), "rates")
    rates = rates.reshape(len(rates), -1)
    neighbour = np.arange(checks.at_least_one(rollouts, "rollouts")) % rates.shape[1]
    return (rng.random((len(rates), rollouts)) < rates[:, neighbour]).astype(np.int8)


def run_trials(
    schemes: Mapping[str, Callable[[Draw, int], RacingResult]],
    rates: ArrayLike,
    correct: ArrayLike,
    rng: np.random.Generator,
    rollouts: int = MOST,
) -> pd.DataFrame:
    """Each scheme(draw, candidates) on the same simulated rollouts of every question; one row a question and scheme.

    rates: true utilities, (questions, candidates). correct: 0/1, (candidates,) or as rates. Columns: question, scheme,
    calls; acc1, ties shared; regret: how far the first-ranked's utility is below the highest, mean over ties; lost: the
    best was not kept; short: how far the worst of those that tie for the first place is below the highest; early:
    stopped with rollouts left; bias_first, bias_others: mean of estimate less utility of the first-ranked and of the
    others. Simulated evidence.
    """
    rates = checks.finite(rates, "rates", 2)
    labels, rows = np.broadcast_to(correct, rates.shape), []
    for question, (true, right) in enumerate(zip(rates, labels)):
        outcomes = simulate(true, rollouts, rng)
        for name, scheme in schemes.items():
            found = scheme(replay_rollouts(outcomes), len(true))
            first, gap = top_chance(found.score, 1), found.estimate - true
            rows.append(
                dict(
                    question=question,
                    scheme=name,
                    calls=found.calls.sum(),
                    acc1=first @ right,
                    regret=true.max() - first @ true,
                    lost=true[found.kept].max() < true.max(),
                    short=true.max() - true[first > 0].min(),
                    early=found.calls.max() < rollouts,
                    bias_first=first @ gap,
                    bias_others=(1 - first) @ gap / max(len(true) - 1, 1),
                )
            )
    return pd.DataFrame(rows)


def violates_guarantee(found: pd.DataFrame, margin: float) -> pd.Series:
    """Rows of `run_trials` in which a race of that margin broke its guarantee: lost the best, or stopped on a worse."""
    return found["lost"] | found["early"] & (found["short"] > margin + 1e-12)


class _Tally:
    """The running counts of a scheme."""

    def __init__(self, draw: Draw, candidates: int) -> None:
        n = checks.at_least_one(candidates, "candidates")
        self.draw = draw
        self.successes, self.calls, self.stage, self.verdict = (np.zeros(n, int) for _ in range(4))
        self.alive = np.ones(n, bool)

    def up_to(self, n: ArrayLike) -> None:
        """Draw for every candidate still in until it has n rollouts."""
        wanted = np.where(self.alive, np.maximum(n - self.calls, 0), 0)
        for c in np.flatnonzero(wanted).tolist():
            self.successes[c] += self.draw(c, int(wanted[c]))
        self.calls += wanted

    def drop(self, candidates: np.ndarray) -> None:
        """End a stage: these leave, the others go on."""
        self.alive[candidates] = False
        self.stage[self.alive] += 1

    def result(self) -> RacingResult:
        return RacingResult(self.successes, self.calls, self.stage, self.verdict)


def _part(delta: float, looks: Sequence[int]) -> float:
    """The chance of failure that each look may have."""
    if not looks or any(b <= a for a, b in zip((0, *looks), looks)):
        raise ValueError(f"looks is {tuple(looks)}: rising numbers of rollouts, of at least 1")
    return checks.share(delta, "delta") / len(looks)


def _shared(table: np.ndarray) -> np.ndarray:
    table.flags.writeable = False  # the cache hands the same one to all
    return table
