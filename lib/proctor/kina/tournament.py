"""Two blind reviewers and what they are paid for: KINA's bonus on a bar, and what it is compared with; exact, or drawn.

    >>> reviewer = Reviewer(costs=(1, 2), quality=((0.5, 0.3, 0.2), (0.1, 0.1, 0.8)))  # hasty, diligent
    >>> payoffs(Mechanism("tournament", bonus=4, bar=2), reviewer).round(2).tolist()  # [own effort][other's effort]
    [[-0.28, -0.52], [0.88, -0.08]]
    >>> round(float(thresholds(reviewer, bar=2).max()), 2)  # the bonus above which effort always pays
    2.78

Two reviewers judge one item, independently and without seeing each other. Each chooses an effort; diligence costs
more and makes better reviews likelier. The better review is released. With chance `audit` the item is audited, which
shows whether a review clears the bar. Reviewers are risk-neutral. Efforts are 0, hasty, and 1, diligent; levels of
quality count from 0 upwards. Without `other` both reviewers are alike.

Of all this the review of the paper gives the words bonus, bar, blind and the threshold B > dC / dp_min (KINA,
Theorem 1). The model, what an audit does, and the proofs (notebook kina/2_tournament) are our reading.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from proctor.stats.interval import Interval

EFFORTS = ("hasty", "diligent")
KINDS = ("flat", "per_item", "each", "tournament", "agreement")  # of what a reviewer is paid for
EXACT = 1e-12  # slack for sums of probabilities


@dataclass(frozen=True)
class Reviewer:
    """costs (2,): what a hasty and a diligent review cost, in hours at the price of 1. quality (2, levels): chances.

    Raises ValueError unless costs are not negative and rise, rows of quality are probabilities, and diligence makes
    every level of quality or better at least as likely (first-order stochastic dominance).
    """

    costs: Sequence[float]
    quality: Sequence[Sequence[float]]

    def __post_init__(self):
        costs, quality = np.asarray(self.costs, float), self.chances
        if costs.shape != (2,) or quality.ndim != 2 or len(quality) != 2 or quality.shape[1] < 2:
            raise ValueError(
                f"costs of shape {costs.shape}, quality of shape {quality.shape}: give two efforts, a cost and a row "
                "of two or more levels for each"
            )
        if not 0 <= costs[0] < costs[1] < np.inf:
            raise ValueError(f"costs are {costs.tolist()}: give finite numbers, not negative, that rise with effort")
        if not ((quality >= 0).all() and np.allclose(quality.sum(axis=1), 1, rtol=0, atol=1e-9)):
            raise ValueError(f"quality is {quality.tolist()}: chances are not negative and each row adds up to 1")
        if (np.diff(quality.cumsum(axis=1), axis=0) > 1e-9).any():
            raise ValueError(f"quality is {quality.tolist()}: diligence must make no level or better less likely")

    @property
    def chances(self) -> np.ndarray:
        return np.asarray(self.quality, float)

    @property
    def cdf(self) -> np.ndarray:
        """(efforts, levels): chance of a quality of at most this level."""
        return np.minimum(self.chances.cumsum(axis=1), 1)

    def clears(self, bar: int) -> np.ndarray:
        """(efforts,): chance that a review reaches level `bar`. ValueError unless it rises with effort."""
        levels = len(self.quality[0])
        if not 1 <= bar < levels:
            raise ValueError(f"bar is {bar}: must be one of the levels 1 to {levels - 1}")
        chance = self.chances[:, bar:].sum(axis=1)
        if chance[1] - chance[0] <= EXACT:
            raise ValueError(
                f"a hasty review clears bar {bar} with chance {chance[0]:g}, a diligent one with {chance[1]:g}: the "
                "chance must rise with effort"
            )
        return chance


@dataclass(frozen=True)
class Mechanism:
    """What a reviewer is paid for an item; `pay` is certain, the bonus is not.

    flat        pay, for a set number of items
    per_item    pay for every review handed in, as many as the reviewer likes: an hour spent costs the pay that the
                next hasty review would have brought
    each        pay, and the bonus for every review that an audit finds to clear the bar
    tournament  pay, and the bonus for the better review if an audit finds that it clears the bar; ties share it evenly
    agreement   pay, and the bonus if both verdicts are alike (peer prediction in its simplest form; no audit). A share
                `defects` of the items has a defect; a review that clears the bar tells, any other finds none

    Raises ValueError for an unknown kind, a bonus that is missing or not positive where one is paid, and shares outside
    0 to 1.
    """

    kind: str
    bonus: float = 0.0
    bar: int = 1
    audit: float = 1.0
    pay: float = 0.0
    defects: float = 0.2

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}: must be one of {', '.join(KINDS)}")
        if self.kind not in KINDS[:2] and not 0 < self.bonus < np.inf:
            raise ValueError(f"bonus is {self.bonus:g}: {self.kind} needs one above 0")
        for name in ("audit", "defects"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name):g}: must be a share from 0 to 1")
        if not 0 <= self.pay < np.inf:
            raise ValueError(f"pay is {self.pay:g}: must be a finite number, not negative")


def win(own: Reviewer, other: Reviewer | None = None, *, bar: int) -> np.ndarray:
    """(own effort, other's effort): chance that the own review clears the bar and is the better; a tie counts half."""
    other = other or own
    own.clears(bar), other.clears(bar)
    beaten = other.cdf - other.chances / 2
    beaten[:, :bar] = 0
    return own.chances @ beaten.T


def cleared(reviewer: Reviewer, *, bar: int) -> np.ndarray:
    """(own effort, other's effort): chance that the released review, the better one, clears the bar."""
    misses = 1 - reviewer.clears(bar)
    return 1 - np.outer(misses, misses)


def verdict_agreement(own: Reviewer, other: Reviewer | None = None, *, bar: int, defects: float) -> np.ndarray:
    """(own effort, other's effort): chance of like verdicts; see Mechanism."""
    p, q = own.clears(bar), (other or own).clears(bar)
    return 1 - defects + defects * (np.outer(p, q) + np.outer(1 - p, 1 - q))


def bonuses(mechanism: Mechanism, own: Reviewer, other: Reviewer | None = None) -> np.ndarray:
    """(own effort, other's effort): the own expected bonus."""
    m, other = mechanism, other or own
    if m.kind == "each":
        chance = m.audit * np.tile(own.clears(m.bar)[:, None], len(other.costs))
    elif m.kind == "tournament":
        chance = m.audit * win(own, other, bar=m.bar)
    elif m.kind == "agreement":
        chance = verdict_agreement(own, other, bar=m.bar, defects=m.defects)
    else:
        chance = np.zeros((len(own.costs), len(other.costs)))
    return m.bonus * chance


def payoffs(mechanism: Mechanism, own: Reviewer, other: Reviewer | None = None) -> np.ndarray:
    """(own effort, other's effort): what an item leaves the reviewer: pay and expected bonus less the cost of effort.

    per_item: ValueError if the least effort costs nothing, for then no number of reviews is enough.
    """
    price = 1.0  # of an hour
    if mechanism.kind == "per_item":
        if own.costs[0] == 0:
            raise ValueError("costs[0] is 0: paid per item, a reviewer whose haste costs nothing hands in without end")
        price = max(price, mechanism.pay / own.costs[0])
    return mechanism.pay + bonuses(mechanism, own, other) - price * np.asarray(own.costs, float)[:, None]


def settle(mechanism: Mechanism, levels: tuple[int, int] | None) -> tuple[float, float]:
    """What the two reviews of one item are paid in a tournament, once an audit has found their levels; None: no audit.

    >>> settle(Mechanism("tournament", bonus=4, bar=2, pay=1.0), (2, 3))
    (1.0, 5.0)
    """
    if levels is None or max(levels) < mechanism.bar:
        return mechanism.pay, mechanism.pay
    first, second = levels
    share = (first > second) + (first == second) / 2
    return mechanism.pay + mechanism.bonus * share, mechanism.pay + mechanism.bonus * (1 - share)


def thresholds(own: Reviewer, other: Reviewer | None = None, *, bar: int) -> np.ndarray:
    """(other's effort,): the bonus, times the share audited, above which diligence pays in a tournament against it.

    dC / dp: what diligence costs more, by how much it raises the chance of the bonus; infinite where it raises nothing.
    Above the larger of the two diligence is strictly dominant (KINA, Theorem 1: B > dC / dp_min).
    """
    rise = np.diff(win(own, other, bar=bar), axis=0)[0]
    return np.divide(own.costs[1] - own.costs[0], rise, out=np.full(2, np.inf), where=rise > EXACT)


def pure_equilibria(mechanism: Mechanism, own: Reviewer, other: Reviewer | None = None) -> list[tuple[int, int]]:
    """Pairs of efforts (own, other's) neither of which its reviewer would change alone."""
    ours, theirs = payoffs(mechanism, own, other), payoffs(mechanism, other or own, own).T
    stable = (ours >= ours.max(axis=0) - EXACT) & (theirs >= theirs.max(axis=1, keepdims=True) - EXACT)
    return [(int(e), int(f)) for e, f in np.argwhere(stable)]


def symmetric_equilibria(mechanism: Mechanism, reviewer: Reviewer) -> list[float]:
    """Shares of diligence x, rising, such that two like reviewers who are both diligent with chance x would not change.

    What diligence gains is linear in the other's x: an end is an equilibrium if the gain points at it, and where the
    gain crosses zero both efforts are equally good.
    """
    lazy, diligent = np.diff(payoffs(mechanism, reviewer), axis=0)[0]  # what diligence gains against each
    found = [0.0] if lazy <= 0 else []
    if lazy * diligent < 0:
        found.append(float(lazy / (lazy - diligent)))
    return found + ([1.0] if diligent >= 0 else [])


def play(
    mechanism: Mechanism, reviewer: Reviewer, e: np.ndarray, f: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw one item for each pair of efforts: (what the own reviewer gains, the level of the released review).

    e, f: the own effort and the other's, integers of one shape, which both results have.
    """
    m, first, second = mechanism, _levels(reviewer, e, rng), _levels(reviewer, f, rng)
    certain = (payoffs(m, reviewer) - bonuses(m, reviewer))[e, f]  # pay less cost
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
