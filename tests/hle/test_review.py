"""The two rounds of review: which steps are possible, and what each keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.hle.review import (
    MOST,
    STEPS,
    UNSURE,
    Event,
    InvalidStep,
    queue,
    replay_events,
    review_table,
    rubric,
    step,
)

SUBMIT, STUMPED = Event("q", "submit", "ada"), Event("q", "check", "desk", stumped=True)


def review(by, score, feedback="because", question="q"):
    return Event(question, "review", by, score=score, feedback=feedback)


PROMOTE = Event("q", "promote", "olga", reviewers=("bo", "cy"))
APPROVE, REJECT = Event("q", "approve", "olga"), Event("q", "reject", "olga", feedback="in a textbook")
WHOLE = [
    SUBMIT,
    STUMPED,
    review("bo", 2, "say which norm"),
    Event("q", "revise", "ada", feedback="norm named"),
    review("bo", 4),
    review("di", UNSURE),
    PROMOTE,
    review("cy", 6),
    APPROVE,
]


def case(*events):
    return replay_events(events)["q"]


def test_a_whole_way_keeps_every_score_and_word():
    done = case(*WHOLE)
    assert (done.state, done.version, done.chosen) == ("accepted", 2, ("bo", "cy"))
    assert [(r.round, r.version, r.reviewer, r.score) for r in done.reviews] == [
        (1, 1, "bo", 2),
        (1, 2, "bo", 4),
        (1, 2, "di", UNSURE),
        (2, 2, "cy", 6),
    ]
    assert done.reviews[0].feedback == "say which norm" and done.history == tuple(WHOLE)
    row = review_table([done]).iloc[0]  # its means leave the unsure out
    assert (row["reviews_1"], row["unsure_1"], row["mean_1"], row["mean_2"]) == (3, 1, 3, 6)


def test_the_published_rubrics_say_which_scores_there_are_and_a_solved_question_is_rejected_at_once():
    assert list(rubric(1)) == [0, 1, 2, 3, 4, 5, UNSURE] and list(rubric(2)) == [0, 1, 2, 3, 4, 5, 6]
    assert case(SUBMIT, STUMPED, review("bo", -1)).reviews[0].score == UNSURE
    assert case(SUBMIT, Event("q", "check", "desk", stumped=False)).state == "rejected"  # a model solves it


@pytest.mark.parametrize(
    "events, field, message",
    [
        ([STUMPED], "event", "not submitted. Here comes submit"),
        ([SUBMIT, SUBMIT], "event", "is submitted. Here comes check"),
        ([SUBMIT, review("bo", 3)], "event", "Here comes check"),
        ([SUBMIT, STUMPED, APPROVE], "event", "is first round. Here comes review or revise or promote or reject"),
        ([*WHOLE, REJECT], "event", "Submit it anew"),
        ([SUBMIT, Event("q", "applaud", "bo")], "event", "Choose one of submit"),
        ([SUBMIT, Event("q", "check", "", stumped=True)], "by", "Name who"),
        ([SUBMIT, Event("q", "check", "desk")], "stumped", "missing"),
        ([SUBMIT, STUMPED, review("ada", 5)], "by", "ada is the author"),
        ([SUBMIT, STUMPED, review("bo", 6)], "score", "no score of round 1"),
        ([SUBMIT, STUMPED, review("bo", True)], "score", "True is no score"),
        ([SUBMIT, STUMPED, review("bo", "4")], "score", "'4' is no score"),
        ([SUBMIT, STUMPED, review("bo", None)], "score", "missing"),
        ([SUBMIT, STUMPED, review("bo", 4, " ")], "feedback", "Tell the author why"),
        ([SUBMIT, STUMPED, review("bo", 4), review("bo", 5)], "by", "has reviewed version 1"),
        ([SUBMIT, STUMPED, *(review(f"r{i}", 3) for i in range(MOST + 1))], "event", "already 3 reviews"),
        ([SUBMIT, STUMPED, Event("q", "revise", "bo")], "by", "Let ada revise"),
        ([SUBMIT, STUMPED, PROMOTE], "event", "Wait for a review of the first round"),
        ([SUBMIT, STUMPED, review("bo", 4), Event("q", "promote", "olga")], "reviewers", "missing"),
        ([*WHOLE[:6], Event("q", "promote", "olga", reviewers=("ada",))], "reviewers", "Choose others"),
        ([*WHOLE[:7], review("di", 5)], "by", "Chosen are bo, cy"),
        ([*WHOLE[:7], review("bo", UNSURE)], "score", "no score of round 2"),
        ([*WHOLE[:7], APPROVE], "event", "no review of version 2"),
        ([*WHOLE[:8], Event("q", "revise", "ada"), APPROVE], "event", "no review of version 3"),
        ([*WHOLE[:8], Event("q", "approve", "ada")], "by", "ada is the author"),
        ([SUBMIT, STUMPED, Event("q", "reject", "olga")], "feedback", "missing"),
    ],
)
def test_an_impossible_step_names_the_field_and_the_mend(events, field, message):
    with pytest.raises(InvalidStep, match="question q") as error:
        replay_events(events)
    assert error.value.field == field and message in str(error.value)


EVENTS = st.builds(
    Event,
    st.just("q"),
    st.sampled_from(list(STEPS)),
    st.sampled_from(["ada", "bo", "cy", "olga"]),
    st.sampled_from([None, 0, 3, 6, UNSURE]),
    st.sampled_from(["", "why"]),
    st.sampled_from([None, True, False]),
    st.sampled_from([(), ("bo",), ("ada",), ("cy", "bo")]),
)


@given(st.lists(EVENTS, max_size=25))
def test_whatever_is_tried_the_rules_of_the_paper_hold(events):
    now = step(None, SUBMIT)
    for event in [STUMPED, review("bo", 3), *events]:
        try:
            after = step(now, event)
        except InvalidStep:
            continue
        assert event.event in STEPS and now.state in STEPS[event.event]
        assert after.reviews[: len(now.reviews)] == now.reviews and after.history == (*now.history, event)
        now = after
    assert all(one.reviewer != "ada" and one.score in rubric(one.round) and one.feedback for one in now.reviews)
    assert len(now.of_round(1)) <= MOST and all(one.reviewer in now.chosen for one in now.of_round(2))
    assert now.state != "accepted" or now.of_round(1) and now.of_round(2)


def test_the_queue_puts_unreviewed_questions_first_and_leaves_out_ones_own():
    cases = replay_events(
        [Event(q, "submit", by) for q, by in (("a", "ada"), ("b", "bo"), ("c", "cy"))]
        + [Event(q, "check", "desk", stumped=True) for q in "abc"]
        + [review("di", 3, question="a")]
    )
    assert queue(cases.values(), "ed") == ["b", "c", "a"]
    assert queue(cases.values(), "bo") == ["c", "a"] and queue(cases.values(), "di") == ["b", "c"]
