"""KINA's representativeness: choose the items that cover the anchors that experts name, greedily and with a bound.

    >>> proxy = coverage([[1, 1, 0], [0, 1, 1], [0, 0, 1]], weights=[3, 1, 2])  # 1 where the item covers the anchor
    >>> found = greedy(proxy, at_most(3, 2))  # or per_group(disciplines, 3)
    >>> found.chosen.tolist(), found.value, found.bound  # the choice, its value, and what no choice can exceed
    ([0, 1], 6.0, 6.0)

The objective of a set S of items is f(S) = sum over anchors a of w_a * max over i in S of s_ia: every anchor counts
with its best chosen item. With similarities s of 0 and 1 this is weighted coverage, else facility location. f is about
the anchors only: `value` on another proxy of the same items, such as all topics of a field, is another number.

Source: KINA, Proposition 1. The review at hand gives the objective in words, the method and 1 - 1/e; the formula is our
reading. Greedy: Nemhauser, Wolsey and Fisher (Mathematical Programming 14, 1978), which the paper cites; lazy: Minoux
(1978), known as CELF (Leskovec et al., KDD 2007), who also have the bound. An array here replaces their heap.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, sparse

from proctor.stats import checks


@dataclass(frozen=True)
class Proxy:
    """What is to be covered. similarity (items, anchors): sparse, at least 0. weights (anchors,): at least 0."""

    similarity: sparse.csr_array
    weights: np.ndarray


@dataclass(frozen=True)
class GroupQuota:
    """How many items may be chosen: `most` (groups,) of each group, `groups` (items,) being each item's group."""

    groups: np.ndarray
    most: np.ndarray

    @property
    def size(self) -> int:
        return int(self.most.sum())


@dataclass(frozen=True)
class Selection:
    """What greedy chose. chosen (k,): items in order of choice. gains (k,): what each added, never rising.

    value: f of all chosen. bound: no choice within the budget has a greater value (`upper_bound`). evaluated: how many
    gains were computed.
    """

    chosen: np.ndarray
    gains: np.ndarray
    value: float
    bound: float
    evaluated: int


def coverage(covers: ArrayLike | sparse.sparray, weights: ArrayLike | None = None) -> Proxy:
    """Weighted coverage: f(S) is the weight of the anchors that at least one chosen item covers.

    covers (items, anchors): 0 or 1, dense or sparse. weights (anchors,): 1 each when not given.
    """
    proxy = facility_location(covers, weights, "covers")
    _refuse(proxy.similarity, proxy.similarity.data != 1, "covers", "must be 0 or 1; for degrees use facility_location")
    return proxy


def facility_location(
    similarity: ArrayLike | sparse.sparray, weights: ArrayLike | None = None, name: str = "similarity"
) -> Proxy:
    """Facility location: f(S) is the weighted sum over anchors of the best similarity of a chosen item.

    similarity (items, anchors): at least 0, dense or sparse, what is not stored being 0. weights as for `coverage`.
    `name`: what errors call the matrix.
    """
    matrix = sparse.csr_array(similarity, dtype=np.float64, copy=True)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"{name} has shape {matrix.shape}: needs (items, anchors), at least one of each")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    _refuse(matrix, ~(np.isfinite(matrix.data) & (matrix.data > 0)), name, "must be a number of at least 0")
    return Proxy(matrix, np.ones(matrix.shape[1]) if weights is None else np.asarray(weights, float))


def at_most(n_items: int, k: int) -> GroupQuota:
    """`k` of the items, whichever."""
    k = checks.at_least_one(k, "k")
    if k > n_items:
        raise ValueError(f"k is {k}, but there are {n_items} items: lower k or propose more items")
    return GroupQuota(np.zeros(n_items, int), np.array([k]))


