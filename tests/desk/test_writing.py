from datetime import timedelta

import pytest
from desk import acts, digest, rate_limits
from desk.models import Account, Comment, Review, Vote, Worker
from django.utils import timezone

ANSWER = dict(organisation="Lab", system="New", base_model="base", prompt="The prompt.", text="Since $y=2$.")
REVIEW = dict(correct="no", confidence="4", text="Step one fails: $n$ is even.")


@pytest.fixture
def as_reviewer(client, reviewer):
    client.force_login(reviewer)
    return client


def test_a_review_is_written_and_a_second_one_leads_to_the_first(client, talk, db):
    client.force_login(Account.objects.create_user("new", password="x", role="reviewer"))
    address = f"/a/{talk['answer'].key}/review/"
    assert "Your review stands" in client.post(address, REVIEW | dict(version="1"), follow=True).text
    assert client.get(address)["Location"].startswith("/edit/review/")


def test_a_review_of_an_answer_that_was_edited_meanwhile_is_kept_and_shown_with_it(client, answer, reviewer, moderator):
    acts.edit(reviewer, answer, 1, text="Because $x=2$.")
    client.force_login(moderator)
    response = client.post(f"/a/{answer.key}/review/", REVIEW | dict(version="1"))
    assert "edited while you wrote" in response.text and REVIEW["text"] in response.text
    assert 'name="version" value="2"' in response.text and not Review.objects.exists()


def test_what_is_refused_is_marked_at_its_field(as_reviewer, talk):
    response = as_reviewer.post(f"/a/{talk['answer'].key}/review/", REVIEW)  # the reviewer submitted this answer
    assert response.status_code == 422 and "that is a conflict of interest" in response.text
    response = as_reviewer.post(f"/a/{talk['answer'].key}/review/", REVIEW | dict(conflict="on"))
    assert response.status_code == 422 and "Say in a few words what the conflict is." in response.text


def test_a_vote_is_sent_by_its_button_and_has_three_values(as_reviewer, question):
    as_reviewer.post("/q/math/1/vote/", dict(value="-1"))
    assert as_reviewer.post("/q/math/1/vote/", dict(value="7")).status_code == 404
    assert Vote.objects.get().value == -1


def test_a_stale_edit_shows_both_texts_and_loses_neither(client, talk, reader):
    client.force_login(reader)
    acts.edit(reader, talk["remark"], 1, text="Saved by the other window.")
    response = client.post(f"/edit/comment/{talk['remark'].key}/", dict(text="Mine.", version="1"))
    assert response.status_code == 409
    assert "Saved by the other window." in response.text and "Mine." in response.text
    assert Comment.objects.get().text == "Saved by the other window."
    client.post(f"/edit/comment/{talk['remark'].key}/", dict(text="Mine.", version="2"))
    assert Comment.objects.get().text == "Mine."


@pytest.mark.parametrize("address", ["/moderation/", "/moderation/people/rea/"])
def test_moderators_addresses_are_theirs_alone(client, as_reviewer, talk, address):
    assert as_reviewer.get(address).status_code == 403
    assert as_reviewer.post(address, {"deed": "role moderator", "reason": "x"}).status_code == 403
    assert Account.objects.get(username="rea").role == "reader"


def test_a_moderator_withdraws_and_decides_with_a_reason_that_stands_in_the_trail(client, talk, moderator):
    client.force_login(moderator)
    client.post(f"/withdraw/comment/{talk['remark'].key}/", dict(reason="It is an advertisement."))
    assert "It is an advertisement." in client.get("/moderation/").text
    told = client.post("/moderation/people/rea/", {"deed": "role reviewer", "reason": "Knows lattices."}, follow=True)
    assert "Knows lattices." in told.text
    assert Account.objects.get(username="rea").role == "reviewer"
    client.logout()
    page = client.get("/q/math/1/").text
    assert "A comment was withdrawn" in page and talk["remark"].text not in page


def test_an_account_is_made_and_signed_in(client, db):
    fields = dict(username="nia", password="a long pass phrase", password_again="a long pass phrase")
    assert "Welcome, nia" in client.post("/sign-up/", fields, follow=True).text
    nia = Account.objects.get()
    assert nia.role == "reader" and nia.check_password(fields["password"])


@pytest.mark.parametrize("change", [dict(password_again="other"), dict(username="ADA")])
def test_an_unsound_account_is_refused(client, reviewer, change):
    fields = dict(username="nia", password="a long pass phrase", password_again="a long pass phrase") | change
    assert client.post("/sign-up/", fields).status_code == 422 and Account.objects.count() == 1


def test_a_wrong_password_is_told_and_never_shown_again(client, reviewer):
    response = client.post("/sign-in/", dict(username="ada", password="not the pass phrase"))
    assert "correct username and password" in response.text and "not the pass phrase" not in response.text


def test_passwords_cannot_be_tried_without_end(client, reviewer, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "sign_in", rate_limits.Limit(3, 600))
    for _ in range(3):
        assert client.post("/sign-in/", dict(username="ada", password="wrong")).status_code == 200
    response = client.post("/sign-in/", dict(username="ada", password="a long pass phrase"))
    assert response.status_code == 429 and int(response["Retry-After"]) <= 600 and "Wait" in response.text


