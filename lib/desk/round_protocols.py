"""The papers' ways to review, as data and a few functions; every decision is the paper's own library function.

    uq_filter      reviewers accept or reject questions of a queue (UQ, A.1 stage 3 and H.3)
    hle_review     two rounds with feedback, revisions and organizers (HLE, 3.2 and B.2)
    hle_verified   experts vote, two teams repair, adjudicators choose, auditors check (`round_verified`, as hle_pair)
    kina_blind     two blind reviewers and a bonus on a bar (KINA, Figure 1 and Theorem 1)

Where a paper does not say who sees what, `blind` of the protocol says what we chose.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from django import forms
from proctor.hle import review
from proctor.kina.tournament import Mechanism, settle
from proctor.uq.dataset import review_queue

from desk.form_pages import Fields
from desk.models import AUTHOR, ORGANIZER, Ballot, Case
from desk.round_rules import Move, Outcome, Part, Protocol, choice, fixed, text
from desk.round_verified import HlePair, HleVerified
from desk.trail import Refused

YES_NO = {"yes": "yes", "no": "no"}
UNDECIDED = ("review", "audit")  # of KINA's states


class UqFilter(Protocol):
    name = "uq_filter"
    title = "Choose unsolved questions"
    paper = "UQ, appendix A.1 (stage 3) and H.3"
    about = "Reviewers read candidate questions with three attempts of models, and accept or reject each."
    blind = (
        "Each reviewer fills in a sheet alone; the sheets are put together when the round is closed. (The paper leaves "
        "the decision to the reviewers and does not say whether they see each other.)"
    )
    material = {
        "title": "Title", "body": "Question", "tags": "Tags", "link": "Source", "score": "Votes", "views": "Views",
        "comments": "Comments", "answers": "Attempts of models", "near_duplicate": "Most similar question",
        "site": "Site", "question_id": "Number", "place": "Place in the queue", "way": "Way into the queue",
        "diamond_candidate": "Candidate for the diamond subset",
    }  # fmt: skip
    needed = ("title", "body", "site", "question_id", "place", "way")
    lists = ("tags", "comments", "answers")
    parts = {"reviewer": Part("Reviewer")}
    named = ("decide",)

    def reads(self, case: Case, account: str, ballot: Ballot) -> bool:
        return case.closed and case.part_of(account) == "reviewer"

    def decision(self, case: Case, account: str) -> Fields:
        fields = dict(
            decision=choice("Should this question be in the set?", {"accept": "Accept", "reject": "Reject"}),
            reason=text("Why? (needed where you reject)", needed=False),
        )
        if case.material.get("diamond_candidate") == "yes":
            fields["diamond"] = choice("Is it one of the diamond questions?", YES_NO, needed=False)
        return fields

    moves = (Move("decide", "reviewer", "Hand in your decision", ("open",), decision),)

    def decide(self, case: Case) -> Outcome:
        found = self.joined(case).iloc[0]
        final = case.all_in("reviewer", "decide")
        lines = {"Reasons": found["reason"], "Diamond": "yes" if found["diamond"] else "no"}
        return Outcome(found["outcome"] if final or case.closed else "open", final, lines)

    def table(self, cases: Iterable[Case]) -> pd.DataFrame:
        """Every case with its outcome, and whether there is a place for it by UQ's quotas."""
        found = pd.concat([self.joined(case) for case in cases], ignore_index=True)
        taken = review_queue.choose(found, review_queue.load_quotas())
        return found.merge(taken[[*review_queue.KEY, "taken"]], on=review_queue.KEY, how="left").fillna(
            {"taken": False}
        )

    def check(self, case: Case) -> None:
        if told := review_queue.row_fault(_sheet_row(case)):
            raise Refused({told[0]: f"{told[1]}. {told[2]}."})

    def joined(self, case: Case) -> pd.DataFrame:
        """The reviewers' sheets of the case put together."""
        key = str(case.material["site"]), int(case.material["question_id"])
        rows = {one.by.username: _sheet_row(case, one.form, one.by.username) for one in case.made("decide")}
        if told := next(filter(None, map(review_queue.row_fault, rows.values())), None):
            raise Refused({told[0]: f"{told[1]}. {told[2]}."})
        sheets = [{key: rows.get(name, _sheet_row(case))} for name in case.seated("reviewer")]
        return review_queue.combine_sheets(sheets or [{key: _sheet_row(case)}])


def _sheet_row(case: Case, form: Mapping | None = None, reviewer: str = "") -> dict:
    """A row of a reviewer's review.csv, for the library's rules."""
    row = {name: str(case.material.get(name, "")) for name in review_queue.COLUMNS}
    said = {name: " ".join(str((form or {}).get(name, "")).split()) for name in ("decision", "reason", "diamond")}
    return row | said | {"reviewer": reviewer}


