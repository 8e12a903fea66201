"""What a protocol of review is made of, and who may see what: functions of a `Case`, of which they change nothing.

A case has its fields, who has which part in it (`parts`), and the ballots so far. A `Protocol` says which moves each
part may make in which state, which ballots each part sees and when, and how ballots decide. Its `look` gives what one
account may see of a case; pages show that and nothing else. What no rule allows is hidden.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from django import forms

from desk.form_pages import Fields, area, radio
from desk.models import AUTHOR, ORGANIZER, Ballot, Case
from desk.trail import unstorable


def text(label: str, start: str = "", needed: bool = True) -> forms.CharField:
    """A field for a text; `start` stands in it at first."""
    return area(5, label=label, initial=start, required=needed, validators=[_check_storable])


def choice(label: str, choices: Mapping[str, str], needed: bool = True) -> forms.ChoiceField:
    """A field for one of `choices`: value -> what is shown."""
    return radio([*choices.items()], label=label, required=needed)


def _check_storable(said: str) -> None:
    if told := unstorable("case", said):
        raise forms.ValidationError(told)


# Callables of the three classes below get the protocol first: they are methods of it.


def fixed(**fields: forms.Field) -> Callable[..., Fields]:
    """The fields of a move that are the same for every case and account."""
    return lambda protocol, case, account: fields


@dataclass(frozen=True)
class Move:
    """What one part may do in some states. fields: of the form, for this case and account."""

    name: str
    part: str
    title: str
    states: tuple[str, ...]
    fields: Callable[..., Fields]  # of protocol, case, account
    once: bool = True  # for each account and case
    open_to: Callable[..., bool] = lambda protocol, case, account: True


@dataclass(frozen=True)
class Part:
    """seats: how many of a case, None for all who are named. evidence: when this part learns of it."""

    title: str
    seats: int | None = None
    knows_author: bool = False
    evidence: Callable[..., bool] = lambda protocol, case: False


@dataclass(frozen=True)
class Outcome:
    """What the ballots come to. final: nothing more can be cast. lines: what is shown of it, by label."""

    state: str
    final: bool = False
    lines: Mapping[str, str] = field(default_factory=dict)
    shown_to: tuple[str, ...] = ()  # parts that see `lines` before the round closes


class Protocol:
    """One of the papers' ways to review. `blind` says in a sentence what is hidden from whom and until when.

    material: field -> label, of a case; those in `needed` must be given, those in `lists` may be lists. settings: name
    -> its default, and what it says in a line. quiet: states that only the organizer and those who act in them
    learn of; others read "under review". named: moves whose ballots are read with who cast them.
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
    named: tuple[str, ...] = ()
    evidence: Mapping[str, str] = {}
    settings: Mapping[str, tuple[Any, str]] = {}
    needs_author = False
    lists: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()

    def reads(self, case: Case, account: str, ballot: Ballot) -> bool:
        """Whether an account that neither cast the ballot nor organizes the round may read it now."""
        return False

    def decide(self, case: Case) -> Outcome:
        """The outcome by the ballots. Raises Refused for one that can't be, by the field at fault."""
        raise NotImplementedError

    def row(self, case: Case) -> Mapping[str, Any]:
        """A case's result for the organizer."""
        raise NotImplementedError

    def table(self, cases: Iterable[Case]) -> pd.DataFrame:
        """The round's result for its organizer, one row per case."""
        return pd.DataFrame([dict(place=case.place) | self.row(case) for case in cases]).fillna("")

    def current(self, case: Case) -> Mapping[str, Any]:
        """The material as it now stands."""
        return case.material

    def shows(self, case: Case, account: str) -> Mapping[str, str]:
        """What a part sees beyond the material: label -> text."""
        return {}

    def check(self, case: Case) -> None:
        """Of a new case and its settings. Raises Refused."""

    def set_for(self, case: Case) -> dict[str, Any]:
        """The settings of the case's round."""
        return {name: usual for name, (usual, _) in self.settings.items()} | case.round.settings

    def look(self, case: Case, account: str) -> dict[str, Any] | None:
        """What an account may see of a case, and the moves that it may make now; None for one that has no part."""
        part = case.part_of(account)
        if not part:
            return None
        outcome, runs = self.decide(case), part == ORGANIZER
        known = self.parts.get(part, Part(""))
        acts = any(move.part == part and outcome.state in move.states for move in self.moves)
        quiet = outcome.state in self.quiet and not (runs or acts)
        return dict(
            part=part,
            state="under review" if quiet else outcome.state,
            material=self.current(case),
            extra=self.shows(case, account),
            evidence=case.evidence if runs or known.evidence(self, case) else {},
            author=case.author.username if case.author and (runs or part == AUTHOR or known.knows_author) else "",
            ballots=list(self._shown(case, account, part)),
            lines=outcome.lines if runs or case.closed or part in outcome.shown_to else {},
            moves=list(self.open_moves(case, account, outcome)),
        )

    def open_moves(self, case: Case, account: str, outcome: Outcome | None = None) -> Iterator[tuple[Move, Fields]]:
        """The moves that an account may make now, each with the fields of its form."""
        outcome = outcome or self.decide(case)
        if case.closed or outcome.final:
            return
        for move in self.moves:
            fits = move.part == case.part_of(account) and outcome.state in move.states
            if fits and not (move.once and case.made(move.name, account)) and move.open_to(self, case, account):
                yield move, move.fields(self, case, account)

    def _shown(self, case: Case, account: str, part: str) -> Iterator[tuple[str, Ballot]]:
        """The ballots that an account may see, each under a name, as "You", or under its part with a number."""
        numbers: dict[tuple[str, str], int] = {}  # who cast it, as a number: the same through one case
        for one in case.ballots:
            of_part = [known for known in numbers if known[0] == one.part]
            number = numbers.setdefault((one.part, one.by.username), len(of_part) + 1)
            if one.by.username == account:
                yield "You", one
            elif part == ORGANIZER or self.reads(case, account, one):
                named = part == ORGANIZER or one.move in self.named
                title = self.parts[one.part].title if one.part in self.parts else one.part.capitalize()
                yield one.by.username if named else f"{title} {number}", one
