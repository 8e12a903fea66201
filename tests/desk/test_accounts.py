"""Accounts: signing up and in, passwords, also forgotten ones, roles, badges, tokens, mail and requests."""

import re

import pytest
from desk import acts, feeds, people, security
from desk.models import Account, Act, Question, Ticket, Token
from django.core import mail

pytestmark = pytest.mark.django_db
OLD, NEW = "a long pass phrase", "quite another pass phrase"


def limit(monkeypatch, action: str, times: int) -> None:
    monkeypatch.setitem(security.LIMITS, action, (times, 3600))


def links() -> list[str]:
    """The addresses in the last mail."""
    return re.findall(r"https?://[^/\s]+(/\S+)", mail.outbox[-1].body)


# Signing up and in


@pytest.mark.parametrize("name", ["GRACE", "gr\u0430ce", "gra\u0441e", "gr\u00e1ce"], ids=ascii)
def test_a_name_that_looks_like_another_s_is_taken(name):
    people.sign_up("grace", OLD)
    with pytest.raises(acts.Refused, match="taken"):
        people.sign_up(name, OLD)


@pytest.mark.parametrize("name, password, more, field", [
    ("eve", "12345678", {}, "password"), ("a b", OLD, {}, "username"), ("", OLD, {}, "username"),
    ("eve", OLD, dict(role="moderator"), "role"),
])  # fmt: skip
def test_what_an_account_may_not_be_is_refused_by_field(name, password, more, field):
    with pytest.raises(acts.Refused) as refused:
        people.sign_up(name, password, **more)
    assert set(refused.value.problems) == {field}


def test_an_account_is_made_and_signed_in(client, reviewer):
    fields = dict(username="nia", password=OLD, password_again=OLD)
    for change in (dict(password_again="other"), dict(username="ADA")):
        assert client.post("/sign-up/", fields | change).status_code == 422 and Account.objects.count() == 1
    assert "Welcome, nia" in client.post("/sign-up/", fields, follow=True).text
    nia = Account.objects.get(username="nia")
    assert nia.role == "reader" and nia.check_password(OLD)


def test_passwords_cannot_be_tried_without_end_and_no_address_locks_another_s_name(client, reviewer, monkeypatch):
    monkeypatch.setattr(security.time, "time", lambda: 1_800_000_000.0)  # no window ends in between
    assert security.LIMITS["sign_in_to_one_name"][0] >= 10 * security.LIMITS["sign_in"][0]
    limit(monkeypatch, "sign_in", 3)
    fields = dict(username="ada", password="not the pass phrase")
    told = client.post("/sign-in/", fields).text
    assert "correct username and password" in told and "not the pass phrase" not in told
    assert [client.post("/sign-in/", fields).status_code for _ in range(3)] == [200, 200, 429]
    response = client.post("/sign-in/", fields | dict(password=OLD))
    assert response.status_code == 429 and int(response["Retry-After"]) <= 3600 and "Wait" in response.text
    assert client.post("/sign-in/", fields | dict(password=OLD), REMOTE_ADDR="10.0.0.9").status_code == 302


def test_signing_in_leads_on_to_this_site_only_and_signing_out_needs_a_form(client, reviewer):
    fields = dict(username="ada", password=OLD)
    for onwards, leads_to in (("/about/", "/about/"), ("https://evil.example/", "/"), ("//evil.example", "/")):
        assert client.post("/sign-in/", fields | {"next": onwards})["Location"] == leads_to
        assert client.get("/sign-out/").status_code == 405 and client.get("/").context["user"].is_authenticated
        client.post("/sign-out/")
        assert not client.get("/").context["user"].is_authenticated


# Passwords


def change(client, **fields):
    return client.post("/me/password/", dict(old_password=OLD, new_password1=NEW, new_password2=NEW) | fields)


def test_a_password_is_changed_by_who_knows_the_old_one_and_not_tried_without_end(as_reader, reader, monkeypatch):
    limit(monkeypatch, "sign_in", 2)
    assert change(as_reader, old_password="guess").status_code == 200
    assert change(as_reader).url == "/me/" and as_reader.get("/me/").status_code == 200  # still signed in
    reader.refresh_from_db()
    assert reader.check_password(NEW) and Act.objects.filter(verb="set password", actor=reader).count() == 1
    assert change(as_reader).status_code == 429


