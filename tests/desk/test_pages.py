"""What a browser reads: the list and its search, a question, people, history, feeds; and what templates say."""

import random
import re
import time
from xml.etree import ElementTree

import pytest
import yaml
from desk import acts, pages, search
from desk.models import Answer, Question, System
from desk.templatetags import desk
from django.db import connection

ATOM = "{http://www.w3.org/2005/Atom}"


def asked(key: str, **more) -> Question:
    told = dict(key=key, site=key.split("/")[0], title="T", body="b", licence="CC BY-SA 4.0")
    return Question.objects.create(**told | more)


def test_a_page_is_read_without_an_account_and_links_to_what_holds_here(client, talk):
    for address in ("/?q=so&state=review&sort=site", "/about/", "/terms/", "/privacy/", "/sign-up/"):
        page = client.get(address)
        assert page.status_code == 200 and 'href="/terms/"' in page.text and 'href="/privacy/"' in page.text
    for address in "/q/math/99/ /a/nokey/ /people/nobody/ /history/act/1/ /history/answer/x/ /x/ /a/%00/".split():
        page = client.get(address)
        assert page.status_code == 404 and "no such page" in page.text


def test_a_newcomer_is_told_what_the_place_is_for_and_how_to_help(client, talk):
    text = client.get("/").text
    assert "People decide" in text and 'href="/?state=review"' in text and "Become a reviewer" in text
    client.force_login(talk["review"].reviewer)
    text = client.get("/").text
    assert "Review an answer" in text and "Become a reviewer" not in text


def test_the_question_page_shows_all_that_was_said(client, talk, reviewer):
    people = System.objects.create(organisation="Friends", name="Two readers", people=True)
    Answer.objects.create(question=talk["question"], system=people, prompt="", text="So.", submitted_by=reviewer)
    text = client.get("/q/math/1/").text
    for said in ("System A", "Lab", "base model base", "<code>(CC x3|U) =&gt; C</code>", "Accepts", "4 calls, $0.03", "Judge 7", "Not correct", "confidence 4 of 5", "Is it still open?", "<mi>x</mi>", "CC BY-SA 4.0", "by-sa/4.0", "Full prompt", "claimed", "&lt;b&gt;it&lt;/b&gt;", "by people"):  # fmt: skip
        assert said in text, said
    assert re.search(r'title="\d{4}-\d\d-\d\d \d\d:\d\d UTC">\d+ [A-Z][a-z]+ \d{4}</time>', text)


def test_the_list_is_filtered_and_sorted(client, db):
    assert "python -m proctor platform load" in client.get("/").text  # an empty desk says what to do
    rows = [("math/1", "open", 0), ("bio/2", "resolved", 5), ("bio/3", "open", 9), ("math/4", "claimed", 1)]
    for key, state, votes in rows:
        asked(key, category="" if key == "math/1" else "Science", state=state, votes=votes)

    def keys(address):
        return [one.key for one in client.get(address).context["page"]]

    assert keys("/") == ["bio/3", "bio/2", "math/4", "math/1"]
    assert keys("/?site=bio&state=resolved") == ["bio/2"]
    assert keys("/?state=review") == ["math/4"]
    assert keys("/?sort=category") == ["math/1", "bio/3", "bio/2", "math/4"]
    assert keys("/?sort=state") == ["bio/2", "math/4", "bio/3", "math/1"]
    assert keys("/?category=Science&sort=site") == ["bio/3", "bio/2", "math/4"]
    assert keys("/?site=nonsense&sort=nonsense&page=99") == ["bio/3", "bio/2", "math/4", "math/1"]
    for address, first in (("/?q=prime", "best match"), ("/", "most votes")):
        assert client.get(address).context["form"].fields["sort"].choices[0][1] == first


def test_pages_count_what_stands_in_few_queries_however_much_there_is(
    client, talk, reviewer, django_assert_max_num_queries
):
    for number in range(2, 30):
        asked(f"math/{number}", votes=-1)
    for counts in ((1, 1, 2), (0, 0, 0)):
        with django_assert_max_num_queries(12):
            row = client.get("/").context["page"][0]
        assert (row.n_answers, row.n_passed, row.n_reviews) == counts
        if any(counts):
            acts.withdraw(talk["answer"].submitted_by, talk["answer"])
    for number in range(9):
        acts.submit_answer(reviewer, talk["question"], "Lab", f"System {number}", "base", "p", f"Because {number}.")
    with django_assert_max_num_queries(12):
        client.get("/q/math/1/")


def test_raw_markdown_has_metadata_that_a_program_reads_and_no_title_ends(client, talk):
    hostile = 'a"\n---\nlicence: none # <b>'
    Question.objects.update(title=hostile)
    response = client.get("/q/math/1/raw.md")
    head, body = response.text.removeprefix("---\n").split("\n---\n", 1)
    told = yaml.safe_load(head)
    assert response["Content-Type"] == "text/markdown; charset=utf-8" and body == "\nWhy $x$?\n"
    assert told["title"] == hostile and told["licence_link"] == "https://creativecommons.org/licenses/by-sa/4.0/"
    assert [one["system"] for one in told["answers"]] == ["System A"]