def per_group(groups: ArrayLike, quota: int | Mapping) -> GroupQuota:
    """A quota for each group, e.g. discipline (a partition matroid). groups (items,): labels.

    quota: the same number for all groups, or label -> number; 0 leaves a group out.
    """
    codes, n_groups = checks.cluster_index(groups, len(groups))
    names = np.unique(groups).tolist()
    quota = quota if isinstance(quota, Mapping) else dict.fromkeys(names, quota)
    there = np.bincount(codes, minlength=n_groups)
    for label, count in zip(names, there):
        if quota[label] != int(quota[label]) or not 0 <= quota[label] <= count:
            raise ValueError(
                f"quota of {label!r} is {quota[label]}, but there are {count} such items: give a whole "
                f"number from 0 to {count}, or propose more items"
            )
    if not any(quota.values()):
        raise ValueError("quota is 0 for every group: allow at least one item")
    return GroupQuota(codes, np.array([int(quota[label]) for label in names]))


def value(proxy: Proxy, chosen: ArrayLike) -> float:
    """f of the items `chosen` (any number of indices)."""
    return float(proxy.weights @ best_similarity(proxy, chosen))


def curve(proxy: Proxy, chosen: ArrayLike) -> np.ndarray:
    """f of the first 0, 1, ..., k items of `chosen`: shape (k + 1,)."""
    best = np.maximum.accumulate(proxy.similarity[np.asarray(chosen, int)].toarray(), axis=0)
    return np.concatenate([[0.0], best @ proxy.weights])


def best_similarity(proxy: Proxy, chosen: ArrayLike) -> np.ndarray:
    """Each anchor's best similarity with a chosen item, 0 where none: shape (anchors,)."""
    rows, best = proxy.similarity[np.asarray(chosen, int)], np.zeros(len(proxy.weights))
    np.maximum.at(best, rows.indices, rows.data)  # many times as quick as the maximum of a sparse array
    return best


def gains(proxy: Proxy, best: np.ndarray, items: np.ndarray | None = None) -> np.ndarray:
    """What each of `items` (all when not given) would add to f, `best` (anchors,) being reached: shape (items,).

    Sums run over each row in the order stored. Rounding never turns an order round, so a computed gain never rises when
    `best` does, and lazy greedy chooses exactly what plain greedy does.
    """
    rows = proxy.similarity if items is None else proxy.similarity[items]
    added = np.maximum(rows.data - best[rows.indices], 0) * proxy.weights[rows.indices]
    return sparse.csr_array((added, rows.indices, rows.indptr), rows.shape) @ np.ones(rows.shape[1])


def greedy(proxy: Proxy, budget: GroupQuota, lazy: bool = True) -> Selection:
    """Choose, one after another, the item that adds most within the budget; of equal ones the lowest index.

    Plain greedy computes every gain in each step. Lazy greedy keeps old gains as upper limits (f is submodular: gains
    only fall), computes the highest anew, and then at once all others that can still win: the same choice. When nothing
    is left to gain the order of the items decides.
    """
    room, best, chosen, added = budget.most.copy(), np.zeros(len(proxy.weights)), [], []
    limit = gains(proxy, best)
    evaluated = len(limit)
    limit[room[budget.groups] == 0] = -np.inf  # a full group's items can't win
    for _ in range(budget.size):
        if lazy:
            first = np.array([np.argmax(limit)])
            now = gains(proxy, best, first)
            stale = np.flatnonzero((limit >= now) & (now < limit[first]))  # none if its limit held: it has won
            limit[stale] = gains(proxy, best, stale)
            evaluated += 1 + len(stale)
        else:
            limit = np.where(limit == -np.inf, limit, gains(proxy, best))
            evaluated += len(limit)
        item = int(np.argmax(limit))
        chosen.append(item)
        added.append(limit[item])
        best = np.maximum(best, best_similarity(proxy, [item]))
        limit[item] = -np.inf
        room[budget.groups[item]] -= 1
        if room[budget.groups[item]] == 0:
            limit[budget.groups == budget.groups[item]] = -np.inf
    return Selection(
        np.array(chosen), np.array(added), float(proxy.weights @ best), upper_bound(proxy, chosen, budget), evaluated
    )


