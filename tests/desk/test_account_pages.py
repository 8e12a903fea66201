"""One's own account: passwords, also forgotten ones, tokens, and the mail that one asked for."""

import re

import pytest
from desk import acts, digest, rate_limits, tickets, tokens
from desk.models import Account, Act, Token
from django.core import mail

pytestmark = pytest.mark.django_db
OLD, NEW = "a long pass phrase", "quite another pass phrase"


def links() -> list[str]:
    """The addresses in the last mail."""
    return re.findall(r"https?://[^/\s]+(/\S+)", mail.outbox[-1].body)


def change(client, **fields):
    return client.post("/me/password/", dict(old_password=OLD, new_password1=NEW, new_password2=NEW) | fields)


def test_a_password_is_changed_by_who_knows_the_old_one(as_reader, reader):
    assert change(as_reader, old_password="guess").status_code == 200
    assert change(as_reader).url == "/me/" and as_reader.get("/me/").status_code == 200  # still signed in
    reader.refresh_from_db()
    assert reader.check_password(NEW) and Act.objects.filter(verb="set password", actor=reader).count() == 1


def test_the_old_password_cannot_be_tried_without_end(as_reader, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "sign_in", rate_limits.Limit(1, 600))
    change(as_reader, old_password="guess")
    assert change(as_reader).status_code == 429


def test_a_forgotten_password_is_set_by_a_link_that_works_once(client, reader):
    Account.objects.update(email="rea@example.org")
    client.post("/forgotten/", dict(email="rea@example.org"))
    link = links()[0]
    page = client.get(link, follow=True)
    client.post(page.request["PATH_INFO"], dict(new_password1=NEW, new_password2=NEW))
    reader.refresh_from_db()
    assert reader.check_password(NEW) and "used already" in client.get(link, follow=True).text


def test_an_unknown_address_is_told_the_same_and_gets_no_mail(client, reader):
    told = client.post("/forgotten/", dict(email="nobody@example.org"), follow=True).text
    assert "If an account has this address" in told and not mail.outbox


def test_a_stranger_cannot_flood_an_address_with_mail(client, reader, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "mail", rate_limits.Limit(1, 3600))
    Account.objects.update(email="rea@example.org")
    for address, status in (("rea@example.org", 302), ("REA@example.org", 429)):
        assert client.post("/forgotten/", dict(email=address)).status_code == status
    assert len(mail.outbox) == 1


def test_a_token_is_shown_once_and_revoked_by_its_owner_alone(as_reader, reader, reviewer):
    text = re.search(r"desk_[\w-]{30,}", as_reader.post("/me/tokens/", dict(name="runs")).text)[0]
    assert tokens.account_of(text) == reader and text not in as_reader.get("/me/tokens/").text
    token = Token.objects.get()
    as_reader.get(f"/me/tokens/{token.pk}/")
    as_reader.force_login(reviewer)
    assert as_reader.post(f"/me/tokens/{token.pk}/").status_code == 404 and tokens.account_of(text)
    as_reader.force_login(reader)
    as_reader.post(f"/me/tokens/{token.pk}/")
    assert tokens.account_of(text) is None and "runs" not in as_reader.get("/me/tokens/").text.split("Yours")[1]


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
    acts.edit_profile(reader, email="another@example.org")
    assert not Account.objects.get().digest and as_reader.post(link).status_code == 404


def test_a_digest_tells_what_others_did_since_the_last_one(talk, reader, moderator, reviewer):
    Account.objects.filter(username="mo").update(email="mo@example.org", digest=True)
    tickets.send(reader, "report", "x", page="/")
    assert digest.send_digests() == 1
    text = mail.outbox[-1].body
    assert (
        "Waiting for a moderator: 1" in text
        and "Answer by System A: Is it so?" in text
        and "Question: Is it so?" in text
    )
    assert text.count("Review by a person") == 1  # not the moderator's own
    assert digest.send_digests() == 1 and "Answer by" not in mail.outbox[-1].body
    tickets.decide(moderator, tickets.Ticket.objects.get(), False, "no")
    assert digest.send_digests() == 0
    Account.objects.filter(username="mo").update(is_active=False, digested_at=None)
    assert digest.send_digests() == 0


def test_a_digest_is_ended_by_its_last_line(talk, client, moderator):
    Account.objects.filter(username="mo").update(email="mo@example.org", digest=True)
    digest.send_digests()
    client.post(links()[-1])
    assert not Account.objects.get(username="mo").digest


def test_addresses_for_mail_are_shown_to_nobody(as_reader, reader, moderator):
    acts.edit_profile(reader, email="rea@example.org")
    assert "rea@example.org" not in as_reader.get("/people/rea/").text
    as_reader.force_login(moderator)
    for address in ("/people/rea/", "/moderation/", "/moderation/people/rea/"):
        assert "rea@example.org" not in as_reader.get(address).text
