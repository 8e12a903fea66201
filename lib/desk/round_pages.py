"""Pages of the rounds of review. A page shows what `Protocol.look` gives, and nothing else of a case.

Whoever has no part in a case gets the page of an address that does not exist.
"""

import json
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from proctor.data.tabular import DataError, Wrong, made, read_csv, read_jsonl
from proctor.files import harmless

from desk import rounds
from desk.form_pages import Fields, FormPage, Moderators, signed_in, try_act
from desk.models import Case, Round
from desk.render import markdown
from desk.round_protocols import PROTOCOLS
from desk.round_rules import Protocol
from desk.trail import NotAllowed, Refused, address

PER_PAGE = 50


@require_safe
def all_rounds(request: HttpRequest) -> HttpResponse:
    held = Round.objects.select_related("organizer").order_by("-opened_at", "-pk")
    page = Paginator(held, PER_PAGE).get_page(request.GET.get("page"))
    written = Case.objects.filter(author=request.user.pk, round__in=page.object_list).values_list("round", flat=True)
    mine = set(written) if request.user.is_authenticated else set()
    shown = [
        dict(round=one, protocol=PROTOCOLS[one.protocol], mine=one.pk in mine or _named(request, one)) for one in page
    ]
    return render(request, "desk/rounds.html", dict(rounds=shown, page=page, protocols=PROTOCOLS.values()))


def _named(request: HttpRequest, held: Round) -> bool:
    """Whether one organizes the round or is named for a part."""
    return held.organizer_id == request.user.pk or request.user.username in rounds.members(held)


def round_fields(protocol: Protocol) -> Fields:
    """Title, people of each part, settings, under the names that `rounds.open_round` has."""
    fields: dict[str, forms.Field] = {"title": forms.CharField(max_length=200)}
    for name, part in protocol.parts.items():
        hint = f"Usernames, with spaces between; {part.seats or 'all'} to a case"
        fields[name] = forms.CharField(label=f"{part.title}s", help_text=hint)
    for name, (default, meaning) in protocol.settings.items():
        kind = {float: forms.FloatField, int: forms.IntegerField}.get(type(default), forms.CharField)
        how = dict(label=name.capitalize(), initial=default, help_text=meaning)
        fields[name] = kind(required=default != "", **how)
    return fields


class OpenRound(Moderators, FormPage):
    template_name = "desk/round_new.html"

    def load(self, protocol: str) -> None:
        if protocol not in PROTOCOLS:
            raise Http404
        self.rules = PROTOCOLS[protocol]
        self.shown, self.fields = dict(protocol=self.rules), round_fields(self.rules)

    def act(self, title: str, **told) -> Round:
        people = {part: told[part].replace(",", " ").split() for part in self.rules.parts}
        settings = {name: told[name] for name, (usual, _) in self.rules.settings.items() if told[name] != usual}
        return rounds.open_round(self.request.user, self.rules.name, title, people, settings)


def _round(request: HttpRequest, key: str) -> Round:
    """The round, for its organizer, its members and the authors of its cases."""
    held = get_object_or_404(Round.objects.select_related("organizer"), key=key)
    if not (_named(request, held) or held.cases.filter(author=request.user).exists()):
        raise Http404
    return held


class OneRound(FormPage):
    """The round with its cases, to which the organizer adds."""

    template_name = "desk/round.html"
    fields = dict(
        cases=forms.CharField(
            widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
            help_text="CSV with the fields' names in its first line, or JSON, one object per line. In a CSV the parts "
            "of a list stand in one cell with | between them.",
        )
    )

    def load(self, key: str) -> None:
        self.held, user = _round(self.request, key), self.request.user
        rules, organizes = PROTOCOLS[self.held.protocol], self.held.organizer_id == user.pk
        cases = rounds.with_all(self.held.cases)
        if not organizes:
            cases = (cases.filter(seats__account=user) | cases.filter(author=user)).distinct()
        page = Paginator(cases, PER_PAGE).get_page(self.request.GET.get("page"))
        views = [(case, rules.look(case, user.username)) for case in page]
        shown = [dict(place=case.place, title=_first(case), view=view) for case, view in views if view]
        self.shown = dict(round=self.held, protocol=rules, cases=shown, page=page, organizes=organizes)
        if organizes and shown:
            table = rules.table(rounds.with_all(self.held.cases))
            names = [name.replace("_", " ") for name in table]
            self.shown |= dict(columns=names, rows=table.astype(object).fillna("").values.tolist())

    def act(self, cases: str) -> Round:
        made = rounds.add_cases(self.request.user, self.held, read_cases(cases, PROTOCOLS[self.held.protocol]))
        self.done = f"{len(made)} cases added."
        return self.held


