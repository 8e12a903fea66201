"""How fast the desk's pages are with 10,000 questions and 100,000 answers and reviews (issue: under 200 ms).

    python benchmarks/desk_pages.py                       # SQLite, in a folder of its own
    PROCTOR_DESK_DB=postgresql://... python benchmarks/desk_pages.py     # an EMPTY database of PostgreSQL

Prints, for each page, the time on the server: median, 95th percentile and most of 20 requests, after one to warm up;
and the median of the processor's time, which other work on the machine does not touch.
Texts are made of invented words, whose frequencies fall as 1/rank, as in a language; "common" is in most questions.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "lib"))
FOLDER = tempfile.TemporaryDirectory(prefix="proctor-pages-")
os.environ |= dict(PROCTOR_DESK=FOLDER.name, DJANGO_SETTINGS_MODULE="desk.settings")

import django  # noqa: E402

django.setup()

from desk.models import Account, Answer, Question, Review, System, Verdict  # noqa: E402
from desk.resolution import STATES  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

QUESTIONS, ANSWERS, REVIEWS = 10_000, 50_000, 50_000
LIMIT = 200  # ms
WORDS = np.array([f"{a}{b}{c}" for a in ("ka", "lo", "mi", "ne", "pu", "ra") for b in ("ben", "dor", "fin", "gal", "hus") for c in ("", "t", "se", "mo", "ky", "war", "lin", "tos")])  # fmt: skip  # noqa: E501
PAGES = {
    "list": "/",
    "list, page 200": "/?page=200",
    "list by resolution": "/?sort=state",
    "list of one site, by views": "/?site=site7&sort=views",
    "list that needs reviewers": "/?state=review",
    "search, a rare word": "/?q=zyzzyva",
    "search, two words": f"/?q={WORDS[40]}+{WORDS[90]}",
    "search, a common word": "/?q=common",
    "search in a category, newest first": "/?q=common&category=Science&sort=newest",
    "question": "/q/site7/7/",
    "answer": None,
    "person": "/people/reviewer3/",
    "feed": "/feed.atom",
}


def fill(rng: np.random.Generator) -> None:
    weights = 1 / np.arange(1, len(WORDS) + 1)
    weights /= weights.sum()

    def text(n: int) -> str:
        return " ".join(rng.choice(WORDS, n, p=weights)) + " common $x^2$."

    now = timezone.now()
    people = [
        Account.objects.create(username=f"reviewer{n}", role="reviewer", affiliation=f"place {n}") for n in range(50)
    ]
    systems = [System.objects.create(organisation="Lab", name=f"System {n}", base_model="b") for n in range(20)]
    states = list(STATES)
    questions = [
        Question(
            key=f"site{n % 40}/{n}",
            site=f"site{n % 40}",
            category=("Science", "Technology", "Life & Arts")[n % 3],
            title=text(9) + (" zyzzyva" if n == 4000 else ""),
            body=text(120),
            licence="CC BY-SA 4.0",
            votes=int(rng.integers(-5, 50)),
            score=int(rng.integers(0, 90)),
            views=int(rng.integers(0, 9000)),
            state=states[n % len(states)],
            posted_at=now - timezone.timedelta(days=int(rng.integers(700, 5000))),
        )
        for n in range(QUESTIONS)
    ]
    with transaction.atomic():
        questions = Question.objects.bulk_create(questions, batch_size=500)
        answers = Answer.objects.bulk_create(
            [
                Answer(
                    question=questions[n % QUESTIONS],
                    system=systems[n % 20],
                    prompt="p",
                    text=text(80),
                    submitted_by=people[n % 50],
                )
                for n in range(ANSWERS)
            ],
            batch_size=500,
        )
        Verdict.objects.bulk_create(
            [
                Verdict(answer=answer, validator="C", outcome="accept" if n % 3 else "reject")
                for n, answer in enumerate(answers[::2])
            ],
            batch_size=500,
        )
        Review.objects.bulk_create(
            [
                Review(
                    answer=answers[n],
                    reviewer=people[(n + 1 + n // 50) % 50],
                    correct=("yes", "no", "unsure")[n % 3],
                    confidence=3,
                    text=text(20),
                )
                for n in range(REVIEWS)
            ],
            batch_size=500,
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def main() -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    if Question.objects.exists():
        raise SystemExit("This database is not empty: give the benchmark one of its own.")
    start = time.perf_counter()
    fill(np.random.default_rng(0))
    print(f"{connection.vendor}: {QUESTIONS:,} questions, {ANSWERS:,} answers, {REVIEWS:,} reviews", end=" ")
    print(f"in {time.perf_counter() - start:.0f} s")
    client = Client()
    slow = []
    print(f"{'page':38}{'median':>9}{'p95':>9}{'most':>9}{'CPU':>9}  ms")
    for name, address in PAGES.items():
        address = address or f"/a/{Answer.objects.first().key}/"
        assert client.get(address).status_code == 200, address
        took, busy = [], []
        for _ in range(20):
            start, used = time.perf_counter(), time.process_time()
            client.get(address)
            took.append(1000 * (time.perf_counter() - start))
            busy.append(1000 * (time.process_time() - used))
        print(f"{name:38}{np.median(took):9.0f}{np.percentile(took, 95):9.0f}{max(took):9.0f}{np.median(busy):9.0f}")
        if np.percentile(took, 95) > LIMIT and ("list" in name or "search" in name):
            slow.append(name)
    print(f"over {LIMIT} ms at the 95th percentile: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
