"""The difficulty check of a submitted question, and two rounds of review before the exam (HLE, section 3.2, B.1, B.2).

    submit -> submitted -- check --> first round -- promote --> second round -- approve --> accepted
                              |          | review, revise, reject     | review, revise, reject
                              +-------> rejected <--------------------+

    case = step(case, Event("q1", "review", by="bo", score=4, feedback="..."))  # or InvalidStep: field and fix

A `Case` never changes: `step` returns the next one, with every review and word of feedback in it. The rubrics are data
(published/hle/rubric_reviewer, rubric_expert); they alone say which scores there are. The paper does not state which
scores send a question on: organizers decide, and `review_table` shows them the scores.

The paper states the check's rule for multiple choice twice, and not alike: `CHOICE_RULES`. Both are a largest number of
models that may be right (`most_right`); an exact-match question must stump every model. `Solving` is the check in one
equation: each question has a chance p of being solved by any of the models, p is Beta(a, b) over the questions,
attempts are independent given p, and the key is exact. Of M models none solves a question with chance (1 - p)^M, so
that p is Beta(a, b + M) among those that pass:

    share that passes = B(a, b + M) / B(a, b)
    accuracy before = a / (a + b), of those that pass at a retest = a / (a + b + M)
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import betaln
from scipy.stats import binom

from proctor.data.published import load_published
from proctor.stats import checks

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
    """An event that can't happen now: the field at fault, what is wrong, and how to fix it."""

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


# The difficulty check

CHOICE_RULES = {"all but one": "appendix B.1", "below chance": "section 3.2"}  # name -> where it stands


def most_right(answer_type: str, models: int, options: int = 0, rule: str = "all but one") -> int:
    """How many of the models that try a question may solve it, for it to pass; below 0 never happens.

    Exact match: none. Multiple choice by "all but one": one. By "below chance": as many as keep the share of right
    models under 1 / options, strictly. Both rules let everything pass that no model solves.
    """
    if models < 1:
        raise ValueError(f"{models} models: a question passes only if at least one has tried it")
    if rule not in CHOICE_RULES:
        raise ValueError(f"rule {rule!r}: choose one of {', '.join(CHOICE_RULES)}")
    if answer_type != "multipleChoice":
        return 0
    if rule == "all but one":
        return 1
    if options < 2:
        raise ValueError(f"rule 'below chance' needs the number of options, got {options}: chance is one in so many")
    return -(-models // options) - 1


SEEING = ("GPT-4o", "Gemini 1.5 Pro", "Claude 3.5 Sonnet", "o1")  # B.1: the models that see; it adds two for text


def guess_passes(models: int, options: int, rule: str) -> float:
    """Chance that a choice question passes if every model only guesses, evenly (HLE, B.1: lucky guesses)."""
    return float(binom.cdf(most_right("multipleChoice", models, options, rule), models, 1 / options))


@dataclass(frozen=True)
class Solving:
    """Chances of being solved, Beta(a, b) over questions; a, b > 0."""

    a: float
    b: float

    @property
    def before(self) -> float:
        """Accuracy of each model before the check."""
        return self.a / (self.a + self.b)

    def passes(self, models: int) -> float:
        """Share of questions that stump all of `models`."""
        return float(np.exp(betaln(self.a, self.b + models) - betaln(self.a, self.b)))

    def retest_accuracy(self, models: int) -> float:
        """Accuracy of any of the models on the questions that stumped all of them, when they are asked again."""
        return self.a / (self.a + self.b + models)


def fit_difficulty(passes: float, retest_accuracy: float, models: int) -> Solving:
    """The chances under which a share `passes` stumps all models, which solve `retest_accuracy` of it when asked again.

    At a given retest accuracy r the share that passes rises with a, from 0 (questions solved always or never) to
    (1 - r)^models (all questions alike). Raises ValueError for a larger one: no chances let so many pass and be
    solved so often.
    """
    checks.share(passes, "passes"), checks.share(retest_accuracy, "retest_accuracy")
    checks.at_least_one(models, "models")
    if passes >= (1 - retest_accuracy) ** models:
        raise ValueError(
            f"passes is {passes:.4g}: with {models} models and {retest_accuracy:.3g} at the retest it must "
            f"be below {(1 - retest_accuracy) ** models:.4g}, what questions that are all alike give"
        )
    least = models * retest_accuracy / (1 - retest_accuracy)  # of a, where b is 0

    def at(log_more: float) -> Solving:
        more = float(np.exp(log_more))
        return Solving(least + more, more * (1 - retest_accuracy) / retest_accuracy)

    return at(brentq(lambda x: np.log(at(x).passes(models) / passes), -40, 20, xtol=1e-12))
