from functools import partial

import pytest
from desk import acts
from desk.models import Account, Act, Answer, Question, Review, System, Vote


def reviewers(count: int) -> list[Account]:
    return [Account.objects.create_user(f"r{n}", role="reviewer") for n in range(count)]


def submit(by, question, **more):
    told = dict(organisation="Lab", system="A", base_model="base", prompt="Answer.", text="Because.")
    return acts.submit_answer(by, question, **told | more)


def state(question) -> str:
    return Question.objects.get(pk=question.pk).state


def test_an_answer_is_submitted_with_its_system_and_a_line_in_the_trail(reader, question):
    answer = submit(reader, question)
    assert (answer.system.organisation, answer.system.name, answer.system.base_model) == ("Lab", "A", "base")
    assert Act.objects.filter(actor=reader, verb="submit", table="answer", key=answer.key).count() == 1
    assert state(question) == "answered"


@pytest.mark.parametrize("field", ["organisation", "system", "base_model", "prompt", "text"])
def test_an_answer_without_one_of_its_five_facts_is_refused_by_name(reader, question, field):
    with pytest.raises(acts.Refused) as refused:
        submit(reader, question, **{field: "  "})
    assert set(refused.value.problems) == {field}
    assert not Answer.objects.exists() and not Act.objects.exists() and not System.objects.exists()


@pytest.mark.parametrize("text", ["a\x00b", "\ud800", "x" * 100_001])
def test_text_that_no_database_holds_is_refused(reader, question, text):
    with pytest.raises(acts.Refused, match="text"):
        submit(reader, question, text=text)


def test_the_same_answer_of_a_system_stands_once(reader, question):
    submit(reader, question)
    with pytest.raises(acts.Refused, match="word for word"):
        submit(reader, question)


def test_a_reader_may_not_review_but_may_bring_an_ai_review(reader, answer):
    with pytest.raises(acts.NotAllowed, match="moderator"):
        acts.review(reader, answer, "yes", 4, "Right.")
    system = acts.system_of("Lab", "Judge", "base")
    told = acts.review(reader, answer, "yes", 4, "Right.", kind="ai", system=system)
    assert told.system == system and state(answer.question) == "answered"


def test_an_ai_review_names_its_system(reviewer, answer):
    with pytest.raises(acts.Refused, match="system"):
        acts.review(reviewer, answer, "yes", 4, "Right.", kind="ai")


def test_three_reviewers_who_agree_resolve_a_question(reader, question):
    answer = submit(reader, question)
    states = []
    for who in reviewers(3):
        acts.review(who, answer, "yes", 4, "Right.")
        states.append(state(question))
    assert states == ["claimed", "claimed", "resolved"]


def test_the_submitter_reviews_only_with_a_declared_conflict_which_does_not_count(reviewer, answer):
    with pytest.raises(acts.Refused, match="conflict"):
        acts.review(reviewer, answer, "yes", 5, "Mine.")
    acts.review(reviewer, answer, "yes", 5, "Mine.", conflict=True, conflict_text="I submitted it.")
    assert state(answer.question) == "answered"


def test_a_second_review_of_the_same_person_is_refused(answer):
    [who] = reviewers(1)
    acts.review(who, answer, "yes", 4, "Right.")
    with pytest.raises(acts.Refused, match="Edit"):
        acts.review(who, answer, "no", 4, "Wrong.")


def test_an_edit_keeps_what_stood_there(answer):
    [who] = reviewers(1)
    row = acts.review(who, answer, "yes", 4, "Right.")
    row = acts.edit(who, row, 1, correct="no", text="Wrong after all.")
    act = Act.objects.get(verb="edit")
    assert act.before == {"correct": "yes", "text": "Right.", "version": 1}
    assert (row.version, row.correct) == (2, "no") and row.edited_at


def test_an_answer_that_others_have_reviewed_is_not_changed_under_them(reviewer, answer):
    [who] = reviewers(1)
    acts.review(who, answer, "yes", 4, "Right.")
    with pytest.raises(acts.Refused, match="Submit a new one"):
        acts.edit(reviewer, answer, 1, text="Something else.")


