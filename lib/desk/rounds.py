"""Rounds of review in the store: opening one, its cases and seats, ballots, closing. Each act is one transaction.

    held = open_round(moderator, "kina_blind", "First items", {"reviewer": ["ada", "bo"], "auditor": ["cy"]})
    add_cases(moderator, held, [{"author": "dan", "question": "...", ...}])
    cast(ada, case, "review", {"verdict": "accept", "text": "..."})

Who may see what is decided by `round_rules.look` from `matter_of(case)`; a role on the desk gives no more. The audit
trail names cases, never what a ballot holds.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django import forms
from django.db import transaction
from django.db.models import Prefetch
from django.utils import timezone

from desk.models import Account, Ballot, Case, Round, Seat
from desk.round_protocols import PROTOCOLS
from desk.round_rules import Cast, Field, Impossible, Matter, Protocol, View, look, moves
from desk.trail import NotAllowed, Refused, active, bad_text, record

LONGEST = 20_000  # characters of a text in a ballot
MOST_CASES = 2_000  # added at a time


def matter_of(case: Case) -> Matter:
    return matters_of(case.round, [case])[0]


def matters_of(held: Round, cases: Iterable[Case] | None = None) -> list[Matter]:
    """The cases of a round, all by default, as protocols see them; few queries, however many cases."""
    chosen = held.cases.order_by("place") if cases is None else Case.objects.filter(pk__in=[case.pk for case in cases])
    seats = Prefetch("seats", Seat.objects.select_related("account").order_by("pk"))
    ballots = Prefetch("cast", Ballot.objects.select_related("by").order_by("number"))
    return [
        Matter(
            place=case.place,
            organizer=held.organizer.username,
            author=case.author.username if case.author else "",
            material=case.material,
            evidence=case.evidence,
            settings=PROTOCOLS[held.protocol].settings | held.settings,
            seats={one.account.username: one.part for one in case.seats.all()},
            ballots=tuple(Cast(one.number, one.by.username, one.part, one.move, one.form) for one in case.cast.all()),
            closed=held.closed_at is not None,
        )
        for case in chosen.select_related("author").prefetch_related(seats, ballots).order_by("place")
    ]


def seen_by(account: Account, case: Case) -> View | None:
    """What an account may see of a case; None if it has no part in it."""
    return look(PROTOCOLS[case.round.protocol], matter_of(case), account.username)


def members(held: Round) -> set[str]:
    return {name for names in held.people.values() for name in names}


@transaction.atomic
def open_round(
    by: Account, protocol: str, title: str, people: Mapping[str, Sequence[str]], settings: Mapping | None = None
) -> Round:
    """A round that `by`, a moderator, organizes. people: part -> usernames; settings: what differs from the default."""
    if not active(by).may_moderate():
        raise NotAllowed("Only a moderator may open a round.")
    if protocol not in PROTOCOLS:
        raise Refused({"protocol": f"{protocol!r} is none. Choose {', '.join(PROTOCOLS)}."})
    rules, problems = PROTOCOLS[protocol], {}
    if not title.strip() or bad_text("title", title) or len(title) > 200:
        problems["title"] = "Give a title of at most 200 characters."
    problems |= _people_problems(rules, people, by)
    settings = dict(settings or {})
    for name, value in settings.items():
        if type(value) is not type(rules.settings.get(name)):
            problems[name] = f"is no setting of {rules.title}, or of another kind. Known: {rules.settings}."
    if not problems:
        try:
            rules.check(Matter(1, by.username, material=_blank(rules), settings=rules.settings | settings))
        except Impossible as error:
            if error.field in (*rules.settings, "settings"):  # else it is of a case, and there is none yet
                problems[error.field] = f"{error}."
    if problems:
        raise Refused(problems)
    people = {part: list(dict.fromkeys(people[part])) for part in rules.parts}
    held = Round.objects.create(protocol=protocol, title=title.strip(), organizer=by, people=people, settings=settings)
    record(by, "open round", held)
    return held


def _blank(rules: Protocol) -> dict:
    return dict.fromkeys(rules.material, "")


def _people_problems(rules: Protocol, people: Mapping[str, Sequence[str]], by: Account) -> dict[str, str]:
    problems = {part: f"is no part; there are {', '.join(rules.parts)}." for part in people if part not in rules.parts}
    for part, known in rules.parts.items():
        named = set(people.get(part, ()))
        standing = Account.objects.filter(username__in=named, is_active=True)
        reviewers = {account.username for account in standing if account.may_review()}
        if len(named) < (known.seats or 1):
            problems[part] = f"name {known.seats or 1} or more reviewers"
        elif by.username in named:
            problems[part] = "the organizer sees every ballot, and can have no part. Name others."
        elif missing := sorted(named - reviewers):
            problems[part] = f"{', '.join(missing[:5])}: no reviewer's account of the desk."
    return problems


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
    for number, row in enumerate(rows, 1):
        told = dict(material=_material(rules, row), evidence={n: row[n] for n in rules.evidence if n in row})
        case = Case(round=held, place=place + number, author=authors.get(str(row.get("author") or "")), **told)
        if problem := _case_problem(rules, case, row):
            raise Refused({"cases": f"row {number}: {problem}"})
        case.save()
        Seat.objects.bulk_create(
            Seat(case=case, account=accounts[name], part=part) for name, part in _seats(rules, held, case, load, number)
        )
        _settle(case)
        made.append(case)
        record(by, "add case", case)
    return made


def _case_problem(rules: Protocol, case: Case, row: Mapping) -> str:
    """What is wrong with a case that is not yet stored, made of a row; "" if nothing."""
    held = case.round
    known = {*rules.material, *rules.evidence, "author"}
    if unknown := sorted(set(row) - known):
        return f"{', '.join(unknown[:5])}: unknown; known are {', '.join(sorted(known))}."
    if missing := [name for name in rules.needed if row.get(name) in (None, "", [])]:
        return f"{missing[0]}: missing."
    if wrong := [
        name for name in rules.material if isinstance(row.get(name), (list, dict)) and name not in rules.lists
    ]:
        return f"{wrong[0]}: not a text."
    if long := [name for name, value in row.items() if told_long(value)]:
        return f"{long[0]}: more than {LONGEST:,} characters, or holds what can't be stored."
    author = str(row.get("author") or "")
    if rules.needs_author and not author:
        return "author: missing. Name the account that wrote it."
    if author and case.author is None:
        return f"author: no account {author!r}."
    if author == held.organizer.username:
        return "author: the organizer sees every ballot, and can't be the author of a case."
    for part, own in rules.parts.items():
        if len(set(held.people[part]) - {author}) < (own.seats or 1):
            return f"too few of part {part} next to the author: name more in a round of its own."
    try:
        material, settings = _blank(rules) | case.material, rules.settings | held.settings
        rules.check(Matter(1, held.organizer.username, author, material, case.evidence, settings))
    except Impossible as error:
        return f"{error}."
    return ""


def _material(rules: Protocol, row: Mapping) -> dict:
    """The fields of a case; numbers as texts."""
    given = {name: row[name] for name in rules.material if row.get(name) is not None}
    return {name: value if isinstance(value, (str, list)) else str(value) for name, value in given.items()}


def told_long(value) -> bool:
    """Whether a value is too long for a case, or holds what no database takes."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return len(text) > LONGEST or bool(bad_text("", text)) or "\\u0000" in text


