import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data.schemas import Question
from proctor.hle_verified.decision_rules import (
    Audit,
    Evidence,
    Repair,
    adjudicated,
    changed,
    failed_audits,
    replicated,
    screen,
    verify,
)
from proctor.hle_verified.planted_defects import COMPONENTS

ITEM = Question(id="i", question="What is 2 + 2?", answer="5", rationale="2 + 2 = 5.", category="sums")
MENDED = Repair("What is 2 + 2?", "2 + 2 = 4.", "4")
YES = dict.fromkeys(COMPONENTS, (True, True, True))
PASSED = [Audit(auditor, part, 8, 0, 0) for auditor in "abc" for part in COMPONENTS]


def votes(**changed_votes):
    return Evidence(YES | changed_votes)


def solvers(*agree):
    return tuple(replicated(str(i), ["5"] * n + ["6"] * (8 - n), "5") for i, n in enumerate(agree))


# Stage I


FLAWED = votes(answer=(False, False, False))


@pytest.mark.parametrize(
    "evidence, how, outcome, flagged",
    [
        (votes(), {}, "gold", ()),
        *((votes(**{part: (True, False, True)}), {}, "repair", (part,)) for part in COMPONENTS),
        # no vote or an unreadable one shows nothing and rejects nothing; a rationale needs no proof
        *((votes(problem=silent), {}, "uncertain", ()) for silent in ((), (None, None), (True, None, True))),
        (votes(rationale=(True, None, True)), {}, "gold", ()),
        (votes(answer=(True, False, True)), dict(quorum="most"), "gold", ()),
        (votes(answer=(True, False)), dict(quorum="most"), "repair", ("answer",)),
        (votes(answer=(True, None, None)), dict(quorum="most"), "uncertain", ()),
        # one solver alone does not send a clean item on
        (Evidence(YES, solvers(0, 0)), {}, "repair", ()),
        (Evidence(YES, solvers(0, 1)), {}, "gold", ()),
        (Evidence(YES, solvers(0)), {}, "gold", ()),
        # a field in which nothing can be verified
        (FLAWED, dict(category="ethics", scope={"sums"}), "uncertain", ("answer",)),
        (FLAWED, dict(category="sums", scope={"sums"}), "repair", ("answer",)),
        (votes(), dict(category="ethics", scope={"sums"}), "gold", ()),
    ],
)
def test_an_item_is_gold_to_be_repaired_or_uncertain(evidence, how, outcome, flagged):
    found = screen(evidence, **how)
    assert (found.outcome, found.flagged) == (outcome, flagged) and bool(found.reasons) == (outcome != "gold")
    assert found.reaudit == (evidence.replications == solvers(0, 0))


@given(st.tuples(*[st.lists(st.sampled_from([True, False, None]), max_size=3).map(tuple)] * 3), st.integers(1, 3))
def test_agreement_never_brings_in_what_the_votes_keep_out(three, n):
    evidence = dict(zip(COMPONENTS, three))
    alone, agreed = screen(Evidence(evidence)), screen(Evidence(evidence, solvers(*[8] * n)))
    assert agreed == alone
    if agreed.outcome == "gold":
        assert all(evidence[part] and set(evidence[part]) == {True} for part in ("problem", "answer"))


@given(st.tuples(*[st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=3).map(tuple)] * 3))
def test_unanimity_admits_no_more_than_a_majority(three):
    evidence = Evidence(dict(zip(COMPONENTS, three)))
    assert screen(evidence).outcome != "gold" or screen(evidence, quorum="most").outcome == "gold"


def test_replication_counts_by_equivalence_and_keeps_unreadable_and_undecided_apart():
    found = replicated("s", ["1/2", "0.5", None, "incorrect", "3"], "0.50")
    assert (found.attempts, found.readable, found.agree, found.common_n) == (5, 4, 2, 2) and found.common == "1/2"
    words = replicated("s", ["incorrect"], "correct")
    assert (words.agree, words.undecided) == (0, 1)


@pytest.mark.parametrize(
    "answers, common, n",
    [(["7", r"\frac{1}{2}", "0.5", None, "1/2"], r"\frac{1}{2}", 3), (["b", "a"], "b", 1), ([None], None, 0)],
)
def test_consensus_gives_the_words_of_the_first_of_the_largest_class(answers, common, n):
    found = replicated("s", answers, "?")
    assert (found.common, found.common_n) == (common, n)


# Stage II


