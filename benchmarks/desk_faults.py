"""A hostile day at the review desk: is every review that was acknowledged there, once, whatever was killed or full?

    python benchmarks/desk_faults.py                              # 100 kills, some five minutes
    python benchmarks/desk_faults.py --only kills --kills 5
    python benchmarks/desk_faults.py --postgresql                 # the same on a PostgreSQL server of its own

kills  Reviewers save reviews (by the page's form, or as AI reviews by the API) while a worker of gunicorn, or the whole
       server, gets SIGKILL again and again. Lost: a review that was acknowledged and is not there. Doubled: one that is
       there twice. Torn: a review without its line in the audit trail, or a question whose state its reviews belie.
two    Two processes review the same answers at once, and edit the same comment from the same version at once.
disk   The server's files may grow no more, while reviewers save: 503, by page and by API; then they may again.
away   The database is stopped while reviewers save (PostgreSQL), or held by another process (SQLite), then is back.

Opens the desk as `python -m proctor platform` does, in a folder of its own. Exits 1 when anything was lost.
"""

import argparse
import contextlib
import importlib.util
import os
import random
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx
import psutil

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS, ANSWERS = 60, 6  # answers to each
SYSTEM = dict(organisation="Lab", base_model="b")


class Desk:
    """The server, on a port of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url, self.process = f"http://127.0.0.1:{self.port}", None

    def start(self) -> None:
        command = [sys.executable, "-m", "proctor", "platform", "open", "--port", str(self.port)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/api/", timeout=10).status_code == 200:
                    return
            time.sleep(0.1)
        raise SystemExit(f"the server does not answer: {(self.folder / 'log').read_text()[-800:]}")

    def workers(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def kill_worker(self, rng: random.Random) -> None:
        if workers := self.workers():
            with contextlib.suppress(psutil.NoSuchProcess):
                rng.choice(workers).kill()

    def kill(self) -> None:
        """Master and workers at once, as when the machine stops."""
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Reviewer(threading.Thread):
    """Saves one review after another until `told.stop`; `saved` holds the texts that were acknowledged."""

    def __init__(self, desk: Desk, name: str, session: str, token: str, answers: list[str]):
        super().__init__(name=name, daemon=True)
        self.desk, self.session, self.token, self.answers = desk, session, token, answers
        self.saved: list[str] = []
        self.statuses: Counter = Counter()
        self.stop = threading.Event()

    def run(self) -> None:
        browser = httpx.Client(base_url=self.desk.url, timeout=30, cookies=dict(sessionid=self.session))
        for number, key in enumerate(self.answers):
            if self.stop.is_set():
                return
            text = f"{self.name} {number}"
            try:
                status = self.by_form(browser, key, text) if self.session else self.by_api(key, text)
            except httpx.TransportError:
                self.statuses["cut off"] += 1
                browser.close()
                browser = httpx.Client(base_url=self.desk.url, timeout=30, cookies=dict(sessionid=self.session))
                time.sleep(0.2)
                continue
            self.statuses[status] += 1
            if status in (201, 302):
                self.saved.append(text)

    def by_api(self, key: str, text: str) -> int:
        told = SYSTEM | dict(system=self.name, correct="yes", confidence=4, text=text)
        headers = dict(Authorization=f"Bearer {self.token}")
        return httpx.post(
            f"{self.desk.url}/api/answers/{key}/reviews/", json=told, headers=headers, timeout=30
        ).status_code

    def by_form(self, browser: httpx.Client, key: str, text: str) -> int:
        if "csrftoken" not in browser.cookies and (page := browser.get(f"/a/{key}/review/")).status_code != 200:
            return page.status_code
        told = dict(correct="yes", confidence=4, text=text, version=1)
        told["csrfmiddlewaretoken"] = browser.cookies.get("csrftoken", "")
        return browser.post(f"/a/{key}/review/", data=told).status_code


def prepare(people: int) -> None:
    """Questions with answers, and reviewers with roles."""
    from desk.models import Account, Answer, Question, System
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    asker = Account.objects.create_user("asker")
    system = System.objects.create(organisation="Lab", name="A", base_model="b")
    for number in range(QUESTIONS):
        question = Question.objects.create(
            key=f"made/{number}", site="made", title="T", body="B", licence="CC BY-SA 4.0"
        )
        Answer.objects.bulk_create(
            Answer(question=question, system=system, prompt="p", text=f"t{n}", submitted_by=asker)
            for n in range(ANSWERS)
        )
    for number in range(people):
        Account.objects.create_user(f"r{number}", role="reviewer")


def crowd(desk: Desk, rng: random.Random, word: str, people: int) -> list[Reviewer]:
    """Reviewers who have begun: every other one uses the page's form, the rest the API."""
    from desk.models import Account, Answer
    from desk.people import make_token
    from django.test import Client

    found = []
    for number in range(people):
        account = Account.objects.get(username=f"r{number}")
        reviewed = account.reviews.filter(kind="human").values("answer") if number % 2 == 0 else []
        answers = list(Answer.objects.exclude(pk__in=reviewed).values_list("key", flat=True))
        rng.shuffle(answers)
        client = Client()
        client.force_login(account)
        session = client.cookies["sessionid"].value if number % 2 == 0 else ""
        token = "" if session else make_token(account, word)[1]
        found.append(Reviewer(desk, f"{word} {number}", session, token, answers))
    [one.start() for one in found]
    return found