def test_a_withdrawn_answer_is_shown_to_its_author_and_moderators_only(client, talk, moderator):
    acts.withdraw(moderator, talk["answer"], "Spam.")
    for address in ("/q/math/1/", f"/a/{talk['answer'].key}/", f"/history/answer/{talk['answer'].key}/"):
        assert "Because" not in client.get(address).text
    client.force_login(moderator)
    assert "Because" in client.get(f"/a/{talk['answer'].key}/").text
    assert "Spam." in client.get(f"/history/answer/{talk['answer'].key}/").text


def test_pieces_of_two_texts_give_both_again_and_show_one_new_word():
    before, after = "a b\nc d", "a x\n\nc"
    found = pages.pieces(before, after)
    assert "".join(text for kind, text in found if kind != "new") == before
    assert "".join(text for kind, text in found if kind != "gone") == after
    words = [f"word{n}" for n in range(5000)]
    found = pages.pieces(" ".join(words), " ".join([*words[:2500], "new", *words[2501:]]))
    assert [piece for piece in found if piece[0] != "same"] == [("gone", "word2500"), ("new", "new")]


def test_a_text_made_to_be_slow_to_compare_is_compared_at_once():
    draw = random.Random(1)
    before, after = (" ".join(draw.choices("ab", k=2450)) for _ in range(2))
    begun = time.process_time()
    assert pages.pieces(before, after)
    assert time.process_time() - begun < 1


# Feeds


def entries(client, address):
    response = client.get(address)
    assert response["Content-Type"].startswith("application/atom+xml")
    return ElementTree.fromstring(response.text).findall(f"{ATOM}entry")


def test_the_feed_has_what_stands_newest_first_with_links_to_its_place(client, talk, moderator):
    titles = [entry.find(f"{ATOM}title").text for entry in entries(client, "/feed.atom")]
    assert len(titles) == 5 and titles[-1] == "Answer by System A: Is it so?"
    assert titles[0] == "Comment by rea: Is it so?" and titles[1].startswith("Review by a person (cannot tell)")
    links = [entry.find(f"{ATOM}link").get("href") for entry in entries(client, "/q/math/1/feed.atom")]
    assert f"http://testserver/a/{talk['answer'].key}/#review-{talk['review'].key}" in links
    asked("bio/1", title="a \x0b ]]> & <b>")
    assert entries(client, "/q/bio/1/feed.atom") == []
    Question.objects.update(title="a \x0b ]]> & <b>")
    assert len(entries(client, "/feed.atom")) == 5  # it is sound whatever it holds
    acts.comment(moderator, talk["review"], "On a review.")
    acts.withdraw(moderator, talk["answer"], "Spam.")
    acts.withdraw(moderator, talk["remark"], "Spam.")
    assert entries(client, "/feed.atom") == []


# What templates say


def test_a_trace_of_any_shape_is_shown_and_a_long_step_cut():
    assert desk.steps({"a": "x"}) == [[("a", "x")]]  # others in its docstring
    (((_, text),),) = desk.steps(["x" * 30_000])
    assert len(text) < 21_000 and text.endswith("30,000 characters in all]")


# Search


@pytest.fixture
def three(db):
    return [
        asked("s/1", title="Gaps between twin primes", body="How wide are they? Über alles $\\alpha_n$"),
        asked("s/2", title="A covering of lattices", body="Every prime ideal, and twins of it", tags=["tagged"]),
        asked("s/3", title="A drop on a wire", body="It climbs faster when larger"),
    ]


def found(words):
    names = dict(Question.objects.values_list("pk", "key"))
    return [names[number] for number in search.find(words)]


def test_words_are_found(three):
    for words, keys in {
        "twin prime": ["s/1", "s/2"],  # a title counts more than a text; words are cut to their stems
        '"twin primes"': ["s/1"],
        "prime -ideal": ["s/1"],
        "climbing": ["s/3"],
        "tagged lattice": ["s/2"],
        "alpha": ["s/1"],
        "nothing like it": [],
    }.items():
        assert found(words) == keys, words
    rows, places = search.questions("twin prime")
    assert min(rows, key=lambda row: places[row.pk]) == three[0]


def test_no_words_are_an_error(three):
    for words in ("", " ", '"', "-", "-twin", "(", "AND", "twin OR", "NEAR(a b)", "title:x", "*", "'; DROP TABLE desk_question; --", "\x00", "a" * 5000, "^twin", "{x}", "!!!", "&", "|", ":*", "\\"):  # fmt: skip
        found(words)
    assert Question.objects.count() == 3


def test_the_index_follows_edits_deletions_and_answers(three, reviewer):
    three[2].title = "A bead on a string"
    three[2].save()
    assert (found("bead"), found("drop")) == (["s/3"], [])
    answer = acts.submit_answer(reviewer, three[2], "Lab", "A", "b", "p", "Capillary lattices pull it.")
    assert found("lattice") == ["s/2", "s/3"] and found("capillary") == ["s/3"]  # questions first
    acts.withdraw(reviewer, answer)
    assert found("capillary") == []
    three[0].delete()
    assert found("gaps") == []


@pytest.mark.django_db(transaction=True)  # SQLite's script commits
def test_installing_again_changes_nothing_and_mends_what_is_missing(three):
    search.install()
    assert found("twin") == ["s/1", "s/2"]
    if connection.vendor == "sqlite":  # it drops triggers where a migration rebuilds a table
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER desk_search_question_edit")
        search.install()
        three[0].title = "Beads"
        three[0].save()
        assert found("bead") == ["s/1"]
