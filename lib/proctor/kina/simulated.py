"""Simulated leaderboards of KINA's size, and fields of knowledge: what a choice of items tests of a whole field.

A leaderboard has 42 models of chosen accuracies, and any number of exams of 899 items. The review of the paper prints
three of 42 accuracies. The other 39 are assumed inside the tiers that it describes, and so is how hard the items are
and how far models agree on that. Nothing here is data, and no simulated model has a name.

One exam is one sample of items. What is said of "an exam of this size" is therefore an average over many simulated
exams, and its interval is over these exams (`over_exams`).

    field = Field(disciplines=12, topics=100, reach=4, namings=300, skew=1.0, crowding=0.15)
    trial = field.trial(rng)    # proposed items, the experts' proxy, the population
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse

from proctor.data.published import load_published
from proctor.kina.max_coverage import (
    Proxy,
    at_most,
    facility_location,
    upper_bound,
    value,
)
from proctor.stats import checks
from proctor.stats.compare import cluster_t_interval
from proctor.stats.interval import Interval
from proctor.stats.proportions import wilson
from proctor.stats.simulate import item_responses

FRONTIER, STRONG, LOW = TIERS = ("frontier", "strong", "low")


@cache
def published_facts() -> pd.Series:
    """KINA's printed numbers by name, as floats."""
    return load_published("kina/facts").set_index("fact")["value_value"]


def simulated_models(strong: Sequence[float], low: Sequence[float]) -> pd.DataFrame:
    """The 42 models, best first: columns model (no real name), accuracy (a share), printed (percent or NaN), tier.

    strong, low: (how many, best, worst accuracy in percent) of the assumed models, spread evenly. The three best have
    the printed accuracies. Raises ValueError unless all add up to the printed number of models and their accuracies
    fall from the printed ones towards chance.

    >>> models = simulated_models((25, 45.0, 38.0), (14, 20.0, 11.0))
    >>> models["model"].iloc[[0, 3, 41]].tolist()
    ['a model at 53.2 %', 'a model at 45.0 %', 'a model at 11.0 %']
    """
    facts = published_facts()
    printed = load_published("kina/leaderboard")["accuracy_value"].dropna().to_numpy()
    assumed = [np.linspace(best, worst, int(count)) for count, best, worst in (strong, low)]
    percent = np.concatenate([printed, *assumed])
    if len(percent) != facts["models"]:
        raise ValueError(
            f"strong and low have {len(percent) - len(printed)} models: with the {len(printed)} printed ones they "
            f"must be {facts['models']:.0f}"
        )
    if not (np.diff(percent) < 0).all() or percent[-1] <= facts["chance_baseline"]:
        raise ValueError(
            f"accuracies must fall from {printed[-1]:g} % (the last printed one) and stay above chance, "
            f"{facts['chance_baseline']:g} %: give strong and low as (models, best, worst)"
        )
    digits = next(n for n in range(1, 9) if len({f"{value:.{n}f}" for value in percent}) == len(percent))
    return pd.DataFrame(
        dict(
            model=[f"a model at {value:.{digits}f} %" for value in percent],
            accuracy=percent / 100,
            printed=[*printed, *[np.nan] * (len(percent) - len(printed))],
            tier=np.repeat(TIERS, [len(printed), *(len(values) for values in assumed)]),
        )
    )


def disciplines() -> np.ndarray:
    """The assumed discipline of each item, shape (items,): as even as possible, 3 or 4 items each."""
    return np.arange(int(published_facts()["items"])) % int(published_facts()["disciplines"])


def draw_exams(accuracy: ArrayLike, exams: int, rng: np.random.Generator, **settings: float) -> np.ndarray:
    """Scores of many exams of 899 fresh items, shape (exams, models, items).

    The models have these accuracies over the items of all exams together; in one exam they differ from it, as in a
    sample of items. The disciplines are the same in all exams, item by item. settings: those of
    `stats.simulate.item_responses` (samples, difficulty_sd, interaction_sd, cluster_sd, ...).
    """
    labels = np.tile(disciplines(), checks.at_least_one(exams, "exams"))
    scores = item_responses(accuracy, len(labels), rng, labels, **settings).scores  # type: ignore[arg-type]
    return scores.reshape(len(scores), exams, -1).swapaxes(0, 1)


