import io
import re

import pytest
from desk import acts, pages, tickets, tokens
from desk.models import Account, Comment
from django.db import OperationalError
from django.test import Client


@pytest.mark.parametrize(
    "address", ["/", "/nowhere/", "/sign-in/", "/feed.atom", "/moderation/", "/admin/login/", "/api/"]
)
def test_every_answer_carries_the_policy(client, db, address):
    response = client.get(address)
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert response["X-Content-Type-Options"] == "nosniff" and response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("address", ["/", "/q/math/1/", "/about/", "/sign-in/"])
def test_no_page_has_a_script_or_style_in_it(client, talk, address):
    text = client.get(address).text
    assert " style=" not in text and "<style" not in text and text.count("<script") == text.count("<script src=") == 1


def test_a_form_from_elsewhere_is_refused(reviewer, question):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(reviewer)
    response = strict.post("/q/math/1/comment/", dict(text="A comment from another site."))
    assert response.status_code == 403 and "did not come from this site" in response.text
    assert "A comment from another site." in response.text and not Comment.objects.exists()


def test_files_are_refused(client, reviewer, question):
    client.force_login(reviewer)
    file = io.BytesIO(b"<script>alert(1)</script>")
    file.name = "a.html"
    response = client.post("/q/math/1/comment/", dict(text="hello", file=file))
    assert response.status_code == 400 and "Files are not taken" in response.text and not Comment.objects.exists()


def test_a_form_that_is_too_large_is_refused(client, reviewer, question):
    client.force_login(reviewer)
    assert client.post("/q/math/1/comment/", dict(text="x" * 2_100_000)).status_code == 400


@pytest.mark.parametrize("told, says", [("database or disk is full", "The disk is full"), ("gone", "does not answer")])
def test_a_database_that_is_away_gives_the_text_back(client, reviewer, question, monkeypatch, told, says):
    def fails(*args, **kwargs):
        raise OperationalError(told)

    client.force_login(reviewer)
    client.raise_request_exception = False
    monkeypatch.setattr("desk.acts.comment", fails)
    response = client.post("/q/math/1/comment/", dict(text="A comment that took <b>long</b> to write."))
    assert response.status_code == 503 and says in response.text and response["Retry-After"] == "60"
    assert "A comment that took &lt;b&gt;long&lt;/b&gt; to write." in response.text


def test_the_error_page_reads_no_database(client, db, monkeypatch):
    monkeypatch.setattr(
        "django.db.models.query.QuerySet._fetch_all", lambda self: (_ for _ in ()).throw(OperationalError("x"))
    )
    client.raise_request_exception = False
    assert client.get("/").status_code == 503


def test_a_mistake_of_ours_tells_nothing_of_the_inside(client, db, monkeypatch):
    monkeypatch.setattr(pages, "totals", lambda: 1 / 0)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500 and "division" not in response.text and "Traceback" not in response.text


def test_a_password_is_never_given_back(client, db, monkeypatch):
    def fails(*args, **kwargs):
        raise OperationalError("gone")

    monkeypatch.setattr("desk.acts.sign_up", fails)
    client.raise_request_exception = False
    secret = "a long pass phrase that is secret"
    response = client.post("/sign-up/", dict(username="nia", password=secret, password_again=secret))
    assert response.status_code == 503 and secret not in response.text


INJECTION = "</textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg onload=alert(1)>$\\text{<svg onload=alert(1)>}$[x](javascript:alert(1))"


def test_what_is_injected_into_any_field_is_text(client, talk, reviewer):
    """Every text that the desk stores, put in as an attack, read back on every page that shows it."""
    talk["question"].__class__.objects.update(
        title=INJECTION, body=INJECTION, author=INJECTION, category=INJECTION, tags=[INJECTION], comments=[INJECTION],
        licence=INJECTION[:50], release=INJECTION[:50],
    )  # fmt: skip
    answer = talk["answer"]
    answer.system.__class__.objects.filter(people=False).update(organisation=INJECTION, name=INJECTION)
    answer.__class__.objects.update(text=INJECTION, prompt=INJECTION)
    answer.verdicts.update(validator=INJECTION, judges=INJECTION, trace=[{INJECTION: INJECTION}, INJECTION])
    answer.reviews.update(text=INJECTION, conflict=True, conflict_text=INJECTION)
    talk["remark"].__class__.objects.update(text=INJECTION)
    sent = dict(title=INJECTION, body=INJECTION, category=INJECTION, tags=INJECTION, page=INJECTION)
    ticket = tickets.send(Account.objects.get(username="rea"), "question", INJECTION, **sent)
    tokens.make(reviewer, INJECTION[:100])
    acts.work_on(reviewer, talk["question"], True)
    own = acts.review(reviewer, answer, "no", 1, INJECTION, conflict=True, conflict_text=INJECTION)
    acts.submit_answer(reviewer, talk["question"], "L", INJECTION, "b", "p", INJECTION)
    reviewer.__class__.objects.filter(pk=reviewer.pk).update(
        role="moderator", about=INJECTION, affiliation=INJECTION, expertise=INJECTION
    )
    client.force_login(reviewer)
    key = answer.key
    for address in (
        "/", f"/?q={INJECTION}", "/q/math/1/", f"/a/{key}/", f"/a/{key}/review/", "/q/math/1/answer/", "/people/ada/",
        "/moderation/?person=<script>alert(1)</script>", f"/history/answer/{key}/", "/me/", f"/edit/answer/{key}/",
        f"/edit/review/{own.key}/", f"/history/review/{own.key}/",
        "/moderation/queue/", f"/moderation/queue/{ticket.key}/", "/me/tokens/", "/q/math/1/compare/",
        f"/ask/report/?page={INJECTION}", f"/sign-in/?next={INJECTION}", "/feed.atom", "/q/math/1/feed.atom",
    ):  # fmt: skip
        text = client.get(address, follow=True).text
        found = re.search(r"<script>alert|<img|<svg|href=.?javascript:", text)
        assert not found, (address, found)


def test_the_admin_signs_in_where_tries_are_counted(client, db):
    reply = client.post("/admin/login/?next=/admin/", {"username": "ada", "password": "guess"})
    assert reply.status_code == 302 and reply.url == "/sign-in/?next=/admin/"
