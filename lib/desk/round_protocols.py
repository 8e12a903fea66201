"""The papers' ways to review, as data and a few functions; every decision is the paper's own library function.

    uq_filter      reviewers accept or reject questions of a queue (UQ, A.1 stage 3 and H.3)
    hle_review     two rounds with feedback, revisions and organizers (HLE, 3.2 and B.2)
    hle_verified   experts vote, two teams repair, adjudicators choose, auditors check (`round_verified`, as hle_pair)
    kina_blind     two blind reviewers and a bonus on a bar (KINA, Figure 1 and Theorem 1)

Where a paper does not say who sees what, `blind` of the protocol says what we chose.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from proctor.hle import review
from proctor.kina.tournament import Mechanism, settle
from proctor.uq.dataset import review_queue

from desk.round_rules import (
    AUTHOR,
    ORGANIZER,
    Cast,
    Field,
    Impossible,
    Matter,
    Move,
    Outcome,
    Part,
    Protocol,
    Sees,
    always,
    fixed,
    when_closed,
)
from desk.round_verified import HLE_PAIR, HLE_VERIFIED

YES_NO = {"yes": "yes", "no": "no"}


# UQ: the human filter


def _sheet_row(matter: Matter, form: Mapping, reviewer: str) -> dict:
    """A row of a reviewer's review.csv, for the library's rules."""
    row = {name: str(matter.material.get(name, "")) for name in review_queue.COLUMNS}
    said = {name: " ".join(str(form.get(name, "")).split()) for name in ("decision", "reason", "diamond")}
    return row | said | {"reviewer": reviewer if form else ""}


def _queue_key(matter: Matter) -> tuple[str, int]:
    return str(matter.material["site"]), int(matter.material["question_id"])


def _uq_sheets(matter: Matter) -> pd.DataFrame:
    for one in matter.cast("decide"):
        if told := review_queue.row_fault(_sheet_row(matter, one.form, one.by)):
            raise Impossible(told[0], f"{told[1]}. {told[2]}.")
    forms = {one.by: one.form for one in matter.cast("decide")}
    sheets = [{_queue_key(matter): _sheet_row(matter, forms.get(name, {}), name)} for name in matter.seated("reviewer")]
    empty = [{_queue_key(matter): _sheet_row(matter, {}, "")}]
    return review_queue.combine_sheets(sheets or empty)


def _uq_decide(matter: Matter) -> Outcome:
    found = _uq_sheets(matter).iloc[0]
    final = matter.all_in("reviewer", "decide")
    lines = {"Reasons": found["reason"], "Diamond": "yes" if found["diamond"] else "no"}
    return Outcome(found["outcome"] if final or matter.closed else "open", final, lines)


def _uq_table(matters: Iterable[Matter]) -> pd.DataFrame:
    """Every case with its outcome, and whether there is a place for it by UQ's quotas."""
    found = pd.concat([_uq_sheets(matter) for matter in matters], ignore_index=True)
    taken = review_queue.choose(found, review_queue.load_quotas())
    return found.merge(taken[[*review_queue.KEY, "taken"]], on=review_queue.KEY, how="left").fillna({"taken": False})


def _uq_check(matter: Matter) -> None:
    if told := review_queue.row_fault(_sheet_row(matter, {}, "")):
        raise Impossible(told[0], f"{told[0]}: {told[1]}. {told[2]}.")


def _uq_fields(matter: Matter, account: str) -> tuple[Field, ...]:
    fields = [
        Field("decision", "Should this question be in the set?", {"accept": "Accept", "reject": "Reject"}),
        Field("reason", "Why? (needed where you reject)", needed=False),
    ]
    if matter.material.get("diamond_candidate") == "yes":
        fields.append(Field("diamond", "Is it one of the diamond questions?", YES_NO, needed=False))
    return tuple(fields)


