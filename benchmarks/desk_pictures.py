"""Pictures of the review desk for the docs: docs/desk/*.png, from a seeded desk in a folder of its own.

    python benchmarks/desk_pictures.py            # needs Chromium

The desk is opened on a free port with the invented community of `desk.seed`; nothing of yours is touched.
"""

import os
import sys
import tempfile
import threading
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "lib"))
FOLDER = tempfile.TemporaryDirectory(prefix="proctor-desk-")
os.environ |= dict(PROCTOR_DESK=FOLDER.name, PROCTOR_DESK_DB="", DJANGO_SETTINGS_MODULE="desk.settings")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright's loop runs in this thread; the desk is served in another

import django  # noqa: E402

django.setup()

from desk import acts, jobs  # noqa: E402
from desk.models import Account, Question, Round  # noqa: E402
from desk.seed import seed  # noqa: E402
from desk.trail import address  # noqa: E402
from desk.wsgi import application  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db.models import Count, Q  # noqa: E402
from PIL import Image  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

OUT = ROOT / "docs" / "desk"
MOST_BYTES = 150_000
PASSWORD = "a long pass phrase"
REVIEWER, MODERATOR = "ada_k", "mira"
REMARK = "Right: the force acts across the swing, so it turns the plane and leaves the period as it is."
CHROMIUM = os.environ.get("PROCTOR_CHROMIUM", "/usr/bin/chromium")
WIDE, PHONE = dict(width=1180, height=900), dict(width=390, height=844)


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def best_question() -> Question:
    """The question whose answers are about it (`seed_texts.yaml`), of those the one that most was said of."""
    told = Count("answers__reviews", filter=Q(answers__reviews__withdrawn_at=None))
    return Question.objects.filter(title__startswith="A pendulum").annotate(told=told).order_by("-told").first()


def shots(
    question: Question, discussed: str, reviewable: str, bill: str
) -> list[tuple[str, str, dict, str | None, str]]:
    """Name, address, size, who is signed in, and the place on the page (CSS) to begin at; "" the top."""
    held = Round.objects.get(protocol="hle_verified")
    return [
        ("list", "/", WIDE, None, ""),
        ("question", address(question), dict(width=1180, height=640), None, ".two"),
        ("answer", f"/a/{discussed}/", dict(width=800, height=1120), None, "main .narrow"),
        ("review", f"/a/{reviewable}/review/", WIDE, REVIEWER, "main"),
        ("overview", "/overview/", dict(width=1000, height=640), None, "main"),
        ("round", f"/rounds/{held.key}/", dict(width=1000, height=620), MODERATOR, "main"),
        ("bill", f"/jobs/{bill}/", dict(width=1000, height=640), MODERATOR, "main"),
        ("phone", address(question), PHONE, None, ".two"),
    ]


def plan_job(question: Question) -> str:
    """The key of a planned validator run over the question's answers, at a made-up judge's price."""
    os.environ |= dict(PROCTOR_DESK_JUDGES="openai/gpt-4o", PROCTOR_DESK_BUDGET="20")
    answers = list(question.answers.filter(withdrawn_at=None).select_related("question"))
    mira = Account.objects.get(username=MODERATOR)
    return jobs.plan(mira, "(CC x3|U) => (FLC x3|U) => (C x3|U)", ["openai/gpt-4o"], answers, 0.7).key


def shrink(path: Path) -> None:
    """Fewer colours: text needs no more, and the file is a third."""
    image = Image.open(path).convert("RGB").quantize(160, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    assert path.stat().st_size < MOST_BYTES, f"{path.name}: {path.stat().st_size:,} bytes"


def main() -> None:
    call_command("migrate", verbosity=0)
    seed()
    for account in Account.objects.filter(username__in=(REVIEWER, MODERATOR)):
        account.set_password(PASSWORD)
        account.save()
    question = best_question()
    first = question.answers.filter(withdrawn_at=None).order_by("pk")
    acts.comment(Account.objects.get(username=MODERATOR), first[0].reviews.filter(kind="human").first(), REMARK)
    reviewable = first.exclude(reviews__reviewer__username=REVIEWER).first().key
    server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}"
    OUT.mkdir(parents=True, exist_ok=True)
    bill = plan_job(question)  # before playwright's loop runs in this thread
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, path, size, who, place in shots(question, first[0].key, reviewable, bill):
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            page = browser.new_page(viewport=size)
            if who:
                page.goto(f"{home}/sign-in/")
                page.fill("#id_username", who)
                page.fill("#id_password", PASSWORD)
                page.click("main button")
            page.goto(home + path)
            if name == "answer":
                page.locator("details.card summary").click()
            if place:
                page.locator(place).first.evaluate("node => window.scrollTo(0, node.offsetTop)")
            page.screenshot(path=OUT / f"{name}.png")
            shrink(OUT / f"{name}.png")
            print(f"docs/desk/{name}.png", f"{(OUT / f'{name}.png').stat().st_size // 1000} kB")
            page.close()
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
