"""What acts store, refuse and leave in the trail, and the state of a question that follows from it."""

import itertools
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from desk import acts, people, resolution
from desk.models import Account, Act, Answer, Question, Review, System, Vote
from django.utils import timezone

FACTS = ("organisation", "system", "base_model", "prompt", "text")


def reviewers(count: int) -> list[Account]:
    return [Account.objects.create_user(f"r{n}", role="reviewer") for n in range(count)]


def submit(by, question, **more):
    told = dict(organisation="Lab", system="A", base_model="base", prompt="Answer.", text="Because.")
    return acts.submit_answer(by, question, **told | more)


def state(question) -> str:
    return Question.objects.get(pk=question.pk).state


@pytest.mark.parametrize(
    "wrong",
    [*({field: "  "} for field in FACTS), *(dict(text=text) for text in ("a\x00b", "\ud800", "x" * 100_001))],
    ids=lambda wrong: ascii(wrong)[:30],
)
def test_an_answer_without_a_fact_or_with_text_that_no_database_holds_is_refused_by_name(reader, question, wrong):
    with pytest.raises(acts.Refused) as refused:
        submit(reader, question, **wrong)
    [field] = wrong
    assert set(refused.value.problems) == {field} and str(refused.value).startswith(f"{field}: ")
    assert not Answer.objects.exists() and not Act.objects.exists() and not System.objects.exists()


def test_three_reviewers_who_agree_resolve_a_question_while_their_reviews_stand(reader, question):
    answer, rows, states = submit(reader, question), [], []
    for who in reviewers(3):
        rows.append(acts.review(who, answer, "yes", 4, "Right."))
        states.append(state(question))
    for act in (acts.withdraw, acts.restore):
        act(rows[0].reviewer, rows[0])
        states.append(state(question))
    assert states == ["claimed", "claimed", "resolved", "claimed", "resolved"] and Review.objects.count() == 3


def test_the_submitter_reviews_only_with_a_declared_conflict_which_does_not_count(reviewer, answer):
    with pytest.raises(acts.Refused, match="conflict"):
        acts.review(reviewer, answer, "yes", 5, "Mine.")
    acts.review(reviewer, answer, "yes", 5, "Mine.", conflict=True, conflict_text="I submitted it.")
    assert state(answer.question) == "answered"


def test_one_review_of_a_person_stands_and_an_edit_keeps_what_stood_there(reviewer, answer):
    [who] = reviewers(1)
    row = acts.review(who, answer, "yes", 4, "Right.")
    with pytest.raises(acts.Refused, match="Edit"):
        acts.review(who, answer, "no", 4, "Wrong.")
    old = Review.objects.get()
    row = acts.edit(who, row, 1, correct="no", text="Wrong after all.")
    with pytest.raises(acts.Stale, match="now version 2"):  # a row is read anew before it is changed
        acts.edit(who, old, 1, text="Wrong.")
    assert Act.objects.get(verb="edit").before == {"correct": "yes", "text": "Right.", "version": 1}
    assert (row.version, row.correct) == (2, "no") and row.edited_at
    with pytest.raises(acts.Refused, match="Submit a new one"):  # others have reviewed it as it is
        acts.edit(reviewer, answer, 1, text="Something else.")
    acts.withdraw(who, row)
    acts.review(who, answer, "no", 4, "Wrong.")
    with pytest.raises(acts.Refused, match="later review"):
        acts.restore(who, row)


def test_only_its_author_edits_a_row_and_only_its_text(reader, reviewer, question):
    row = acts.comment(reader, question, "Is x real?")
    with pytest.raises(acts.NotAllowed):
        acts.edit(reviewer, row, 1, text="No.")
    with pytest.raises(acts.Refused, match="author"):
        acts.edit(reader, row, 1, author=reviewer)


def test_a_moderator_withdraws_with_a_reason_and_its_author_cannot_undo_it(reader, reviewer, moderator, question):
    row = acts.comment(reader, question, "Buy pills.")
    with pytest.raises(acts.NotAllowed):
        acts.withdraw(reviewer, row, "spam")
    with pytest.raises(acts.Refused, match="reason"):
        acts.withdraw(moderator, row)
    acts.withdraw(moderator, row, "spam")
    with pytest.raises(acts.NotAllowed):
        acts.restore(reader, row, "please")
    assert acts.restore(moderator, row, "it was a joke").withdrawn_at is None


