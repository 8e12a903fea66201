"""The desk in a real browser: Debian's Chromium, headless, or the one that PROCTOR_CHROMIUM names.

One server and one browser for the module; each test has a window of its own. No test may see a dialog or an error in
the browser's console. What needs no browser is in the other files, hostile texts in test_security.py.
"""

import threading

import pytest
from desk import acts
from desk.models import Account, Answer, Comment, Job, Question, Review, Round
from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer
from django.db import connection
from django.test import Client
from django.test.testcases import QuietWSGIRequestHandler
from playwright.sync_api import expect

from .conftest import say_all

PASSWORD = "a long pass phrase"


@pytest.fixture(scope="module")
def db(django_db_setup, django_db_blocker):
    """In the place of pytest-django's, which holds a transaction that the server could not see into."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # playwright's loop runs in the tests' thread
        patch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)
        patch.setattr(settings, "ALLOWED_HOSTS", ["127.0.0.1", "localhost", "testserver"])
        fill()
        yield
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(scope="module")
def home(db):
    """The address of a desk with an invented question, on a thread of this process."""
    from desk.wsgi import application

    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietWSGIRequestHandler)
    server.set_app(application)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def fill():
    """Two questions; one has an answer with a verdict, an AI review, a review by a person and a comment."""
    roles = dict(ada="reviewer", mo="moderator", rea="reader")
    _, mo, rea = (Account.objects.create_user(name, password=PASSWORD, role=role) for name, role in roles.items())
    fields = dict(
        site="proofs", category="Science", licence="CC BY-SA 4.0", author="nobody", link="https://s.example/1"
    )
    question = Question.objects.create(
        key="proofs/1", title="Do chains cover a lattice of depth $d$?", tags=["lattices"], comments=["Which chains?"],
        body="Let $L$ be a lattice.\n\n$$f(d) \\le \\sum_{k=0}^{d} \\binom{d}{k} f(d-1)$$\n\n```\nfor k in range(d): print('a line of code that is quite long', k, k * k)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |", **fields,
    )  # fmt: skip
    Question.objects.create(key="proofs/2", title="A tiling that never rests", body="Is there one?", **fields)
    answer = acts.submit_answer(
        rea, question, "Marsh Lab", "Heron 2", "heron-base", "Answer: {question}", "By induction on $d$."
    )
    say_all(answer, rea, mo)
    Round.objects.create(protocol="hle_verified", title="Electromagnetism, verification", organizer=mo)
    Job.objects.create(ordered_by=mo, validator="(CC x3|U) => (FLC x3|U) => (C x3|U)", judges=["openai/gpt-4o"])


@pytest.fixture
def window(home, browser):
    """`window("ada")`: a page signed in as ada, in a context of its own. Scripts that run by injection fail the test."""
    contexts, said = [], []

    def open_window(name: str | None = None, errors: bool = False, **how):
        context = browser.new_context(base_url=home, **dict(viewport=dict(width=1180, height=900)) | how)
        contexts.append(context)
        context.set_default_timeout(30_000)
        if name:
            session = Client()
            session.force_login(Account.objects.get(username=name))
            key = session.cookies["sessionid"].value
            context.add_cookies([dict(name="sessionid", value=key, url=home, sameSite="Lax")])
        page = context.new_page()
        page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
        if not errors:
            page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
        return page

    yield open_window
    for context in contexts:
        context.close()
    assert said == []


def follow(button):
    """Click what leads to another page and wait for that page."""
    with button.page.expect_navigation():
        button.click()


def test_a_stranger_browses_and_searches(window):
    page = window()
    page.goto("/")
    assert page.get_by_role("heading", level=1).inner_text().startswith("Questions that nobody has answered")
    page.locator("#id_q").fill("chain lattices")
    follow(page.get_by_role("button", name="Show"))
    follow(page.get_by_role("link", name="Do chains cover"))
    expect(page.locator("table.summary")).to_contain_text("1 of 1 accept")
    assert page.locator(".prose math").count() >= 2
    page.get_by_text("(CC x3|U) => C").click()
    expect(page.get_by_text("Is it right?")).to_be_visible()
    people, ai = page.locator(".said.people").inner_text(), page.locator(".said.machines").nth(1).inner_text()
    assert "I checked" in people and "The AI doubts" in ai and "The AI doubts" not in people
    page.goto("/?q=nothing+like+it")
    expect(page.get_by_text("Nothing matches")).to_be_visible()


def test_an_answer_is_submitted_and_reviewed_without_javascript(window):
    page = window("rea", errors=True, java_script_enabled=False)
    page.goto("/q/proofs/2/")
    follow(page.get_by_role("link", name="Submit an answer"))
    follow(page.get_by_role("button", name="Submit the answer"))
    expect(page.get_by_role("alert").get_by_text("Not saved yet")).to_be_visible()
    said = dict(Organisation="Lantern", System="Lamp 1", Prompt="All of it.", Answer="Yes: $x^2$.")
    for label, text in (said | {"Base model": "lamp"}).items():
        page.locator("main").get_by_label(label).first.fill(text)
    follow(page.get_by_role("button", name="Submit the answer"))
    expect(page.get_by_text("Your answer stands")).to_be_visible()
    assert page.locator("math").count() == 1
    key = Answer.objects.get(system__name="Lamp 1").key

    page = window("ada", java_script_enabled=False)
    page.goto(f"/a/{key}/")
    follow(page.get_by_role("link", name="Review this answer"))
    page.get_by_label("Not correct").check()
    page.get_by_label("4: sure").check()
    page.get_by_label("Why").fill("The square is missing a sign.")
    follow(page.get_by_role("button", name="Save the review"))
    expect(page.locator(".said.people")).to_contain_text("The square is missing a sign.")
    follow(page.get_by_role("link", name="Edit your review"))
    page.get_by_label("Why").fill("The square is *negative*.")
    follow(page.get_by_role("button", name="Save"))
    expect(page.locator(".said.people em")).to_have_text("negative")
    follow(page.get_by_role("link", name="edited"))
    expect(page.locator("del").first).to_be_visible()


def test_what_was_written_in_a_session_that_ended_is_kept(window):
    page = window("bo")
    page.goto("/q/proofs/2/comment/")
    page.get_by_label("Your comment").fill("Written for an hour.\n\nTwo paragraphs.")
    page.context.clear_cookies(name="sessionid")
    follow(page.get_by_role("button", name="Save the comment"))
    expect(page.get_by_text("What you wrote is kept")).to_be_visible()
    page.get_by_label("Username").fill("bo")
    page.get_by_label("Password").fill(PASSWORD)
    follow(page.locator("main").get_by_role("button", name="Sign in"))
    follow(page.get_by_role("button", name="Send it"))
    page.wait_for_url("**/q/proofs/2/#comment-**")
    assert Comment.objects.filter(text__startswith="Written for an hour.").count() == 1


def test_a_review_by_keyboard_alone(window):
    question = Question.objects.get(key="proofs/2")
    answer = acts.submit_answer(
        Account.objects.get(username="rea"), question, "Keys", "Keyed", "k", "p", "No tiling rests."
    )
    page = window("ada")
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("/")
    page.keyboard.type("never rests")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=never+rests")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/q/proofs/2/")
    while page.evaluate("document.activeElement.id") != f"answer-{answer.key}":
        page.keyboard.press("j")
    page.keyboard.press("r")
    page.wait_for_url("**/review/")
    page.locator("#id_correct_0").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("Checked by keys.")
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Save the review":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/#review-**")
    assert Review.objects.get(answer=answer).text == "Checked by keys."


PAGES = "/ /q/proofs/1/ /about/ /sign-in/ /people/ada/ /me/ /moderation/ /moderation/queue/ /me/tokens/ /rounds/ /rounds/new/kina_blind/ /jobs/".split()  # fmt: skip


def test_pages_have_no_serious_barrier_in_light_or_dark_and_are_no_wider_than_a_phone(window):
    from axe_playwright_python.sync_playwright import Axe

    def serious(**how):
        found = Axe().run(page, options=dict(resultTypes=["violations"]) | how).response["violations"]
        grave = [one for one in found if one["impact"] in ("serious", "critical")]
        return [(one["id"], one["nodes"][0]["html"][:200]) for one in grave]

    page, review = window("mo"), f"/a/{Answer.objects.order_by('pk').first().key}/review/"
    for address in (*PAGES, review):
        page.set_viewport_size(dict(width=360, height=740))
        page.goto(address)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 360, address
        page.set_viewport_size(dict(width=1180, height=900))
        assert serious() == [], address
        if address in ("/", "/q/proofs/1/", review):  # colours are all that differs
            page.emulate_media(color_scheme="dark")
            assert serious(runOnly=["color-contrast"]) == [], address
            page.emulate_media(color_scheme="light")
