"""Two rounds of review between the difficulty check and the exam (HLE, section 3.2 and appendix B.2).

    submit -> submitted -- check --> first round -- promote --> second round -- approve --> accepted
                              |          | review, revise, reject     | review, revise, reject
                              +-------> rejected <--------------------+

    case = step(case, Event("q1", "review", by="bo", score=4, feedback="..."))  # or it names the field and the mend

A `Case` never changes: `step` returns the next one, with every review and word of feedback in it. The rubrics are data
(published/hle/rubric_reviewer, rubric_expert); they alone say which scores there are. The paper does not state which
scores send a question on: organizers decide, and `review_table` shows them the scores.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from proctor.data.published import load_published

RUBRICS = {1: "hle/rubric_reviewer", 2: "hle/rubric_expert"}
ROUNDS = {"first round": 1, "second round": 2}  # state -> number
MOST = 3  # section 3.2: reviews of a question in the first round; B.2.1, read literally, lets a fourth through
UNSURE = "unsure"  # B.2.1 calls it -1 in the instructions, and Unsure in the rubric
# event -> states in which it may happen; "" is a question that nobody has submitted
STEPS = {
    "submit": ("",),
    "check": ("submitted",),
    "review": tuple(ROUNDS),
    "revise": tuple(ROUNDS),
    "promote": ("first round",),
    "approve": ("second round",),
    "reject": tuple(ROUNDS),
}
NEEDS = {"check": "stumped", "review": "score", "promote": "reviewers", "reject": "feedback"}  # the field it can't lack


class InvalidStep(ValueError):
    """An event that can't happen now: the field at fault, what is wrong, and how to mend it."""

    def __init__(self, question: str, field: str, what: str, mend: str):
        super().__init__(f"question {question}, {field}: {what}. {mend}.")
        self.field, self.what, self.mend = field, what, mend


@dataclass(frozen=True)
class Event:
    """One step. `by` is the author for submit and revise, a reviewer for review, else an organizer.

    score: of a review, by the rubric of its round. stumped: outcome of the check. reviewers: whom an organizer lets
    review in the second round, for the quality of their reviews in the first (B.2.2).
    """

    question: str
    event: str
    by: str
    score: int | str | None = None
    feedback: str = ""
    stumped: bool | None = None
    reviewers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Review:
    """A score with its feedback, of one version of a question (1 is the first)."""

    round: int
    version: int
    reviewer: str
    score: int | str
    feedback: str


@dataclass(frozen=True)
class Case:
    """A question on its way: state, version, its reviews in order, and the events that led here."""

    question: str
    author: str
    state: str = "submitted"
    version: int = 1
    reviews: tuple[Review, ...] = ()
    chosen: tuple[str, ...] = ()  # reviewers of the second round
    history: tuple[Event, ...] = ()

    def of_round(self, number: int) -> list[Review]:
        return [review for review in self.reviews if review.round == number]


@cache
def rubric(number: int) -> dict[int | str, str]:
    """Score -> its meaning in our words, of round 1 or 2."""
    rows = load_published(RUBRICS[number])
    return {UNSURE if row.score == "Unsure" else int(row.score): row.meaning for row in rows.itertuples()}


def step(case: Case | None, event: Event) -> Case:
    """The case after an event; `case` is None before a question is submitted. Raises InvalidStep if it can't happen."""

    def wrong(field: str, what: str, mend: str) -> InvalidStep:
        return InvalidStep(event.question, field, what, mend)

    state = case.state if case else ""
    if event.event not in STEPS:
        raise wrong("event", f"{event.event!r} is none", f"Choose one of {', '.join(STEPS)}")
    if state not in STEPS[event.event]:
        possible = [name for name, states in STEPS.items() if state in states]
        raise wrong(
            "event",
            f"{event.event!r} can't happen to a question that is {state or 'not submitted'}",
            f"Here comes {' or '.join(possible)}" if possible else "Submit it anew under another id",
        )
    if not event.by:
        raise wrong("by", "empty", "Name who did it")
    need = NEEDS.get(event.event)
    if need and getattr(event, need) in (None, "", ()):
        raise wrong(need, "missing", f"Give {event.event!r} its {need}")
    if event.event == "submit":
        return Case(event.question, event.by, history=(event,))
    if event.event == "revise" and event.by != case.author:
        raise wrong("by", f"{event.by} is not the author", f"Let {case.author} revise it, and reviewers give feedback")
    if event.event not in ("revise", "check") and event.by == case.author:
        raise wrong("by", f"{event.by} is the author", "Let someone else decide")
    return replace(_after(case, event, wrong), history=(*case.history, event))