@never_cache
@require_safe
@signed_in
def table_csv(request: HttpRequest, key: str) -> HttpResponse:
    """The result so far, as the organizer's page shows it; `python -m proctor keys` reads that of hle_verified."""
    held = _round(request, key)
    if held.organizer_id != request.user.pk or not held.cases.exists():
        raise Http404
    table = PROTOCOLS[held.protocol].table(rounds.with_all(held.cases)).map(harmless)
    answer = HttpResponse(table.to_csv(index=False), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{held.protocol}-{held.key}.csv"'
    return answer


def _first(case: Case) -> str:
    """What a case is called: the beginning of its first text."""
    text = next((str(case.material[name]) for name in ("title", "question", "problem") if case.material.get(name)), "")
    return text if len(text) <= 90 else text[:89].rstrip() + "…"


def read_cases(text: str, rules: Protocol) -> list[dict]:
    """Cases as JSON lines or as a CSV. Raises Refused with the rows at fault."""
    here, as_json = Path("cases"), text.lstrip().startswith("{")
    try:
        rows, problems = (read_jsonl if as_json else read_csv)(here, text.strip())
        return made(here, rows, problems, lambda _, row: row if as_json else _cells(row, rules))
    except DataError as error:
        raise Refused({"cases": str(error)}) from None


def _cells(row: dict[str, str], rules: Protocol) -> dict:
    """A CSV's row: texts, the parts of a list, what models said (JSON). Raises Wrong."""
    told: dict[str, Any] = {name.strip(): cell for name, cell in row.items() if cell.strip()}
    for name in {*rules.lists} & {*told}:
        if "|" in told[name]:
            told[name] = [part.strip() for part in told[name].split("|")]
    for name in {*rules.evidence} & {*told}:
        try:
            told[name] = json.loads(told[name])
        except (ValueError, RecursionError) as error:
            raise Wrong(name, f"no JSON ({error})", "Write what models said as JSON") from None
    return told


class CloseRound(FormPage):
    """Ask the organizer, then close."""

    send, note, done = "Close the round", "desk/close_note.html", "The round is closed."

    def load(self, key: str) -> None:
        self.held = _round(self.request, key)
        if self.held.organizer_id != self.request.user.pk:
            raise Http404
        cast, total = self.held.cases.filter(cast__isnull=False).distinct().count(), self.held.cases.count()
        heading = f"Close the round {self.held.title}? {cast} of its {total} cases have a ballot"
        self.shown = dict(heading=heading, back=address(self.held))

    def act(self) -> Round:
        return rounds.close_round(self.request.user, self.held)


@never_cache
@signed_in
def one_case(request: HttpRequest, key: str, place: int, move: str = "") -> HttpResponse:
    """A case with the forms of the moves that one may make now; a form goes to the address of its move."""
    case = rounds.with_all(Case.objects.filter(round__key=key, place=place)).first()
    rules = PROTOCOLS[case.round.protocol] if case else None
    view = case and rules.look(case, request.user.username)
    if not view or (move and request.method != "POST"):
        raise Http404
    forms_of = {
        own: rounds.form_of(fields, request.POST if own.name == move else None, own.name)
        for own, fields in view["moves"]
    }
    sent = next((form for form in forms_of.values() if form.is_bound), None)
    if move and not sent:
        raise NotAllowed("You can't do that here now: it is done, not yet due, or another's part.")
    if sent and sent.is_valid() and try_act(sent, rounds.cast, request.user, case, move, sent.cleaned_data):
        messages.success(request, "Saved. A ballot can't be changed afterwards.")
        return redirect("case", key, place)
    material = view["material"]
    told = dict(
        round=case.round,
        case=case,
        protocol=rules,
        view=view,
        material=[(label, _html(material[name])) for name, label in rules.material.items() if material.get(name)],
        evidence=[(rules.evidence[name], _html(value)) for name, value in view["evidence"].items()],
        extra=[(label, markdown(text)) for label, text in view["extra"].items()],
        ballots=[(who, one.move, _labelled(one.form)) for who, one in view["ballots"]],
        moves=forms_of.items(),
    )
    return render(request, "desk/case.html", told, status=422 if sent else 200)


def _labelled(form) -> list[tuple[str, str]]:
    shown = [
        (name.capitalize(), ", ".join(value) if isinstance(value, list) else value) for name, value in form.items()
    ]
    return [(label, markdown(text)) for label, text in shown if text]


def _html(value) -> str:
    """A field of a case: a text as Markdown; a list or a mapping as a list of texts."""
    if isinstance(value, dict):
        value = [f"**{name}:** {_inline(one)}" for name, one in value.items()]
    if isinstance(value, list):
        value = "\n".join(f"1. {_inline(one)}" for one in value)
    return markdown(str(value))


def _inline(value) -> str:
    """An entry of a list on one line."""
    if isinstance(value, dict):
        value = "; ".join(f"{name}: {one}" for name, one in value.items())
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return " ".join(str(value).split())