def test_one_address_cannot_lock_another_s_name(client, reviewer, monkeypatch):
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_800_000_000.0)  # no window ends in between
    for _ in range(21):
        last = client.post("/sign-in/", dict(username="ada", password="wrong"))
    fields = dict(username="ada", password="a long pass phrase")
    assert last.status_code == 429 and client.post("/sign-in/", fields, REMOTE_ADDR="10.0.0.9").status_code == 302


def test_writing_too_often_gives_the_text_back(as_reviewer, question, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "write", rate_limits.Limit(1, 3600))
    as_reviewer.post("/q/math/1/comment/", dict(text="One."))
    response = as_reviewer.post("/q/math/1/comment/", dict(text="Two, which is longer than that."))
    assert response.status_code == 429 and "Two, which is longer" in response.text and Comment.objects.count() == 1


def test_signing_in_leads_on_to_this_site_only(client, reviewer):
    fields = dict(username="ada", password="a long pass phrase")
    for onwards, leads_to in (("/about/", "/about/"), ("https://evil.example/", "/"), ("//evil.example", "/")):
        assert client.post("/sign-in/", fields | {"next": onwards})["Location"] == leads_to
        client.logout()


def test_a_draft_never_holds_a_password(client, reviewer):
    assert "secret" not in client.post("/me/", {"password": "secret", "about": "x"}).text


def test_signing_out_needs_a_form(as_reviewer):
    assert as_reviewer.get("/sign-out/").status_code == 405
    as_reviewer.post("/sign-out/")
    assert not as_reviewer.get("/").context["user"].is_authenticated


def test_ones_own_page_is_edited(as_reviewer, reviewer):
    as_reviewer.post("/me/", dict(about="I know **lattices**.", affiliation="Somewhere", source_profile=""))
    assert "<strong>lattices</strong>" in as_reviewer.get("/people/ada/").text


def test_who_works_on_a_question_is_shown_until_taken_back_or_a_month_has_passed(as_reviewer, question):
    def shown() -> bool:
        return "Working on it" in as_reviewer.get("/q/math/1/").text

    as_reviewer.get("/q/math/1/working/?working=yes")
    assert not shown()  # a link says nothing for anybody
    as_reviewer.post("/q/math/1/working/", dict(working="yes"))
    as_reviewer.post("/q/math/1/working/", dict(working="yes"))
    assert shown() and "Is it so?" in as_reviewer.get("/people/ada/").text
    as_reviewer.post("/q/math/1/working/", dict(working="no"))
    assert not shown() and not Worker.objects.exists()
    as_reviewer.post("/q/math/1/working/", dict(working="yes"))
    Worker.objects.update(since=timezone.now() - timedelta(days=31))
    assert not shown()


def test_a_comment_that_stands_already_is_refused(as_reviewer, question):
    for status in (302, 422):
        assert as_reviewer.post("/q/math/1/comment/", dict(text="Open?")).status_code == status


def test_a_review_is_discussed_under_it_and_its_author_learns_of_it(client, talk, reader, moderator):
    address = f"/r/{talk['review'].key}/comment/"
    client.force_login(reader)
    assert "I checked" in client.get(address).text
    reply = client.post(address, dict(text="Which **source**?"))
    remark = Comment.objects.get(review=talk["review"])
    assert reply["Location"] == f"/a/{talk['answer'].key}/#comment-{remark.key}"
    page = client.get("/q/math/1/").text
    review, remarks = page.index(f'id="review-{talk["review"].key}"'), page.index('id="comments"')
    assert review < page.index("Which <strong>source</strong>?") < remarks and page.count("Which <strong>") == 1
    assert f"/edit/comment/{remark.key}/" in page
    told = "".join(digest.digest_lines(moderator, timezone.now() - timedelta(days=1)))
    assert "Comment by rea on mo's review: Is it so?" in told
    client.force_login(moderator)
    assert "Comments on your reviews" in client.get("/people/mo/").text
    assert f"report/?page=/a/{talk['answer'].key}/%23comment-{remark.key}" in client.get("/q/math/1/").text
    client.post(f"/withdraw/comment/{remark.key}/", dict(reason="Off the subject."))
    assert "source" not in client.get(f"/a/{talk['answer'].key}/").text
    acts.withdraw(moderator, talk["review"])
    assert client.get(address).status_code == 404
    with pytest.raises(acts.Refused, match="nothing to discuss"):
        acts.comment(reader, talk["review"], "Still there?")


@pytest.mark.parametrize("given, kept", [
    ("https://orcid.org/0000-0002-1694-233x", "0000-0002-1694-233X"), ("0000-0002-1694-2330", None),
    ("0000-0002-1694-23", None), ("٠٠٠٠-0002-1825-0097", None),
])  # fmt: skip
def test_an_orcid_id_is_checked_by_its_last_digit_and_shown(as_reviewer, given, kept):
    reply = as_reviewer.post("/me/", dict(orcid=given))
    assert reply.status_code == (302 if kept else 422)
    assert ("https://orcid.org/0000-0002-1694-233X" in as_reviewer.get("/people/ada/").text) == bool(kept)