def test_only_its_author_edits_a_row_and_only_its_text(reader, reviewer, question):
    row = acts.comment(reader, question, "Is x real?")
    with pytest.raises(acts.NotAllowed):
        acts.edit(reviewer, row, 1, text="No.")
    with pytest.raises(acts.Refused, match="author"):
        acts.edit(reader, row, 1, author=reviewer)


def test_a_withdrawn_review_counts_no_more_and_comes_back(reader, question):
    answer, rows = submit(reader, question), []
    for who in reviewers(3):
        rows.append(acts.review(who, answer, "yes", 4, "Right."))
    acts.withdraw(rows[0].reviewer, rows[0])
    assert state(question) == "claimed" and Review.objects.count() == 3
    acts.restore(rows[0].reviewer, rows[0])
    assert state(question) == "resolved"


def test_a_moderator_withdraws_with_a_reason_and_its_author_cannot_undo_it(reader, reviewer, question):
    row, mod = acts.comment(reader, question, "Buy pills."), Account.objects.create_user("mod", role="moderator")
    with pytest.raises(acts.NotAllowed):
        acts.withdraw(reviewer, row, "spam")
    with pytest.raises(acts.Refused, match="reason"):
        acts.withdraw(mod, row)
    acts.withdraw(mod, row, "spam")
    with pytest.raises(acts.NotAllowed):
        acts.restore(reader, row, "please")
    assert acts.restore(mod, row, "it was a joke").withdrawn_at is None


def test_a_review_does_not_come_back_beside_a_later_one(answer):
    [who] = reviewers(1)
    row = acts.review(who, answer, "yes", 4, "Right.")
    acts.withdraw(who, row)
    acts.review(who, answer, "no", 4, "Wrong.")
    with pytest.raises(acts.Refused, match="later review"):
        acts.restore(who, row)


def test_votes_are_counted_once_changed_and_taken_back(reader, reviewer, question):
    sent = [(reader, 1), (reader, 1), (reviewer, 1), (reader, -1), (reader, 0)]
    assert [acts.vote(who, question, value) for who, value in sent] == [1, 1, 2, 0, 1]
    assert Vote.objects.count() == 1 and Act.objects.filter(verb="vote").count() == 4


def test_a_blocked_account_writes_nothing_even_where_it_is_still_signed_in(reader, question):
    mod = Account.objects.create_user("mod", role="moderator")
    acts.block(mod, reader, "spam")
    for act in (lambda: submit(reader, question), lambda: acts.vote(reader, question, 1)):
        with pytest.raises(acts.NotAllowed, match="blocked"):
            act()


@pytest.mark.parametrize("wrong", [dict(probability=1.5), dict(dollars=float("nan")), dict(outcome="maybe"), dict(trace=["\x00"]), dict(validator="")])  # fmt: skip
def test_a_verdict_that_makes_no_sense_is_refused(answer, wrong):
    with pytest.raises(acts.Refused):
        acts.add_verdict(answer, **dict(validator="(C x3|U)", outcome="accept") | wrong)


def test_a_verdict_changes_no_state(answer):
    assert acts.add_verdict(answer, "(C x3|U)", "accept", probability=0.9, calls=3, dollars=0.1).pk
    assert state(answer.question) == "open"


def test_questions_are_added_once_and_changes_of_a_release_are_kept(db):
    rows = [dict(key="math/1", site="math", title="T", body="B", licence="CC BY-SA 4.0", score=5)]
    assert acts.add_questions(None, rows) == (1, 0)
    assert acts.add_questions(None, rows) == (0, 0)
    assert acts.add_questions(None, [rows[0] | dict(score=6)]) == (0, 1)
    assert Act.objects.get(verb="change").before == {"score": 5}


@pytest.mark.django_db(transaction=True)
def test_two_moderators_cannot_demote_each_other(at_once):
    for number in range(5):
        one, other = (Account.objects.create_user(f"{name}{number}", role="moderator") for name in ("mo", "ida"))
        at_once(*(partial(acts.set_role, by, whom, "reader", "x") for by, whom in ((one, other), (other, one))))
        assert Account.objects.filter(username__endswith=number, role="moderator").count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_name_in_two_cases_is_taken_once(at_once):
    for number in range(3):
        at_once(*(partial(acts.sign_up, f"{name}{number}", "a long pass phrase") for name in ("Same", "same")))
        assert Account.objects.filter(username__iendswith=f"same{number}").count() == 1