def test_votes_are_counted_once_changed_and_taken_back(reader, reviewer, question):
    sent = [(reader, 1), (reader, 1), (reviewer, 1), (reader, -1), (reader, 0)]
    assert [acts.vote(who, question, value) for who, value in sent] == [1, 1, 2, 0, 1]
    assert Vote.objects.count() == 1 and Act.objects.filter(verb="vote").count() == 4


def test_a_blocked_account_writes_nothing_even_where_it_is_still_signed_in(reader, moderator, question):
    people.decide(moderator, reader, "block", "spam")
    for act in (lambda: submit(reader, question), lambda: acts.vote(reader, question, 1)):
        with pytest.raises(acts.NotAllowed, match="blocked"):
            act()


@pytest.mark.parametrize("wrong", [
    dict(probability=1.5), dict(dollars=float("nan")), dict(outcome="maybe"), dict(validator=""),
    *(dict(trace=[value]) for value in (float("nan"), {"a": "\ud800"}, "\x00", object(), "x" * 1_000_001)),
], ids=lambda wrong: ascii(wrong)[:30])  # fmt: skip
def test_a_verdict_that_makes_no_sense_is_refused(answer, wrong):
    with pytest.raises(acts.Refused):
        acts.add_verdict(answer, **dict(validator="(C x3|U)", outcome="accept") | wrong)


def test_questions_are_added_once_and_changes_of_a_release_are_kept(db):
    asked = datetime(2020, 1, 2, tzinfo=UTC)
    row = dict(key="math/1", site="math", title="T", body="B", licence="CC BY-SA 4.0", score=5, posted_at=asked)
    assert acts.add_questions(None, [row]) == (1, 0)
    assert acts.add_questions(None, [row]) == (0, 0)
    assert acts.add_questions(None, [row | dict(score=6, posted_at=None)]) == (0, 1)
    assert Act.objects.get(verb="change").before == {"score": 5, "posted_at": asked.isoformat()}


@pytest.mark.django_db(transaction=True)
def test_two_moderators_cannot_demote_each_other_and_one_name_in_two_cases_is_taken_once(at_once):
    for number in range(4):
        one, other = (Account.objects.create_user(f"{name}{number}", role="moderator") for name in ("mo", "ida"))
        at_once(*(partial(people.decide, by, whom, "role reader", "x") for by, whom in ((one, other), (other, one))))
        assert Account.objects.filter(username__endswith=number, role="moderator").count() == 1
        at_once(*(partial(people.sign_up, f"{name}{number}", "a long pass phrase") for name in ("Same", "same")))
        assert Account.objects.filter(username__iendswith=f"same{number}").count() == 1


# When a question is resolved


@pytest.fixture
def written(answer):
    """Reviews of the fixture's answer, a minute apart, each by a new reviewer."""
    numbers = itertools.count()

    def write(correct="yes", affiliation="", **fields):
        n = next(numbers)
        who = Account.objects.create_user(f"r{n}", role="reviewer", affiliation=affiliation)
        told = dict(answer=answer, reviewer=who, correct=correct, confidence=4, text="so")
        return Review.objects.create(**told | dict(written_at=timezone.now() + timedelta(minutes=n)) | fields)

    return write


@pytest.mark.parametrize(
    "what",
    [dict(conflict=True), dict(withdrawn_at=timezone.now()), dict(kind="ai"), dict(affiliation="LAB "), dict(correct="unsure")],
    ids=["a conflict", "withdrawn", "a model's", "a colleague's", "unsure"],
)  # fmt: skip
def test_what_does_not_count(answer, written, what):
    written()
    written(**what)
    assert resolution.recompute(answer.question) == "claimed"


def test_a_question_is_as_resolved_as_its_best_answer_and_open_where_all_are_refuted(
    question, reviewer, answer, written
):
    system = System.objects.create(organisation="Lab", name="B", base_model="b")
    other = Answer.objects.create(question=question, system=system, prompt="p", text="t", submitted_by=reviewer)
    for of in (answer, other):
        written(answer=of)
    assert resolution.recompute(question) == "claimed"  # reviewers who agree on different answers resolve nothing
    for of in [answer, other] * 5:
        written("no", answer=of)
    assert resolution.recompute(question) == "open"
