"""What accounts ask of the moderators: one queue, decisions with a reason."""

import pytest
from desk import people
from desk.models import Account, Act, Question, Ticket
from desk.trail import NotAllowed, Refused

pytestmark = pytest.mark.django_db
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
        with pytest.raises(NotAllowed):
            people.decide_request(by, own, True, "x")
    people.decide_request(moderator, ticket, False, "no")
    with pytest.raises(Refused, match="already"):
        people.decide_request(moderator, ticket, True, "yes")
    assert list(Act.objects.values_list("verb", flat=True)) == ["ask", "ask", "decline"]
    people.ask(reader, "reviewer", "x", expertise="y")
    for by, told in ((reader, "asked already"), (reviewer, "a reviewer already")):
        with pytest.raises(Refused, match=told):
            people.ask(by, "reviewer", "x", expertise="y")
    monkeypatch.setattr(people, "MOST_OPEN", 1)
    with pytest.raises(Refused, match="wait for a decision"):
        people.ask(reader, "report", "x", page="/")
