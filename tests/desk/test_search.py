import pytest
from desk import acts, search
from desk.models import Answer, Question
from django.db import connection


@pytest.fixture
def three(db):
    texts = {
        1: ("Gaps between twin primes", "How wide are they? Über alles $\\alpha_n$"),
        2: ("A covering of lattices", "Every prime ideal, and twins of it"),
        3: ("A drop on a wire", "It climbs faster when larger"),
    }
    return [
        Question.objects.create(key=f"s/{n}", site="s", title=title, body=body, licence="CC BY-SA 4.0", tags=["tagged"])
        for n, (title, body) in texts.items()
    ]


def found(words):
    names = dict(Question.objects.values_list("pk", "key"))
    return [names[number] for number in search.find(words)]


@pytest.mark.parametrize(
    "words, keys",
    [
        ("twin prime", ["s/1", "s/2"]),  # a title counts more than a text; words are cut to their stems
        ('"twin primes"', ["s/1"]),
        ("prime -ideal", ["s/1"]),
        ("climbing", ["s/3"]),
        ("tagged lattice", ["s/2"]),
        ("alpha", ["s/1"]),
        ("nothing like it", []),
    ],
)
def test_words_are_found(three, words, keys):
    assert found(words) == keys


@pytest.mark.parametrize(
    "words",
    ["", " ", '"', "-", "-twin", "(", "AND", "twin OR", "NEAR(a b)", "title:x", "*", "'; DROP TABLE desk_question; --", "\x00", "a" * 5000, "^twin", "{x}", "!!!", "&", "|", ":*", "\\"],
)  # fmt: skip
def test_no_words_are_an_error(three, words):
    found(words)
    assert Question.objects.count() == 3


def test_an_edit_is_found_and_what_stood_before_is_not(three):
    three[2].title = "A bead on a string"
    three[2].save()
    assert (found("bead"), found("drop")) == (["s/3"], [])


def test_standing_answers_are_searched_after_questions(three, reviewer):
    answer = acts.submit_answer(reviewer, three[2], "Lab", "A", "b", "p", "Capillary lattices pull it.")
    assert found("lattice") == ["s/2", "s/3"] and found("capillary") == ["s/3"]
    acts.withdraw(reviewer, answer)
    assert found("capillary") == []


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


def test_a_deleted_row_leaves_the_index(three):
    three[0].delete()
    assert found("gaps") == []


def test_questions_come_with_their_order(three):
    rows, places = search.questions("twin prime")
    assert sorted(rows, key=lambda row: places[row.pk])[0] == three[0] and not Answer.objects.exists()