class HleReview(Protocol):
    name = "hle_review"
    title = "Two rounds of review for an exam"
    paper = "HLE, section 3.2 and appendix B.2"
    about = (
        "Reviewers score questions that stumped the models and tell the author how to improve them; organizers promote "
        "the good ones, and chosen reviewers score those again."
    )
    blind = (
        "In each round a reviewer sees the other reviews of a version after the own one. Reviewers of the second round "
        "see all feedback of the first, as the paper asks. The author sees all feedback, without names; reviewers know "
        "the author. (Whether reviewers of one round see each other, the paper does not say.)"
    )
    material = {
        "question": "Question", "answer": "Answer", "rationale": "Rationale", "subject": "Subject",
        "stumped": "Stumped the models",
    }  # fmt: skip
    needed = ("question", "answer", "rationale", "stumped")
    needs_author = True
    parts = {"reviewer": Part("Reviewer", knows_author=True)}

    def score(self, case: Case, account: str) -> Fields:
        number = review.ROUNDS[self.case(case).state]
        scores = {str(score): f"{score}: {meaning}" for score, meaning in review.rubric(number).items()}
        return dict(score=choice("Score", scores), feedback=text("Feedback to the author"))

    def may_score(self, case: Case, account: str) -> bool:
        return bool(review.queue([self.case(case)], account))

    def revision(self, case: Case, account: str) -> Fields:
        now = self.current(case)
        texts = {name: text(self.material[name], str(now[name])) for name in ("question", "answer", "rationale")}
        return {**texts, "feedback": text("What you changed")}

    def promotion(self, case: Case, account: str) -> Fields:
        how = dict(choices=[(name, name) for name in case.seated("reviewer")], widget=forms.CheckboxSelectMultiple)
        return dict(reviewers=forms.MultipleChoiceField(label="Reviewers of the second round", **how))

    named = ("revise", "reject")

    def reads(self, case: Case, account: str, ballot: Ballot) -> bool:
        """A reviewer reads the reviews of the first round after the own one of that version; those chosen for the
        second read the first, and the second after the own. The author reads all."""
        if ballot.move != "review" or case.part_of(account) == AUTHOR:
            return ballot.move in ("review", *self.named)
        found = self.case(case)
        known = dict(zip((one.number for one in case.made("review")), found.reviews))
        seen = known[ballot.number]
        if seen.round == 1 and found.state != "first round" and account in found.chosen:
            return True
        own = [known[one.number] for one in case.made("review", account)]
        return case.closed or any(one.round == seen.round and one.version >= seen.version for one in own)

    both = tuple(review.ROUNDS)
    moves = (
        Move("review", "reviewer", "Hand in your review", both, score, once=False, open_to=may_score),
        Move("revise", AUTHOR, "Save the revision", both, revision, once=False),
        Move("promote", ORGANIZER, "Promote to the second round", ("first round",), promotion),
        Move("approve", ORGANIZER, "Approve for the exam", ("second round",), fixed()),
        Move("reject", ORGANIZER, "Reject", both, fixed(feedback=text("Why"))),
    )

    def case(self, case: Case) -> review.Case:
        """The case as HLE's state machine has it after all ballots. Raises Refused."""
        name, stumped = str(case.place), case.material.get("stumped") == "yes"
        found = review.step(None, review.Event(name, "submit", case.author.username if case.author else ""))
        found = review.step(found, review.Event(name, "check", "desk", stumped=stumped))
        try:
            for one in case.ballots:
                found = review.step(found, _hle_event(name, one))
        except review.InvalidStep as error:
            raise Refused({error.field: f"{error.what}. {error.mend}."}) from None
        return found

    def decide(self, case: Case) -> Outcome:
        found = self.case(case)
        row = review.review_table([found]).iloc[0]
        lines = {"Version": str(found.version)}
        for number in review.RUBRICS:
            mean = "none" if np.isnan(row[f"mean_{number}"]) else f"mean score {row[f'mean_{number}']:.1f}"
            lines[f"Round {number}"] = f"{row[f'reviews_{number}']} reviews, {row[f'unsure_{number}']} unsure, {mean}"
        return Outcome(found.state, found.state in ("accepted", "rejected"), lines)

    def table(self, cases: Iterable[Case]) -> pd.DataFrame:
        return review.review_table(map(self.case, cases))

    def current(self, case: Case) -> Mapping:
        """The question as last revised; an empty field of a revision changes nothing."""
        now = dict(case.material)
        for one in case.made("revise"):
            now |= {name: value for name, value in one.form.items() if name in now and value}
        return now

    def check(self, case: Case) -> None:
        if case.material.get("stumped") not in YES_NO:
            raise Refused({"stumped": "write yes or no, as the difficulty check found."})


def _hle_event(question: str, one: Ballot) -> review.Event:
    """A ballot as an event of the state machine; moves are named as its events are."""
    score, reviewers = one.form.get("score"), tuple(one.form.get("reviewers", ()))
    score = int(score) if score and score.isdecimal() else score
    return review.Event(question, one.move, one.by.username, score, one.form.get("feedback", ""), reviewers=reviewers)


