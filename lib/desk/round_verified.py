"""HLE-Verified's review: screening, repair, adjudication, cross-audit, decided by `hle_verified.decision_rules`.

hle_verified   experts vote, two teams repair, adjudicators choose, auditors check (3.2, 3.3, A.1)
hle_pair       the same with two reviewers alone, each of whom audits the other's repair
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd
from proctor.data.schemas import LETTERS, Question
from proctor.hle_verified import decision_rules as rules
from proctor.hle_verified.planted_defects import COMPONENTS

from desk.forms import Fields
from desk.models import ORGANIZER, Ballot, Case
from desk.round_rules import Impossible, Move, Outcome, Part, Protocol, Sees, choice, fixed, text

_VOTES = {"sound": True, "unsound": False, "unclear": None}
EMPTY = "E"
SETTINGS = {"quorum": "all", "scope": ""}


def _settings(case: Case) -> dict:
    return SETTINGS | case.round.settings


def _item(case: Case) -> Question:
    return Question(
        id=str(case.place), question=case.material["problem"], answer=case.material["answer"],
        rationale=case.material.get("rationale", ""), category=case.material.get("category", ""),
    )  # fmt: skip


def _evidence(case: Case) -> rules.Evidence:
    votes = {part: tuple(_VOTES[one.form[part]] for one in case.made("vote")) for part in COMPONENTS}
    tried = case.evidence.get("replications", {})
    key = case.material["answer"]
    return rules.Evidence(votes, tuple(rules.replicated(name, answers, key) for name, answers in tried.items()))


def proposals(case: Case, adjudicator: str) -> dict[str, rules.Repair]:
    """Letter -> repair, in this adjudicator's order: each next adjudicator has the next rotation."""
    repairs = [repair for one in case.made("repair") if (repair := repair_of(one))]
    turn = case.seated("adjudicator").index(adjudicator) if adjudicator in case.seated("adjudicator") else 0
    order = [repairs[(place + turn) % len(repairs)] for place in range(len(repairs))]
    return dict(zip(LETTERS, order))


def repair_of(one: Ballot) -> rules.Repair | None:
    """What a repairer proposes; None where the item can't be repaired."""
    form = one.form
    return rules.Repair(form["problem"], form["rationale"], form["answer"]) if form["mends"] == "yes" else None


def chosen_repairs(case: Case) -> list[rules.Repair | None]:
    """What the adjudicators chose; of a pair both repairs, which settle something only if they agree."""
    if is_pair(case):
        return [repair_of(one) for one in case.made("repair")]
    return [proposals(case, one.by.username).get(one.form["choice"]) for one in case.made("choose")]


def is_pair(case: Case) -> bool:
    """Whether two reviewers alone do all of it."""
    return not case.seated("adjudicator")


def _audits(case: Case) -> list[rules.Audit]:
    return [
        rules.Audit(one.by.username, part, *(int(one.form[part] == word) for word in _VOTES))
        for one in case.made("audit")
        for part in COMPONENTS
    ]


def verified(case: Case) -> rules.Verified:
    """What HLE-Verified's two stages make of the ballots so far."""
    how = dict(quorum=_settings(case)["quorum"], scope=_scope(case))
    return rules.verify(_item(case), _evidence(case), chosen_repairs(case), _audits(case), **how)


def _scope(case: Case) -> list[str] | None:
    """Fields in which a repair can be verified, as the settings list them with commas; None: all."""
    return [name.strip() for name in _settings(case)["scope"].split(",") if name.strip()] or None


def _verified_state(case: Case) -> str:
    pair = is_pair(case)
    if not case.all_in("reviewer" if pair else "expert", "vote"):
        return "screening"
    how = dict(quorum=_settings(case)["quorum"], category=case.material.get("category", ""), scope=_scope(case))
    found = rules.screen(_evidence(case), **how)
    if found.outcome != "repair":
        return "decided"
    if not case.all_in("reviewer" if pair else "repairer", "repair"):
        return "repair"
    if not pair and proposals(case, "") and not case.all_in("adjudicator", "choose"):
        return "adjudication"
    settled = rules.adjudicated(chosen_repairs(case)) is not None
    if not settled or case.all_in("reviewer" if pair else "auditor", "audit"):
        return "decided"
    return "audit"


def _verified_decide(case: Case) -> Outcome:
    state = _verified_state(case)
    if state != "decided":
        return Outcome(state)
    found = verified(case).decision
    lines = {
        "Decision": found.status, "Stage": found.stage, "Reasons": "; ".join(found.reasons),
        "Changed": ", ".join(found.fixes), "Open": found.uncertainty, "Expertise needed": found.expertise,
    }  # fmt: skip
    lines = {label: text for label, text in lines.items() if text}
    return Outcome(found.status, True, lines, ("expert", "repairer", "adjudicator", "auditor", "reviewer"))


def _since(*states: str):
    """Seen in these states, and in any case once the item is decided."""

    def seen(case: Case, account: str, ballot: Ballot) -> bool:
        return case.closed or _verified_state(case) in (*states, "decided")

    return seen


def _verified_shows(case: Case, account: str) -> dict[str, str]:
    """Adjudicators see the proposals by letter, auditors the repair that was settled on, or the other one of a pair."""
    part, state = case.part_of(account), _verified_state(case)
    if part == "adjudicator" and state in ("adjudication", "audit", "decided"):
        return {f"Proposal {letter}": _as_text(repair) for letter, repair in proposals(case, account).items()}
    if part == "reviewer" and state == "audit":
        other = next(one for one in case.made("repair") if one.by.username != account)
        return {"The other repair": _as_text(repair_of(other))}
    settled = rules.adjudicated(chosen_repairs(case)) if state in ("audit", "decided") else None
    if settled and part in ("auditor", ORGANIZER):
        return {"Repaired item": _as_text(settled)}
    return {}


