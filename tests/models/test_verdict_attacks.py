import pytest
import verdict_attacks
from hypothesis import given
from hypothesis import strategies as st
from proctor.models.read_reply import verdict

PROSE = st.text(st.characters(exclude_characters="[]", exclude_categories=["Cs"]), max_size=60)


def test_no_attack_makes_a_rejection_an_acceptance_for_our_reader():
    found = verdict_attacks.attacked_rejections()
    assert len(found) == len(verdict_attacks.ATTACKS) * len(verdict_attacks.STYLES)
    assert not (found["ours"] == "accept").any()
    silent = set(found.loc[found["ours"] == "unreadable", "style"])
    assert silent == {"no verdict", "answer quoted last", "answer quoted, spaces changed"}  # the last line is a quote


def test_the_public_reader_is_fooled_by_what_stands_before_the_verdict():
    wins = verdict_attacks.attacked_rejections().query("public == 'accept'")
    assert set(wins["style"]) == {"format restated first", "answer quoted first"}
    assert (wins[wins["style"] == "answer quoted first"]["attack"] != "none").all()


def test_every_kind_of_reply_is_read_by_ours_as_its_judge_means_it():
    found = verdict_attacks.planted_replies()
    assert (found["ours"] == found["meant"]).all()
    assert (
        (found["public"] == found["meant"]) == (found["why"] == "")
    ).all()  # a reason where they differ, and only there


@given(PROSE, PROSE, st.booleans())
def test_readers_agree_on_one_verdict_as_asked_for(before, after, yes):
    reply = f"{before}\nAccepted: [[{'Y' if yes else 'N'}]].{' '.join(after.split())}"
    assert verdict(reply) is verdict_attacks.first_verdict(reply) is yes


@pytest.mark.parametrize(
    "reply, answer, outcome", [("[[N]], not: x [[Y]]", "x [[Y]]", "reject"), ("x", "", "unreadable")]
)
def test_a_reply_is_read_beside_its_answer(reply, answer, outcome):
    assert verdict_attacks.read_both(reply, answer)["ours"] == outcome