class KinaBlind(Protocol):
    name = "kina_blind"
    title = "Two blind reviewers with a bonus on a bar"
    paper = "KINA, Figure 1 and Theorem 1"
    about = (
        "Two reviewers judge an item independently. Some items are audited; the better review earns a bonus if the "
        "audit finds that it clears the bar."
    )
    blind = (
        "Double-blind: reviewers see neither the author nor who else reviews, and the other review only when the round "
        "is closed; whether an item is audited they learn by their pay alone. The auditor reads the reviews of audited "
        "items, the author both reviews once the item is decided, all without names."
    )
    material = {
        "discipline": "Discipline", "question": "Question", "options": "Options", "correct_answer": "Marked right",
        "explanation": "Explanation", "source": "Source",
    }  # fmt: skip
    needed = ("question", "options", "correct_answer")
    lists = ("options",)
    needs_author = True
    settings = {
        "bonus": (4.0, "Paid on top to the better review of an audited item, if it reaches the bar; ties share it."),
        "bar": (2, "The level, 1 to 3, that the auditor must give a review for the bonus."),
        "audit": (0.5, "The share of items that are audited, 0 to 1."),
        "pay": (1.0, "Paid for every review, in the same unit as the bonus."),
        "seed": (0, "The number from which it is drawn at random which items are audited."),
    }
    parts = {"reviewer": Part("Reviewer", 2), "auditor": Part("Auditor", 1)}
    quiet = ("audit",)
    verdicts = {"accept": "Accept", "revise": "Needs changes", "reject": "Reject"}
    levels = {
        "0": "0: says nothing that helps",
        "1": "1: right, without reasons",
        "2": "2: right and checked",
        "3": "3: finds what others miss",
    }
    opinion = fixed(verdict=choice("Your verdict", verdicts), text=text("Your review: what you checked, what is wrong"))
    grades = fixed(
        first=choice("Level of the first review", levels), second=choice("Level of the second review", levels)
    )
    moves = (
        Move("review", "reviewer", "Hand in your review", ("review",), opinion),
        Move("audit", "auditor", "Hand in your audit", ("audit",), grades),
    )

    def reads(self, case: Case, account: str, ballot: Ballot) -> bool:
        """The auditor reads the reviews where an audit is due, the author once the case is decided."""
        match case.part_of(account), ballot.move:
            case "reviewer", "review":
                return case.closed
            case "auditor", "review":
                return self.state(case) == "audit" or bool(case.made("audit"))
            case "author", "review":
                return case.closed or self.state(case) not in UNDECIDED
        return False

    def is_audited(self, case: Case) -> bool:
        """Whether the case is drawn for an audit: by the round's seed and the case's place alone."""
        settings = self.set_for(case)
        return review_queue.draw(settings["seed"], "audit", case.place) / 2**64 < settings["audit"]

    def state(self, case: Case) -> str:
        if not case.all_in("reviewer", "review"):
            return "review"
        if self.is_audited(case) and not case.made("audit"):
            return "audit"
        said = {one.form["verdict"] for one in case.made("review")}
        states = {"accept": "accepted", "reject": "rejected", "revise": "to revise"}
        return states[said.pop()] if len(said) == 1 else "split"

    def mechanism(self, case: Case) -> Mechanism:
        settings = self.set_for(case)
        return Mechanism("tournament", **{name: settings[name] for name in ("bonus", "bar", "audit", "pay")})

    def pay(self, case: Case) -> dict[str, float]:
        """What each reviewer of a decided case is paid, by the paper's tournament; {} before."""
        if self.state(case) in UNDECIDED:
            return {}
        reviews, audits = case.made("review"), case.made("audit")
        levels = (int(audits[0].form["first"]), int(audits[0].form["second"])) if audits else None
        return dict(zip((one.by.username for one in reviews), settle(self.mechanism(case), levels)))

    def decide(self, case: Case) -> Outcome:
        state = self.state(case)
        said = [self.verdicts[one.form["verdict"]] for one in case.made("review")] if state != "review" else []
        return Outcome(state, state not in UNDECIDED, {"Verdicts": ", ".join(said)} if said else {})

    def row(self, case: Case) -> dict[str, Any]:
        pay = ", ".join(f"{name} {money:g}" for name, money in self.pay(case).items())
        return dict(state=self.state(case), audited=self.is_audited(case), pay=pay)

    def shows(self, case: Case, account: str) -> dict[str, str]:
        """Once the case is decided a reviewer sees the own pay, the organizer both."""
        pay = self.pay(case)
        if case.part_of(account) == ORGANIZER:
            return {f"Paid to {name}": f"{money:g}" for name, money in pay.items()}
        return {"Your pay": f"{pay[account]:g}"} if account in pay else {}

    def check(self, case: Case) -> None:
        try:
            mechanism = self.mechanism(case)
        except ValueError as error:
            raise Refused({"settings": f"{error}."}) from None
        if not 1 <= mechanism.bar < len(self.levels):
            raise Refused({"bar": f"is {mechanism.bar}. Choose a level from 1 to {len(self.levels) - 1}."})


PROTOCOLS = {one.name: one() for one in (UqFilter, HleReview, HleVerified, HlePair, KinaBlind)}
