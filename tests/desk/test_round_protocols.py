"""Each protocol's decisions on a case made here, against the papers' own functions."""

import pytest
from desk.models import Account, Ballot, Case, Round
from desk.round_protocols import PROTOCOLS
from desk.trail import Refused
from django.utils import timezone
from proctor.kina.tournament import Mechanism, settle

UQ_FILTER, HLE_REVIEW, HLE_VERIFIED, HLE_PAIR, KINA_BLIND = PROTOCOLS.values()
ITEM = {"problem": "What is 2 + 2?", "answer": "5", "rationale": "Count."}
TWO = {"ada": "reviewer", "bo": "reviewer"}
SIX = {"e1": "expert", "e2": "expert", "r1": "repairer", "r2": "repairer", "j": "adjudicator", "a": "auditor"}
CASES = {  # who has which part, the fields, the settings
    UQ_FILTER: (TWO, {"title": "T", "body": "B", "site": "math", "question_id": "7", "place": "1", "way": "to review"}, {}),
    HLE_REVIEW: (TWO | {"cy": "reviewer"}, {"question": "Q", "answer": "A", "rationale": "R", "stumped": "yes"}, {}),
    HLE_VERIFIED: (SIX, ITEM, {}),
    HLE_PAIR: (TWO, ITEM, {}),
    KINA_BLIND: (TWO | {"cy": "auditor"}, {"question": "Q"}, {"audit": 1.0}),
}  # fmt: skip


def a_case(protocol, *ballots, seats=None, material=(), settings=(), closed=False, evidence=()):
    """A case that no database holds, by dan. ballots: (by, move, form)."""
    usual, fields, set_up = CASES[protocol]
    seats = seats or usual
    names = {name: Account(username=name) for name in ("dan", "olga", *seats)}
    end = timezone.now() if closed else None
    held = Round(organizer=names["olga"], settings=set_up | dict(settings), closed_at=end)
    case = Case(round=held, place=1, author=names["dan"], material=fields | dict(material), evidence=dict(evidence))
    case.parts = seats
    case.ballots = [
        Ballot(number=n, by=names[by], part=case.part_of(by), move=move, form=form)
        for n, (by, move, form) in enumerate(ballots, 1)
    ]
    return case


def repair(answer):
    return {"mends": "yes" if answer else "no", "problem": ITEM["problem"], "rationale": "2 + 2 = 4.", "answer": answer}


def each(names, move, *forms):
    """The move of each of the names; one form for all, or one for each."""
    return [(name, move, form) for name, form in zip(names.split(), forms * 2 if len(forms) == 1 else forms)]


YES, NO = {"decision": "accept"}, {"decision": "reject", "reason": "homework"}
SOUND = {"problem": "sound", "answer": "sound", "rationale": "sound"}
DOUBT = SOUND | {"answer": "unsound"}
REPAIRS = [*each("e1 e2", "vote", DOUBT, SOUND), *each("r1 r2", "repair", repair("4"), repair("6"))]
CHOSEN = [*REPAIRS, ("j", "choose", {"choice": "A", "note": "x"})]
DONE = [*CHOSEN, ("a", "audit", SOUND)]
MISSED = {"replications": {"m1": ["4", "4"], "m2": ["4"]}}  # all solvers miss the key
ACCEPTED = [
    ("ada", "review", {"score": "4", "feedback": "fine"}), ("bo", "review", {"score": "unsure", "feedback": "who knows"}),
    ("olga", "promote", {"reviewers": ["bo"]}), ("bo", "review", {"score": "6", "feedback": "take it"}),
    ("olga", "approve", {}),
]  # fmt: skip
SAID = {"verdict": "accept", "text": "checked"}


def pair(second, *audits):
    votes = each("ada bo", "vote", DOUBT, SOUND)
    return [*votes, *each("ada bo", "repair", repair("4"), repair(second)), *each("ada bo", "audit", *audits)]


