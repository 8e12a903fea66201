"""UQ's validators as values: the notation of Table S10, how votes become a verdict, and the calls that this takes
(bounds, and the mean if votes are independent).

    parse("(CC x3|U) => (FLC x3|U) => (C x3|U)")

The grammar, as far as the paper has it:

    validator := stage, or stage => stage => ...      goes on to the next stage only with what this one accepts
    stage     := one, then any of:  xN |vote          asks N times anew, and these N vote
                                    uN |vote          lets the judge of one check reconsider N - 1 times; all N vote
                                    |vote             each of several judges votes
    one       := a check, (validator) or Debate       Debate: several judges, ROUNDS rounds, then their majority
    vote      := M or U                               majority (more than half; a tie rejects), or unanimity

and beyond the paper:

    one       := [validator, validator, ...] |vote    a vote over different checks
    stage     := one@judge                            asked of this judge, whoever the others are
    check     := name>0.8                             accepts where the probability of accepting is above 0.8

A check's name is one of CHECKS (uq.checks) or of PROGRAMS, checks that are programs and ask no model (uq.programs).
The paper's own signs are read too. (UQ, appendix B.2 and Table S10; the debate's protocol is ours, the paper has none.)

>>> str(parse("(CC × 3 | U) ⇒ (C∪3|M)"))
'(CC x3|U) => (C u3|M)'
>>> str(parse("[C, FLC, CC]|M => C@openai/o3"))
'([C, FLC, CC]|M) => C@openai/o3'
>>> str(parse("units => (C>0.8 x3|U)"))
'units => (C>0.8 x3|U)'

A validator is a tree of frozen nodes: equal, hashable, and `str` gives its notation back.
"""

import re
from collections import defaultdict
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar, NamedTuple

from proctor.uq.programs import PROGRAMS

CHECKS = {"V": 1, "C": 1, "FLC": 1, "CC": 2, "R": 1, "FA": 1, "B": 2}  # and the calls of each: CC and B ask twice
SIGNS = {"×": "x", "∪": "u"}  # the paper's own
ROUNDS = 2  # of a debate: each judge argues, reads the others, and decides


class NotationError(ValueError):
    """The text is no validator; the message points at the place."""


@dataclass(frozen=True)
class Check:
    """One check by one judge. above: it accepts where the probability of accepting is above this; None: by its word."""

    name: str
    above: float | None = None
    nodes: ClassVar[tuple["Node", ...]] = ()

    def __str__(self) -> str:
        return self.name if self.above is None else f"{self.name}>{self.above!r}"


@dataclass(frozen=True)
class By:
    """`node` by a judge of its own."""

    node: "Node"
    judge: str

    @property
    def nodes(self) -> tuple["Node"]:
        return (self.node,)

    def __str__(self) -> str:
        return f"({self.node})@{self.judge}" if isinstance(self.node, By) else f"{_inner(self.node)}@{self.judge}"


@dataclass(frozen=True)
class Poll:
    """Votes that are counted. vote: how (M, U). kind: of what, as the notation writes it:

    x, u    of the one node, `times` times: asked anew, or reconsidered in one conversation
    |       of the one node by each of several judges
    []      of different nodes
    =>      of stage after stage: all must accept, and the first that rejects ends it
    Debate  of several judges, who argue for ROUNDS rounds, each reading what the others said
    """

    kind: str
    nodes: tuple["Node", ...] = ()
    vote: str = "M"
    times: int = 1

    def __str__(self) -> str:
        if self.kind == "Debate":
            return "Debate"
        if self.kind == "=>":
            return " => ".join(map(_inner, self.nodes))
        if self.kind == "[]":
            return f"[{', '.join(map(str, self.nodes))}] |{self.vote}"
        repeated = "" if self.kind == "|" else f" {self.kind}{self.times}"
        return f"{_inner(self.nodes[0])}{repeated} |{self.vote}"


Node = Check | By | Poll


@dataclass(frozen=True)
class Vote:
    """One vote to be cast. judge: a place in the list of judges, or a name. sample: which of the repeats; turn: which
    reconsideration or round, from 0. above: a check's threshold."""

    check: str
    judge: int | str = 0
    sample: int = 0
    turn: int = 0
    above: float | None = None


def parts(node: Node) -> list[Node]:
    """The node and all that is in it."""
    return [node, *(part for child in node.nodes for part in parts(child))]


def is_poll(node: Node, *kinds: str) -> bool:
    """Whether it is a poll of one of these kinds."""
    return isinstance(node, Poll) and node.kind in kinds


def asks_a_model(node: Node) -> bool:
    """Whether anything in it is not a program."""
    return any(is_poll(part, "Debate") or isinstance(part, Check) and part.name not in PROGRAMS for part in parts(node))


def by_one_judge(node: Node) -> bool:
    """Whether some check in it is asked of one judge whom it does not name: outside of any panel and any `@`."""
    if isinstance(node, Check):
        return node.name not in PROGRAMS
    return not isinstance(node, By) and not is_poll(node, "|") and any(map(by_one_judge, node.nodes))


