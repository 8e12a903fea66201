"""Simulated reviewers at the review desk: is every write that was acknowledged there, and how long does a page take?

    python benchmarks/desk_crowd.py                                # 20 reviewers, two minutes
    python benchmarks/desk_crowd.py --reviewers 5 --seconds 20
    python benchmarks/desk_crowd.py --postgresql                   # the same on a PostgreSQL server of its own

Opens the desk as `python -m proctor platform` does (gunicorn, 2 workers, SQLite) in a folder of its own
with the invented community. Each reviewer signs in, then reads the list, searches, opens a question, reviews an answer
of it, comments and votes, with 0.5 to 1.5 seconds between two pages: less than a person needs. Fails on any answer
but the expected one, on a lost or doubled write, and where the 95th percentile is above 500 ms. A fifth of the crowd
signs in by password, the others come with a session; signing in is shown and not counted, for the hash of a password
is slow on purpose. Prints the server's CPU time for a request too, which other work on the machine does not change.
"""

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="desk-crowd-"))
os.environ |= {"PROCTOR_DESK": str(FOLDER), "DJANGO_SETTINGS_MODULE": "desk.settings"}
os.environ |= {"PROCTOR_DESK_DB": os.environ.get("PROCTOR_TEST_DB", "")}

import django  # noqa: E402
import httpx  # noqa: E402
import numpy as np  # noqa: E402
import psutil  # noqa: E402

django.setup()
from desk import seed  # noqa: E402
from desk.command import THREADS  # noqa: E402
from desk.models import Account, Answer, Comment, Question, Review, Vote  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

LIMIT = 500  # milliseconds of the 95th percentile
PASSWORD = "a long pass phrase of the crowd"


class Crowd:
    """What all reviewers did: (page, milliseconds) of each request, acknowledged texts, errors."""

    def __init__(self, address: str, questions: list[str], answers: dict[str, list[str]], until: float):
        self.address, self.questions, self.answers, self.until = address, questions, answers, until
        self.times: list[tuple[str, float]] = []
        self.reviews: list[str] = []
        self.comments: list[str] = []
        self.votes: dict[tuple[str, str], int] = {}
        self.errors: list[str] = []


class Reviewer(threading.Thread):
    def __init__(self, crowd: Crowd, name: str, number: int):
        super().__init__(name=name)
        self.crowd, self.rng = crowd, np.random.default_rng(number)
        self.browser = httpx.Client(base_url=crowd.address, timeout=60)
        self.signs_in = number % 5 == 0

    def run(self) -> None:
        time.sleep(self.rng.uniform(0, 5))  # people do not all arrive at once
        try:
            if self.signs_in:
                self.ask("sign in", "/sign-in/")
                self.send("sign in", "/sign-in/", username=self.name, password=PASSWORD)
            else:
                self.browser.cookies.set("sessionid", session_of(self.name))
            done: set[str] = set()
            while time.time() < self.crowd.until:
                self.visit(done)
        except Exception as error:
            self.crowd.errors.append(f"{self.name}: {type(error).__name__} {error}")

    def visit(self, done: set[str]) -> None:
        """One round through the desk; `done` holds the answers that this reviewer has reviewed."""
        rng, crowd = self.rng, self.crowd
        self.ask("list", f"/?page={rng.integers(1, 3)}")
        if rng.random() < 0.3:
            self.ask("search", f"/?q={rng.choice(['finite', 'clock', 'signal', 'letter', 'order'])}")
        if rng.random() < 0.1:
            self.ask("overview", "/overview/")
        question = str(rng.choice(crowd.questions))
        self.ask("question", f"/q/{question}/")
        left = [key for key in crowd.answers.get(question, []) if key not in done]
        if left:
            key, text = str(rng.choice(left)), f"review {self.name} {rng.integers(1 << 60)}"
            done.add(key)
            page = self.ask("review form", f"/a/{key}/review/")
            version = re.search(r'name="version"[^>]*value="(\d+)"', page.text)
            told = dict(correct=str(rng.choice(["yes", "no", "unsure"])), confidence=int(rng.integers(1, 6)), text=text)
            if self.send("review", f"/a/{key}/review/", **told, version=version[1] if version else "1"):
                crowd.reviews.append(text)
        if rng.random() < 0.3:
            text = f"comment {self.name} {rng.integers(1 << 60)}"
            if self.send("comment", f"/q/{question}/comment/", text=text):
                crowd.comments.append(text)
        if rng.random() < 0.5:
            value = int(rng.choice([-1, 1]))
            if self.send("vote", f"/q/{question}/vote/", value=value):
                crowd.votes[self.name, question] = value

    def ask(self, what: str, address: str) -> httpx.Response:
        return self.timed(what, 200, lambda: self.browser.get(address))

    def send(self, what: str, address: str, **fields) -> bool:
        fields["csrfmiddlewaretoken"] = self.browser.cookies.get("csrftoken", "")
        return self.timed(what, 302, lambda: self.browser.post(address, data=fields)).status_code == 302

    def timed(self, what: str, expected: int, call) -> httpx.Response:
        start = time.perf_counter()
        reply = call()
        self.crowd.times.append((what, 1000 * (time.perf_counter() - start)))
        if reply.status_code != expected:
            told = " ".join(re.sub(r"<[^>]*>", " ", reply.text).split())[:300]
            self.crowd.errors.append(f"{self.name}, {what}: {reply.status_code} for {expected}: {told}")
        time.sleep(self.rng.uniform(0.5, 1.5))
        return reply


