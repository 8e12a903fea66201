"""Each protocol's decisions on a case made here, against the papers' own functions."""

import pytest
from desk.models import Account, Ballot, Case, Round
from desk.round_protocols import PROTOCOLS
from desk.round_rules import Impossible
from django.utils import timezone
from proctor.hle.review import Event, replay_events
from proctor.kina.tournament import Mechanism, settle

UQ_FILTER, HLE_REVIEW, HLE_VERIFIED, HLE_PAIR, KINA_BLIND = PROTOCOLS.values()
QUESTION = {"title": "T", "body": "B", "site": "math", "question_id": "7", "place": "1", "way": "to review"}
ITEM = {"problem": "What is 2 + 2?", "answer": "5", "rationale": "Count."}


def a_case(seats, *ballots, material=(), author="dan", settings=(), closed=False, evidence=()):
    """A case that no database holds. ballots: (by, move, form)."""
    names = {name: Account(username=name) for name in ("dan", "olga", *seats)}
    held = Round(organizer=names["olga"], settings=dict(settings), closed_at=timezone.now() if closed else None)
    case = Case(round=held, place=1, author=names.get(author), material=dict(material), evidence=dict(evidence))
    case.parts = seats
    case.ballots = [
        Ballot(number=n, by=names[by], part=case.part_of(by), move=move, form=form)
        for n, (by, move, form) in enumerate(ballots, 1)
    ]
    return case


def queue(*ballots, **more):
    return a_case({"ada": "reviewer", "bo": "reviewer"}, *ballots, material=QUESTION, author="", **more)


def test_the_filter_joins_sheets_when_all_are_in_and_says_which_questions_have_a_place():
    yes, no = {"decision": "accept"}, {"decision": "reject", "reason": "homework"}
    ada, bo = ("ada", "decide", yes), ("bo", "decide", yes)
    cases = {"open": queue(ada), "accept": queue(ada, bo), "split": queue(ada, ("bo", "decide", no))}
    assert {state: UQ_FILTER.decide(case).state for state, case in cases.items()} == {state: state for state in cases}
    assert UQ_FILTER.decide(queue(ada, closed=True)).state == "accept"
    with pytest.raises(Impossible, match="without a reason"):
        UQ_FILTER.decide(queue(("ada", "decide", no | {"reason": " "})))
    assert UQ_FILTER.table([cases["accept"]])[["outcome", "taken"]].values.tolist() == [["accept", True]]


HLE_SEATS = {"ada": "reviewer", "bo": "reviewer", "cy": "reviewer"}
HLE_ITEM = {"question": "Q", "answer": "A", "rationale": "R", "stumped": "yes"}


def exam(*ballots, **more):
    return a_case(HLE_SEATS, *ballots, material=HLE_ITEM | more.pop("material", {}), **more)


WAY = (
    ("ada", "review", {"score": "4", "feedback": "fine"}),
    ("dan", "revise", {"question": "Q2", "answer": "", "rationale": "", "feedback": "clearer"}),
    ("bo", "review", {"score": "unsure", "feedback": "who knows"}),
    ("olga", "promote", {"reviewers": ["bo"]}),
    ("bo", "review", {"score": "6", "feedback": "take it"}),
    ("olga", "approve", {}),
)


def test_hle_s_states_are_those_of_its_state_machine():
    events = [
        Event("1", "submit", "dan"),
        Event("1", "check", "desk", stumped=True),
        Event("1", "review", "ada", 4, "fine"),
        Event("1", "revise", "dan", feedback="clearer"),
        Event("1", "review", "bo", "unsure", "who knows"),
        Event("1", "promote", "olga", reviewers=("bo",)),
        Event("1", "review", "bo", 6, "take it"),
        Event("1", "approve", "olga"),
    ]
    assert HLE_REVIEW.case(exam(*WAY)) == replay_events(events)["1"]
    assert HLE_REVIEW.decide(exam(*WAY)).state == "accepted"
    assert HLE_REVIEW.decide(exam(material={"stumped": "no"})).state == "rejected"
    assert HLE_REVIEW.current(exam(*WAY))["question"] == "Q2" and HLE_REVIEW.current(exam(*WAY))["answer"] == "A"


SEATS = {"e1": "expert", "e2": "expert", "r1": "repairer", "r2": "repairer", "j": "adjudicator", "a": "auditor"}
SOUND = {"problem": "sound", "answer": "sound", "rationale": "sound"}
DOUBT = SOUND | {"answer": "unsound"}


def repair(answer, mends="yes"):
    return {"mends": mends, "problem": ITEM["problem"], "rationale": "2 + 2 = 4.", "answer": answer}


def item(*ballots, **more):
    return a_case(SEATS, *ballots, material=ITEM, author="", **more)


VOTES = (("e1", "vote", DOUBT), ("e2", "vote", SOUND))
REPAIRS = (("r1", "repair", repair("4")), ("r2", "repair", repair("6")))


