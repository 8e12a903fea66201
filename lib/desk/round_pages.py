"""Pages of the rounds of review. A page shows what `rounds.seen_by` gives, and nothing else of a case.

    /rounds/                       all rounds by title; /rounds/new/ opens one
    /rounds/<key>/                 its protocol, and the cases in which one has a part
    /rounds/<key>/table.csv        its result so far, for its organizer
    /rounds/<key>/<place>/         a case, and the forms of the moves that one may make now
    /rounds/<key>/<place>/<move>/  where these forms go

Whoever has no part in a case gets the page of an address that does not exist.
"""

import csv
import io
import json

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from proctor.files import harmless

from desk import rounds
from desk.models import Case, Round
from desk.render import markdown
from desk.round_protocols import PROTOCOLS
from desk.round_rules import ORGANIZER, Field, Move, Protocol, View, look
from desk.trail import NotAllowed, Refused

PER_PAGE = 50


def form_of(move: Move, fields: tuple[Field, ...], data=None) -> forms.Form:
    """Django's form of a move's fields; `rounds.cast` checks what it holds."""
    form = forms.Form(data, auto_id=f"{move.name}_%s")
    for field in fields:
        choices = list(field.choices.items())
        if field.many:
            made = forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple)
        elif field.choices:
            made = forms.ChoiceField(choices=choices, widget=forms.RadioSelect)
        else:
            made = forms.CharField(widget=forms.Textarea(attrs={"rows": 5}), initial=field.start)
        made.label, made.required = field.label, field.needed
        form.fields[field.name] = made
    return form


class NewRound(forms.Form):
    """Title, people of each part, settings: fields by the protocol."""

    title = forms.CharField(max_length=200)

    def __init__(self, protocol: Protocol, data=None):
        super().__init__(data)
        for name, part in protocol.parts.items():
            self.fields[f"people_{name}"] = forms.CharField(
                label=f"{part.title}s", help_text=f"Usernames, with spaces between; {part.seats or 'all'} to a case"
            )
        for name, default in protocol.settings.items():
            kind = {float: forms.FloatField, int: forms.IntegerField}.get(type(default), forms.CharField)
            how = dict(label=name.capitalize(), initial=default, help_text=protocol.meanings.get(name, ""))
            self.fields[f"set_{name}"] = kind(required=default != "", **how)

    def values(self, start: str) -> dict:
        return {name.removeprefix(start): value for name, value in self.cleaned_data.items() if name.startswith(start)}


class NewCases(forms.Form):
    cases = forms.CharField(
        label="Cases",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text="CSV with the fields' names in its first line, or JSON, one object per line. In a CSV the parts of a "
        "list stand in one cell with | between them.",
    )


@require_safe
def all_rounds(request: HttpRequest) -> HttpResponse:
    held = Round.objects.select_related("organizer").order_by("-opened_at", "-pk")
    page = Paginator(held, PER_PAGE).get_page(request.GET.get("page"))
    shown = [dict(round=one, protocol=PROTOCOLS[one.protocol], mine=_takes_part(request, one)) for one in page]
    return render(request, "desk/rounds.html", dict(rounds=shown, page=page, protocols=PROTOCOLS.values()))


def _takes_part(request: HttpRequest, held: Round) -> bool:
    name = request.user.username
    return bool(name) and (
        held.organizer_id == request.user.pk or name in rounds.members(held) or _authored(request, held).exists()
    )


def _authored(request: HttpRequest, held: Round):
    return held.cases.filter(author=request.user)


@login_required
def new_round(request: HttpRequest, protocol: str) -> HttpResponse:
    if protocol not in PROTOCOLS:
        raise Http404
    if not request.user.may_moderate():
        raise Http404
    rules = PROTOCOLS[protocol]
    form = NewRound(rules, request.POST or None)
    if request.method == "POST" and form.is_valid():
        people = {part: names.replace(",", " ").split() for part, names in form.values("people_").items()}
        settings = {k: v for k, v in form.values("set_").items() if v != rules.settings[k]}
        try:
            held = rounds.open_round(request.user, protocol, form.cleaned_data["title"], people, settings)
            return redirect("round", held.key)
        except Refused as error:
            _tell(
                form, error, {part: f"people_{part}" for part in rules.parts} | {n: f"set_{n}" for n in rules.settings}
            )
    return render(
        request, "desk/round_new.html", dict(protocol=rules, form=form), status=200 if not form.errors else 400
    )


