"""Rounds in the store for tests: accounts that are signed in, a case of each protocol, and what a browser reads."""

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


def client(name=None):
    found = Client()
    if name:
        found.force_login(Account.objects.get(username=name))
    return found


def pages(case, name=None):
    """What an account reads on the page of the case."""
    return _read(name, [f"/rounds/{case.round.key}/{case.place}/"])


def everything(case, name=None):
    """All that an account can read at the desk's addresses, each filled with what it could hold."""
    keys = [case.key, case.round.key, *Ballot.objects.filter(case=case).values_list("key", flat=True)]
    return _read(name, {*addresses(keys, case)})


def _read(name, addresses):
    browser, texts = client(name), []
    for address in addresses:
        reply = browser.get(address)
        if reply.status_code == 200:
            texts.append(b"".join(reply).decode(errors="replace"))
    return "\n".join(texts)


def addresses(keys, case):
    """Each pattern of the desk filled with the keys, numbers and names that belong to a case, the admin's too."""
    names = ["ada"]
    tables = ["ballot", "case", "round", "seat", "act"]
    yield from (f"/rounds/{case.round.key}/{case.place}/{move}/" for move in ("review", "vote", "decide", "audit"))
    yield from (f"/admin/desk/{table}/" for table in tables)
    for entry in _patterns(get_resolver()):
        filled = [""]
        for piece in entry:
            values = [piece] if isinstance(piece, str) else _values(piece[0], keys, case, names, tables)
            filled = [start + str(value) for start in filled for value in values]
        yield from ("/" + address for address in filled)


def _values(name, keys, case, names, tables):
    known = {
        "site": keys[:1],
        "place": [case.place],
        "username": names,
        "table": tables,
        "move": ["review"],
        "protocol": ["kina_blind"],
    }
    return known.get(name, keys)


def _patterns(resolver):
    """The resolver's patterns as pieces: texts, and (name,) for what is filled in; admin and Django's own left out."""
    for entry in resolver.url_patterns:
        if hasattr(entry, "url_patterns"):
            continue
        yield [piece if index % 2 == 0 else (piece.split(":")[-1],) for index, piece in enumerate(_split(entry))]


def _split(entry):
    text = str(entry.pattern)
    return text.replace(">", "<").split("<")
