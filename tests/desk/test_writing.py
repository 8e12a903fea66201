"""What a browser sends: reviews, comments, votes, edits, withdrawals, and what moderators decide."""

from datetime import timedelta

import pytest
from desk import acts, feeds, security
from desk.models import Account, Comment, Review, Vote
from django.utils import timezone

REVIEW = dict(correct="no", confidence="4", text="Step one fails: $n$ is even.")


@pytest.fixture
def as_reviewer(client, reviewer):
    client.force_login(reviewer)
    return client


def test_what_only_people_may_leave_empty_is_not_called_optional(as_reviewer, question):
    assert "(may be empty)" not in as_reviewer.get("/q/math/1/answer/").text
    for more, wrong in ((dict(people=""), {"base_model", "prompt"}), (dict(people="on"), None)):
        told = as_reviewer.post("/q/math/1/answer/", dict(organisation="Lab", system="S", text="T") | more)
        assert (set(told.context["form"].errors) if told.context else None) == wrong


def test_a_review_of_an_answer_that_was_edited_meanwhile_is_kept_and_a_second_one_leads_to_it(
    client, answer, reviewer, moderator
):
    address = f"/a/{answer.key}/review/"
    acts.edit(reviewer, answer, 1, text="Because $x=2$.")
    client.force_login(moderator)
    response = client.post(address, REVIEW | dict(version="1"))
    assert "edited while you wrote" in response.text and REVIEW["text"] in response.text
    assert 'name="version" value="2"' in response.text and not Review.objects.exists()
    assert "Your review stands" in client.post(address, REVIEW | dict(version="2"), follow=True).text
    assert client.get(address)["Location"].startswith("/edit/review/")


def test_what_is_refused_is_marked_at_its_field_and_a_reader_may_not_review(as_reviewer, answer, reader):
    for more, told in (({}, "that is a conflict of interest"), (dict(conflict="on"), "Say in a few words what")):
        response = as_reviewer.post(f"/a/{answer.key}/review/", REVIEW | more)  # of the reviewer's own answer
        assert response.status_code == 422 and told in response.text
    as_reviewer.force_login(reader)
    assert as_reviewer.get(f"/a/{answer.key}/review/").status_code == 403
    with pytest.raises(acts.NotAllowed, match="moderator"):
        acts.review(reader, answer, "yes", 4, "Right.")
    with pytest.raises(acts.Refused, match="names its system"):
        acts.review(reader, answer, "yes", 4, "Right.", kind="ai")


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


def test_a_moderator_withdraws_and_decides_with_a_reason_that_stands_in_the_trail(client, talk, reviewer, moderator):
    client.force_login(reviewer)
    for address in ("/moderation/", "/moderation/people/rea/"):
        assert client.get(address).status_code == 403
        assert client.post(address, {"deed": "role moderator", "reason": "x"}).status_code == 403
    assert Account.objects.get(username="rea").role == "reader"
    client.force_login(moderator)
    client.post(f"/withdraw/comment/{talk['remark'].key}/", dict(reason="It is an advertisement."))
    assert "It is an advertisement." in client.get("/moderation/").text
    told = client.post("/moderation/people/rea/", {"deed": "role reviewer", "reason": "Knows lattices."}, follow=True)
    assert "Knows lattices." in told.text
    assert Account.objects.get(username="rea").role == "reviewer"
    client.logout()
    page = client.get("/q/math/1/").text
    assert "A comment was withdrawn" in page and talk["remark"].text not in page


def test_writing_too_often_gives_the_text_back(as_reviewer, question, monkeypatch):
    monkeypatch.setitem(security.LIMITS, "write", (2, 3600))
    for status in (302, 422):  # what stands already is refused
        assert as_reviewer.post("/q/math/1/comment/", dict(text="One.")).status_code == status
    response = as_reviewer.post("/q/math/1/comment/", dict(text="Two, which is longer than that."))
    assert response.status_code == 429 and "Two, which is longer" in response.text and Comment.objects.count() == 1


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
    told = "".join(feeds.digest_lines(moderator, timezone.now() - timedelta(days=1)))
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