def _tell(form: forms.Form, error: Refused, names: dict | None = None) -> None:
    """Put an act's problems beside the fields of the form."""
    for field, text in error.problems.items():
        name = (names or {}).get(field, field)
        form.add_error(name if name in form.fields else None, text)


@never_cache
@login_required
def one_round(request: HttpRequest, key: str) -> HttpResponse:
    held = _round(request, key)
    return _round_page(request, held, NewCases())


def _round(request: HttpRequest, key: str) -> Round:
    """The round, for its organizer, its members and the authors of its cases."""
    held = get_object_or_404(Round.objects.select_related("organizer"), key=key)
    if not _takes_part(request, held):
        raise Http404
    return held


def _round_page(request: HttpRequest, held: Round, form: forms.Form, status: int = 200) -> HttpResponse:
    rules, organizes = PROTOCOLS[held.protocol], held.organizer_id == request.user.pk
    cases = held.cases.order_by("place")
    if not organizes:
        cases = (cases.filter(seats__account=request.user) | cases.filter(author=request.user)).distinct()
    page = Paginator(cases, PER_PAGE).get_page(request.GET.get("page"))
    matters = rounds.matters_of(held, page.object_list)
    views = [(matter.place, _first(matter), look(rules, matter, request.user.username)) for matter in matters]
    shown = [dict(place=place, title=title, view=view) for place, title, view in views if view]
    told = dict(round=held, protocol=rules, cases=shown, page=page, organizes=organizes, form=form)
    if organizes and cases.exists():
        table = rules.table(rounds.matters_of(held))
        told |= dict(
            columns=[name.replace("_", " ") for name in table], rows=table.astype(object).fillna("").values.tolist()
        )
    return render(request, "desk/round.html", told, status=status)


