from xml.etree import ElementTree

from desk import acts
from desk.models import Question

ATOM = "{http://www.w3.org/2005/Atom}"


def entries(client, address):
    response = client.get(address)
    assert response["Content-Type"].startswith("application/atom+xml")
    return ElementTree.fromstring(response.text).findall(f"{ATOM}entry")


def test_the_feed_has_answers_reviews_and_comments_newest_first(client, talk):
    titles = [entry.find(f"{ATOM}title").text for entry in entries(client, "/feed.atom")]
    assert len(titles) == 5 and titles[-1] == "Answer by System A: Is it so?"
    assert titles[0] == "Comment by rea: Is it so?" and titles[1].startswith("Review by a person (cannot tell)")


def test_an_entry_links_to_its_place(client, talk):
    links = [entry.find(f"{ATOM}link").get("href") for entry in entries(client, "/q/math/1/feed.atom")]
    assert f"http://testserver/a/{talk['answer'].key}/#review-{talk['review'].key}" in links


def test_what_is_withdrawn_leaves_the_feed(client, talk, moderator):
    acts.comment(moderator, talk["review"], "On a review.")
    acts.withdraw(moderator, talk["answer"], "Spam.")
    acts.withdraw(moderator, talk["remark"], "Spam.")
    assert entries(client, "/feed.atom") == []


def test_a_question_has_a_feed_of_its_own(client, talk):
    Question.objects.create(key="bio/1", site="bio", title="T", body="b", licence="CC BY-SA 4.0")
    assert entries(client, "/q/bio/1/feed.atom") == []


def test_a_feed_is_sound_whatever_it_holds(client, talk):
    Question.objects.update(title="a \x0b ]]> & <b>")
    assert len(entries(client, "/feed.atom")) == 5
