"""HLE-Verified's review: screening, repair, adjudication, cross-audit, decided by `hle_verified.decision_rules`.

hle_verified   experts vote, two teams repair, adjudicators choose, auditors check (3.2, 3.3, A.1)
hle_pair       the same with two reviewers alone, each of whom audits the other's repair
"""

from collections.abc import Mapping
from dataclasses import replace

from proctor.data.schemas import LETTERS, Question
from proctor.hle_verified import decision_rules as rules
from proctor.hle_verified.planted_defects import COMPONENTS

from desk.form_pages import Fields
from desk.models import ORGANIZER, Ballot, Case
from desk.round_rules import Move, Outcome, Part, Protocol, choice, fixed, text
from desk.trail import Refused

_VOTES = {"sound": True, "unsound": False, "unclear": None}
EMPTY = "E"


def repair_of(one: Ballot) -> rules.Repair | None:
    """What a repairer proposes; None where the item can't be repaired."""
    form = one.form
    return rules.Repair(form["problem"], form["rationale"], form["answer"]) if form["mends"] == "yes" else None


def _as_text(repair: rules.Repair) -> str:
    return f"**Problem:** {repair.problem}\n\n**Rationale:** {repair.rationale}\n\n**Answer:** {repair.answer}"


def _component_fields(question: str):
    words = {"sound": "Sound", "unsound": "Not sound", "unclear": "Cannot tell"}
    votes = {part: choice(f"{question} {part}", words) for part in COMPONENTS}
    return fixed(**votes, note=text("Notes", needed=False))


