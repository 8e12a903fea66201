"""A walk over a desk with the invented community: is each part there that the paper lists (UQ, appendix C)?

    tour()   # a table: the part, what was tried by its address, what came of it

Each part is tried as a browser or a program would use it, and what it shows is compared with the store's tables.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd

PROMPT = "Answer the question."
NEW = dict(organisation="A lab", system="Its system", base_model="a model", prompt=PROMPT, text="It is $x=1$.")


def tour() -> pd.DataFrame:
    """Columns part, tried, found, holds; a row a part. In a process and a folder of its own, gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        own = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_DESK")}
        done = subprocess.run(
            [sys.executable, "-m", "desk.tour"],
            env=own | {"PROCTOR_DESK": folder, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise RuntimeError(f"the walk over the desk failed:\n{done.stderr[-3000:]}")
    return pd.DataFrame(json.loads(done.stdout))


def _walk() -> list[dict[str, Any]]:
    from desk import store

    store.connect()
    from django.core.management import call_command

    from desk.seed import seed

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    seed()
    rows = ((part, tried, *found()) for part, tried, found in PARTS)
    return [dict(zip(("part", "tried", "found", "holds"), row)) for row in rows]


@cache
def _client() -> Any:  # one for all: each reads the list of static files when it starts
    from django.test import Client

    return Client(headers={"host": "localhost"})


@cache
def _get(address: str) -> str:
    answer = _client().get(address)
    return answer.content.decode() if answer.status_code == 200 else ""


def _sorts() -> tuple[str, bool]:
    from desk.models import Question

    held = []
    for sort, field in (("votes", "votes"), ("state", "state"), ("category", "category"), ("site", "site")):
        shown = re.findall(r'href="/q/([^"]+)/"', _get(f"/?sort={sort}"))
        values = list(Question.objects.in_bulk(shown, field_name="key")[key] for key in shown)
        got = [getattr(question, field) for question in values]
        grouped = [value for n, value in enumerate(got) if not n or got[n - 1] != value]
        held.append(got == sorted(got, reverse=True) if sort == "votes" else len(grouped) == len(set(grouped)))
    return f"{sum(held)} of {len(held)} orders", all(held)


def _pages() -> tuple[str, bool]:
    from desk.models import Question

    questions = list(Question.objects.prefetch_related("answers"))
    whole = sum(
        all(f"/a/{answer.key}/" in page for answer in question.answers.all())
        for question in questions
        if (page := _get(f"/q/{question.key}/"))
    )
    return f"{whole} of {len(questions)} pages", whole == len(questions)


def _submissions() -> tuple[str, bool]:
    from desk.models import Answer, Question

    before, address = Answer.objects.count(), f"/api/questions/{Question.objects.earliest('pk').key}/answers/"
    refused = sum(_post(address, {k: v for k, v in NEW.items() if k != left_out}) == 422 for left_out in NEW)
    taken = _post(address, NEW) == 201
    added = Answer.objects.count() - before
    return f"{refused} of {len(NEW)} refused, then {added} taken", refused == len(NEW) and taken and added == 1


def _reviews() -> tuple[str, bool]:
    from desk.models import Review

    reviews = list(Review.objects.filter(kind="human", withdrawn_at=None).select_related("answer", "reviewer")[:40])
    shown = sum(f"/people/{one.reviewer.username}/" in _get(f"/a/{one.answer.key}/") for one in reviews)
    return f"{shown} of {len(reviews)} reviews", shown == len(reviews) > 0


def _machines() -> tuple[str, bool]:
    from desk.models import Answer

    answers = list(Answer.objects.filter(verdicts__isnull=False, reviews__kind="ai").distinct()[:20])
    pages = [_get(f"/a/{one.key}/") for one in answers]
    apart = sum(0 < page.find("AI reviews") < page.rfind("Reviews by people") for page in pages)
    return f"{apart} of {len(answers)} answers", apart == len(answers) > 0


def _overview() -> tuple[str, bool]:
    from proctor.uq.community import checked
    from proctor.uq.resolution import RULE, answer_states

    from desk import tables

    states = answer_states(checked(tables.all_tables()), RULE)
    count = states.loc[states["state"] == "right", "question_id"].nunique()
    row = re.search(r"questions resolved</t[hd]>\s*<td[^>]*>\s*(\d+)", _get("/overview/"))
    return f"{row[1] if row else 'none'} shown, {count} counted", bool(row) and int(row[1]) == count


def _ranking() -> tuple[str, bool]:
    from desk.models import System

    page, systems = _get("/overview/"), list(System.objects.filter(answers__isnull=False, people=False).distinct())
    there = sum(system.name in page for system in systems)
    return f"{there} of {len(systems)} systems, people: {'People' in page}", there == len(systems) and "People" in page


def _post(address: str, body: dict[str, Any]) -> int:
    from desk import tokens
    from desk.models import Account

    _, token = tokens.make(Account.objects.filter(is_active=True).earliest("pk"), f"tour {len(body)}")
    told = dict(headers={"authorization": f"Bearer {token}"}, content_type="application/json")
    return _client().post(address, json.dumps(body), **told).status_code


PARTS: list[tuple[str, str, Callable[[], tuple[str, bool]]]] = [
    ("questions, sorted", "by votes, resolution, category and site", _sorts),
    ("a page for each question", "every question: are all its answers there?", _pages),
    ("answer submissions", "by the API, each field left out once, then all of them", _submissions),
    ("human reviews", "an answer's page: is the reviewer named?", _reviews),
    ("verdicts and AI reviews", "an answer's page: do they stand apart from people's?", _machines),
    ("resolution statistics", "the overview: as many resolved as the tables say?", _overview),
    ("model ranking", "the overview: is each system there, and are people?", _ranking),
]

if __name__ == "__main__":
    print(json.dumps(_walk()))