def upper_bound(proxy: Proxy, chosen: ArrayLike, budget: GroupQuota, prefixes: int = 33) -> float:
    """A value that no choice within the budget exceeds, from what was chosen: often far below the theorem's.

    For any set S: what the best choice adds to S is at most the sum of its items' gains, so f(best) <= f(S) + the
    greatest sum of gains that the budget allows. The least of these over prefixes of `chosen` (all when there are no
    more than `prefixes`, else evenly spaced), and no more than f of all items.
    """
    chosen = np.asarray(chosen, int)
    limits = [value(proxy, np.arange(proxy.similarity.shape[0]))]
    best, taken = np.zeros(len(proxy.weights)), 0
    for n in np.unique(np.linspace(0, len(chosen), min(prefixes, len(chosen) + 1)).astype(int)):
        best, taken = np.maximum(best, best_similarity(proxy, chosen[taken:n])), n
        limits.append(proxy.weights @ best + _largest_sum(gains(proxy, best), budget))
    return float(min(limits))


def optimum(proxy: Proxy, budget: GroupQuota, seconds: float = 60.0) -> np.ndarray:
    """The best choice within the budget, by an integer program (HiGHS): items (k,) in order of index.

    x_i = 1: item i is chosen. z_ia <= x_i: anchor a is served by item i, each anchor once. Greatest: the sum of
    w_a s_ia z_ia. The gap is closed to 1e-6 of the largest w_a s_ia. For small instances, some hundred items: raises
    TimeoutError when it is not proven within `seconds`.
    """
    pairs = proxy.similarity.tocoo()
    (n_items, n_anchors), n_pairs = pairs.shape, pairs.nnz
    worth = pairs.data * proxy.weights[pairs.col]
    one, each = np.ones(n_pairs), np.arange(n_pairs)
    needs_item = sparse.csr_array((-one, (each, pairs.row)), shape=(n_pairs, n_items))
    once = sparse.csr_array((one, (pairs.col, each)), shape=(n_anchors, n_pairs))
    counts = sparse.csr_array(
        (np.ones(n_items), (budget.groups, np.arange(n_items))), shape=(len(budget.most), n_items)
    )
    rows = sparse.block_array([[needs_item, sparse.eye_array(n_pairs)], [None, once], [counts, None]])
    least = np.r_[np.full(n_pairs + n_anchors, -np.inf), budget.most]
    most = np.r_[np.zeros(n_pairs), np.ones(n_anchors), budget.most]
    found = optimize.milp(
        np.concatenate([np.zeros(n_items), -worth / worth.max(initial=1e-300)]),
        integrality=np.repeat([1, 0], [n_items, n_pairs]),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(rows, least, most),
        options={"time_limit": seconds, "mip_rel_gap": 0},
    )
    if found.status != 0:
        raise TimeoutError(
            f"the best of {n_items} items and {n_pairs} pairs was not found in {seconds:g} s "
            f"({found.message}): take fewer items, or compare with upper_bound"
        )
    return np.flatnonzero(found.x[:n_items] > 0.5)


def _largest_sum(gain: np.ndarray, budget: GroupQuota) -> float:
    """The sum of the `most` largest gains of each group."""
    order = np.lexsort((-gain, budget.groups))
    group = budget.groups[order]
    place = np.arange(len(group)) - np.searchsorted(group, group)  # within its group, the largest gain first
    return gain[order][place < budget.most[group]].sum()


def _refuse(matrix: sparse.csr_array, bad: np.ndarray, name: str, fix: str) -> None:
    if bad.any():
        at = np.argmax(bad)
        item = np.searchsorted(matrix.indptr, at, side="right") - 1
        raise ValueError(f"{name}[{item}, {matrix.indices[at]}] is {matrix.data[at]:g} ({bad.sum()} such): {fix}")
