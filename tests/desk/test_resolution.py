import itertools
from datetime import timedelta

import pytest
from desk import resolution
from desk.models import Account, Answer, Review, System
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

COUNTS = st.integers(0, 12)


@pytest.fixture
def written(answer):
    """Reviews of the fixture's answer, a minute apart, each by a new reviewer unless it is named."""
    numbers = itertools.count()

    def write(correct="yes", **fields):
        n = next(numbers)
        who = fields.pop("reviewer", None) or Account.objects.create_user(
            f"r{n}", role="reviewer", affiliation=fields.pop("affiliation", "")
        )
        told = dict(answer=answer, reviewer=who, correct=correct, confidence=4, text="so")
        return Review.objects.create(**told | dict(written_at=timezone.now() + timedelta(minutes=n)) | fields)

    return write


@given(COUNTS, COUNTS)
def test_an_answer_is_verified_only_when_enough_agree_and_few_differ(yes, no):
    state = resolution.answer_state(yes, no)
    assert state in resolution.ANSWER_STATES
    assert (state == "verified") == (yes >= 3 and yes >= 3 * no)
    assert (state == "refuted") == (no >= 3 and no >= 3 * yes)
    assert (state == "disputed") == (yes > 0 and no > 0 and state not in ("verified", "refuted"))


@given(COUNTS, COUNTS)
def test_changing_sides_changes_the_name_alone(yes, no):
    other = dict(verified="refuted", refuted="verified", claimed="doubted", doubted="claimed")
    state = resolution.answer_state(yes, no)
    assert resolution.answer_state(no, yes) == other.get(state, state)


@given(st.lists(st.sampled_from(list(resolution.ANSWER_STATES))))
def test_a_verified_answer_resolves_a_question_whatever_the_others_are(states):
    assert resolution.question_state(states) in resolution.STATES
    assert (resolution.question_state(states) == "resolved") == ("verified" in states)


@pytest.mark.parametrize(
    "fields",
    [
        dict(conflict=True),
        dict(withdrawn_at=timezone.now()),
        dict(kind="ai"),
        dict(affiliation="LAB "),
        dict(correct="unsure"),
    ],
    ids=["a conflict", "withdrawn", "a model's", "a colleague's", "unsure"],
)
def test_what_does_not_count(answer, written, fields):
    written()
    written(**fields)
    assert resolution.recompute(answer.question) == "claimed"


def test_the_course_tells_since_when_a_state_holds(answer, written):
    first = [written("yes"), written("no"), written("yes"), written("yes"), written("yes")]
    reviews = Review.objects.select_related("reviewer", "answer__system")
    assert resolution.course(reviews) == ("verified", first[3].written_at)


def test_reviewers_who_agree_on_different_answers_resolve_nothing(question, reviewer, answer, written):
    system = System.objects.create(organisation="Lab", name="B", base_model="b")
    other = Answer.objects.create(question=question, system=system, prompt="p", text="t", submitted_by=reviewer)
    written()
    written(answer=other)
    assert resolution.recompute(question) == "claimed"
    assert set(resolution.answer_states(question).values()) == {"claimed"}


def test_a_question_whose_answers_are_all_refuted_is_open_again(answer, written):
    for _ in range(3):
        written("no")
    assert resolution.recompute(answer.question) == "open"
