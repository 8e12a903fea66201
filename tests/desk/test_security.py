"""What every answer carries and refuses, what goes wrong, attacks in every field, and limits on tries."""

import io
import re

import pytest
from desk import acts, pages, people, security
from desk.models import Account, Answer, Comment, Question, Review, System, Use, Verdict
from django.db import OperationalError
from django.test import Client, RequestFactory


@pytest.mark.parametrize(
    "address", ["/", "/nowhere/", "/sign-in/", "/q/math/1/", "/feed.atom", "/moderation/", "/admin/login/", "/api/"]
)
def test_every_answer_carries_the_policy_and_has_no_script_or_style_in_it(client, talk, address):
    response = client.get(address)
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert response["X-Content-Type-Options"] == "nosniff" and response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    text = response.text
    assert " style=" not in text and "<style" not in text and text.count("<script") == text.count("<script src=") <= 1


def test_a_form_from_elsewhere_is_refused(reviewer, question):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(reviewer)
    response = strict.post("/q/math/1/comment/", dict(text="A comment from another site."))
    assert response.status_code == 403 and "did not come from this site" in response.text
    assert "A comment from another site." in response.text and not Comment.objects.exists()


def test_files_and_forms_that_are_too_large_are_refused(client, reviewer, question):
    client.force_login(reviewer)
    file = io.BytesIO(b"<script>alert(1)</script>")
    file.name = "a.html"
    response = client.post("/q/math/1/comment/", dict(text="hello", file=file))
    assert response.status_code == 400 and "Files are not taken" in response.text
    assert client.post("/q/math/1/comment/", dict(text="x" * 2_100_000)).status_code == 400
    assert not Comment.objects.exists()


def fails(told="gone"):
    def act(*args, **kwargs):
        raise OperationalError(told)

    return act


@pytest.mark.parametrize("told, says", [("database or disk is full", "The disk is full"), ("gone", "does not answer")])
def test_a_database_that_is_away_gives_the_text_back(client, reviewer, question, monkeypatch, told, says):
    client.force_login(reviewer)
    client.raise_request_exception = False
    monkeypatch.setattr("desk.acts.comment", fails(told))
    response = client.post("/q/math/1/comment/", dict(text="A comment that took <b>long</b> to write."))
    assert response.status_code == 503 and says in response.text and response["Retry-After"] == "60"
    assert "A comment that took &lt;b&gt;long&lt;/b&gt; to write." in response.text


