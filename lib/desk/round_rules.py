"""What a protocol of review is made of, and who may see what: pure functions of a `Matter`, no database.

A case of a round is a `Matter`: its fields, who has which part in it, and the ballots so far. A `Protocol` says which
moves each part may make in which state, which ballots each part sees and when, and how ballots decide. `look` gives
what one account may see of a matter; pages show that and nothing else. What no rule allows is hidden.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

ORGANIZER, AUTHOR = "organizer", "author"


@dataclass(frozen=True)
class Cast:
    """A ballot: who made which move with which part, and what the form held. Ballots are never changed."""

    number: int
    by: str
    part: str
    move: str
    form: Mapping[str, Any]


@dataclass(frozen=True)
class Matter:
    """A case as protocols see it. seats: account -> part. closed: its round is over."""

    place: int
    organizer: str
    author: str = ""
    material: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    seats: Mapping[str, str] = field(default_factory=dict)
    ballots: tuple[Cast, ...] = ()
    closed: bool = False

    def part_of(self, account: str) -> str:
        """ "" for whoever has no part in it."""
        known = {self.author: AUTHOR, self.organizer: ORGANIZER} | dict(self.seats)
        return known.get(account, "") if account else ""

    def seated(self, part: str) -> list[str]:
        return [account for account, own in self.seats.items() if own == part]

    def cast(self, move: str, by: str | None = None) -> list[Cast]:
        return [one for one in self.ballots if one.move == move and by in (None, one.by)]

    def all_in(self, part: str, move: str) -> bool:
        """Whether each seat of a part has made the move."""
        return bool(self.seated(part)) and {one.by for one in self.cast(move)} >= set(self.seated(part))


class Impossible(ValueError):
    """A move that a protocol does not take now: the field at fault ("" for none), and a sentence with the mend."""

    def __init__(self, field: str, sentence: str):
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True)
class Field:
    """One field of a form. choices: value -> what is shown; none: a text. many: any number of the choices."""

    name: str
    label: str
    choices: Mapping[str, str] = field(default_factory=dict)
    needed: bool = True
    many: bool = False
    start: str = ""  # what stands in it at first


def fixed(*fields: Field) -> Callable[["Matter", str], tuple[Field, ...]]:
    """The fields of a move that are the same for every matter and account."""
    return lambda matter, account: fields


@dataclass(frozen=True)
class Move:
    """What one part may do in some states. fields: of the form, for this matter and account."""

    name: str
    part: str
    title: str
    states: tuple[str, ...]
    fields: Callable[[Matter, str], tuple[Field, ...]]
    once: bool = True  # for each account and case
    open_to: Callable[[Matter, str], bool] = lambda matter, account: True


When = Callable[[Matter, str, Cast], bool]


@dataclass(frozen=True)
class Sees:
    """A part sees the ballots of a move where `when` says so; `names`: with who cast them."""

    part: str
    move: str
    when: When
    names: bool = False


@dataclass(frozen=True)
class Part:
    """seats: how many of a case, None for all who are named. author, evidence: when this part learns of them."""

    title: str
    seats: int | None = None
    author: Callable[[Matter], bool] = lambda matter: False
    evidence: Callable[[Matter], bool] = lambda matter: False


@dataclass(frozen=True)
class Outcome:
    """What the ballots come to. final: nothing more can be cast. lines: what is shown of it, by label."""

    state: str
    final: bool = False
    lines: Mapping[str, str] = field(default_factory=dict)
    shown_to: tuple[str, ...] = ()  # parts that see `lines` before the round closes


@dataclass(frozen=True)
class Protocol:
    """One of the papers' ways to review. `blind` says in a sentence what is hidden from whom and until when.

    material: field -> label, of a case; those in `needed` must be given, those in `lists` may be lists. settings: name
    -> its default; meanings: what each says, in a line. decide: the outcome by the ballots; raises Impossible for one
    that can't be. shows: what a part sees beyond material (label -> text). text: the material as it now stands. table:
    the round's result for its organizer, as rows. quiet: states that only the organizer and those who act in them learn
    of; others read "under review".
    """

    name: str
    title: str
    paper: str
    about: str
    blind: str
    material: Mapping[str, str]
    needed: tuple[str, ...]
    parts: Mapping[str, Part]
    moves: tuple[Move, ...]
    sees: tuple[Sees, ...]
    decide: Callable[[Matter], Outcome]
    table: Callable[[Iterable[Matter]], Any]
    evidence: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    needs_author: bool = False
    lists: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()
    shows: Callable[[Matter, str], Mapping[str, str]] = lambda matter, account: {}
    text: Callable[[Matter], Mapping[str, Any]] = lambda matter: matter.material
    check: Callable[[Matter], None] = lambda matter: None  # of a new case and its settings; raises Impossible


@dataclass(frozen=True)
class Shown:
    """A ballot as one account sees it: `who` is a name, "You", or the part with a number."""

    who: str
    move: str
    form: Mapping[str, str]


@dataclass(frozen=True)
class View:
    """All that an account may see of a matter, and the moves that it may make now."""

    part: str
    state: str
    final: bool
    material: Mapping[str, Any]
    extra: Mapping[str, str]
    evidence: Mapping[str, Any]
    author: str
    ballots: tuple[Shown, ...]
    lines: Mapping[str, str]
    moves: tuple[tuple[Move, tuple[Field, ...]], ...]


def look(protocol: Protocol, matter: Matter, account: str) -> View | None:
    """What an account may see of a matter; None for one that has no part in it."""
    part = matter.part_of(account)
    if not part:
        return None
    outcome, runs = protocol.decide(matter), part == ORGANIZER
    known = protocol.parts.get(part, Part(""))
    evidence = runs or known.evidence(matter)
    return View(
        part=part,
        state="under review" if _is_quiet(protocol, outcome.state, part) else outcome.state,
        final=outcome.final,
        material=protocol.text(matter),
        extra=protocol.shows(matter, account),
        evidence=matter.evidence if evidence else {},
        author=matter.author if runs or part == AUTHOR or known.author(matter) else "",
        ballots=tuple(_shown(protocol, matter, account, part)),
        lines=outcome.lines if runs or matter.closed or part in outcome.shown_to else {},
        moves=tuple(moves(protocol, matter, account, outcome)),
    )


def moves(protocol: Protocol, matter: Matter, account: str, outcome: Outcome | None = None):
    """(move, fields) that an account may make now."""
    outcome = outcome or protocol.decide(matter)
    if matter.closed or outcome.final:
        return
    for move in protocol.moves:
        fits = move.part == matter.part_of(account) and outcome.state in move.states
        if fits and not (move.once and matter.cast(move.name, account)) and move.open_to(matter, account):
            yield move, move.fields(matter, account)


def _shown(protocol: Protocol, matter: Matter, account: str, part: str) -> Iterable[Shown]:
    numbers: dict[tuple[str, str], int] = {}  # who cast it, as a number: the same through one case
    for one in matter.ballots:
        of_part = [known for known in numbers if known[0] == one.part]
        number = numbers.setdefault((one.part, one.by), len(of_part) + 1)
        rules = [rule for rule in protocol.sees if (rule.part, rule.move) == (part, one.move)]
        allowed = [rule for rule in rules if rule.when(matter, account, one)]
        if one.by == account:
            yield Shown("You", one.move, one.form)
        elif part == ORGANIZER or allowed:
            named = part == ORGANIZER or any(rule.names for rule in allowed)
            yield Shown(one.by if named else f"{_title(protocol, one.part)} {number}", one.move, one.form)


def _is_quiet(protocol: Protocol, state: str, part: str) -> bool:
    acts = any(move.part == part and state in move.states for move in protocol.moves)
    return state in protocol.quiet and part != ORGANIZER and not acts


def _title(protocol: Protocol, part: str) -> str:
    return protocol.parts[part].title if part in protocol.parts else part.capitalize()


# When a ballot may be seen


def always(matter: Matter, account: str, ballot: Cast) -> bool:
    return True


def when_closed(matter: Matter, account: str, ballot: Cast) -> bool:
    """Not before the round is over."""
    return matter.closed