@pytest.mark.parametrize("protocol, ballots, more, state, why", [
    (UQ_FILTER, each("ada", "decide", YES), {}, "open", ""),
    (UQ_FILTER, each("ada", "decide", YES), dict(closed=True), "accept", ""),
    (UQ_FILTER, each("ada bo", "decide", YES, YES), {}, "accept", ""),
    (UQ_FILTER, each("ada bo", "decide", YES, NO), {}, "split", ""),
    (HLE_REVIEW, [], dict(material={"stumped": "no"}), "rejected", ""),
    *((HLE_REVIEW, ACCEPTED[:n], {}, state, "") for n, state in (
        (2, "first round"), (3, "second round"), (4, "second round"), (5, "accepted"),
    )),
    (HLE_VERIFIED, each("e1 e2", "vote", SOUND), {}, "gold", ""),
    (HLE_VERIFIED, each("e1 e2", "vote", SOUND), dict(evidence=MISSED), "repair", ""),
    *((HLE_VERIFIED, DONE[:n], {}, state, "") for n, state in enumerate(
        ["screening", "screening", "repair", "repair", "adjudication", "audit", "revised"]
    )),
    (HLE_VERIFIED, [*REPAIRS[:2], *each("r1 r2", "repair", repair(""))], {}, "uncertain", "no repair settled"),
    (HLE_VERIFIED, [*REPAIRS, ("j", "choose", {"choice": "E", "note": "x"})], {}, "uncertain", "no repair settled"),
    (HLE_VERIFIED, [*CHOSEN, ("a", "audit", DOUBT)], {}, "uncertain", "audit not passed"),
    (HLE_PAIR, pair("4", SOUND, SOUND), {}, "revised", ""),
    (HLE_PAIR, pair("6"), {}, "uncertain", "no repair settled"),
    (HLE_PAIR, pair("4", SOUND, DOUBT), {}, "uncertain", "audit not passed"),
    (HLE_PAIR, pair(""), {}, "uncertain", "no repair settled"),
    (KINA_BLIND, each("ada bo", "review", SAID, SAID | {"verdict": "reject"}), dict(settings={"audit": 0.0}), "split", ""),
])  # fmt: skip
def test_what_the_ballots_come_to(protocol, ballots, more, state, why):
    outcome = protocol.decide(a_case(protocol, *ballots, **more))
    assert outcome.state == state and outcome.lines.get("Open", "") == why
    assert outcome.final or state not in ("uncertain", "revised", "gold", "rejected")


def test_the_filter_wants_a_reason_and_says_which_questions_have_a_place():
    with pytest.raises(Refused, match="without a reason"):
        UQ_FILTER.decide(a_case(UQ_FILTER, ("ada", "decide", NO | {"reason": " "})))
    table = UQ_FILTER.table([a_case(UQ_FILTER, *each("ada bo", "decide", YES))])
    assert table[["outcome", "taken"]].values.tolist() == [["accept", True]]


def test_an_empty_field_of_a_revision_changes_nothing():
    revised = ("dan", "revise", {"question": "Q2", "answer": "", "rationale": "", "feedback": "clearer"})
    found = HLE_REVIEW.current(a_case(HLE_REVIEW, revised))
    assert (found["question"], found["answer"]) == ("Q2", "A")


def test_each_adjudicator_has_an_order_of_his_own_and_the_chosen_repair_stands():
    case = a_case(HLE_VERIFIED, *REPAIRS, seats=SIX | {"k": "adjudicator"})
    orders = [[one.answer for one in HLE_VERIFIED.proposals(case, name).values()] for name in "jk"]
    assert orders == [["4", "6"], ["6", "4"]]
    assert HLE_VERIFIED.verified(a_case(HLE_VERIFIED, *DONE)).revised.answer == "4"


@pytest.mark.parametrize("first, second", [("3", "2"), ("2", "3"), ("2", "2"), ("1", "0")])
def test_an_audited_pair_is_paid_as_the_tournament_says(first, second):
    both = each("bo ada", "review", SAID)
    done = a_case(KINA_BLIND, *both, ("cy", "audit", {"first": first, "second": second}))
    mechanism = Mechanism("tournament", bonus=4, bar=2, audit=1, pay=1)
    assert KINA_BLIND.pay(done) == dict(zip(("bo", "ada"), settle(mechanism, (int(first), int(second)))))
    assert KINA_BLIND.pay(a_case(KINA_BLIND, *both)) == {}
    assert KINA_BLIND.pay(a_case(KINA_BLIND, *both, settings={"audit": 0.0})) == {"ada": 1.0, "bo": 1.0}  # no bonus


def test_the_lot_of_audits_falls_as_often_as_set():
    held = Round(settings={"seed": 3, "audit": 0.3})
    lots = [KINA_BLIND.is_audited(Case(round=held, place=n)) for n in range(2_000)]
    assert 0.26 < sum(lots) / 2_000 < 0.34
