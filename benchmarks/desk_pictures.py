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

from desk.models import Account, Question  # noqa: E402
from desk.pages import address  # noqa: E402
from desk.seed import seed  # noqa: E402
from desk.wsgi import application  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db.models import Count, Q  # noqa: E402
from PIL import Image  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

OUT = ROOT / "docs" / "desk"
MOST_BYTES = 150_000
PASSWORD = "a long pass phrase"
CHROMIUM = os.environ.get("PROCTOR_CHROMIUM", "/usr/bin/chromium")
WIDE, PHONE = dict(width=1180, height=900), dict(width=390, height=844)


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def best_question() -> Question:
    """The question that shows most: answers of several systems, reviews by people and by models, verdicts."""
    standing = Q(answers__reviews__withdrawn_at=None)
    kinds = Count("answers__reviews__kind", filter=standing, distinct=True)
    said = Count("answers__reviews", filter=standing, distinct=True)
    found = Question.objects.annotate(kinds=kinds, said=said, tries=Count("answers", distinct=True))
    return found.filter(tries__gte=3).order_by("-kinds", "-said").first()


def shots(question: Question, reviewable: str) -> list[tuple[str, str, dict, str, bool, bool]]:
    """Name, address, size, colours, whether signed in, whether the whole page."""
    return [
        ("list", "/", WIDE, "light", False, False),
        ("question", address(question), dict(width=1180, height=1750), "light", False, False),
        ("review", f"/a/{reviewable}/review/", WIDE, "light", True, False),
        ("dark", address(question), WIDE, "dark", False, False),
        ("phone", address(question), PHONE, "light", False, False),
        ("phone-list", "/", PHONE, "light", False, False),
        ("about", "/about/", WIDE, "light", False, False),
    ]


def shrink(path: Path) -> None:
    """Fewer colours: text needs no more, and the file is a third."""
    image = Image.open(path).convert("RGB").quantize(160, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    assert path.stat().st_size < MOST_BYTES, f"{path.name}: {path.stat().st_size:,} bytes"


def main() -> None:
    call_command("migrate", verbosity=0)
    seed()
    reviewer = Account.objects.filter(role="reviewer").order_by("username").first()
    reviewer.set_password(PASSWORD)
    reviewer.save()
    question = best_question()
    reviewable = question.answers.filter(withdrawn_at=None).exclude(reviews__reviewer=reviewer).first()
    reviewable = reviewable or Question.objects.first().answers.first()
    server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}"
    OUT.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, path, size, colours, signed_in, whole in shots(question, reviewable.key):
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            page = browser.new_page(viewport=size, color_scheme=colours)
            if signed_in:
                page.goto(f"{home}/sign-in/")
                page.fill("#id_username", reviewer.username)
                page.fill("#id_password", PASSWORD)
                page.click("main button")
            page.goto(home + path)
            page.screenshot(path=OUT / f"{name}.png", full_page=whole)
            shrink(OUT / f"{name}.png")
            print(f"docs/desk/{name}.png", f"{(OUT / f'{name}.png').stat().st_size // 1000} kB")
            page.close()
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