def test_a_forgotten_password_is_set_by_a_link_that_works_once_and_no_address_is_flooded(client, reader, monkeypatch):
    Account.objects.update(email="rea@example.org")
    for address, mails in (("nobody@example.org", 0), ("rea@example.org", 1)):
        told = client.post("/forgotten/", dict(email=address), follow=True).text
        assert "If an account has this address" in told and len(mail.outbox) == mails
    link = links()[0]
    page = client.get(link, follow=True)
    client.post(page.request["PATH_INFO"], dict(new_password1=NEW, new_password2=NEW))
    reader.refresh_from_db()
    assert reader.check_password(NEW) and "used already" in client.get(link, follow=True).text
    limit(monkeypatch, "mail", 1)
    assert client.post("/forgotten/", dict(email="REA@example.org")).status_code == 429 and len(mail.outbox) == 1


# Mail that one asked for


def test_a_digest_begins_only_by_the_link_that_was_mailed(as_reader, reader):
    assert as_reader.post("/me/", dict(email="", digest="on")).status_code == 422
    as_reader.post("/me/", dict(email="rea@example.org", digest="on"))
    reader.refresh_from_db()
    assert not reader.digest and mail.outbox[-1].to == ["rea@example.org"]
    link = links()[0]
    as_reader.logout()
    as_reader.get(link)
    assert not Account.objects.get().digest  # a mail program that opens links
    as_reader.post(link)
    assert Account.objects.get().digest
    assert as_reader.post(f"{link[:-2]}x/").status_code == 404
    people.edit_profile(reader, email="another@example.org")
    assert not Account.objects.get().digest and as_reader.post(link).status_code == 404


def test_a_digest_tells_what_others_did_since_the_last_one_until_its_last_line_ends_it(client, talk, reader, moderator):
    mo = Account.objects.filter(username="mo")
    mo.update(email="mo@example.org", digest=True)
    ticket = people.ask(reader, "report", "x", page="/")
    assert feeds.send_digests() == 1
    text = mail.outbox[-1].body
    for said in ("Waiting for a moderator: 1", "Answer by System A: Is it so?", "Question: Is it so?"):
        assert said in text
    assert text.count("Review by a person") == 1  # not the moderator's own
    assert feeds.send_digests() == 1 and "Answer by" not in mail.outbox[-1].body
    people.decide_request(moderator, ticket, False, "no")
    assert feeds.send_digests() == 0
    mo.update(is_active=False, digested_at=None)
    assert feeds.send_digests() == 0
    client.post(links()[-1])
    assert Account.objects.get(username="mo").digest  # of a blocked account a link does nothing
    mo.update(is_active=True)
    client.post(links()[-1])
    assert not Account.objects.get(username="mo").digest


def test_ones_own_page_is_edited_and_shows_its_address_for_mail_to_nobody(as_reader, reader, moderator):
    as_reader.post("/me/", dict(about="I know **lattices**.", affiliation="Somewhere", email="rea@example.org"))
    page = as_reader.get("/people/rea/").text
    assert "<strong>lattices</strong>" in page and "rea@example.org" not in page
    as_reader.force_login(moderator)
    for address in ("/people/rea/", "/moderation/", "/moderation/people/rea/"):
        assert "rea@example.org" not in as_reader.get(address).text


@pytest.mark.parametrize("given, kept", [
    ("https://orcid.org/0000-0002-1694-233x", True), ("0000-0002-1694-2330", False),
    ("0000-0002-1694-23", False), ("٠٠٠٠-0002-1825-0097", False),
])  # fmt: skip
def test_an_orcid_id_is_checked_by_its_last_digit_and_shown(as_reader, given, kept):
    assert as_reader.post("/me/", dict(orcid=given)).status_code == (302 if kept else 422)
    assert ("https://orcid.org/0000-0002-1694-233X" in as_reader.get("/people/rea/").text) == kept


# Roles and badges


