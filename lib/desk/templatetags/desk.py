"""What templates say: `{% load desk %}`, then `{{ answer.text|markdown }}`, `{{ question|address }}`."""

import json

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from desk import render
from desk.models import Account
from desk.pages import page_numbers
from desk.trail import address, author_of, may_see

register = template.Library()
for shown in (address, author_of, page_numbers):
    register.filter(shown.__name__, shown)
register.filter("markdown", render.markdown)
register.filter("line", render.line)
register.filter("seen_by", lambda row, reader: may_see(reader, row))
register.filter("table_of", lambda row: row._meta.model_name)
LONGEST_STEP = 20_000


@register.filter
def person(account: Account | None) -> SafeString:
    """A name with its page; the desk itself for acts of nobody.

    >>> person(None)
    'the desk'
    """
    if account is None:
        return SafeString("the desk")
    return format_html('<a href="{}">{}</a>', address(account), account.username)


@register.filter
def day(when) -> SafeString:
    """A date, with its time in UTC for whoever points at it."""
    if when is None:
        return SafeString("")
    said = f"{when.day} {when:%B %Y}"
    return format_html('<time datetime="{}" title="{}">{}</time>', when.isoformat(), f"{when:%Y-%m-%d %H:%M} UTC", said)


@register.filter
def dollars(amount: float) -> str:
    """Dollars, with as many places as tell something.

    >>> dollars(0), dollars(0.0042), dollars(1.5)
    ('$0', '$0.0042', '$1.50')
    """
    if not amount:
        return "$0"
    return f"${amount:.2f}" if amount >= 0.1 else f"${amount:.2g}"


@register.filter
def steps(trace: list) -> list[list[tuple[str, str]]]:
    """A validator's trace, call by call, as names and texts.

    >>> steps([{"prompt": "Is it?", "votes": [1, 0]}, "done"])
    [[('prompt', 'Is it?'), ('votes', '[1, 0]')], [('', 'done')]]
    """
    return [
        [(str(name), _text(value)) for name, value in call.items()] if isinstance(call, dict) else [("", _text(call))]
        for call in (trace if isinstance(trace, list) else [trace])
    ]


def _text(value) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_STEP else f"{text[:LONGEST_STEP]} [... {len(text):,} characters in all]"