def ended(people: list[Reviewer]) -> Counter:
    [one.stop.set() for one in people]
    [one.join(60) for one in people]
    return sum((one.statuses for one in people), Counter())


def wrong(people: list[Reviewer]) -> list[str]:
    """What was lost, doubled or torn."""
    from desk.models import Act, Question, Review
    from desk.resolution import answer_states, question_state
    from django.db import connection

    connection.close()  # it may be to a database that was stopped
    stored = Counter(Review.objects.values_list("text", flat=True))
    found = [f"lost: {text}" for one in people for text in one.saved if not stored[text]]
    found += [f"doubled: {text}" for text, count in stored.items() if count > 1]
    acts = set(Act.objects.filter(verb="review").values_list("key", flat=True))
    found += [f"torn: review {key}" for key in set(Review.objects.values_list("key", flat=True)) ^ acts]
    for question in Question.objects.all():
        if question.state not in ("open", state := question_state(answer_states(question).values())):
            found.append(f"torn: {question.key} is {question.state}, its reviews say {state}")
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA integrity_check")
            found += [f"torn: {row[0]}" for row in cursor.fetchall() if row[0] != "ok"]
    connection.close()
    return found


def kills(desk: Desk, rng: random.Random, asked) -> list[str]:
    people, began = crowd(desk, rng, "kill", asked.people), time.time()
    done: list[Reviewer] = []
    for number in range(asked.kills):
        time.sleep(rng.uniform(0.1, 1.0))
        if number % 4 < 3:
            desk.kill_worker(rng)
        else:
            desk.kill()
            desk.start()
        if not any(one.is_alive() for one in people):
            done += people
            people = crowd(desk, rng, f"kill{number}", asked.people)
    time.sleep(1)
    done += people
    statuses = ended(people) + sum((one.statuses for one in done if one not in people), Counter())
    saved = sum(len(one.saved) for one in done)
    print(f"kills: {asked.kills} in {time.time() - began:.0f} s, {saved} reviews acknowledged, {_shown(statuses)}")
    return wrong(done) + (["kills: nothing was saved"] if not saved else [])


def _shown(statuses: Counter) -> str:
    return ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items(), key=str))


WORKER = """
import sys, time, django
django.setup()
from desk import acts
from desk.models import Account, Answer, Comment
by, starts = Account.objects.get(username=sys.argv[1]), float(sys.argv[2])
shared = Account.objects.get(username="asker")
comment = Comment.objects.get(text="shared")
answers = list(Answer.objects.order_by("pk")[:30])
time.sleep(max(0, starts - time.time()))
for answer in answers:
    acts.review(by, answer, "yes", 4, f"two {by.username} {answer.pk}")
try:
    acts.edit(shared, comment, 1, text=f"by {by.username}")
    print("saved")
except acts.Stale as stale:
    print("stale", stale.row.text, stale.fields["text"])
"""


def two(desk: Desk, rng: random.Random, asked) -> list[str]:
    from desk import acts
    from desk.models import Account, Comment, Question, Review

    for name in ("two_a", "two_b"):
        Account.objects.create_user(name, role="reviewer")
    acts.comment(Account.objects.get(username="asker"), Question.objects.first(), "shared")
    starts = str(time.time() + 3)
    both = [
        subprocess.Popen([sys.executable, "-c", WORKER, name, starts], stdout=subprocess.PIPE, text=True)
        for name in ("two_a", "two_b")
    ]
    said = sorted(one.communicate()[0].strip() for one in both)
    there = Review.objects.filter(text__startswith="two ").count()
    found = [] if there == 60 else [f"two: {there} of 60 reviews are there"]
    winner = Comment.objects.get(version=2, question__key=Question.objects.first().key).text
    if len(said) != 2 or said[0] != "saved" or not said[1].startswith(f"stale {winner} by two_"):
        found.append(f"two: of two edits of one version, {said}")
    print(f"two: {there} of 60 reviews by two processes at once; of two edits of one version one saved, one was told")
    return found + wrong([])


