"""How many calls a validator's verdict takes: bounds, and the mean if votes are independent (UQ, Table S10).

>>> from proctor.uq.notation import parse
>>> cost(parse("units => (C x3|U)"))
Cost(accept=(3, 3), reject=(0, 3))
>>> cost(parse("CC => FLC => C")).most
4
"""

from collections.abc import Mapping
from dataclasses import dataclass

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
    if isinstance(node, Check):
        calls = CHECKS.get(node.name, 0)  # a program asks nobody
        return Cost((calls, calls), (calls, calls))
    if isinstance(node, By):
        return cost(node.node, judges)
    if isinstance(node, Sequence):
        stages, before, ends = [cost(stage, judges) for stage in node.stages], (0, 0), []
        for stage in stages:
            ends.append(_add(before, stage.reject))
            before = _add(before, stage.accept)
        return Cost(before, (min(end[0] for end in ends), max(end[1] for end in ends)))
    one = Cost((1, 1), (1, 1))
    if isinstance(node, Debate):
        said = _counted([one] * judges, accepts_needed("M", judges))
        rounds = ((ROUNDS - 1) * judges,) * 2
        return Cost(_add(said.accept, rounds), _add(said.reject, rounds))
    if isinstance(node, Mixed):
        votes = [cost(child, judges) for child in node.nodes]
    elif isinstance(node, Panel):
        votes = [cost(node.node, judges)] * judges
    elif node.operator == "u":  # a reconsideration is one call, also of a check that takes two
        votes = [cost(node.node, judges), *[one] * (node.times - 1)]
    else:
        votes = [cost(node.node, judges)] * node.times
    return _counted(votes, accepts_needed(node.vote, len(votes)))


def expected_calls(node: Node, pass_rates: Mapping[str, float], judges: int = 1) -> tuple[float, float]:
    """(mean calls with early exit, chance of acceptance) if each vote accepts independently with its check's rate.

    Whether to go on depends on the votes so far, never on the next: so the mean calls of some votes are those of each
    vote times the chance that it is cast. pass_rates: check to rate, "Debate" for a debate's votes.
    """
    if isinstance(node, Check):
        return float(CHECKS.get(node.name, 0)), pass_rates[node.name]
    if isinstance(node, By):
        return expected_calls(node.node, pass_rates, judges)
    if isinstance(node, Sequence):
        calls, chance = 0.0, 1.0
        for stage in node.stages:
            mean, rate = expected_calls(stage, pass_rates, judges)
            calls, chance = calls + chance * mean, chance * rate
        return calls, chance
    if isinstance(node, Debate):
        calls, chance = _settled([(1.0, pass_rates["Debate"])] * judges, accepts_needed("M", judges))
        return calls + (ROUNDS - 1) * judges, chance
    if isinstance(node, Mixed):
        votes = [expected_calls(child, pass_rates, judges) for child in node.nodes]
    else:
        mean, rate = expected_calls(node.node, pass_rates, judges)
        n = judges if isinstance(node, Panel) else node.times
        again = 1.0 if isinstance(node, Repeat) and node.operator == "u" else mean
        votes = [(mean, rate), *[(again, rate)] * (n - 1)]
    return _settled(votes, accepts_needed(node.vote, len(votes)))


def _settled(votes: list[tuple[float, float]], quorum: int) -> tuple[float, float]:
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
    return calls, chance


def _add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


def _counted(votes: list[Cost], quorum: int) -> Cost:
    """Votes of which `quorum` must accept, cast in this order until they are settled."""
    states, ends = {0: (0, 0)}, {True: [], False: []}  # by votes that accepted, (least, most) calls while it is open
    for cast, one in enumerate(votes):
        following: dict[int, list] = {}
        for yes, before in states.items():
            for now, calls in ((yes + 1, one.accept), (yes, one.reject)):
                settled = now == quorum or cast + 1 - now > len(votes) - quorum
                (ends[now == quorum] if settled else following.setdefault(now, [])).append(_add(before, calls))
        states = {now: _span(found) for now, found in following.items()}
    return Cost(_span(ends[True]), _span(ends[False]))


def _span(found: list[tuple[int, int]]) -> tuple[int, int]:
    return min(low for low, _ in found), max(high for _, high in found)