def over_exams(values: pd.Series, unit: str, family: int = 1, bounds: tuple[float, float] = (0.0, 100.0)) -> Interval:
    """What simulated exams show on average, ready for `Output.claim`: the mean of one number an exam with Student's
    interval, or of flags the percent with Wilson's. Exams where it is NaN are left out.

    values: (exams,). family: comparisons that are looked at together. bounds: the lowest and highest possible number.

    >>> found = over_exams(pd.Series([True] * 9 + [False]), "% of exams")
    >>> found.estimate, found.n, round(found.low, 1), round(found.high, 1)
    (90.0, 10, 59.6, 98.2)
    """
    values, level = values.dropna().infer_objects(), 1 - 0.05 / family
    if values.dtype == bool and len(values):
        limits = wilson(int(values.sum()), len(values), level)
        found = Interval(float(values.mean()), *limits, level, "wilson").scaled(100)
    else:
        found = cluster_t_interval(values.to_numpy(), range(len(values)), level, bounds)
    return replace(found, n=len(values), of="simulated exams", unit=unit, family=family)


# A field of knowledge


@dataclass(frozen=True)
class Trial:
    """One simulated field: proposed items, the experts' proxy, a proxy of fairly drawn anchors."""

    items: np.ndarray
    proxy: Proxy
    fair: Proxy


@dataclass(frozen=True)
class Field:
    """disciplines with `topics` topics each, all of equal weight, in a row; an item tests a topic of its own and, less
    and less, its neighbours up to `reach` places away: similarity 1 - distance / (reach + 1).

    Experts name topics, those of some disciplines more often; the named topics are the anchors (the proxy), all topics
    are the population. Every number is assumed: the review of KINA gives none.

    Of experts and authors: namings, topics that experts name, one each time; skew: each next discipline is named
    exp(-skew) times as often; crowding: the same for the topics that authors propose; proposals, one item each.
    """

    disciplines: int = 12
    topics: int = 100
    reach: int = 4
    namings: int = 300
    skew: float = 1.0
    crowding: float = 0.0
    proposals: int = 1_500

    @property
    def size(self) -> int:
        return self.disciplines * self.topics

    @property
    def discipline(self) -> np.ndarray:
        """(topics of all disciplines,): the discipline of each topic."""
        return np.arange(self.size) // self.topics

    def draw(self, n: int, skew: float, rng: np.random.Generator) -> np.ndarray:
        """n topics, those of each next discipline exp(-skew) times as often (0: all alike)."""
        chance = np.exp(-skew * self.discipline)
        return rng.choice(self.size, n, p=chance / chance.sum())

    def similarity(self, items: np.ndarray) -> sparse.csr_array:
        """(items, topics): how well an item on the topic `items[i]` tests each topic of its own discipline."""
        shift = np.arange(-self.reach, self.reach + 1)
        topic = items[:, None] + shift
        inside = (topic >= 0) & (topic < self.size) & (topic // self.topics == items[:, None] // self.topics)
        row, column = np.nonzero(inside)
        degree = 1 - np.abs(shift) / (self.reach + 1)
        return sparse.csr_array((degree[column], (row, topic[inside])), shape=(len(items), self.size))

    def anchors(self, items: np.ndarray, named: np.ndarray) -> Proxy:
        """The proxy: named topics, each with how often it was named as its weight."""
        weights = np.bincount(named, minlength=self.size)
        return facility_location(self.similarity(items)[:, weights > 0], weights[weights > 0])

    def trial(self, rng: np.random.Generator) -> Trial:
        items = self.draw(self.proposals, self.crowding, rng)
        named, fairly = (self.draw(self.namings, skew, rng) for skew in (self.skew, 0.0))
        return Trial(items, self.anchors(items, named), self.anchors(items, fairly))


def proven_share(proxy: Proxy, chosen: np.ndarray) -> float:
    """The share of the best choice of as many items that `chosen` proves to reach, without knowing the best."""
    return value(proxy, chosen) / upper_bound(proxy, chosen, at_most(proxy.similarity.shape[0], len(chosen)))