UQ_FILTER = Protocol(
    name="uq_filter",
    title="Choose unsolved questions",
    paper="UQ, appendix A.1 (stage 3) and H.3",
    about="Reviewers read candidate questions with three attempts of models, and accept or reject each.",
    blind="Each reviewer fills in a sheet alone; the sheets are put together when the round is closed. (The paper "
    "leaves the decision to the reviewers and does not say whether they see each other.)",
    material={
        "title": "Title", "body": "Question", "tags": "Tags", "link": "Source", "score": "Votes", "views": "Views",
        "comments": "Comments", "answers": "Attempts of models", "near_duplicate": "Most similar question",
        "site": "Site", "question_id": "Number", "place": "Place in the queue", "way": "Way into the queue",
        "diamond_candidate": "Candidate for the diamond subset",
    },
    needed=("title", "body", "site", "question_id", "place", "way"),
    lists=("tags", "comments", "answers"),
    parts={"reviewer": Part("Reviewer")},
    moves=(Move("decide", "reviewer", "Hand in your decision", ("open",), _uq_fields),),
    sees=(Sees("reviewer", "decide", when_closed, names=True),),
    decide=_uq_decide,
    table=_uq_table,
    check=_uq_check,
)  # fmt: skip


# HLE: two rounds of review

_ROUNDS = tuple(review.ROUNDS)


def _hle_event(question: str, one: Cast) -> review.Event:
    """A ballot as an event of the state machine; moves are named as its events are."""
    score, reviewers = one.form.get("score"), tuple(one.form.get("reviewers", ()))
    score = int(score) if score and score.isdecimal() else score
    return review.Event(question, one.move, one.by, score, one.form.get("feedback", ""), reviewers=reviewers)


def hle_case(matter: Matter) -> review.Case:
    """The case as HLE's state machine has it after all ballots. Raises Impossible."""
    name = str(matter.place)
    stumped = matter.material.get("stumped") == "yes"
    case = review.step(None, review.Event(name, "submit", matter.author))
    case = review.step(case, review.Event(name, "check", "desk", stumped=stumped))
    try:
        for one in matter.ballots:
            case = review.step(case, _hle_event(name, one))
    except review.InvalidStep as error:
        raise Impossible(error.field, f"{error.what}. {error.mend}.") from None
    return case


def _hle_decide(matter: Matter) -> Outcome:
    case = hle_case(matter)
    row = review.review_table([case]).iloc[0]
    lines = {"Version": str(case.version)}
    for number in review.RUBRICS:
        mean = "none" if np.isnan(row[f"mean_{number}"]) else f"mean score {row[f'mean_{number}']:.1f}"
        lines[f"Round {number}"] = f"{row[f'reviews_{number}']} reviews, {row[f'unsure_{number}']} unsure, {mean}"
    return Outcome(case.state, case.state in ("accepted", "rejected"), lines)


def _reviews_of(matter: Matter) -> dict[int, review.Review]:
    """Ballot number -> the review that it is."""
    return dict(zip((one.number for one in matter.cast("review")), hle_case(matter).reviews))


def _hle_review_seen(matter: Matter, account: str, ballot: Cast) -> bool:
    """First round: after one's own review of that version. Second: the chosen see the first, then after one's own."""
    known, case = _reviews_of(matter), hle_case(matter)
    seen = known[ballot.number]
    if seen.round == 1 and case.state != "first round" and account in case.chosen:
        return True
    own = [known[one.number] for one in matter.cast("review", account)]
    return matter.closed or any(one.round == seen.round and one.version >= seen.version for one in own)


def _hle_revision(matter: Matter) -> Mapping:
    """The question as last revised; an empty field of a revision changes nothing."""
    changes = [{k: v for k, v in one.form.items() if k in matter.material and v} for one in matter.cast("revise")]
    return {**matter.material, **{name: value for change in changes for name, value in change.items()}}


def _hle_score(matter: Matter, account: str) -> tuple[Field, ...]:
    number = review.ROUNDS[hle_case(matter).state]
    scores = {str(score): f"{score}: {meaning}" for score, meaning in review.rubric(number).items()}
    return Field("score", "Score", scores), Field("feedback", "Feedback to the author")


def _hle_revise(matter: Matter, account: str) -> tuple[Field, ...]:
    now = _hle_revision(matter)
    texts = [
        Field(name, HLE_REVIEW.material[name], start=str(now[name])) for name in ("question", "answer", "rationale")
    ]
    return (*texts, Field("feedback", "What you changed"))