def _after(case: Case, event: Event, wrong) -> Case:
    if event.event == "check":
        return replace(case, state="first round" if event.stumped else "rejected")
    if event.event == "revise":
        return replace(case, version=case.version + 1)
    if event.event == "reject":
        return replace(case, state="rejected")
    if event.event == "promote":
        if not case.of_round(1):
            raise wrong("event", "no review yet", "Wait for a review of the first round")
        if case.author in event.reviewers:
            raise wrong("reviewers", f"{case.author} is the author", "Choose others")
        return replace(case, state="second round", chosen=tuple(event.reviewers))
    if event.event == "approve":
        if not any(review.version == case.version for review in case.of_round(2)):
            raise wrong("event", f"no review of version {case.version} in the second round", "Wait for one")
        return replace(case, state="accepted")
    return replace(case, reviews=(*case.reviews, _review(case, event, wrong)))


def _review(case: Case, event: Event, wrong) -> Review:
    number = ROUNDS[case.state]
    score = UNSURE if number == 1 and event.score == -1 else event.score
    if isinstance(score, bool) or score not in rubric(number):
        raise wrong(
            "score", f"{score!r} is no score of round {number}", f"Choose one of {', '.join(map(str, rubric(number)))}"
        )
    if not event.feedback.strip():
        raise wrong("feedback", "empty", "Tell the author why: the feedback is what improves the question")
    if number == 1 and len(case.of_round(1)) >= MOST:
        raise wrong("event", f"already {MOST} reviews in the first round", "Promote or reject it")
    if number == 2 and event.by not in case.chosen:
        raise wrong("by", f"{event.by} was not chosen for the second round", f"Chosen are {', '.join(case.chosen)}")
    if any((review.reviewer, review.version) == (event.by, case.version) for review in case.of_round(number)):
        raise wrong("by", f"{event.by} has reviewed version {case.version} in this round", "Ask another reviewer")
    return Review(number, case.version, event.by, score, event.feedback)


def replay_events(events: Iterable[Event]) -> dict[str, Case]:
    """Cases by question after all events, in the order of submission."""
    cases: dict[str, Case] = {}
    for event in events:
        cases[event.question] = step(cases.get(event.question), event)
    return cases


def queue(cases: Iterable[Case], reviewer: str) -> list[str]:
    """Questions that a reviewer may review now, those with the fewest reviews first (B.2.1)."""

    def open_to(case: Case) -> bool:
        number = ROUNDS.get(case.state)
        mine = [review for review in case.reviews if review.reviewer == reviewer and review.round == number]
        return (
            bool(number)
            and reviewer != case.author
            and all(review.version < case.version for review in mine)
            and (len(case.of_round(1)) < MOST if number == 1 else reviewer in case.chosen)
        )

    found = sorted(filter(open_to, cases), key=lambda case: len(case.of_round(ROUNDS[case.state])))
    return [case.question for case in found]


def review_table(cases: Iterable[Case]) -> pd.DataFrame:
    """A row a question: author, state, version; of each round the reviews, the unsure among them, the mean score."""
    rows = []
    for case in cases:
        row = dict(question=case.question, author=case.author, state=case.state, version=case.version)
        for number in RUBRICS:
            given = [review.score for review in case.of_round(number)]
            sure = [score for score in given if score != UNSURE]
            row |= {
                f"reviews_{number}": len(given),
                f"unsure_{number}": len(given) - len(sure),
                f"mean_{number}": float(np.mean(sure)) if sure else np.nan,
            }
        rows.append(row)
    return pd.DataFrame(rows)
