import random
import time

import pytest
import yaml
from desk import acts, pages
from desk.models import Account, Answer, Question, System

PAGES = (
    "/",
    "/?q=so&state=review&sort=site",
    "/about/",
    "/terms/",
    "/privacy/",
    "/sign-in/",
    "/sign-up/",
    "/q/math/1/",
)


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_read_without_an_account_and_links_to_what_holds_here(client, talk, address):
    page = client.get(address)
    assert page.status_code == 200 and 'href="/terms/"' in page.text and 'href="/privacy/"' in page.text


def test_an_empty_desk_says_what_to_do(client, db):
    assert "python -m proctor platform load" in client.get("/").text


def test_a_newcomer_is_told_what_the_place_is_for_and_how_to_help(client, talk):
    text = client.get("/").text
    assert "People decide" in text and 'href="/?state=review"' in text and "Become a reviewer" in text
    client.force_login(talk["review"].reviewer)
    text = client.get("/").text
    assert "Review an answer" in text and "Become a reviewer" not in text


def test_the_question_page_shows_all_that_was_said(client, talk):
    text = client.get("/q/math/1/").text
    for said in ("System A", "Lab", "base model base", "<code>(CC x3|U) =&gt; C</code>", "Accepts", "4 calls, $0.03", "Judge 7", "Not correct", "confidence 4 of 5", "Is it still open?", "<mi>x</mi>", "CC BY-SA 4.0", "by-sa/4.0", "Full prompt", "claimed", "&lt;b&gt;it&lt;/b&gt;"):  # fmt: skip
        assert said in text, said


def test_the_list_is_filtered_and_sorted(client, question):
    for number, site, state, votes in ((2, "bio", "resolved", 5), (3, "bio", "open", 9), (4, "math", "claimed", 1)):
        fields = dict(
            title=f"T{number}", body="b", licence="CC BY-SA 3.0", category="Science", state=state, votes=votes
        )
        Question.objects.create(key=f"{site}/{number}", site=site, **fields)

    def keys(address):
        return [one.key for one in client.get(address).context["page"]]

    assert keys("/") == ["bio/3", "bio/2", "math/4", "math/1"]
    assert keys("/?site=bio&state=resolved") == ["bio/2"]
    assert keys("/?state=review") == ["math/4"]
    assert keys("/?sort=category") == ["math/1", "bio/3", "bio/2", "math/4"]
    assert keys("/?sort=state") == ["bio/2", "math/4", "bio/3", "math/1"]
    assert keys("/?category=Science&sort=site") == ["bio/3", "bio/2", "math/4"]
    assert keys("/?site=nonsense&sort=nonsense&page=99") == ["bio/3", "bio/2", "math/4", "math/1"]


def test_counts_in_the_list_leave_out_what_is_withdrawn(client, talk):
    row = client.get("/").context["page"][0]
    assert (row.n_answers, row.n_passed, row.n_reviews) == (1, 1, 2)
    acts.withdraw(talk["answer"].submitted_by, talk["answer"])
    row = client.get("/").context["page"][0]
    assert (row.n_answers, row.n_passed, row.n_reviews) == (0, 0, 0)


def test_the_list_needs_few_queries(client, talk, django_assert_max_num_queries):
    for number in range(2, 30):
        Question.objects.create(key=f"math/{number}", site="math", title="T", body="b", licence="CC BY-SA 4.0")
    with django_assert_max_num_queries(12):
        client.get("/")


def test_a_question_needs_as_many_queries_for_ten_answers_as_for_one(
    client, talk, reviewer, django_assert_max_num_queries
):
    for number in range(9):
        acts.submit_answer(reviewer, talk["question"], "Lab", f"System {number}", "base", "p", f"Because {number}.")
    with django_assert_max_num_queries(12):
        client.get("/q/math/1/")


def test_raw_markdown_has_metadata_that_a_program_reads(client, talk):
    response = client.get("/q/math/1/raw.md")
    _, head, body = response.text.split("---\n", 2)
    told = yaml.safe_load(head)
    assert response["Content-Type"] == "text/markdown; charset=utf-8" and body == "\nWhy $x$?\n"
    assert told["licence_link"] == "https://creativecommons.org/licenses/by-sa/4.0/"
    assert [one["system"] for one in told["answers"]] == ["System A"]