def test_only_a_moderator_gives_roles_and_says_why(reviewer, moderator):
    with pytest.raises(acts.NotAllowed):
        people.decide(reviewer, reviewer, "role moderator", "I want it")
    with pytest.raises(acts.Refused, match="reason"):
        people.decide(moderator, reviewer, "role reader", " ")
    with pytest.raises(acts.NotAllowed, match="own"):
        people.decide(moderator, moderator, "role reader", "tired")
    assert people.decide(moderator, reviewer, "role moderator", "knows the field").role == "moderator"
    assert Act.objects.get(verb="set role").before == {"role": "reviewer"}


def test_a_poster_is_marked_once_a_moderator_has_confirmed_the_profile(client, talk, moderator, reviewer, question):
    def marked() -> bool:
        question.refresh_from_db()
        shown = "asked this question" in client.get("/q/math/1/").text
        assert people.is_poster(other, question) == shown == (question in people.asked_by(other))
        return shown

    other = Account.objects.get(username="bo")  # who has reviewed an answer to it
    assert not marked()  # neither has a profile
    type(question).objects.update(author_link="https://math.example/users/7/")
    other = people.edit_profile(other, source_profile="https://math.example/users/7")
    assert not marked()
    other = people.decide(moderator, other, "confirm", "the profile links here")
    assert marked() and "Original poster" in client.get("/people/bo/").text
    other = people.edit_profile(other, source_profile="https://math.example/users/8")
    assert not marked()


def test_a_badge_counts_reviews_that_agree_with_a_later_resolution(answer):
    sides = dict(zip("abcd", ["yes", "no", "yes", "yes"]))
    who = {name: Account.objects.create_user(name, role="reviewer") for name in [*sides, "late"]}
    rows = {name: acts.review(who[name], answer, side, 4, "So.") for name, side in sides.items()}

    def badges(names: str) -> list[tuple]:
        return [tuple(people.badge(who[name])[kind] for kind in ("reviews", "settled", "agreed")) for name in names]

    assert badges("abd") == [(1, 1, 1), (1, 1, 0), (1, 1, 1)]
    acts.review(who["late"], answer, "yes", 5, "Me too.")
    acts.edit(who["b"], rows["b"], 1, correct="yes")  # changes sides afterwards
    assert badges(["late", "b"]) == [(1, 0, 0)] * 2


# Tokens


def test_a_token_is_shown_once_kept_nowhere_and_revoked_by_its_owner_or_a_moderator(
    as_reader, reader, reviewer, moderator
):
    text = re.search(r"desk_[\w-]{30,}", as_reader.post("/me/tokens/", dict(name="runs")).text)[0]
    assert people.account_of(text) == reader and text not in as_reader.get("/me/tokens/").text
    stored = str(list(Token.objects.values())) + str(list(Act.objects.values()))
    assert text not in stored and text.removeprefix(people.PREFIX) not in stored
    token = Token.objects.get()
    as_reader.get(f"/me/tokens/{token.pk}/")
    with pytest.raises(acts.NotAllowed):
        people.revoke_token(reviewer, token)
    as_reader.force_login(reviewer)
    assert as_reader.post(f"/me/tokens/{token.pk}/").status_code == 404 and people.account_of(text)
    as_reader.force_login(reader)
    as_reader.post(f"/me/tokens/{token.pk}/")
    assert people.account_of(text) is None and "runs" not in as_reader.get("/me/tokens/").text.split("Yours")[1]
    again, text = people.make_token(reader, "more runs")
    people.revoke_token(moderator, again)
    assert people.account_of(text) is None


def test_an_account_has_so_many_tokens_each_with_a_name_and_loses_them_when_it_is_blocked(reviewer, monkeypatch):
    monkeypatch.setattr(people, "MOST_TOKENS", 1)
    with pytest.raises(acts.Refused, match="name"):
        people.make_token(reviewer, " ")
    _, text = people.make_token(reviewer, "run")
    with pytest.raises(acts.Refused, match="Revoke"):
        people.make_token(reviewer, "one more")
    people.decide(None, reviewer, "block", "spam")
    assert people.account_of(text) is None


