"""UQ's validators as values: the notation of Table S10, what it costs, and how votes become a verdict.

    parse("(CC x3|U) => (FLC x3|U) => (C x3|U)")

C, FLC, CC, V, R, FA and B are checks (uq.checks); `xN` asks N times, `uN` lets the judge reconsider N - 1
times, and the vote after it says how these N votes count: `|M` majority (more than half; a tie rejects), `|U`
unanimity. `A => B` goes on to B only with what A accepts. A vote alone, `C |M`, is over several judges; `Debate` is
several judges in rounds. The paper's own signs are read too. (UQ, appendix B.2 and Table S10; the debate's protocol
is ours, the paper has none.)

A validator is a tree of frozen nodes: equal, hashable, and `str` gives its notation back.
"""

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace

CHECKS = {"V": 1, "C": 1, "FLC": 1, "CC": 2, "R": 1, "FA": 1, "B": 2}  # and the calls of each: CC and B ask twice
SIGNS = {"×": "x", "∪": "u", "⇒": "=>", "→": "=>"}
ROUNDS = 2  # of a debate: each judge argues, reads the others, and decides


class NotationError(ValueError):
    """The text is no validator; the message points at the place."""


@dataclass(frozen=True)
class Check:
    """One check by one judge."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Repeat:
    """`node` voted on `times` times: asked anew (operator "x") or reconsidered in one conversation ("u")."""

    node: "Node"
    operator: str
    times: int
    vote: str

    def __str__(self) -> str:
        return f"{_inner(self.node)} {self.operator}{self.times} |{self.vote}"


@dataclass(frozen=True)
class Panel:
    """`node` by each of several judges, who vote."""

    node: "Node"
    vote: str

    def __str__(self) -> str:
        return f"{_inner(self.node)} |{self.vote}"


@dataclass(frozen=True)
class Sequence:
    """Stage after stage; the first that rejects ends it."""

    stages: tuple["Node", ...]

    def __str__(self) -> str:
        return " => ".join(_inner(stage) for stage in self.stages)


@dataclass(frozen=True)
class Debate:
    """Several judges argue for ROUNDS rounds, each reading what the others said; the last round's majority decides."""

    def __str__(self) -> str:
        return "Debate"


Node = Check | Repeat | Panel | Sequence | Debate


@dataclass(frozen=True)
class Vote:
    """One vote to be cast. sample: which of the repeats; turn: which reconsideration or round, from 0."""

    check: str
    judge: int = 0
    sample: int = 0
    turn: int = 0


def _inner(node: Node) -> str:
    return str(node) if isinstance(node, Check | Debate) else f"({str(node).replace(' |', '|')})"


_TOKEN = re.compile(r"\s*(?:(=>)|(\()|(\))|([xu])(\d+)(?!\w)|\|\s*([A-Za-z]+)|([A-Za-z]+))")


def parse(text: str) -> Node:
    """The validator that the text names. Raises NotationError with a caret under the place that is wrong.

    >>> str(parse("(CC ×3|U) ⇒ C"))
    '(CC x3|U) => C'
    >>> cost(parse("CC => FLC => C")).most
    4
    """
    plain = "".join(SIGNS.get(letter, letter) for letter in text)
    return _Parser(text, plain).whole()