def _hle_open(matter: Matter, account: str) -> bool:
    return bool(review.queue([hle_case(matter)], account))


def _hle_promote(matter: Matter, account: str) -> tuple[Field, ...]:
    names = {name: name for name in matter.seated("reviewer")}
    return (Field("reviewers", "Reviewers of the second round", names, many=True),)


def _hle_check(matter: Matter) -> None:
    if matter.material.get("stumped") not in YES_NO:
        raise Impossible("stumped", "stumped: write yes or no, as the difficulty check found")


HLE_REVIEW = Protocol(
    name="hle_review",
    title="Two rounds of review for an exam",
    paper="HLE, section 3.2 and appendix B.2",
    about="Reviewers score questions that stumped the models and tell the author how to improve them; organizers "
    "promote the good ones, and chosen reviewers score those again.",
    blind="In each round a reviewer sees the other reviews of a version after the own one. Reviewers of the second "
    "round see all feedback of the first, as the paper asks. The author sees all feedback, without names; reviewers "
    "know the author. (Whether reviewers of one round see each other, the paper does not say.)",
    material={
        "question": "Question", "answer": "Answer", "rationale": "Rationale", "subject": "Subject",
        "stumped": "Stumped the models",
    },
    needed=("question", "answer", "rationale", "stumped"),
    needs_author=True,
    parts={"reviewer": Part("Reviewer", author=lambda matter: True)},
    moves=(
        Move("review", "reviewer", "Hand in your review", _ROUNDS, _hle_score, once=False, open_to=_hle_open),
        Move("revise", AUTHOR, "Save the revision", _ROUNDS, _hle_revise, once=False),
        Move("promote", ORGANIZER, "Promote to the second round", ("first round",), _hle_promote),
        Move("approve", ORGANIZER, "Approve for the exam", ("second round",), fixed()),
        Move("reject", ORGANIZER, "Reject", _ROUNDS, fixed(Field("feedback", "Why"))),
    ),
    sees=(
        Sees("reviewer", "review", _hle_review_seen),
        Sees(AUTHOR, "review", always),
        *(Sees(part, move, always, names=True) for part in ("reviewer", AUTHOR) for move in ("revise", "reject")),
    ),
    decide=_hle_decide,
    table=lambda matters: review.review_table(map(hle_case, matters)),
    text=_hle_revision,
    check=_hle_check,
)  # fmt: skip


# KINA: two blind reviewers and a bonus on a bar

LEVELS = {"0": "0: says nothing that helps", "1": "1: right, without reasons", "2": "2: right and checked",
          "3": "3: finds what others miss"}  # fmt: skip
_VERDICTS = {"accept": "Accept", "revise": "Needs changes", "reject": "Reject"}


def _mechanism(matter: Matter) -> Mechanism:
    return Mechanism("tournament", **{name: matter.settings[name] for name in ("bonus", "bar", "audit", "pay")})


def is_audited(matter: Matter) -> bool:
    """Whether the audit's lot falls on this case: drawn by the round's seed and the case's place alone."""
    lot = review_queue.draw(matter.settings["seed"], "audit", matter.place) / 2**64
    return lot < matter.settings["audit"]


def _kina_state(matter: Matter) -> str:
    if not matter.all_in("reviewer", "review"):
        return "review"
    if is_audited(matter) and not matter.cast("audit"):
        return "audit"
    said = {one.form["verdict"] for one in matter.cast("review")}
    return (
        {"accept": "accepted", "reject": "rejected", "revise": "to revise"}[said.pop()] if len(said) == 1 else "split"
    )


def kina_pay(matter: Matter) -> dict[str, float]:
    """What each reviewer of a decided case is paid, by the paper's tournament; {} before."""
    if _kina_state(matter) in ("review", "audit"):
        return {}
    reviews, audits = matter.cast("review"), matter.cast("audit")
    levels = (int(audits[0].form["first"]), int(audits[0].form["second"])) if audits else None
    return dict(zip((one.by for one in reviews), settle(_mechanism(matter), levels)))


def _kina_decide(matter: Matter) -> Outcome:
    state = _kina_state(matter)
    said = [_VERDICTS[one.form["verdict"]] for one in matter.cast("review")] if state != "review" else []
    return Outcome(state, state not in ("review", "audit"), {"Verdicts": ", ".join(said)} if said else {})