class HleVerified(Protocol):
    name = "hle_verified"
    title = "Verify and repair an exam's items"
    paper = "HLE-Verified, sections 3.2 and 3.3, appendix A.1"
    about = (
        "Experts vote on problem, answer and rationale; two teams repair what is doubted, apart from each other; "
        "adjudicators choose a repair or none; auditors check it. What is not shown to be sound stays uncertain."
    )
    blind = (
        "Nobody sees another ballot of his own step before the item is decided, and never names. Models' attempts are "
        "shown to adjudicators alone. Repairers see the experts' votes, adjudicators votes and proposals in an order "
        "of their own, auditors only the item and its repair."
    )
    material = {"id": "Item", "problem": "Problem", "answer": "Answer", "rationale": "Rationale", "category": "Field"}
    needed = ("problem", "answer")
    evidence = {"replications": "Attempts of models"}
    settings = {
        "quorum": ("all", "How many auditors must pass a part of an item: all of them, or most."),
        "scope": ("", "The fields in which a repair can be verified, separated by commas; empty: all."),
    }
    parts = {
        "expert": Part("Expert", 2),
        "repairer": Part("Repairer", 2),
        "adjudicator": Part("Adjudicator", 1, evidence=lambda protocol, case: protocol.state(case) != "screening"),
        "auditor": Part("Auditor", 1),
    }

    def repair_fields(self, case: Case, account: str) -> Fields:
        texts = {
            name: text(f"{name.capitalize()} as it should read", str(case.material.get(name, "")), needed=False)
            for name in ("problem", "rationale", "answer")
        }
        mends = {"yes": "Repaired as below", "no": "Cannot be repaired without changing what it tests"}
        return {"mends": choice("Repair", mends), **texts, "note": text("What you changed, and why", needed=False)}

    def choice_fields(self, case: Case, account: str) -> Fields:
        proposals = {letter: f"Proposal {letter}" for letter in self.proposals(case, account)}
        return dict(choice=choice("The repair to take", proposals | {EMPTY: "None is reliable"}), note=text("Why"))

    moves = (
        Move("vote", "expert", "Hand in your votes", ("screening",), _component_fields("Is this sound? The")),
        Move("repair", "repairer", "Hand in your repair", ("repair",), repair_fields),
        Move("choose", "adjudicator", "Hand in your choice", ("adjudication",), choice_fields),
        Move("audit", "auditor", "Hand in your audit", ("audit",), _component_fields("After the repair, the")),
    )
    early = {  # before the item is decided: who reads the ballots of which move in which states
        ("repairer", "vote"): ("repair", "adjudication", "audit"),
        ("adjudicator", "vote"): ("adjudication", "audit"),
    }

    def reads(self, case: Case, account: str, ballot: Ballot) -> bool:
        part, state = case.part_of(account), self.state(case)
        over = case.closed or state == "decided"
        return part in self.parts and (over or state in self.early.get((part, ballot.move), ()))

    def done(self, case: Case, move: str) -> bool:
        """Whether all who are to make the move have made it."""
        return all(case.all_in(own.part, move) for own in self.moves if own.name == move)

    def proposals(self, case: Case, adjudicator: str) -> dict[str, rules.Repair]:
        """Letter -> repair, in this adjudicator's order: each next adjudicator has the next rotation."""
        repairs = [repair for one in case.made("repair") if (repair := repair_of(one))]
        turn = case.seated("adjudicator").index(adjudicator) if adjudicator in case.seated("adjudicator") else 0
        order = [repairs[(place + turn) % len(repairs)] for place in range(len(repairs))]
        return dict(zip(LETTERS, order))

    def chosen(self, case: Case) -> list[rules.Repair | None]:
        """What the adjudicators chose."""
        return [self.proposals(case, one.by.username).get(one.form["choice"]) for one in case.made("choose")]

    def _given(self, case: Case) -> tuple[rules.Evidence, dict]:
        """What the experts and the models say, and the settings, for the paper's rules."""
        votes = {part: tuple(_VOTES[one.form[part]] for one in case.made("vote")) for part in COMPONENTS}
        tried, settings = case.evidence.get("replications", {}), self.set_for(case)
        said = tuple(rules.replicated(name, answers, case.material["answer"]) for name, answers in tried.items())
        scope = [name.strip() for name in settings["scope"].split(",") if name.strip()]
        return rules.Evidence(votes, said), dict(quorum=settings["quorum"], scope=scope or None)

    def verified(self, case: Case) -> rules.Verified:
        """What HLE-Verified's two stages make of the ballots so far."""
        names = {name: case.material.get(name, "") for name in ("answer", "rationale", "category")}
        item = Question(id=str(case.place), question=case.material["problem"], **names)
        audits = [
            rules.Audit(one.by.username, part, *(int(one.form[part] == word) for word in _VOTES))
            for one in case.made("audit")
            for part in COMPONENTS
        ]
        evidence, how = self._given(case)
        return rules.verify(item, evidence, self.chosen(case), audits, **how)

    def state(self, case: Case) -> str:
        if not self.done(case, "vote"):
            return "screening"
        evidence, how = self._given(case)
        if rules.screen(evidence, category=case.material.get("category", ""), **how).outcome != "repair":
            return "decided"
        if not self.done(case, "repair"):
            return "repair"
        if self.proposals(case, "") and not self.done(case, "choose"):
            return "adjudication"
        return "audit" if rules.adjudicated(self.chosen(case)) and not self.done(case, "audit") else "decided"

    def decide(self, case: Case) -> Outcome:
        state = self.state(case)
        if state != "decided":
            return Outcome(state)
        found = self.verified(case).decision
        lines = {
            "Decision": found.status, "Stage": found.stage, "Reasons": "; ".join(found.reasons),
            "Changed": ", ".join(found.fixes), "Open": found.uncertainty, "Expertise needed": found.expertise,
        }  # fmt: skip
        return Outcome(found.status, True, {label: said for label, said in lines.items() if said}, tuple(self.parts))

    def row(self, case: Case) -> dict[str, str]:
        outcome = self.decide(case)
        lines = {label.lower(): said for label, said in outcome.lines.items()}
        revised = self.verified(case).revised if outcome.final else None
        told = dict(id=case.material.get("id", ""), state=outcome.state, decision=outcome.state)
        return told | lines | dict(answer=revised.answer if revised else case.material["answer"])

    def shows(self, case: Case, account: str) -> dict[str, str]:
        """Adjudicators see the proposals by letter, auditors and the organizer the repair that was settled on."""
        part, state = case.part_of(account), self.state(case)
        if part == "adjudicator" and state in ("adjudication", "audit", "decided"):
            return {f"Proposal {letter}": _as_text(repair) for letter, repair in self.proposals(case, account).items()}
        settled = rules.adjudicated(self.chosen(case)) if state in ("audit", "decided") else None
        return {"Repaired item": _as_text(settled)} if settled and part in ("auditor", ORGANIZER) else {}

    def check(self, case: Case) -> None:
        tried = case.evidence.get("replications", {})
        if not isinstance(tried, Mapping) or not all(isinstance(said, list) for said in tried.values()):
            raise Refused({"replications": 'write {"solver": ["answer", ...], ...}.'})
        if self.set_for(case)["quorum"] not in rules.QUORUMS:
            raise Refused({"quorum": f"choose {' or '.join(rules.QUORUMS)}."})


class HlePair(HleVerified):
    name = "hle_pair"
    title = "Two reviewers verify and repair an exam's items"
    about = (
        "Two reviewers vote on problem, answer and rationale; each repairs what is doubted, apart from the other; if "
        "both repairs give one problem and answer, each audits the other's. What is not shown to be sound stays "
        "uncertain."
    )
    blind = (
        "Neither sees the other's ballot of a step before the step is over, and never the name. The round of six parts "
        "is the paper's; this one is for two people, so one person's repair alone settles nothing."
    )
    evidence = {}
    parts = {"reviewer": Part("Reviewer", 2)}
    moves = tuple(replace(move, part="reviewer") for move in HleVerified.moves if move.name != "choose")
    early = {("reviewer", "vote"): ("repair", "audit")}

    def chosen(self, case: Case) -> list[rules.Repair | None]:
        """Both repairs, which settle something only if they agree."""
        return [repair_of(one) for one in case.made("repair")]

    def shows(self, case: Case, account: str) -> dict[str, str]:
        """Who audits sees the other's repair."""
        if case.part_of(account) == "reviewer" and self.state(case) == "audit":
            other = next(one for one in case.made("repair") if one.by.username != account)
            return {"The other repair": _as_text(repair_of(other))}
        return super().shows(case, account)
