"""How many calls a validator's verdict takes: bounds, and the mean if votes are independent (UQ, Table S10).

>>> from proctor.uq.notation import parse
>>> cost(parse("units => (C x3|U)"))
Cost(accept=(3, 3), reject=(0, 3))
>>> cost(parse("CC => FLC => C")).most
4
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from proctor.uq.notation import (
    CHECKS,
    ROUNDS,
    By,
    Check,
    Debate,
    Mixed,
    Node,
    Panel,
    Repeat,
    Sequence,
    accepts_needed,
    children,
)


@dataclass(frozen=True)
class Cost:
    """Calls of one answer's verdict: least and most to accept, least and most to reject."""

    accept: tuple[int, int]
    reject: tuple[int, int]

    @property
    def least(self) -> int:
        return min(self.accept[0], self.reject[0])

    @property
    def most(self) -> int:
        return max(self.accept[1], self.reject[1])


def cost(node: Node, judges: int = 1) -> Cost:
    """How many calls a verdict can take, with early exit. Without it, every verdict takes `most` or more.

    Each vote counts, also one that another part of the validator casts too; such a call is asked once, so that `most`
    is never passed but `least` can be undercut; so it can by a first call that says nothing, which saves the second.
    """
    return _fold(node, judges, lambda name, calls: Cost((calls, calls), (calls, calls)), _counted)


def expected_calls(node: Node, pass_rates: Mapping[str, float], judges: int = 1) -> tuple[float, float]:
    """(mean calls with early exit, chance of acceptance) if each vote accepts independently with its check's rate.

    Whether to go on depends on the votes so far, never on the next: so the mean calls of some votes are those of each
    vote times the chance that it is cast. pass_rates: check to rate, "Debate" for a debate's votes.
    """
    return _fold(node, judges, lambda name, calls: (float(calls), pass_rates[name]), _settled)


T = TypeVar("T")


def _fold(node: Node, judges: int, one: Callable[[str, int], T], counted: Callable[[list[T], int, int], T]) -> T:
    """one: of a vote of a check, its calls. counted: of votes in this order, how many of them must accept, and the
    calls before them."""
    if isinstance(node, Check):
        return one(node.name, CHECKS.get(node.name, 0))  # a program asks nobody
    if isinstance(node, By):
        return _fold(node.node, judges, one, counted)
    rounds = 0
    if isinstance(node, Debate):
        votes, rounds = [one("Debate", 1)] * judges, (ROUNDS - 1) * judges
    elif isinstance(node, Sequence | Mixed):
        votes = [_fold(child, judges, one, counted) for child in children(node)]
    else:
        first = again = _fold(node.node, judges, one, counted)
        if isinstance(node, Repeat) and node.operator == "u":  # a reconsideration is one call, also of a check of two
            check = node.node.node if isinstance(node.node, By) else node.node
            again = one(check.name, 1)
        votes = [first, *[again] * ((judges if isinstance(node, Panel) else node.times) - 1)]
    return counted(votes, accepts_needed(node.vote, len(votes)), rounds)


def _settled(votes: list[tuple[float, float]], quorum: int, before: int) -> tuple[float, float]:
    """(mean calls until the votes are settled, chance that `quorum` of them accept). votes: (mean calls, pass rate)."""
    states, calls, chance = {0: 1.0}, 0.0, 0.0  # by votes that accepted, the chance that it is still open
    for cast, (mean, rate) in enumerate(votes):
        following: dict[int, float] = {}
        for yes, p in states.items():
            calls += p * mean
            for now, q in ((yes + 1, p * rate), (yes, p * (1 - rate))):
                if now == quorum:
                    chance += q
                elif cast + 1 - now <= len(votes) - quorum:
                    following[now] = following.get(now, 0.0) + q
        states = following
    return calls + before, chance


def _counted(votes: list[Cost], quorum: int, before: int) -> Cost:
    """Votes of which `quorum` must accept, cast in this order until they are settled."""
    ends: dict[bool, list] = {True: [], False: []}
    states = {0: (before, before)}  # by votes that accepted, (least, most) calls while it is open
    for cast, one in enumerate(votes):
        following: dict[int, list] = {}
        for yes, (low, high) in states.items():
            for now, (least, most) in ((yes + 1, one.accept), (yes, one.reject)):
                settled = now == quorum or cast + 1 - now > len(votes) - quorum
                (ends[now == quorum] if settled else following.setdefault(now, [])).append((low + least, high + most))
        states = {now: _span(found) for now, found in following.items()}
    return Cost(_span(ends[True]), _span(ends[False]))


def _span(found: list[tuple[int, int]]) -> tuple[int, int]:
    return min(low for low, _ in found), max(high for _, high in found)