@never_cache
@require_safe
@login_required
def table_csv(request: HttpRequest, key: str) -> HttpResponse:
    """The result so far, as the organizer's page shows it; `python -m proctor keys` reads that of hle_verified."""
    held = _round(request, key)
    if held.organizer_id != request.user.pk or not held.cases.exists():
        raise Http404
    table = PROTOCOLS[held.protocol].table(rounds.matters_of(held)).map(harmless)
    answer = HttpResponse(table.to_csv(index=False), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{held.protocol}-{held.key}.csv"'
    return answer


def _first(matter) -> str:
    """What a case is called: the beginning of its first text."""
    text = next(
        (str(matter.material[name]) for name in ("title", "question", "problem") if matter.material.get(name)), ""
    )
    return text if len(text) <= 90 else text[:89].rstrip() + "…"


@require_POST
@login_required
def add(request: HttpRequest, key: str) -> HttpResponse:
    held, form = _round(request, key), NewCases(request.POST)
    if form.is_valid():
        try:
            made = rounds.add_cases(
                request.user, held, read_cases(form.cleaned_data["cases"], PROTOCOLS[held.protocol])
            )
            messages.success(request, f"{len(made)} cases added.")
            return redirect("round", held.key)
        except Refused as error:
            _tell(form, error)
        except NotAllowed as error:
            form.add_error(None, str(error))
    return _round_page(request, held, form, 400)


def read_cases(text: str, rules: Protocol) -> list[dict]:
    """Cases as JSON lines or as a CSV. Raises Refused with the line at fault."""
    if text.lstrip().startswith("{"):
        return read_lines(text)
    reader, rows, fields = csv.reader(io.StringIO(text.strip()), strict=True), [], (*rules.material, *rules.evidence)
    try:
        names = [name.strip() for name in next(reader, [])]
        if strange := sorted(set(names) - {*fields, "author"}):
            raise ValueError(f"{strange[0][:40]!r} is no field; known: {', '.join(fields)}, author")
        for cells in filter(None, reader):
            if len(cells) != len(names):
                counts = f"{len(cells)} cells under {len(names)} names"
                raise ValueError(f"{counts}; put quotes around a cell that contains a comma")
            rows.append({name: _cell(name, cell, rules) for name, cell in zip(names, cells) if cell.strip()})
    except (ValueError, RecursionError, csv.Error) as error:
        raise Refused({"cases": f"line {reader.line_num}: {str(error)[:300]}."}) from None
    return rows


def _cell(name: str, cell: str, rules: Protocol):
    """A CSV's cell: a list's parts, what models said (JSON), or a text."""
    if name in rules.evidence:
        return json.loads(cell)
    return [part.strip() for part in cell.split("|")] if name in rules.lists and "|" in cell else cell


def read_lines(text: str) -> list[dict]:
    """JSON objects, one a line. Raises Refused with the line at fault."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Refused(
                    {"cases": f"line {number}: no JSON ({str(error)[:80]}). Write one object a line."}
                ) from None
            if not isinstance(row, dict):
                raise Refused({"cases": f'line {number}: no object. Write {{"question": "...", ...}}.'})
            rows.append(row)
    return rows


@login_required
def close(request: HttpRequest, key: str) -> HttpResponse:
    """Ask the organizer, then close."""
    held = _round(request, key)
    if request.method != "POST":
        if held.organizer_id != request.user.pk:
            raise Http404
        cast, total = held.cases.filter(cast__isnull=False).distinct().count(), held.cases.count()
        heading = f"Close the round {held.title}? {cast} of its {total} cases have a ballot"
        told = dict(form=forms.Form(), heading=heading, send="Close the round", note="desk/close_note.html")
        return render(request, "desk/form.html", told | dict(back=reverse("round", args=[held.key])))
    try:
        rounds.close_round(request.user, held)
        messages.success(request, "The round is closed.")
    except NotAllowed as error:
        messages.error(request, str(error))
    return redirect("round", held.key)


@never_cache
@login_required
def one_case(request: HttpRequest, key: str, place: int) -> HttpResponse:
    case, view = _case(request, key, place)
    return _case_page(request, case, view)


def _case(request: HttpRequest, key: str, place: int) -> tuple[Case, View]:
    case = Case.objects.filter(round__key=key, place=place).select_related("round__organizer", "author").first()
    view = case and rounds.seen_by(request.user, case)
    if not view:
        raise Http404
    return case, view


@never_cache
@require_POST
@login_required
def make_move(request: HttpRequest, key: str, place: int, move: str) -> HttpResponse:
    case, view = _case(request, key, place)
    fields = next((fields for own, fields in view.moves if own.name == move), ())
    given = {f.name: request.POST.getlist(f.name) if f.many else request.POST.get(f.name, "") for f in fields}
    try:
        rounds.cast(request.user, case, move, given)
    except NotAllowed as error:
        messages.error(request, str(error))
    except Refused as error:
        return _case_page(request, case, view, (move, error), 400)
    else:
        messages.success(request, "Saved. A ballot can't be changed afterwards.")
    return redirect("case", case.round.key, case.place)


def _case_page(
    request: HttpRequest, case: Case, view: View, refused: tuple[str, Refused] | None = None, status: int = 200
) -> HttpResponse:
    rules, made = PROTOCOLS[case.round.protocol], []
    for move, fields in view.moves:
        form = form_of(move, fields, request.POST if refused and refused[0] == move.name else None)
        if refused and refused[0] == move.name:
            form.is_valid()
            form.errors.clear()
            _tell(form, refused[1])
        made.append((move, form))
    labels = rules.material | rules.evidence
    ballots = [(one.who, one.move, _labelled(one.form)) for one in view.ballots]
    told = dict(
        round=case.round,
        case=case,
        protocol=rules,
        view=view,
        organizes=view.part == ORGANIZER,
        material=[(labels[name], _html(view.material[name])) for name in rules.material if view.material.get(name)],
        evidence=[(labels[name], _html(value)) for name, value in view.evidence.items()],
        extra=[(label, markdown(text)) for label, text in view.extra.items()],
        ballots=ballots,
        moves=made,
    )
    return render(request, "desk/case.html", told, status=status)


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


round_urls = [
    path("rounds/", all_rounds, name="rounds"),
    path("rounds/new/<str:protocol>/", new_round, name="round_new"),
    path("rounds/<str:key>/", one_round, name="round"),
    path("rounds/<str:key>/table.csv", table_csv, name="round_table"),
    path("rounds/<str:key>/cases/", add, name="round_cases"),
    path("rounds/<str:key>/close/", close, name="round_close"),
    path("rounds/<str:key>/<int:place>/", one_case, name="case"),
    path("rounds/<str:key>/<int:place>/<str:move>/", make_move, name="case_move"),
]
