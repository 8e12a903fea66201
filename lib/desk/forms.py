"""What the forms of the pages are made of: a form is a dict of fields, which stands next to the page that shows it.

Fields say what is missing; what may be stored is decided by the acts.
"""

from collections.abc import Mapping, Sequence

from django import forms

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