def test_an_error_page_reads_no_database_and_tells_no_secret(client, db, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr(pages, "totals", lambda: 1 / 0)
    response = client.get("/")
    assert response.status_code == 500 and "division" not in response.text and "Traceback" not in response.text
    monkeypatch.setattr("desk.people.sign_up", fails())
    secret = "a long pass phrase that is secret"
    response = client.post("/sign-up/", dict(username="nia", password=secret, password_again=secret))
    assert response.status_code == 503 and secret not in response.text
    assert secret not in client.post("/me/", {"password": secret, "about": "x"}).text  # nor in a draft
    monkeypatch.setattr("django.db.models.query.QuerySet._fetch_all", fails())
    assert client.get("/").status_code == 503


INJECTION = "</textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg onload=alert(1)>$\\text{<svg onload=alert(1)>}$[x](javascript:alert(1))"


def test_what_is_injected_into_any_field_is_text(client, talk, reviewer):
    """Every text that the desk stores, put in as an attack, read back on every page that shows it."""
    question, answer = talk["question"], talk["answer"]
    Question.objects.update(
        title=INJECTION, body=INJECTION, author=INJECTION, category=INJECTION, tags=[INJECTION], comments=[INJECTION],
        licence=INJECTION[:50], release=INJECTION[:50],
    )  # fmt: skip
    System.objects.filter(people=False).update(organisation=INJECTION, name=INJECTION)
    Answer.objects.update(text=INJECTION, prompt=INJECTION)
    Verdict.objects.update(validator=INJECTION, judges=INJECTION, trace=[{INJECTION: INJECTION}, INJECTION])
    Review.objects.update(text=INJECTION, conflict=True, conflict_text=INJECTION)
    Comment.objects.update(text=INJECTION)
    sent = dict(title=INJECTION, body=INJECTION, category=INJECTION, tags=INJECTION, page=INJECTION)
    ticket = people.ask(Account.objects.get(username="rea"), "question", INJECTION, **sent)
    people.make_token(reviewer, INJECTION[:100])
    own = acts.review(reviewer, answer, "no", 1, INJECTION, conflict=True, conflict_text=INJECTION)
    acts.submit_answer(reviewer, question, "L", INJECTION, "b", "p", INJECTION)
    Account.objects.filter(pk=reviewer.pk).update(
        role="moderator", about=INJECTION, affiliation=INJECTION, expertise=INJECTION
    )
    client.force_login(reviewer)
    key = answer.key
    for address in (
        "/", f"/?q={INJECTION}", "/q/math/1/", f"/a/{key}/", f"/a/{key}/review/", "/q/math/1/answer/", "/people/ada/",
        "/moderation/?person=<script>alert(1)</script>", f"/history/answer/{key}/", "/me/", f"/edit/answer/{key}/",
        f"/edit/review/{own.key}/", f"/history/review/{own.key}/",
        "/moderation/queue/", f"/moderation/queue/{ticket.key}/", "/me/tokens/",
        f"/ask/report/?page={INJECTION}", f"/sign-in/?next={INJECTION}", "/feed.atom", "/q/math/1/feed.atom",
    ):  # fmt: skip
        text = client.get(address, follow=True).text
        found = re.search(r"<script>alert|<img|<svg|href=.?javascript:", text)
        assert not found, (address, found)


def test_the_admin_signs_in_where_tries_are_counted(client, db):
    reply = client.post("/admin/login/?next=/admin/", {"username": "ada", "password": "guess"})
    assert reply.status_code == 302 and reply.url == "/sign-in/?next=/admin/"


# Limits


def test_the_fourth_of_three_is_too_many_until_the_window_is_over(db, monkeypatch):
    now = [1_800_000_000.0]
    monkeypatch.setitem(security.LIMITS, "write", (3, 60))
    monkeypatch.setattr(security.time, "time", lambda: now[0])
    for number in range(9):
        security.spend("write", f"account {number}")  # one account does not use up another's
    for _ in range(2):
        security.spend("write", "account 1")
    with pytest.raises(security.Problem) as error:
        security.spend("write", "account 1")
    seconds = int(error.value.headers["Retry-After"])
    assert error.value.status == 429 and 0 < seconds <= 60
    now[0] += seconds
    security.spend("write", "account 1")


def test_what_is_stored_names_nobody_and_is_dropped_with_its_window(db, monkeypatch):
    with monkeypatch.context() as past:
        past.setattr(security.time, "time", lambda: 1_600_000_000.0)
        security.spend("write", "account 1")
    security.spend("sign_in", "name grace")
    assert "grace" not in Use.objects.get().who


@pytest.mark.parametrize(
    "given, shown, https",
    [
        ("192.0.2.7", "address 192.0.2.7", "0"),
        ("2001:db8:1:2:3::4", "address 2001:db8:1:2::/64", "0"),
        ("", "address ", "0"),
        ("x" * 900, "address " + "x" * 60, "0"),
        ("127.0.0.1", "address 192.0.2.8", "1"),  # behind a proxy it is what the proxy itself added
    ],
)
def test_an_address_is_that_of_the_connection(monkeypatch, given, shown, https):
    monkeypatch.setenv("PROCTOR_DESK_HTTPS", https)
    request = RequestFactory().get("/", REMOTE_ADDR=given, HTTP_X_FORWARDED_FOR="6.6.6.6, 192.0.2.8")
    assert security.address(request) == shown