def test_a_hostile_title_does_not_end_the_metadata(client, question):
    Question.objects.update(title='a"\n---\nlicence: none # <b>')
    head = client.get("/q/math/1/raw.md").text.split("\n---\n", 1)[0]
    assert yaml.safe_load(head.removeprefix("---\n"))["title"] == 'a"\n---\nlicence: none # <b>'


def test_a_withdrawn_answer_is_shown_to_its_author_and_moderators_only(client, talk, moderator):
    acts.withdraw(moderator, talk["answer"], "Spam.")
    for address in ("/q/math/1/", f"/a/{talk['answer'].key}/", f"/history/answer/{talk['answer'].key}/"):
        assert "Because" not in client.get(address).text
    client.force_login(moderator)
    assert "Because" in client.get(f"/a/{talk['answer'].key}/").text
    assert "Spam." in client.get(f"/history/answer/{talk['answer'].key}/").text


@pytest.mark.parametrize(
    "address", ["/q/math/99/", "/a/nokey/", "/people/nobody/", "/history/act/1/", "/history/answer/x/", "/x/"]
)
def test_what_is_not_there_gives_a_page_that_says_so(client, db, address):
    response = client.get(address)
    assert response.status_code == 404 and "no such page" in response.text


def test_a_poster_is_marked_only_when_confirmed(client, talk, moderator, reviewer):
    Question.objects.update(author="mo", author_link="https://s.example/u/1")
    Account.objects.filter(pk=moderator.pk).update(source_profile="https://s.example/u/1")
    assert "asked this question" not in client.get("/q/math/1/").text
    Account.objects.filter(pk=moderator.pk).update(source_confirmed=True)
    assert "asked this question" in client.get("/q/math/1/").text
    moderator.refresh_from_db()
    assert [name for name, _ in pages.badges(moderator)] == ["Verifier", "Original poster"]


def test_pieces_of_two_texts_give_both_again():
    before, after = "a b\nc d", "a x\n\nc"
    found = pages.pieces(before, after)
    assert "".join(text for kind, text in found if kind != "new") == before
    assert "".join(text for kind, text in found if kind != "gone") == after


def test_a_text_made_to_be_slow_to_compare_is_compared_at_once():
    draw = random.Random(1)
    before, after = (" ".join(draw.choices("ab", k=2450)) for _ in range(2))
    begun = time.process_time()
    assert pages.pieces(before, after)
    assert time.process_time() - begun < 1


def test_a_long_text_with_one_new_word_shows_that_word():
    words = [f"word{n}" for n in range(5000)]
    before, after = " ".join(words), " ".join([*words[:2500], "new", *words[2501:]])
    assert [piece for piece in pages.pieces(before, after) if piece[0] != "same"] == [
        ("gone", "word2500"),
        ("new", "new"),
    ]


def test_people_stand_beside_models(client, question, reviewer):
    system = System.objects.create(organisation="Friends", name="Two readers", people=True)
    Answer.objects.create(question=question, system=system, prompt="", text="So.", submitted_by=reviewer)
    assert "by people" in client.get("/q/math/1/").text


def test_two_answers_stand_next_to_each_other(client, talk, reviewer):
    assert (
        client.get("/q/math/1/compare/").status_code == 404
        and "Compare two answers" not in client.get("/q/math/1/").text
    )
    more = [acts.submit_answer(reviewer, talk["question"], "Lab", name, "b", "p", f"Text of {name}.") for name in "BC"]
    assert "Compare two answers" in client.get("/q/math/1/").text
    page = client.get("/q/math/1/compare/").text
    assert "Text of B." in page and "<mi>x</mi>" in page and "Text of C." not in page
    page = client.get(f"/q/math/1/compare/?one={more[1].key}&other={more[0].key}").text
    assert page.index("Text of C.") < page.index("Text of B.") and "1 correct" not in page
    acts.withdraw(reviewer, more[1])
    assert "Text of C." not in client.get(f"/q/math/1/compare/?one={more[1].key}&other={more[0].key}").text
