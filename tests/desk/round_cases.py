"""Rounds in the store for tests: accounts that are signed in, a case of each protocol, and what a browser reads."""

import re

from desk import rounds
from desk.models import Account, Ballot
from django.test import Client
from django.urls import get_resolver

CASES = {
    "uq_filter": {"title": "T", "body": "B", "site": "math", "question_id": 7, "place": 1, "way": "to review"},
    "hle_review": {"question": "Q", "answer": "A", "rationale": "R", "stumped": "yes", "author": "dan"},
    "hle_verified": {
        "problem": "What is 2 + 2?", "answer": "5", "rationale": "Count.",
        "replications": {"solver": ["MODEL-SAYS-four"]},
    },
    "hle_pair": {"problem": "What is 2 + 2?", "answer": "5"},
    "kina_blind": {"question": "Q", "options": ["1", "2"], "correct_answer": "A", "author": "dan"},
}  # fmt: skip


def account(name, role="reviewer"):
    return Account.objects.create_user(name, password=None, role=role)


def opened(protocol, people, settings=None, **case):
    """A round of one case. people: part -> names. The organizer is olga; dan writes, eve has no part."""
    for name in {name for names in people.values() for name in names}:
        account(name)
    olga, _, _ = account("olga", "moderator"), account("dan", "reader"), account("eve", "moderator")
    held = rounds.open_round(olga, protocol, "A round", people, settings)
    [made] = rounds.add_cases(olga, held, [CASES[protocol] | case])
    return made


def cast(case, name, move, **form):
    return rounds.cast(Account.objects.get(username=name), case, move, form)


CLIENTS = {}  # of a test, by name: signing in takes longer than a page


def client(name=None):
    if name not in CLIENTS:
        CLIENTS[name] = Client()
        if name:
            CLIENTS[name].force_login(Account.objects.get(username=name))
    return CLIENTS[name]


def pages(case, name=None):
    """What an account reads on the page of the case."""
    return read(name, [f"/rounds/{case.round.key}/{case.place}/"])


def read(name, addresses):
    """All that an account reads at the addresses."""
    browser = client(name)
    replies = [browser.get(address) for address in addresses]
    return "\n".join(reply.text for reply in replies if reply.status_code == 200)


def addresses_of(case):
    """Each pattern of the desk filled with the keys, numbers and names that belong to a case, the admin's too."""
    keys = [case.key, case.round.key, *Ballot.objects.filter(case=case).values_list("key", flat=True)]
    tables = ["ballot", "case", "round", "seat", "act"]
    known = dict(site=keys[:1], place=[case.place], username=["ada"], table=tables, protocol=["kina_blind"])
    known["move"] = ["review", "vote", "decide", "audit"]
    yield from (f"/admin/desk/{table}/" for table in tables)
    for entry in get_resolver().url_patterns:
        if hasattr(entry, "url_patterns"):
            continue  # Django's own
        filled = ["/"]
        for index, piece in enumerate(re.split("[<>]", str(entry.pattern))):
            values = [piece] if index % 2 == 0 else known.get(piece.split(":")[-1], keys)
            filled = [start + str(value) for start in filled for value in values]
        yield from filled