def _seats(rules: Protocol, held: Round, case: Case, load: Counter, number: int) -> list[tuple[str, str]]:
    """(account, part): for each part those with the fewest cases so far, one seat an account, never the author."""
    taken, found = {case.author.username if case.author else ""}, []
    scarce = sorted(rules.parts, key=lambda part: len(held.people[part]) - (rules.parts[part].seats or 0))
    for part in scarce:
        names, seats = held.people[part], rules.parts[part].seats
        order = sorted(
            (name for name in names if name not in taken),
            key=lambda n: (load[n], (names.index(n) - number) % len(names)),
        )
        chosen = order if seats is None else order[:seats]
        if len(chosen) < (seats or 1):
            raise Refused({"cases": f"row {number}: too few people for {part} next to the other parts. Name more."})
        found += [(name, part) for name in chosen]
        taken.update(chosen)
        load.update(chosen)
    return found


@transaction.atomic
def cast(by: Account, case: Case, move: str, form: Mapping) -> Ballot:
    """Make a move. Raises NotAllowed for one that this account can't make now, Refused for a form that doesn't do."""
    active(by)
    held = Round.objects.select_for_update().get(pk=case.round_id)  # ballots of a round take turns, with its closing
    case = Case.objects.select_related("round__organizer", "author").get(pk=case.pk)
    rules, matter = PROTOCOLS[held.protocol], matter_of(case)
    possible = {own.name: fields for own, fields in moves(rules, matter, by.username)}
    if move not in possible:
        raise NotAllowed("You can't do that here now: it is done, not yet due, or another's part.")
    clean = checked_form(possible[move], form)
    ballot = Cast(len(matter.ballots) + 1, by.username, matter.part_of(by.username), move, clean)
    try:
        rules.decide(replace(matter, ballots=(*matter.ballots, ballot)))
    except Impossible as error:
        raise Refused({error.field if error.field in clean else "": str(error)}) from None
    stored = Ballot.objects.create(
        case=case, number=ballot.number, by=by, part=ballot.part, move=move, form=clean, cast_at=timezone.now()
    )
    _settle(case)
    record(by, "cast", case)
    return stored


def form_of(fields: Iterable[Field], data: Mapping | None = None, name: str = "") -> forms.Form:
    """Django's form of a move's fields; name: of the move, for the ids on a page with several."""
    form = forms.Form(data, auto_id=f"{name}_%s")
    for field in fields:
        how = dict(label=field.label, required=field.needed)
        choices = list(field.choices.items())
        if field.many:
            made = forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **how)
        elif choices:
            made = forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **how)
        else:
            area = forms.Textarea(attrs={"rows": 5})
            made = forms.CharField(widget=area, initial=field.start, validators=[_storable], **how)
        form.fields[field.name] = made
    return form


def _storable(text: str) -> None:
    if told_long(text):
        raise forms.ValidationError(f"More than {LONGEST:,} characters, or holds what can't be stored.")


def checked_form(fields: Iterable[Field], data: Mapping) -> dict:
    """What a form holds; Refused names each field that lacks something or holds another than its choices."""
    form = form_of(fields, data)
    if not form.is_valid():
        raise Refused({name: " ".join(told) for name, told in form.errors.items()})
    return form.cleaned_data


@transaction.atomic
def close_round(by: Account, held: Round) -> Round:
    """No ballot is taken after it; what the protocol shows when closed is shown."""
    held = _organized(by, held)
    held.closed_at = timezone.now()
    held.save(update_fields=["closed_at"])
    for case in held.cases.all():
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
    state = PROTOCOLS[case.round.protocol].decide(matter_of(case)).state
    if state != case.state:
        case.state = state
        case.save(update_fields=["state"])