class _Parser:
    def __init__(self, text: str, plain: str):
        self.text, self.tokens, at = text, [], 0
        shift = [i for i, letter in enumerate(text) for _ in SIGNS.get(letter, letter)]  # place in the text as given
        while plain[at:].strip():
            found = _TOKEN.match(plain, at)
            start = at + len(plain[at:]) - len(plain[at:].lstrip())
            if not found:
                self._fail(shift[start], "expected a check, x3, u3, |M, |U, => or a parenthesis")
            self.tokens.append((found.groups(), shift[start]))
            at = found.end()
        self.i = 0

    def whole(self) -> Node:
        if not self.tokens:
            self._fail(0, "nothing here: name a check, one of " + ", ".join(CHECKS))
        node = self._sequence()
        if self.i < len(self.tokens):
            self._fail(
                self.tokens[self.i][1], "this closes nothing" if self._next()[2] else "expected =>, x3, u3 or a vote"
            )
        return node

    def _sequence(self) -> Node:
        stages = [self._voted()]
        while self._next()[0]:
            self.i += 1
            stages.append(self._voted())
        return stages[0] if len(stages) == 1 else Sequence(tuple(stages))

    def _voted(self) -> Node:
        node = self._atom()
        while self._next()[3] or self._next()[5]:
            (_, _, _, operator, times, vote, _), place = self.tokens[self.i]
            self.i += 1
            if vote:
                node = Panel(node, self._vote(vote, place))
                continue
            if not int(times):
                self._fail(place, "at least one vote is needed")
            if operator == "u" and not isinstance(node, Check):
                self._fail(place, "only a check can be reconsidered: write u beside it, as in (C u3|U) => ...")
            if not self._next()[5]:
                self._fail(place, f"say how the {times} votes count: {operator}{times}|M or {operator}{times}|U")
            (*_, vote, _), where = self.tokens[self.i]
            self.i += 1
            node = Repeat(node, operator, int(times), self._vote(vote, where))
        return node

    def _atom(self) -> Node:
        _, opening, _, _, _, _, word = self._next()
        if self.i >= len(self.tokens):
            self._fail(len(self.text), "the notation ends here: a check is missing")
        place = self.tokens[self.i][1]
        self.i += 1
        if opening:
            node = self._sequence()
            if not self._next()[2]:
                self._fail(place, "this parenthesis is not closed")
            self.i += 1
            return node
        if word == "Debate":
            return Debate()
        if word not in CHECKS:
            self._fail(place, f"no check of this name: use one of {', '.join(CHECKS)}, or Debate")
        return Check(word)

    def _vote(self, vote: str, place: int) -> str:
        if vote not in ("M", "U"):
            self._fail(place, "a vote is |M (majority) or |U (unanimity)")
        return vote

    def _next(self) -> tuple:
        return self.tokens[self.i][0] if self.i < len(self.tokens) else (None,) * 7

    def _fail(self, place: int, what: str):
        raise NotationError(f"{what}\n  {self.text}\n  {' ' * place}^")


def accepts_needed(vote: str, n: int) -> int:
    """How many of n votes must accept: all (U), or strictly more than half (M)."""
    return n if vote == "U" else n // 2 + 1


def decide(node: Node, judges: int = 1, exhaustive: bool = False) -> Generator[Vote, bool | None, bool | None]:
    """The votes in order, as a generator: it yields a Vote, is sent its outcome, and returns the verdict.

    Outcome and verdict: True accept, False reject, None unreadable (a lone check's; where votes are counted it is no
    acceptance). Stops as soon as the verdict is settled, unless `exhaustive`, which wants every vote and gives the same
    verdict. A vote's `sample` and `turn` do not depend on what came before, so both kinds of run share their calls.
    """
    return (yield from _decide(node, judges, exhaustive, Vote("")))


def _decide(node: Node, judges: int, exhaustive: bool, at: Vote) -> Generator[Vote, bool | None, bool | None]:
    if isinstance(node, Check):
        return (yield replace(at, check=node.name))
    if isinstance(node, Sequence):
        verdicts = []
        for stage in node.stages:
            verdicts.append((yield from _decide(stage, judges, exhaustive, at)) is True)
            if not verdicts[-1] and not exhaustive:
                break
        return all(verdicts)
    if isinstance(node, Debate):
        for turn in range(ROUNDS - 1):
            for judge in range(judges):
                yield Vote("Debate", judge, at.sample, turn)
        ballots = [(Check("Debate"), Vote("Debate", judge, at.sample, ROUNDS - 1)) for judge in range(judges)]
        vote = "M"
    elif isinstance(node, Panel):
        ballots, vote = [(node.node, replace(at, judge=judge)) for judge in range(judges)], node.vote
    elif node.operator == "u":
        ballots, vote = [(node.node, replace(at, turn=turn)) for turn in range(node.times)], node.vote
    else:
        ballots = [(node.node, replace(at, sample=at.sample * node.times + i)) for i in range(node.times)]
        vote = node.vote
    quorum, accepted, rejected = accepts_needed(vote, len(ballots)), 0, 0
    for inner, place in ballots:
        if (yield from _decide(inner, judges, exhaustive, place)) is True:
            accepted += 1
        else:
            rejected += 1
        if not exhaustive and (accepted == quorum or rejected > len(ballots) - quorum):
            break
    return accepted >= quorum