def _as_text(repair: rules.Repair) -> str:
    return f"**Problem:** {repair.problem}\n\n**Rationale:** {repair.rationale}\n\n**Answer:** {repair.answer}"


def _component_fields(question: str):
    words = {"sound": "Sound", "unsound": "Not sound", "unclear": "Cannot tell"}
    votes = {part: choice(f"{question} {part}", words) for part in COMPONENTS}
    return fixed(**votes, note=text("Notes", needed=False))


def _repair_fields(case: Case, account: str) -> Fields:
    texts = {
        name: text(f"{name.capitalize()} as it should read", str(case.material.get(name, "")), needed=False)
        for name in ("problem", "rationale", "answer")
    }
    mends = {"yes": "Repaired as below", "no": "Cannot be repaired without changing what it tests"}
    return {"mends": choice("Repair", mends), **texts, "note": text("What you changed, and why", needed=False)}


def _choice_fields(case: Case, account: str) -> Fields:
    letters = {letter: f"Proposal {letter}" for letter in proposals(case, account)} | {EMPTY: "None is reliable"}
    return dict(choice=choice("The repair to take", letters), note=text("Why"))


def _verified_check(case: Case) -> None:
    tried = case.evidence.get("replications", {})
    if not isinstance(tried, Mapping) or not all(isinstance(said, list) for said in tried.values()):
        raise Impossible("replications", 'replications: write {"solver": ["answer", ...], ...}')
    if _settings(case)["quorum"] not in rules.QUORUMS:
        raise Impossible("quorum", f"quorum: choose {' or '.join(rules.QUORUMS)}")


def _verified_table(cases: Iterable[Case]) -> pd.DataFrame:
    rows = []
    for case in cases:
        outcome = _verified_decide(case)
        lines = {label.lower(): text for label, text in outcome.lines.items()}
        revised = verified(case).revised if outcome.final else None
        answer = revised.answer if revised else case.material["answer"]
        ids = dict(place=case.place, id=case.material.get("id", ""), state=outcome.state)
        rows.append(ids | dict(decision=outcome.state) | lines | dict(answer=answer))
    return pd.DataFrame(rows).fillna("")


HLE_VERIFIED = Protocol(
    name="hle_verified",
    title="Verify and repair an exam's items",
    paper="HLE-Verified, sections 3.2 and 3.3, appendix A.1",
    about="Experts vote on problem, answer and rationale; two teams repair what is doubted, apart from each other; "
    "adjudicators choose a repair or none; auditors check it. What is not shown to be sound stays uncertain.",
    blind="Nobody sees another ballot of his own step before the item is decided, and never names. Models' attempts "
    "are shown to adjudicators alone. Repairers see the experts' votes, adjudicators votes and proposals in an order "
    "of their own, auditors only the item and its repair.",
    material={"id": "Item", "problem": "Problem", "answer": "Answer", "rationale": "Rationale", "category": "Field"},
    needed=("problem", "answer"),
    evidence={"replications": "Attempts of models"},
    settings=SETTINGS,
    meanings={
        "quorum": "How many auditors must pass a part of an item: all of them, or most.",
        "scope": "The fields in which a repair can be verified, separated by commas; empty: all.",
    },
    parts={
        "expert": Part("Expert", 2),
        "repairer": Part("Repairer", 2),
        "adjudicator": Part("Adjudicator", 1, evidence=lambda case: _verified_state(case) != "screening"),
        "auditor": Part("Auditor", 1),
    },
    moves=(
        Move("vote", "expert", "Hand in your votes", ("screening",), _component_fields("Is this sound? The")),
        Move("repair", "repairer", "Hand in your repair", ("repair",), _repair_fields),
        Move("choose", "adjudicator", "Hand in your choice", ("adjudication",), _choice_fields),
        Move("audit", "auditor", "Hand in your audit", ("audit",), _component_fields("After the repair, the")),
    ),
    sees=(
        Sees("repairer", "vote", _since("repair", "adjudication", "audit")),
        Sees("adjudicator", "vote", _since("adjudication", "audit")),
        *(
            Sees(part, move, _since())
            for part in ("expert", "repairer", "adjudicator", "auditor")
            for move in ("vote", "repair", "choose", "audit")
        ),
    ),
    decide=_verified_decide,
    table=_verified_table,
    shows=_verified_shows,
    check=_verified_check,
)

HLE_PAIR = replace(
    HLE_VERIFIED,
    name="hle_pair",
    title="Two reviewers verify and repair an exam's items",
    about="Two reviewers vote on problem, answer and rationale; each repairs what is doubted, apart from the other; if "
    "both repairs give one problem and answer, each audits the other's. What is not shown to be sound stays uncertain.",
    blind="Neither sees the other's ballot of a step before the step is over, and never the name. The round of six "
    "parts is the paper's; this one is for two people, so one person's repair alone settles nothing.",
    evidence={},
    parts={"reviewer": Part("Reviewer", 2)},
    moves=tuple(replace(move, part="reviewer") for move in HLE_VERIFIED.moves if move.name != "choose"),
    sees=(
        Sees("reviewer", "vote", _since("repair", "audit")),
        *(Sees("reviewer", move, _since()) for move in ("repair", "audit")),
    ),
)