def limit(desk: Desk, size: int) -> None:
    for one in desk.workers():
        resource.prlimit(one.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def waited(done, seconds: float = 30) -> None:
    """Until something has come about, or these seconds are over; what follows checks it."""
    ending = time.monotonic() + seconds
    while not done() and time.monotonic() < ending:
        time.sleep(0.1)


def disk(desk: Desk, rng: random.Random, asked) -> list[str]:
    wal = desk.folder / "desk.sqlite3-wal"
    if not (desk.folder / "desk.sqlite3").exists():
        print("disk: not for PostgreSQL, whose files are its own server's")
        return []
    people = crowd(desk, rng, "disk", 2)
    waited(lambda: sum(one.statuses[201] + one.statuses[302] for one in people) >= 5)
    size = max(wal.stat().st_size if wal.exists() else 0, 4096)
    limit(desk, size // 4096 * 2048)  # less than there is: every write fails
    waited(lambda: sum(one.statuses[503] for one in people) >= 5)
    before, seen = sum((one.statuses for one in people), Counter()), httpx.get(f"{desk.url}/q/made/1/", timeout=30)
    limit(desk, resource.RLIM_INFINITY)
    saved = before[201] + before[302]
    waited(lambda: sum(one.statuses[201] + one.statuses[302] for one in people) > saved)
    after = ended(people)
    print(f"disk: {before[503]} refused with 503, page {seen.status_code}; then {_shown(after - before)} more")
    found = wrong(people) + ([] if before[503] else ["disk: nothing was refused"])
    return found + (
        [] if after[201] + after[302] > before[201] + before[302] else ["disk: nothing was saved afterwards"]
    )


def away(desk: Desk, rng: random.Random, asked) -> list[str]:
    people = crowd(desk, rng, "away", 2)
    time.sleep(2)
    if asked.server:
        asked.server.stop()
        time.sleep(3)
        page, api = (httpx.get(f"{desk.url}/{path}", timeout=30) for path in ("", "api/questions/"))
        asked.server.start()
    else:
        holder = sqlite3.connect(desk.folder / "desk.sqlite3", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        time.sleep(23)  # longer than a writer waits
        page = api = None  # readers are not in its way
        holder.rollback()
        holder.close()
    time.sleep(3)
    before = sum((one.statuses for one in people), Counter())
    time.sleep(2)
    after = ended(people)
    told = f"pages: {page.status_code}, API: {api.status_code}; " if page is not None else ""
    print(f"away: {told}{before[503]} saves refused with 503, then {_shown(after)}")
    found = wrong(people) + ([] if before[503] else ["away: nothing was refused"])
    if page is not None and (page.status_code, api.status_code) != (503, 503):
        found.append(f"away: {page.status_code}, {api.status_code}")
    return found + (
        [] if after[201] + after[302] > before[201] + before[302] else ["away: nothing was saved afterwards"]
    )


PARTS = dict(kills=kills, two=two, disk=disk, away=away)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--postgresql", action="store_true", help="on a server of its own (a folder in /tmp)")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="desk-faults-"))
    os.environ |= {"PROCTOR_DESK": str(folder), "DJANGO_SETTINGS_MODULE": "desk.settings"}
    os.environ["PYTHONPATH"] = str(ROOT / "lib")
    with contextlib.ExitStack() as stack:
        asked.server = stack.enter_context(_postgresql().running()) if asked.postgresql else None
        os.environ["PROCTOR_DESK_DB"] = asked.server.url if asked.server else ""
        import django

        django.setup()
        prepare(asked.people)
        desk, found = Desk(folder), []
        try:
            desk.start()
            for name in asked.only or PARTS:
                found += PARTS[name](desk, random.Random(f"{asked.seed} {name}"), asked)
        finally:
            desk.kill()
    print(f"lost, doubled or torn: {len(found)}")
    print(*found[:10], sep="\n", end="\n" if found else "")
    if not found:
        shutil.rmtree(folder)
    return int(bool(found))


def _postgresql():
    spec = importlib.util.spec_from_file_location("pg", ROOT / "tests" / "desk" / "postgresql_server.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
