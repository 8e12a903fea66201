"""How many calls a validator's verdict takes: bounds, and the mean if votes are independent (UQ, Table S10).

Both are read from one distribution: the chance of each verdict after each number of calls.

>>> from proctor.uq.notation import parse
>>> cost(parse("units => (C x3|U)"))
Cost(accept=(3, 3), reject=(0, 3))
>>> cost(parse("CC => FLC => C")).most
4
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

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
    calls = _verdicts(node, judges, defaultdict(lambda: 0.5))
    accepting, rejecting = ([n for verdict, n in calls if verdict is kind] for kind in (True, False))
    return Cost((min(accepting), max(accepting)), (min(rejecting), max(rejecting)))


def expected_calls(node: Node, pass_rates: Mapping[str, float], judges: int = 1) -> tuple[float, float]:
    """(mean calls with early exit, chance of acceptance) if each vote accepts independently with its check's rate.

    pass_rates: check to rate, "Debate" for a debate's votes.
    """
    found = _verdicts(node, judges, pass_rates)
    return sum(n * p for (_, n), p in found.items()), sum(p for (accept, _), p in found.items() if accept)


Verdicts = dict[tuple[bool, int], float]  # (accept, calls): its chance


def _verdicts(node: Node, judges: int, rates: Mapping[str, float]) -> Verdicts:
    def vote(name: str, calls: int) -> Verdicts:
        return {(True, calls): rates[name], (False, calls): 1 - rates[name]}

    if isinstance(node, Check):
        return vote(node.name, CHECKS.get(node.name, 0))  # a program asks nobody
    if isinstance(node, By):
        return _verdicts(node.node, judges, rates)
    rounds = 0
    if isinstance(node, Debate):
        votes, rounds = [vote("Debate", 1)] * judges, (ROUNDS - 1) * judges
    elif isinstance(node, Sequence | Mixed):
        votes = [_verdicts(child, judges, rates) for child in children(node)]
    else:
        first = again = _verdicts(node.node, judges, rates)
        if isinstance(node, Repeat) and node.operator == "u":  # a reconsideration is one call, also of a check of two
            check = node.node.node if isinstance(node.node, By) else node.node
            again = vote(check.name, 1)
        votes = [first, *[again] * ((judges if isinstance(node, Panel) else node.times) - 1)]
    return _settled(votes, accepts_needed(node.vote, len(votes)), rounds)


def _settled(votes: list[Verdicts], quorum: int, before: int) -> Verdicts:
    """Of votes that are cast in this order until `quorum` accept or no longer can, after `before` calls."""
    settled: Verdicts = {}
    open_: dict[tuple[int, int], float] = {(0, before): 1.0}  # (votes that accepted, calls): its chance
    for cast, vote in enumerate(votes, 1):
        following: dict[tuple[int, int], float] = {}
        for ((yes, calls), p), ((accept, more), q) in product(open_.items(), vote.items()):
            now = yes + accept
            if now == quorum or cast - now > len(votes) - quorum:
                verdict = now == quorum, calls + more
                settled[verdict] = settled.get(verdict, 0.0) + p * q
            else:
                following[now, calls + more] = following.get((now, calls + more), 0.0) + p * q
        open_ = following
    return settled