def by_several_judges(node: Node) -> bool:
    """Whether judges vote or debate in it."""
    return any(is_poll(part, "|", "Debate") for part in parts(node))


def _inner(node: Node) -> str:
    return str(node) if isinstance(node, Check | By) or node.kind == "Debate" else f"({str(node).replace(' |', '|')})"


_TOKEN = re.compile(
    r"\s*(?:(?P<then>=>|⇒|→)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<comma>,)|>\s*(?P<above>\d*\.?\d+(?:e-?\d+)?)"
    r"|@\s*(?P<judge>[\w./:@+~-]+)|(?P<times>[xu×∪]\s*\d+)(?!\w)|\|\s*(?P<vote>[A-Za-z]+)|(?P<word>[A-Za-z_]+))"
)


def parse(text: str) -> Node:
    """The validator that the text names. Raises NotationError with a caret under the place that is wrong.

    >>> str(parse("(CC ×3|U) ⇒ C"))
    '(CC x3|U) => C'
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str):
        self.text, self.tokens, self.i, at = text, [], 0, 0
        while text[at:].strip():
            found, start = _TOKEN.match(text, at), len(text) - len(text[at:].lstrip())
            if not found:
                self._fail(start, "expected a check, x3, u3, |M, |U, =>, @judge, >0.8 or a parenthesis")
            self.tokens.append((found.lastgroup, found[found.lastgroup], start))
            at = found.end()

    def whole(self) -> Node:
        if not self.tokens:
            self._fail(0, "nothing here: name a check, one of " + ", ".join(CHECKS))
        node = self._sequence()
        if self.i < len(self.tokens):
            kind, _, place = self.tokens[self.i]
            self._fail(place, "this closes nothing" if kind == "close" else "expected =>, x3, u3 or a vote")
        return node

    def _sequence(self) -> Node:
        stages = [self._voted()]
        while self._take("then"):
            stages.append(self._voted())
        return stages[0] if len(stages) == 1 else Poll("=>", tuple(stages), "U")

    def _voted(self) -> Node:
        node = self._atom()
        while found := self._take("times", "vote", "judge"):
            kind, said, place = found
            if kind == "vote":
                if not by_one_judge(node) and not by_several_judges(node):
                    self._fail(place, "several judges can't vote here: no check is left to them")
                node = Poll("|", (node,), self._vote(found))
            elif kind == "judge":
                if by_several_judges(node) or not by_one_judge(node):
                    self._fail(place, "@ gives a check its one judge: this has several, or its own, or asks none")
                node = By(node, said)
            else:
                node = self._repeated(node, SIGNS.get(said[0], said[0]), int(said[1:]), place)
        return node

    def _repeated(self, node: Node, operator: str, times: int, place: int) -> Node:
        if not times:
            self._fail(place, "at least one vote is needed")
        if not asks_a_model(node):
            self._fail(place, "a program gives the same verdict each time")
        if operator == "u" and not isinstance(node.node if isinstance(node, By) else node, Check):
            self._fail(place, "only a check can be reconsidered: write u next to it, as in (C u3|U) => ...")
        if not (vote := self._take("vote")):
            self._fail(place, f"say how the {times} votes count: {operator}{times}|M or {operator}{times}|U")
        return Poll(operator, (node,), self._vote(vote), times)

    def _atom(self) -> Node:
        if self.i >= len(self.tokens):
            self._fail(len(self.text), "the notation ends here: a check is missing")
        kind, said, place = self.tokens[self.i]
        self.i += 1
        if said == "(":
            node = self._sequence()
            self._closed(")", place)
            return node
        if said == "[":
            return self._mixed(place)
        if said == "Debate":
            return Poll("Debate")
        if kind != "word" or said not in CHECKS and said not in PROGRAMS:
            self._fail(place, f"no check of this name: use one of {', '.join([*CHECKS, *PROGRAMS])}, or Debate")
        if not (above := self._take("above")):
            return Check(said)
        if said in PROGRAMS:
            self._fail(above[2], "a program has no probability")
        if float(above[1]) >= 1:
            self._fail(above[2], "no probability is above 1: write a number from 0 to 1")
        return Check(said, float(above[1]))

    def _mixed(self, place: int) -> Node:
        nodes = [self._sequence()]
        while self._take("comma"):
            nodes.append(self._sequence())
        self._closed("]", place)
        if not (vote := self._take("vote")):
            self._fail(place, f"say how the {len(nodes)} votes count: [...]|M or [...]|U")
        if len(nodes) == 1:
            self._fail(place, "one alone does not vote: name two or more, with commas")
        return Poll("[]", tuple(nodes), self._vote(vote))

    def _closed(self, bracket: str, place: int) -> None:
        found = self._take("close")
        if not found or found[1] != bracket:
            self._fail(place, "this parenthesis is not closed")

    def _vote(self, token: tuple[str, str, int]) -> str:
        if token[1] not in ("M", "U"):
            self._fail(token[2], "a vote is |M (majority) or |U (unanimity)")
        return token[1]

    def _take(self, *kinds: str) -> tuple[str, str, int] | None:
        """The next token, if it is of one of these kinds: kind, what was written, and where."""
        if self.i == len(self.tokens) or self.tokens[self.i][0] not in kinds:
            return None
        self.i += 1
        return self.tokens[self.i - 1]

    def _fail(self, place: int, what: str):
        raise NotationError(f"{what}\n  {self.text}\n  {' ' * place}^")


def accepts_needed(vote: str, n: int) -> int:
    """How many of n votes must accept: all (U), or strictly more than half (M)."""
    return n if vote == "U" else n // 2 + 1


def _ballots(node: Poll, judges: int, at: Vote) -> list[tuple[Node, Vote]]:
    """The nodes whose verdicts a node counts, each with where it is cast."""
    if node.kind in ("[]", "=>"):
        return [(one, at) for one in node.nodes]
    if node.kind == "Debate":
        return [(Check("Debate"), Vote("Debate", judge, at.sample, ROUNDS - 1)) for judge in range(judges)]
    if node.kind == "|":
        return [(node.nodes[0], replace(at, judge=judge)) for judge in range(judges)]
    if node.kind == "u":
        return [(node.nodes[0], replace(at, turn=turn)) for turn in range(node.times)]
    return [(node.nodes[0], replace(at, sample=at.sample * node.times + i)) for i in range(node.times)]


def decide(
    node: Node, judges: int = 1, exhaustive: bool = False, at: Vote = Vote("")
) -> Generator[Vote, bool | None, bool | None]:
    """The votes in order, as a generator: it yields a Vote, is sent its outcome, and returns the verdict.

    Outcome and verdict: True accept, False reject, None unreadable (a lone check's; where votes are counted it is no
    acceptance). Stops as soon as the verdict is settled, unless `exhaustive`, which wants every vote and gives the same
    verdict. A vote's `sample` and `turn` do not depend on what came before, so both kinds of run share their calls.
    at: where the node stands in a larger one.
    """
    if isinstance(node, Check):
        if node.name in PROGRAMS:  # the same whoever asks
            return (yield Vote(node.name, judge=""))
        return (yield replace(at, check=node.name, above=node.above))
    if isinstance(node, By):
        return (yield from decide(node.node, judges, exhaustive, replace(at, judge=node.judge)))
    if node.kind == "Debate":
        for turn in range(ROUNDS - 1):
            for judge in range(judges):
                yield Vote("Debate", judge, at.sample, turn)
    ballots = _ballots(node, judges, at)
    quorum, accepted, rejected = accepts_needed(node.vote, len(ballots)), 0, 0
    for inner, place in ballots:
        if (yield from decide(inner, judges, exhaustive, place)) is True:
            accepted += 1
        else:
            rejected += 1
        if not exhaustive and (accepted == quorum or rejected > len(ballots) - quorum):
            break
    return accepted >= quorum


class Cost(NamedTuple):
    """Calls of one answer's verdict: the least and the most."""

    least: int
    most: int


