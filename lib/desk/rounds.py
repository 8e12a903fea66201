"""Rounds of review in the store: opening one, its cases and seats, ballots, closing. Each act is one transaction.

    held = open_round(moderator, "kina_blind", "First items", {"reviewer": ["ada", "bo"], "auditor": ["cy"]})
    add_cases(moderator, held, [{"author": "dan", "question": "...", ...}])
    cast(ada, case, "review", {"verdict": "accept", "text": "..."})

Who may see what is decided by `Protocol.look`; a role on the desk gives no more. The audit
trail names cases, never what a ballot holds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django import forms
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from desk.form_pages import Fields, form_class
from desk.models import Account, Ballot, Case, Round, Seat
from desk.round_protocols import PROTOCOLS
from desk.round_rules import Protocol
from desk.trail import NotAllowed, Refused, active, record, unstorable

MOST_CASES = 2_000  # added at a time


def with_all(cases: QuerySet[Case]) -> QuerySet[Case]:
    """The cases in their order with all that protocols read of them: few queries, however many cases."""
    return (
        cases.select_related("round__organizer", "author")
        .prefetch_related("seats__account", "cast__by")
        .order_by("place")
    )


def members(held: Round) -> set[str]:
    return {name for names in held.people.values() for name in names}


@transaction.atomic
def open_round(
    by: Account, protocol: str, title: str, people: Mapping[str, Sequence[str]], settings: Mapping | None = None
) -> Round:
    """A round that `by`, a moderator, organizes. people: part -> usernames; settings: what differs from the default."""
    if not active(by).may_moderate():
        raise NotAllowed("Only a moderator may open a round.")
    rules = PROTOCOLS[protocol]
    named = {part: list(dict.fromkeys(people.get(part, ()))) for part in rules.parts}
    held = Round(protocol=protocol, title=title, organizer=by, people=named, settings=dict(settings or {}))
    problems = {part: told for part in rules.parts if (told := _people_problem(held, part, rules.parts[part].seats))}
    try:
        rules.check(Case(round=held, place=1))
    except Refused as refused:  # of a case where it is of no setting, and there is none yet
        problems |= {name: told for name, told in refused.problems.items() if name in (*rules.settings, "settings")}
    if problems:
        raise Refused(problems)
    held.save()
    record(by, "open round", held)
    return held


def _people_problem(held: Round, part: str, seats: int | None) -> str:
    """What is wrong with those who are named for a part, "" if nothing."""
    named, standing = held.people[part], Account.objects.filter(username__in=held.people[part])
    if len(named) < (seats or 1):
        return f"name {seats or 1} or more reviewers"
    if held.organizer.username in named:
        return "the organizer sees every ballot, and can have no part. Name others."
    missing = sorted({*named} - {account.username for account in standing if account.may_review()})
    return f"{', '.join(missing[:5])}: no reviewer's account of the desk." if missing else ""


@transaction.atomic
def add_cases(by: Account, held: Round, rows: Sequence[Mapping]) -> list[Case]:
    """Cases with their seats filled; all of them or none. rows: the protocol's fields, and `author` (a username)."""
    held = _organized(by, held)
    rules, place = PROTOCOLS[held.protocol], held.cases.count()
    if not rows or len(rows) > MOST_CASES:
        raise Refused({"cases": f"{len(rows)} cases: give 1 to {MOST_CASES:,} at a time."})
    authors = Account.objects.in_bulk([str(row.get("author") or "") for row in rows], field_name="username")
    load = Counter(Seat.objects.filter(case__round=held).values_list("account__username", flat=True))
    accounts, made = Account.objects.in_bulk(list(members(held)), field_name="username"), []
    seats: list[Seat] = []
    for number, row in enumerate(rows, 1):
        given = {name: row[name] for name in rules.material if row.get(name) is not None}
        told = dict(
            material={name: value if isinstance(value, (str, list)) else str(value) for name, value in given.items()},
            evidence={name: row[name] for name in rules.evidence if name in row},
        )
        case = Case(round=held, place=place + number, author=authors.get(str(row.get("author") or "")), **told)
        if problem := _case_problem(rules, case, row):
            raise Refused({"cases": f"row {number}: {problem}"})
        case.parts, case.ballots = _seats(rules, held, case, load, number), []
        case.state = rules.decide(case).state
        case.save()
        seats += [Seat(case=case, account=accounts[name], part=part) for name, part in case.parts.items()]
        made.append(case)
        record(by, "add case", case)
    Seat.objects.bulk_create(seats)
    return made