# What accounts ask of the moderators: one queue, decisions with a reason

FIELDS = dict(expertise="lattices", text="I teach them.")
PROPOSAL = dict(title="Is it?", body="Why $x$?", category="Science", tags="a, b", text="In two books.")


def decided(client, moderator, accept="yes", reason="Known in the field."):
    client.force_login(moderator)
    return client.post(
        f"/moderation/queue/{Ticket.objects.get(decided_at=None).key}/", dict(accept=accept, reason=reason)
    )


def test_a_reader_asks_to_review_until_a_moderator_accepts(as_reader, reader, moderator):
    assert "Become a reviewer" in as_reader.get("/people/rea/").text
    assert "waits for a decision" in as_reader.post("/ask/reviewer/", FIELDS, follow=True).text
    decided(as_reader, moderator, "no", "Say more.")
    as_reader.force_login(reader)
    reader.refresh_from_db()
    assert not reader.may_review() and "declined</b>. Say more." in as_reader.get("/people/rea/").text
    as_reader.post("/ask/reviewer/", FIELDS)
    assert decided(as_reader, moderator, reason="").status_code == 422
    assert "rea asks to become a reviewer" in as_reader.get("/moderation/queue/").text
    decided(as_reader, moderator)
    reader.refresh_from_db()
    assert reader.may_review() and reader.expertise == "lattices"
    as_reader.force_login(reader)
    page = as_reader.get("/people/rea/").text
    assert "Known in the field." in page and "Knows lattices" in page and "Become a reviewer" not in page


def test_a_page_is_reported_to_the_moderators_and_to_nobody_else(as_reader, talk, moderator, reviewer):
    for page in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"):
        assert as_reader.post("/ask/report/", dict(page=page, text="x")).status_code == 422
    assert not Ticket.objects.exists()  # only pages of this desk are reported
    as_reader.post("/ask/report/", dict(page="/q/math/1/", text="SECRET report"))
    for who in ("rea", "ada"):
        as_reader.force_login(Account.objects.get(username=who))
        assert as_reader.get(f"/moderation/queue/{Ticket.objects.get().key}/").status_code == 403
        assert as_reader.get("/moderation/queue/").status_code == 403
    assert "reports a page" not in as_reader.get("/people/rea/").text  # ada looks
    as_reader.force_login(moderator)
    assert "SECRET report" in as_reader.get(f"/moderation/queue/{Ticket.objects.get().key}/").text


def test_a_proposed_question_stands_when_a_moderator_accepts_it(as_reader, reader, moderator):
    as_reader.post("/ask/question/", PROPOSAL)
    assert not Question.objects.exists()
    decided(as_reader, moderator)
    question = Question.objects.get()
    assert (question.title, question.tags, question.author, question.posted_by) == ("Is it?", ["a", "b"], "rea", reader)
    page = as_reader.get(f"/q/{question.key}/").text
    assert "CC BY-SA 4.0" in page and "HTML turned into Markdown" not in page  # it has no source elsewhere
    assert "Is it?" in as_reader.get("/people/rea/").text


def test_nobody_decides_twice_or_on_an_own_request_and_requests_are_bounded(reader, reviewer, moderator, monkeypatch):
    own, ticket = (people.ask(by, "report", "x", page="/") for by in (moderator, reader))
    for by in (moderator, reader):
        with pytest.raises(acts.NotAllowed):
            people.decide_request(by, own, True, "x")
    people.decide_request(moderator, ticket, False, "no")
    with pytest.raises(acts.Refused, match="already"):
        people.decide_request(moderator, ticket, True, "yes")
    assert list(Act.objects.values_list("verb", flat=True)) == ["ask", "ask", "decline"]
    people.ask(reader, "reviewer", "x", expertise="y")
    for by, told in ((reader, "asked already"), (reviewer, "a reviewer already")):
        with pytest.raises(acts.Refused, match=told):
            people.ask(by, "reviewer", "x", expertise="y")
    monkeypatch.setattr(people, "MOST_OPEN", 1)
    with pytest.raises(acts.Refused, match="wait for a decision"):
        people.ask(reader, "report", "x", page="/")