def all_votes(node: Node, judges: int = 1) -> list[Vote]:
    """Every vote that a verdict may ask for, in order.

    >>> [vote.sample for vote in all_votes(parse("C x3|U"))]
    [0, 1, 2]
    """
    asked, votes = [], decide(node, judges, exhaustive=True)
    try:
        vote = next(votes)
        while True:
            asked.append(vote)
            vote = votes.send(True)
    except StopIteration:
        return list(dict.fromkeys(asked))


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
    """How many calls a verdict can take, with early exit. Without it, every verdict takes `most` or more."""
    if isinstance(node, Check):
        return Cost((CHECKS[node.name],) * 2, (CHECKS[node.name],) * 2)
    if isinstance(node, Sequence):
        parts, before, ends = [cost(stage, judges) for stage in node.stages], (0, 0), []
        for part in parts:
            ends.append(_add(before, part.reject))
            before = _add(before, part.accept)
        return Cost(before, (min(end[0] for end in ends), max(end[1] for end in ends)))
    if isinstance(node, Debate):
        said = _counted(Cost((1, 1), (1, 1)), judges, accepts_needed("M", judges))
        return _more(said, (ROUNDS - 1) * judges)
    if isinstance(node, Panel):
        return _counted(cost(node.node, judges), judges, accepts_needed(node.vote, judges))
    inner = cost(node.node, judges)
    if node.operator == "u":  # a reconsideration is one call, also of a check that takes two
        extra = inner.most - 1
        return _more(_counted(Cost((1, 1), (1, 1)), node.times, accepts_needed(node.vote, node.times)), extra)
    return _counted(inner, node.times, accepts_needed(node.vote, node.times))


def expected_calls(node: Node, pass_rates: Mapping[str, float], judges: int = 1) -> tuple[float, float]:
    """(mean calls with early exit, chance of acceptance) if each vote accepts independently with its check's rate.

    The mean calls of n votes are those of one vote times the mean number of votes (Wald): whether to go on depends on
    the votes so far, never on the next. pass_rates: check to rate, "Debate" for a debate's votes.
    """
    if isinstance(node, Check):
        return float(CHECKS[node.name]), pass_rates[node.name]
    if isinstance(node, Sequence):
        calls, chance = 0.0, 1.0
        for stage in node.stages:
            mean, rate = expected_calls(stage, pass_rates, judges)
            calls, chance = calls + chance * mean, chance * rate
        return calls, chance
    if isinstance(node, Debate):
        mean, rate, n, quorum, extra = (
            1.0,
            pass_rates["Debate"],
            judges,
            accepts_needed("M", judges),
            (ROUNDS - 1) * judges,
        )
    else:
        n = judges if isinstance(node, Panel) else node.times
        (mean, rate), quorum, extra = expected_calls(node.node, pass_rates, judges), accepts_needed(node.vote, n), 0.0
        if isinstance(node, Repeat) and node.operator == "u":
            mean, extra = 1.0, mean - 1.0
    votes, chance = _settled(n, quorum, rate)
    return extra + votes * mean, chance


def _settled(n: int, quorum: int, rate: float) -> tuple[float, float]:
    """(mean number of votes until n votes are settled, chance that `quorum` of them accept)."""
    states, votes, chance = {(0, 0): 1.0}, 0.0, 0.0
    while states:
        following: dict[tuple[int, int], float] = {}
        for (yes, no), p in states.items():
            votes += p
            for result, q in (((yes + 1, no), p * rate), ((yes, no + 1), p * (1 - rate))):
                if result[0] == quorum:
                    chance += q
                elif result[1] <= n - quorum:
                    following[result] = following.get(result, 0.0) + q
        states = following
    return votes, chance


def _add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


def _more(base: Cost, calls: int) -> Cost:
    return Cost(_add(base.accept, (calls, calls)), _add(base.reject, (calls, calls)))


def _counted(one: Cost, n: int, quorum: int) -> Cost:
    """n votes of which `quorum` must accept: the fewest votes are all alike, the most leave the last one to decide."""
    enough = n - quorum + 1  # rejections that settle it
    return Cost(
        (quorum * one.accept[0], quorum * one.accept[1] + (n - quorum) * one.reject[1]),
        (enough * one.reject[0], enough * one.reject[1] + (quorum - 1) * one.accept[1]),
    )