def cost(node: Node, judges: int = 1) -> Cost:
    """How many calls a verdict can take, with early exit. Without it, every verdict takes `most` or more.

    Each vote counts, also one that another part of the validator casts too; such a call is asked once, so that `most`
    is never passed but `least` can be undercut; so it can by a first call that says nothing, which saves the second.

    >>> cost(parse("units => (C x3|U)"))
    Cost(least=0, most=3)
    """
    calls = [n for _, n in _verdicts(node, judges, defaultdict(lambda: 0.5))]
    return Cost(min(calls), max(calls))


def expected_calls(node: Node, pass_rates: Mapping[str, float], judges: int = 1) -> tuple[float, float]:
    """(mean calls with early exit, chance of acceptance) if each vote accepts independently with its check's rate.

    pass_rates: check to rate, "Debate" for a debate's votes.
    """
    found = _verdicts(node, judges, pass_rates)
    return sum(n * p for (_, n), p in found.items()), sum(p for (accept, _), p in found.items() if accept)


Verdicts = dict[tuple[bool, int], float]  # (accept, calls): its chance


def _verdicts(node: Node, judges: int, rates: Mapping[str, float], at: Vote = Vote("")) -> Verdicts:
    """The chance of each verdict after each number of calls, if votes are independent."""
    if isinstance(node, Check):  # a program asks nobody; a reconsideration is one call, also of a check of two
        calls = 1 if at.turn else CHECKS.get(node.name, 0)
        return {(True, calls): rates[node.name], (False, calls): 1 - rates[node.name]}
    if isinstance(node, By):
        return _verdicts(node.node, judges, rates, at)
    votes = [_verdicts(inner, judges, rates, place) for inner, place in _ballots(node, judges, at)]
    quorum, before = accepts_needed(node.vote, len(votes)), (ROUNDS - 1) * judges * (node.kind == "Debate")
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