def _case_problem(rules: Protocol, case: Case, row: Mapping) -> str:
    """What is wrong with a case that is not yet stored, made of a row; "" if nothing."""
    known = {*rules.material, *rules.evidence, "author"}
    if unknown := sorted(set(row) - known):
        return f"{', '.join(unknown[:5])}: unknown; known are {', '.join(sorted(known))}."
    if missing := [name for name in rules.needed if row.get(name) in (None, "", [])]:
        return f"{missing[0]}: missing."
    if wrong := [name for name in {*rules.material} - {*rules.lists} if isinstance(row.get(name), (list, dict))]:
        return f"{min(wrong)}: not a text."
    if bad := [f"{name}: {told}" for name, value in row.items() if (told := unstorable("case", value))]:
        return bad[0]
    author = str(row.get("author") or "")
    if rules.needs_author and not author:
        return "author: missing. Name the account that wrote it."
    if author and case.author is None:
        return f"author: no account {author!r}."
    if author == case.round.organizer.username:
        return "author: the organizer sees every ballot, and can't be the author of a case."
    try:
        rules.check(case)
    except Refused as refused:
        return str(refused)
    return ""


def _seats(rules: Protocol, held: Round, case: Case, load: Counter, number: int) -> dict[str, str]:
    """Account -> part: for each part those with the fewest cases so far, one seat an account, never the author."""
    author, found = case.author.username if case.author else "", {}
    scarce = sorted(rules.parts, key=lambda part: len(held.people[part]) - (rules.parts[part].seats or 0))
    for part in scarce:
        names, seats = held.people[part], rules.parts[part].seats
        order = sorted(
            (name for name in names if name != author and name not in found),
            key=lambda n: (load[n], (names.index(n) - number) % len(names)),
        )
        chosen = order if seats is None else order[:seats]
        if len(chosen) < (seats or 1):
            raise Refused({"cases": f"row {number}: too few for {part} next to author and other parts. Name more."})
        found |= dict.fromkeys(chosen, part)
        load.update(chosen)
    return found


@transaction.atomic
def cast(by: Account, case: Case, move: str, form: Mapping) -> Ballot:
    """Make a move. Raises NotAllowed for one that this account can't make now, Refused for a form that doesn't do."""
    active(by)
    Round.objects.select_for_update().get(pk=case.round_id)  # ballots of a round take turns, with its closing
    case = with_all(Case.objects).get(pk=case.pk)
    rules = PROTOCOLS[case.round.protocol]
    possible = {own.name: fields for own, fields in rules.open_moves(case, by.username)}
    if move not in possible:
        raise NotAllowed("You can't do that here now: it is done, not yet due, or another's part.")
    sent = form_of(possible[move], form)
    if not sent.is_valid():
        raise Refused({name: " ".join(told) for name, told in sent.errors.items()})
    number, part = len(case.ballots) + 1, case.part_of(by.username)
    ballot = Ballot(case=case, number=number, by=by, part=part, move=move, form=sent.cleaned_data)
    case.ballots.append(ballot)
    _settle(case)
    ballot.save()
    record(by, "cast", case)
    return ballot


def form_of(fields: Fields, data: Mapping | None = None, name: str = "") -> forms.Form:
    """Django's form of a move's fields; name: of the move, for the ids on a page with several."""
    return form_class(fields)(data, auto_id=f"{name}_%s")


@transaction.atomic
def close_round(by: Account, held: Round) -> Round:
    """No ballot is taken after it; what the protocol shows when closed is shown."""
    held = _organized(by, held)
    held.closed_at = timezone.now()
    held.save(update_fields=["closed_at"])
    for case in with_all(held.cases):
        _settle(case)
    record(by, "close round", held)
    return held


def _organized(by: Account, held: Round) -> Round:
    active(by)
    held = Round.objects.select_for_update().select_related("organizer").get(pk=held.pk)
    if held.organizer_id != by.pk:
        raise NotAllowed("Only the round's organizer may do that.")
    if held.closed_at:
        raise NotAllowed("This round is closed.")
    return held


def _settle(case: Case) -> None:
    """Keep the case's state as its protocol decides it."""
    state = PROTOCOLS[case.round.protocol].decide(case).state
    if state != case.state:
        case.state = state
        case.save(update_fields=["state"])
