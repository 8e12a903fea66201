"""What all pages with a form share: who is not signed in signs in first, one act gets what the form holds.

A form is a dict of fields, which stands next to the page that shows it. Fields say what is missing; what may be stored
is decided by the acts.

A form that was sent after the session had ended is not lost: the reader signs in, sees the text again and sends it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import classonlymethod
from django.views.generic import FormView

from desk import security
from desk.models import Written
from desk.security import is_secret
from desk.trail import NotAllowed, Refused, Stale, address

LONGEST_DRAFT = 400_000  # characters
Fields = Mapping[str, forms.Field]


def form_class(fields: Fields) -> type[forms.Form]:
    return type("Form", (forms.Form,), dict(fields))


def area(rows: int, **more) -> forms.CharField:
    """A field for a text of several lines."""
    return forms.CharField(widget=forms.Textarea(attrs={"rows": rows}), **more)


def radio(choices: Sequence[tuple], kind: type = forms.ChoiceField, **more) -> forms.ChoiceField:
    """A field for one of a few values, all of which are shown."""
    return kind(choices=choices, widget=forms.RadioSelect, **more)


def reason(shown: str = "Shown in the history.", required: bool = True) -> forms.CharField:
    return area(3, max_length=2000, help_text=shown, required=required)


def signed_in(view: Callable) -> Callable:
    """The view, for those who are signed in; others are asked to, and what they sent is kept on that page."""

    @wraps(view)
    def page(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            if request.method == "POST":
                security.spend("write", f"account {request.user.pk}")
            return view(request, *args, **kwargs)
        sent = {name: value for name, value in request.POST.items() if not is_secret(name)}
        told = dict(form=AuthenticationForm(request), next=request.get_full_path(), **as_draft(sent))
        return render(request, "desk/sign_in.html", told)

    return page


def as_draft(sent: dict[str, str]) -> dict:
    """What the page to sign in shows of a form that was sent before, and holds until it is sent again."""
    draft = json.dumps(sent) if sent else ""
    return dict(sent=sent, draft=draft if len(draft) <= LONGEST_DRAFT else "")


def try_act(form: forms.Form, act: Callable, *args, **kwargs):
    """What the act gives; None with the form's fields marked where it refuses."""
    try:
        return act(*args, **kwargs)
    except Refused as refused:
        for field, sentence in refused.problems.items():
            form.add_error(field if field in form.fields else None, sentence)
        return None


class FormPage(FormView):
    """A form on a page of its own: `load` finds what it is of, `act` gets what it holds and gives the row made.

    Fields that need a correction are named above the form, each linked, with what was typed still in them.
    """

    template_name = "desk/form.html"
    fields: Fields = {}
    heading = send = note = done = ""
    public = False  # for those who are not signed in, too
    shown: dict[str, Any] = {}  # what the template says besides

    @classonlymethod
    def as_view(cls, **how):
        view = super().as_view(**how)
        return view if cls.public else signed_in(view)

    def setup(self, request: HttpRequest, *args, **kwargs) -> None:
        super().setup(request, *args, **kwargs)
        self.load(**kwargs)

    def load(self) -> None:
        """Sets `shown`, and `fields` and `initial` where they depend on it. Raises Http404 or NotAllowed."""

    def act(self, **fields: Any) -> Any:
        raise NotImplementedError

    def onwards(self, made: Any) -> str:
        """The page after a success: that of the row made."""
        return address(made)

    def stale(self, form: forms.Form, stands: Written) -> HttpResponse:
        """The page where someone saved in between; `stands` is what stands now."""
        raise NotImplementedError

    def get_form_class(self) -> type[forms.Form]:
        return form_class(self.fields)

    def get_context_data(self, **more) -> dict:
        told = dict(heading=self.heading, send=self.send, note=self.note) | self.shown
        return super().get_context_data(**told | more)

    def form_valid(self, form: forms.Form) -> HttpResponse:
        try:
            made = try_act(form, self.act, **form.cleaned_data)
        except Stale as stale:
            return self.stale(form, stale.row)
        if made is None:
            return self.form_invalid(form)
        if self.done:
            messages.success(self.request, self.done)
        return redirect(self.onwards(made))

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


class Moderators:
    """For moderators alone."""

    def setup(self, request: HttpRequest, *args, **kwargs) -> None:
        if not request.user.may_moderate():
            raise NotAllowed("Only moderators may see this page.")
        super().setup(request, *args, **kwargs)
