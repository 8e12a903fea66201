"""A simulated field of knowledge: what a choice of items by experts' anchors tests of the whole field.

    field = Field(disciplines=12, topics=100, reach=4, namings=300, skew=1.0, crowding=0.15)
    trial = field.trial(rng)    # proposed items, the experts' proxy, the population

Topics lie in a row within their discipline. An item tests a topic of its own and, less and less, its neighbours:
similarity 1 - distance / (reach + 1). Experts name topics, those of some disciplines more often; the named topics are
the anchors (the proxy), all topics are the population. Every number is assumed: the review of KINA gives none.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from proctor.kina.max_coverage import (
    Proxy,
    at_most,
    best_similarity,
    coverage,
    facility_location,
    upper_bound,
    value,
)


@dataclass(frozen=True)
class Trial:
    """One simulated field: proposed items, the experts' proxy, a proxy of fairly drawn anchors, the population."""

    items: np.ndarray
    proxy: Proxy
    fair: Proxy
    population: Proxy


@dataclass(frozen=True)
class Field:
    """disciplines with `topics` topics each, all of equal weight; an item tests topics up to `reach` places away.

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

    def population(self, items: np.ndarray) -> Proxy:
        """All topics, tested or not."""
        return coverage(self.similarity(items) > 0)

    def tested(self, population: Proxy, chosen: np.ndarray) -> np.ndarray:
        """(disciplines,): the share of each discipline's topics that the chosen items test."""
        return best_similarity(population, chosen).reshape(self.disciplines, self.topics).mean(axis=1)

    def trial(self, rng: np.random.Generator) -> Trial:
        items = self.draw(self.proposals, self.crowding, rng)
        named, fairly = (self.draw(self.namings, skew, rng) for skew in (self.skew, 0.0))
        return Trial(items, self.anchors(items, named), self.anchors(items, fairly), self.population(items))


def proven_share(proxy: Proxy, chosen: np.ndarray) -> float:
    """The share of the best choice of as many items that `chosen` proves to reach, without knowing the best."""
    return value(proxy, chosen) / upper_bound(proxy, chosen, at_most(proxy.similarity.shape[0], len(chosen)))