def session_of(name: str) -> str:
    """The cookie of an account that signed in before."""
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client.cookies["sessionid"].value


def prepare(reviewers: int) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """(reviewers' names, questions, answers by question) of a fresh desk."""
    call_command("migrate", verbosity=0)
    seed.seed()
    names = [f"crowd_{number}" for number in range(reviewers)]
    for name in names:
        Account.objects.create_user(name, password=PASSWORD, role="reviewer")
    answers: dict[str, list[str]] = {}
    for question, key in Answer.objects.filter(withdrawn_at=None).values_list("question__key", "key"):
        answers.setdefault(question, []).append(key)
    return names, list(Question.objects.values_list("key", flat=True)), answers


def serve() -> tuple[subprocess.Popen, str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--config", "python:desk.server", "desk.wsgi", "--workers", "2"]
    command += ["--threads", str(THREADS)]
    log = open(FOLDER / "log", "wb")
    server = subprocess.Popen(
        [*command, "--bind", f"127.0.0.1:{port}", "--log-level", "warning"], stdout=log, stderr=log
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(120):
        try:
            httpx.get(address, timeout=10)
            return server, address
        except httpx.TransportError:
            time.sleep(0.5)
    raise SystemExit(f"the server does not answer: see {FOLDER / 'log'}")


def lost(crowd: Crowd) -> list[str]:
    """Acknowledged writes that are not there, or there twice."""
    found = []
    for model, texts in ((Review, crowd.reviews), (Comment, crowd.comments)):
        counts = {text: model.objects.filter(text=text).count() for text in texts}
        found += [f"{text}: {n} times" for text, n in counts.items() if n != 1]
    stored = dict(((one.voter.username, one.question.key), one.value) for one in Vote.objects.select_related())
    return found + [f"vote {key}" for key, value in crowd.votes.items() if stored.get(key) != value]


def on_postgresql(reviewers: int, seconds: float) -> int:
    """This file once more, in a process whose database is a server of its own."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "desk"))
    from postgresql_server import running

    with running() as server:
        command = [sys.executable, __file__, f"--reviewers={reviewers}", f"--seconds={seconds}"]
        return subprocess.call(command, env=os.environ | {"PROCTOR_TEST_DB": server.url})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reviewers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--postgresql", action="store_true", help="on a server of its own (a folder in /tmp)")
    asked = parser.parse_args()
    if asked.postgresql:
        return on_postgresql(asked.reviewers, asked.seconds)
    names, questions, answers = prepare(asked.reviewers)
    server, address = serve()
    try:
        crowd = Crowd(address, questions, answers, time.time() + asked.seconds)
        people = [Reviewer(crowd, name, number) for number, name in enumerate(names)]
        [one.start() for one in people], [one.join() for one in people]
        workers = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
        cpu = sum(sum(one.cpu_times()[:2]) for one in workers)
    finally:
        server.terminate()
        server.wait(30)
    missing, times = lost(crowd), np.array([time for what, time in crowd.times if what != "sign in"])
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{asked.reviewers} reviewers, {asked.seconds:.0f} s, {connection.vendor}, {machine}")
    print(f"{'page':<12} {'n':>6} {'median':>8} {'p95':>8} {'most':>8}  ms")
    for what in dict.fromkeys(what for what, _ in crowd.times):
        own = np.array([time for other, time in crowd.times if other == what])
        print(f"{what:<12} {len(own):>6} {np.median(own):>8.0f} {np.percentile(own, 95):>8.0f} {own.max():>8.0f}")
    p95 = float(np.percentile(times, 95))
    print(f"{'all':<12} {len(times):>6} {np.median(times):>8.0f} {p95:>8.0f} {times.max():>8.0f}")
    print(f"p95 is {p95 / LIMIT:.2f} of the limit of {LIMIT} ms")
    print(f"the server's CPU time for a request: {1000 * cpu / max(len(crowd.times), 1):.0f} ms")
    print(f"acknowledged: {len(crowd.reviews)} reviews, {len(crowd.comments)} comments, {len(crowd.votes)} votes")
    print(f"lost: {len(missing)}; errors: {len(crowd.errors)}")
    for line in [*missing, *crowd.errors][:10]:
        print("  ", line)
    failed = bool(missing or crowd.errors or p95 > LIMIT)
    if not failed:
        shutil.rmtree(FOLDER)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
