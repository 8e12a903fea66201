"""When a question counts as resolved: enough independent reviewers agree on an answer (UQ, appendix C).

A review counts when a person wrote it who has no conflict of interest. AI reviews and validators' verdicts never count.
The rule is `proctor.uq.community.RULE`; `acts` stores what `recompute` finds, in the same transaction.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Prefetch
from proctor.uq.community import RULE

from desk.models import Answer, Correct, Kind, Question, Review

STATES = {
    "open": "no answer stands that reviewers have not refuted",
    "answered": "an answer waits for reviews",
    "claimed": "reviewers call an answer correct, but too few of them",
    "resolved": "enough independent reviewers agree that an answer is correct",
    "disputed": "reviewers of an answer disagree",
}
ANSWER_STATES = {
    "unreviewed": "no review that counts",
    "claimed": "called correct by too few reviewers",
    "doubted": "called wrong by too few reviewers",
    "verified": "enough reviewers agree that it is correct",
    "refuted": "enough reviewers agree that it is wrong",
    "disputed": "its reviewers disagree",
}
SETTLED = {"verified": Correct.YES, "refuted": Correct.NO}


def conflicted(review: Review) -> bool:
    """Whether a conflict was declared, or is plain: the reviewer submitted the answer or is of its organisation."""
    answer = review.answer
    colleague = review.reviewer.affiliation.strip().casefold() == answer.system.organisation.strip().casefold()
    return review.conflict or review.reviewer_id == answer.submitted_by_id or (colleague and not answer.system.people)


def counts(review: Review) -> bool:
    """Whether a review counts: it stands, a person wrote it, and without a conflict of interest."""
    return review.kind == Kind.HUMAN and review.withdrawn_at is None and not conflicted(review)


def answer_state(yes: int, no: int) -> str:
    """An answer's state by the reviews that count, as `RULE.state` decides it. "unsure" takes no side.

    >>> answer_state(1, 0), answer_state(3, 0), answer_state(3, 2), answer_state(3, 1)
    ('claimed', 'verified', 'disputed', 'verified')
    """
    decided = dict(right="verified", wrong="refuted").get(str(RULE.state(yes, no)))
    return decided or ("disputed" if yes and no else "claimed" if yes else "doubted" if no else "unreviewed")


def question_state(answers: Iterable[str]) -> str:
    """A question's state by those of its standing answers.

    >>> question_state([]), question_state(["refuted", "claimed"]), question_state(["disputed", "verified"])
    ('open', 'claimed', 'resolved')
    """
    found = set(answers)
    for own, word in (("verified", "resolved"), ("disputed", "disputed"), ("claimed", "claimed")):
        if own in found:
            return word
    return "answered" if found & {"unreviewed", "doubted"} else "open"


def state_of(reviews: Iterable[Review]) -> str:
    """The state of the answer that all of `reviews` are of."""
    return course(reviews)[0]


def said_at(review: Review) -> datetime:
    """When a review first said what it says now."""
    return review.edited_at or review.written_at


def course(reviews: Iterable[Review]) -> tuple[str, datetime | None]:
    """An answer's state, and since when it has held: the time of the review that last changed it."""
    said, state, since = {Correct.YES: 0, Correct.NO: 0, Correct.UNSURE: 0}, "unreviewed", None
    for review in sorted((one for one in reviews if counts(one)), key=lambda one: (said_at(one), one.pk)):
        said[review.correct] += 1
        now = answer_state(said[Correct.YES], said[Correct.NO])
        if now != state:
            state, since = now, said_at(review)
    return state, since


def answer_states(question: Question) -> dict[Answer, str]:
    """The state of each standing answer of a question."""
    answers = question.answers.filter(withdrawn_at=None).select_related("system").defer("prompt", "text")
    reviews = Prefetch("reviews", Review.objects.select_related("reviewer").defer("text"))
    return {answer: state_of(answer.reviews.all()) for answer in answers.prefetch_related(reviews)}


def recompute(question: Question) -> str:
    """Store and give a question's state as its answers and reviews now have it."""
    state = question_state(answer_states(question).values())
    if state != question.state:
        question.state = state
        question.save(update_fields=["state"])
    return state