def test_an_adjudicator_who_follows_the_place_settles_nothing():
    one, two, three = MENDED, Repair("p", "r", "5"), Repair("p", "r", "6")
    assert adjudicated([one, two, three]) is None and adjudicated([]) is None and adjudicated([None, None, one]) is None
    assert adjudicated([one, None, one]) == one and adjudicated([one, None]) is None
    assert adjudicated([Repair("what is  2 + 2?", "other words", "4."), one, two]).rationale == "other words"


def test_an_answer_in_another_notation_is_no_change():
    assert changed(ITEM, Repair("what is 2 + 2?", "2 + 2 = 5", "5.0")) == dict.fromkeys(COMPONENTS, False)
    assert changed(ITEM, MENDED) == {"problem": False, "answer": True, "rationale": True}


def test_an_audit_passes_with_more_than_half_of_all_judgements_and_unreadable_is_not_unsound():
    assert Audit("a", "answer", 5, 0, 3).passes and not Audit("a", "answer", 4, 0, 4).passes
    assert not Audit("a", "answer", 4, 4, 0).passes and not Audit("a", "answer", 0, 0, 0).passes
    assert failed_audits(PASSED) == [] and len(failed_audits([])) == 3
    doubt = [Audit("d", "problem", 0, 0, 8), *PASSED]
    assert failed_audits(doubt) == ["3 of 4 auditors pass the problem"] and failed_audits(doubt, "most") == []


@pytest.mark.parametrize(
    "evidence, choices, audits, status, why",
    [
        (votes(), [MENDED] * 3, PASSED, "gold", ""),
        (votes(answer=(False,) * 3), [MENDED] * 3, PASSED, "revised", ""),
        (votes(answer=(False,) * 3), [MENDED, None, None], PASSED, "uncertain", "no repair settled"),
        (votes(problem=(False,) * 3), [MENDED] * 3, PASSED, "uncertain", "doubt unresolved"),
        (votes(answer=(False,) * 3), [MENDED] * 3, PASSED[1:], "revised", ""),
        (votes(answer=(False,) * 3), [MENDED] * 3, PASSED[:2], "uncertain", "audit not passed"),
        (votes(answer=(False,) * 3), [MENDED] * 3, [], "uncertain", "not audited"),
        (votes(answer=(None,) * 3), [MENDED] * 3, PASSED, "uncertain", "soundness not shown"),
        (Evidence(YES, solvers(0, 0)), [MENDED] * 3, PASSED, "revised", ""),
    ],
)
def test_every_item_ends_in_one_place_with_its_reason(evidence, choices, audits, status, why):
    decision = verify(ITEM, evidence, choices, audits).decision
    assert (decision.status, decision.uncertainty) == (status, why)
    assert bool(decision.expertise) == (status == "uncertain") and bool(decision.reasons) == (status != "gold")


def test_a_doubted_rationale_alone_is_revised_in_the_rationale_alone_and_the_uncertain_say_what_is_open():
    item = ITEM.model_copy(update=dict(answer="4"))
    found = verify(item, votes(rationale=(False, True, True)), [MENDED] * 3, PASSED)
    assert found.decision.fixes == ("rationale",) and found.revised.rationale == "2 + 2 = 4."
    both = verify(ITEM, votes(answer=(False, False, True)), [MENDED] * 3, PASSED)
    assert both.decision.fixes == ("answer", "rationale") and both.revised.answer == "4"
    left = verify(ITEM, votes(answer=(False, False, True)))
    assert left.revised is None and left.decision.expertise == "sums: answer"


def test_the_trail_has_a_record_a_decision_in_order():
    def steps(found):
        return [record["step"] for record in found.trail]

    bad = votes(answer=(False, False, True))
    assert steps(verify(ITEM, votes())) == ["screening", "routing"]
    assert steps(verify(ITEM, bad)) == ["screening", "adjudication", "routing"]
    assert steps(verify(ITEM, bad, [MENDED] * 3, PASSED)) == ["screening", "adjudication", "cross-audit", "routing"]


def test_solvers_whose_answers_only_a_judge_can_compare_have_not_failed():
    said = {"problem": (True, True), "answer": (True, True), "rationale": (True, True)}
    words = replicated("a", ["Einstein"] * 8, "Albert Einstein")
    assert (words.undecided, words.fails) == (8, False)
    assert screen(Evidence(said, (words, words))).outcome == "gold"
    wrong = replicated("b", ["5"] * 8, "7")
    assert wrong.fails and screen(Evidence(said, (wrong, wrong))).outcome == "repair"
    assert screen(Evidence(said, (wrong, words))).outcome == "gold"