def _kina_shows(matter: Matter, account: str) -> dict[str, str]:
    """Once the case is decided a reviewer sees the own pay, the organizer both."""
    pay = kina_pay(matter)
    if matter.part_of(account) == ORGANIZER:
        return {f"Paid to {name}": f"{money:g}" for name, money in pay.items()}
    return {"Your pay": f"{pay[account]:g}"} if account in pay else {}


def _kina_seen(matter: Matter, account: str, ballot: Cast) -> bool:
    """The author reads both reviews once the case is decided."""
    return matter.closed or _kina_state(matter) not in ("review", "audit")


def _kina_audited(matter: Matter, account: str, ballot: Cast) -> bool:
    """The auditor reads the reviews where an audit is due, and not before."""
    return _kina_state(matter) == "audit" or bool(matter.cast("audit"))


_KINA_REVIEW = (
    Field("verdict", "Your verdict", _VERDICTS),
    Field("text", "Your review: what you checked, what is wrong"),
)
_KINA_AUDIT = tuple(Field(place, f"Level of the {place} review", LEVELS) for place in ("first", "second"))


def _kina_check(matter: Matter) -> None:
    try:
        mechanism = _mechanism(matter)
    except ValueError as error:
        raise Impossible("settings", str(error)) from None
    if not 1 <= mechanism.bar < len(LEVELS):
        raise Impossible("bar", f"bar is {mechanism.bar}: choose a level from 1 to {len(LEVELS) - 1}")


def _kina_table(matters: Iterable[Matter]) -> pd.DataFrame:
    rows = []
    for matter in matters:
        pay = ", ".join(f"{name} {money:g}" for name, money in kina_pay(matter).items())
        rows.append(dict(place=matter.place, state=_kina_state(matter), audited=is_audited(matter), pay=pay))
    return pd.DataFrame(rows)


KINA_BLIND = Protocol(
    name="kina_blind",
    title="Two blind reviewers with a bonus on a bar",
    paper="KINA, Figure 1 and Theorem 1",
    about="Two reviewers judge an item independently. Some items are audited; the better review earns a bonus if the "
    "audit finds that it clears the bar.",
    blind="Double-blind: reviewers see neither the author nor who else reviews, and the other review only when the "
    "round is closed; whether an item is audited they learn by their pay alone. The auditor reads the reviews of "
    "audited items, the author both reviews once the item is decided, all without names.",
    material={
        "discipline": "Discipline", "question": "Question", "options": "Options", "correct_answer": "Marked right",
        "explanation": "Explanation", "source": "Source",
    },
    needed=("question", "options", "correct_answer"),
    lists=("options",),
    needs_author=True,
    settings={"bonus": 4.0, "bar": 2, "audit": 0.5, "pay": 1.0, "seed": 0},
    meanings={
        "bonus": "Paid on top to the better review of an audited item, if it reaches the bar; ties share it.",
        "bar": "The level, 1 to 3, that the auditor must give a review for the bonus.",
        "audit": "The share of items that are audited, 0 to 1.",
        "pay": "Paid for every review, in the same unit as the bonus.",
        "seed": "The number from which it is drawn at random which items are audited.",
    },
    parts={"reviewer": Part("Reviewer", 2), "auditor": Part("Auditor", 1)},
    moves=(
        Move("review", "reviewer", "Hand in your review", ("review",), fixed(*_KINA_REVIEW)),
        Move("audit", "auditor", "Hand in your audit", ("audit",), fixed(*_KINA_AUDIT)),
    ),
    sees=(
        Sees("reviewer", "review", when_closed),
        Sees("auditor", "review", _kina_audited),
        Sees(AUTHOR, "review", _kina_seen),
    ),
    quiet=("audit",),
    decide=_kina_decide,
    table=_kina_table,
    shows=_kina_shows,
    check=_kina_check,
)  # fmt: skip

PROTOCOLS = {one.name: one for one in (UQ_FILTER, HLE_REVIEW, HLE_VERIFIED, HLE_PAIR, KINA_BLIND)}