def test_an_item_that_all_experts_affirm_is_gold_unless_all_solvers_miss_its_key():
    votes = (("e1", "vote", SOUND), ("e2", "vote", SOUND))
    assert HLE_VERIFIED.decide(item(*votes)).state == "gold"
    evidence = {"replications": {"m1": ["4", "4"], "m2": ["4"]}}
    assert HLE_VERIFIED.decide(item(*votes, evidence=evidence)).state == "repair"


def test_a_doubted_item_goes_through_every_step_to_revised():
    steps = [*VOTES, *REPAIRS, ("j", "choose", {"choice": "A", "note": "x"}), ("a", "audit", SOUND)]
    states = [HLE_VERIFIED.decide(item(*steps[:n])).state for n in range(len(steps) + 1)]
    assert states == ["screening"] * 2 + ["repair"] * 2 + ["adjudication", "audit", "revised"]
    assert HLE_VERIFIED.verified(item(*steps)).revised.answer == "4"


@pytest.mark.parametrize(
    "rest, why",
    [
        ([("r1", "repair", repair("", "no")), ("r2", "repair", repair("", "no"))], "no repair settled"),
        ([*REPAIRS, ("j", "choose", {"choice": "E", "note": "x"})], "no repair settled"),
        ([*REPAIRS, ("j", "choose", {"choice": "A", "note": "x"}), ("a", "audit", DOUBT)], "audit not passed"),
    ],
)
def test_what_is_not_shown_stays_uncertain(rest, why):
    outcome = HLE_VERIFIED.decide(item(*VOTES, *rest))
    assert outcome.state == "uncertain" and outcome.final and outcome.lines["Open"] == why


def test_each_adjudicator_has_an_order_of_his_own():
    seats = SEATS | {"k": "adjudicator"}
    two = a_case(seats, *VOTES, *REPAIRS, material=ITEM)
    assert [one.answer for one in HLE_VERIFIED.proposals(two, "j").values()] == ["4", "6"]
    assert [one.answer for one in HLE_VERIFIED.proposals(two, "k").values()] == ["6", "4"]


@pytest.mark.parametrize(
    "second, audit, why",
    [("4", SOUND, ""), ("6", None, "no repair settled"), ("4", DOUBT, "audit not passed"), ("", None, "no repair settled")],
)  # fmt: skip
def test_two_reviewers_settle_a_repair_on_which_both_agree_and_which_the_other_passes(second, audit, why):
    own = [("ada", "repair", repair("4")), ("bo", "repair", repair(second, "yes" if second else "no"))]
    audits = [("ada", "audit", SOUND), ("bo", "audit", audit)] if audit else []
    steps = [("ada", "vote", DOUBT), ("bo", "vote", SOUND), *own, *audits]
    case = a_case({"ada": "reviewer", "bo": "reviewer"}, *steps, material=ITEM, author="")
    outcome = HLE_PAIR.decide(case)
    assert outcome.final and outcome.lines.get("Open", "") == why
    assert outcome.state == ("uncertain" if why else "revised")


PAIR = {"ada": "reviewer", "bo": "reviewer", "cy": "auditor"}
SAID = {"verdict": "accept", "text": "checked"}


def blind(*ballots, **more):
    settings = {"audit": 1.0} | more.pop("settings", {})
    return a_case(PAIR, *ballots, material={"question": "Q"}, settings=settings, **more)


@pytest.mark.parametrize("first, second", [("3", "2"), ("2", "3"), ("2", "2"), ("1", "0")])
def test_an_audited_pair_is_paid_as_the_tournament_says(first, second):
    both = [("bo", "review", SAID), ("ada", "review", SAID)]
    done = blind(*both, ("cy", "audit", {"first": first, "second": second}))
    mechanism = Mechanism("tournament", bonus=4, bar=2, audit=1, pay=1)
    assert KINA_BLIND.pay(done) == dict(zip(("bo", "ada"), settle(mechanism, (int(first), int(second)))))
    assert KINA_BLIND.pay(blind(*both)) == {}
    split = blind(both[0], ("ada", "review", SAID | {"verdict": "reject"}), settings={"audit": 0.0})
    assert KINA_BLIND.decide(split).state == "split" and KINA_BLIND.pay(split) == {"ada": 1.0, "bo": 1.0}  # no bonus


def test_the_lot_of_audits_falls_as_often_as_set():
    held = Round(settings={"seed": 3, "audit": 0.3})
    lots = [KINA_BLIND.is_audited(Case(round=held, place=n)) for n in range(2_000)]
    assert 0.26 < sum(lots) / 2_000 < 0.34


@pytest.mark.parametrize("settings", [{"bar": 4}, {"bar": 0}, {"bonus": -1.0}, {"audit": 1.5}])
def test_a_mechanism_that_makes_no_sense_is_refused(settings):
    with pytest.raises(Impossible):
        KINA_BLIND.check(blind(settings=settings))
