"""Who can read what at any address, for each protocol and each of its moments."""

import re

import pytest
from desk import round_pages, rounds
from desk.models import Account, Act
from desk.round_protocols import PROTOCOLS
from desk.trail import Refused
from proctor.exam import wrong_keys

from . import round_cases
from .round_cases import cast, client, everything, opened, pages

pytestmark = pytest.mark.django_db


def readers(case, secret, names):
    """Those of `names` who read the secret on the case's page; "" is one who has not signed in."""
    return [name for name in names if secret in pages(case, name or None)]


def close(case):
    rounds.close_round(Account.objects.get(username="olga"), case.round)


def test_nobody_without_a_part_reads_a_case_not_even_a_moderator():
    case = opened("kina_blind", {"reviewer": ["ada", "bo"], "auditor": ["cy"]}, question="SECRET-question")
    assert readers(case, "SECRET-question", ["", "eve", "ada", "dan", "olga"]) == ["ada", "dan", "olga"]
    assert client("eve").get(f"/rounds/{case.round.key}/{case.place}/").status_code == 404
    assert client("eve").get(f"/rounds/{case.round.key}/").status_code == 404


def test_kina_is_double_blind_until_the_round_is_closed():
    case = opened("kina_blind", {"reviewer": ["ada", "bo"], "auditor": ["cy"]}, {"audit": 1.0})
    people = ["", "eve", "ada", "bo", "cy", "dan", "olga"]
    cast(case, "ada", "review", verdict="accept", text="SECRET-of-ada")
    assert readers(case, "SECRET-of-ada", people) == ["ada", "olga"]
    cast(case, "bo", "review", verdict="reject", text="SECRET-of-bo")
    assert readers(case, "SECRET-of-ada", people) == ["ada", "cy", "olga"]  # an audit is due
    assert readers(case, "Hand in your audit", people) == ["cy"]
    cast(case, "cy", "audit", first="2", second="3")
    assert readers(case, "SECRET-of-ada", people) == ["ada", "cy", "dan", "olga"]  # the author, once it is decided
    assert readers(case, "Your pay", people) == ["ada", "bo"]
    assert readers(case, "<dt>Verdicts", people) == ["olga"]
    close(case)
    for secret in ("SECRET-of-ada", "<dt>Verdicts"):
        assert readers(case, secret, people) == ["ada", "bo", "cy", "dan", "olga"]


PEOPLE = {"expert": ["ada", "bo"], "repairer": ["r1", "r2"], "adjudicator": ["j"], "auditor": ["a"]}
FIRST = {  # protocol: people, the first ballot of ada
    "uq_filter": ({"reviewer": ["ada", "bo"]}, "decide", dict(decision="reject", reason="SECRET")),
    "hle_review": ({"reviewer": ["ada", "bo"]}, "review", dict(score="3", feedback="SECRET")),
    "hle_verified": (PEOPLE, "vote", dict(problem="sound", answer="unsound", rationale="sound", note="SECRET")),
    "hle_pair": (
        {"reviewer": ["ada", "bo"]},
        "vote",
        dict(problem="sound", answer="unsound", rationale="sound", note="SECRET"),
    ),
    "kina_blind": ({"reviewer": ["ada", "bo"], "auditor": ["cy"]}, "review", dict(verdict="reject", text="SECRET")),
}


@pytest.mark.parametrize("protocol", FIRST)
def test_a_blind_colleague_finds_a_ballot_at_no_address(protocol):
    people, move, form = FIRST[protocol]
    case = opened(protocol, people)
    cast(case, "ada", move, **form)
    assert "SECRET" in pages(case, "ada") and "SECRET" not in everything(case, "bo")


def test_a_moderator_who_may_enter_the_admin_finds_it_at_no_address_either():
    people, move, form = FIRST["kina_blind"]
    case = opened("kina_blind", people)
    cast(case, "ada", move, **form)
    Account.objects.filter(username="eve").update(is_staff=True, is_superuser=True)
    assert "SECRET" not in everything(case, "eve")


def test_in_kina_s_rounds_the_organizer_alone_learns_names():
    case = opened("kina_blind", {"reviewer": ["nameofada", "nameofbo"], "auditor": ["nameofcy"]}, {"audit": 1.0})
    cast(case, "nameofada", "review", verdict="accept", text="x")
    cast(case, "nameofbo", "review", verdict="accept", text="x")
    cast(case, "nameofcy", "audit", first="2", second="3")
    close(case)
    names = ("nameofada", "nameofbo", "nameofcy", "dan")
    for reader in ("nameofada", "nameofcy", "dan"):
        page = pages(case, reader)
        assert "Reviewer 2: review" in page and not [name for name in names if name != reader and name in page]
    assert all(name in pages(case, "olga") for name in names)


def test_a_sheet_of_the_filter_is_read_by_others_when_the_round_is_closed():
    case = opened("uq_filter", {"reviewer": ["ada", "bo"]})
    people = ["", "eve", "ada", "bo", "olga"]
    cast(case, "ada", "decide", decision="reject", reason="SECRET-reason")
    cast(case, "bo", "decide", decision="accept")
    assert readers(case, "SECRET-reason", people) == ["ada", "olga"]
    close(case)
    assert readers(case, "SECRET-reason", people) == ["ada", "bo", "olga"]


def test_a_first_round_review_of_hle_is_read_after_the_own_one():
    case = opened("hle_review", {"reviewer": ["ada", "bo", "cy"]})
    people = ["", "eve", "ada", "bo", "cy", "dan", "olga"]
    cast(case, "ada", "review", score="3", feedback="SECRET-first")
    assert readers(case, "SECRET-first", people) == ["ada", "dan", "olga"]
    cast(case, "bo", "review", score="4", feedback="SECRET-second")
    assert readers(case, "SECRET-first", people) == ["ada", "bo", "dan", "olga"]
    cast(case, "dan", "revise", question="New", answer="A", rationale="R", feedback="done")
    cast(case, "bo", "review", score="5", feedback="SECRET-anew")
    assert readers(case, "SECRET-anew", people) == ["bo", "dan", "olga"]  # ada has not read the new version


def test_hle_s_second_round_reads_the_first_and_is_blind_to_itself():
    case = opened("hle_review", {"reviewer": ["ada", "bo", "cy"]})
    cast(case, "ada", "review", score="3", feedback="SECRET-first")
    cast(case, "olga", "promote", reviewers=["bo", "cy"])
    people = ["ada", "bo", "cy", "dan", "olga"]
    assert readers(case, "SECRET-first", people) == people
    cast(case, "bo", "review", score="5", feedback="SECRET-second")
    assert readers(case, "SECRET-second", people) == ["bo", "dan", "olga"]
    cast(case, "cy", "review", score="6", feedback="too")
    assert readers(case, "SECRET-second", people) == ["bo", "cy", "dan", "olga"]


ALL = ["", "eve", "ada", "bo", "r1", "r2", "j", "a", "olga"]
VOTE = dict(problem="sound", answer="unsound", rationale="sound")


def test_hle_verified_hides_ballots_of_a_step_and_models_attempts_from_experts():
    case = opened("hle_verified", PEOPLE)
    assert readers(case, "MODEL-SAYS", ALL) == ["olga"]
    cast(case, "ada", "vote", note="SECRET-vote", **VOTE)
    assert readers(case, "SECRET-vote", ALL) == ["ada", "olga"]
    cast(case, "bo", "vote", **VOTE)
    assert readers(case, "SECRET-vote", ALL) == ["ada", "r1", "r2", "olga"]
    assert readers(case, "MODEL-SAYS", ALL) == ["j", "olga"]
    cast(case, "r1", "repair", mends="yes", problem="P", rationale="SECRET-repair", answer="4")
    assert readers(case, "SECRET-repair", ALL) == ["r1", "olga"]
    cast(case, "r2", "repair", mends="yes", problem="P", rationale="other", answer="6")
    assert readers(case, "SECRET-repair", ALL) == ["r1", "j", "olga"]
    cast(case, "j", "choose", choice="A", note="SECRET-choice")
    assert readers(case, "SECRET-choice", ALL) == ["j", "olga"]
    assert readers(case, "SECRET-repair", ALL) == ["r1", "j", "a", "olga"]  # the auditor reads what was settled on
    assert readers(case, "SECRET-vote", ["a"]) == []
    cast(case, "a", "audit", problem="sound", answer="sound", rationale="sound", note="SECRET-audit")
    for secret in ("SECRET-audit", "<h2>Outcome"):
        assert readers(case, secret, ALL) == ["ada", "bo", "r1", "r2", "j", "a", "olga"]


def test_the_audit_trail_tells_nothing_of_a_ballot_and_moderation_not_who_cast_it():
    case = opened("kina_blind", {"reviewer": ["ada", "bo"], "auditor": ["cy"]})
    cast(case, "ada", "review", verdict="reject", text="SECRET")
    told = [str((act.before, act.reason)) for act in Act.objects.all()]
    assert Act.objects.filter(verb="cast").exists() and not re.search("SECRET|reject", str(told))
    for address in ("/moderation/", "/moderation/?verb=cast", "/moderation/?actor=ada", "/admin/desk/act/"):
        page = client("eve").get(address)  # a moderator without a part in the round
        assert "cast" not in page.content.decode(), address


def test_a_reviewer_casts_a_ballot_in_the_browser_once():
    case = opened("kina_blind", {"reviewer": ["ada", "bo"], "auditor": ["cy"]})
    browser, address = client("ada"), f"/rounds/{case.round.key}/{case.place}/"
    told = browser.post(f"{address}review/", {"verdict": "accept", "text": ""})
    assert told.status_code == 422 and b"This field is required" in told.content
    assert browser.post(f"{address}review/", {"verdict": "accept", "text": "<b>$x$</b>"}).status_code == 302
    assert b"&lt;b&gt;" in browser.get(address).content
    again = browser.post(f"{address}review/", {"verdict": "reject", "text": "no"})
    assert again.status_code == 403 and b"it is done" in again.content and case.cast.count() == 1


def test_another_s_move_at_the_address_of_a_part_is_refused():
    case = opened("kina_blind", {"reviewer": ["ada", "bo"], "auditor": ["cy"]})
    address = f"/rounds/{case.round.key}/{case.place}/review/"
    assert client("eve").post(address, {"verdict": "accept", "text": "x"}).status_code == 404
    assert client("cy").post(address, {"verdict": "accept", "text": "x"}).status_code == 403
    assert b"What you wrote is kept" in client().post(address, {"verdict": "accept", "text": "x"}).content
    assert case.cast.count() == 0


def test_a_moderator_opens_fills_and_closes_a_round_in_the_browser():
    for name in ("ada", "bo", "cy"):
        round_cases.account(name)
    round_cases.account("dan", "reader"), round_cases.account("olga", "moderator")
    assert client("dan").get("/rounds/new/kina_blind/").status_code == 403
    browser = client("olga")
    form = dict(title="Items", reviewer="ada, bo", auditor="cy", bonus=4, bar=2, audit=0.5)
    bad = browser.post("/rounds/new/kina_blind/", form | dict(pay=1, seed=0, auditor="olga"))
    assert bad.status_code == 422 and b"the organizer sees every ballot" in bad.content
    made = browser.post("/rounds/new/kina_blind/", form | dict(pay=1, seed=0))
    address = made["Location"]
    wrong = browser.post(address, {"cases": '{"question": "Q"'})
    assert wrong.status_code == 422 and b"line 1: no JSON" in wrong.content
    line = '{"question": "Q", "options": ["1"], "correct_answer": "A", "author": "dan"}'
    assert browser.post(address, {"cases": line}).status_code == 302
    assert b"1. Q" in client("ada").get(address).content
    assert client("ada").post(f"{address}close/").status_code == 404
    assert client("ada").post(address, {"cases": line}).status_code == 403
    assert b"0 of its 1 cases have a ballot" in browser.get(f"{address}close/").content  # it asks first
    assert b"open" in browser.get(address).content and b"Close the round" in browser.get(address).content
    browser.post(f"{address}close/")
    assert b"Close the round" not in browser.get(address).content
    assert b"Items" in client().get("/rounds/").content


def test_cases_come_from_a_csv_with_lists_and_quotes_in_its_cells():
    text = 'question,options,correct_answer,author\n"Which, of two?","1 | 2",A,dan\n\nQ,1,A,dan\n'
    first, second = round_pages.read_cases(text, PROTOCOLS["kina_blind"])
    assert first == {"question": "Which, of two?", "options": ["1", "2"], "correct_answer": "A", "author": "dan"}
    assert second["options"] == "1"
    said = 'problem,answer,replications\nP,4,"{""solver"": [""4""]}"'
    assert round_pages.read_cases(said, PROTOCOLS["hle_verified"])[0]["replications"] == {"solver": ["4"]}


@pytest.mark.parametrize(
    "text, told",
    [("problem,answr\nP,4", "line 1: 'answr' is no field"), ("problem,answer\nP,4,5", "line 2: 3 cells under 2"),
     ("problem,answer,replications\nP,4,no JSON", "line 2:"), ('problem,answer\n"P,4', "line 2:")],
)  # fmt: skip
def test_a_bad_line_of_a_csv_is_named(text, told):
    with pytest.raises(Refused, match=told):
        round_pages.read_cases(text, PROTOCOLS["hle_verified"])


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_each_setting_of_a_round_is_explained_where_it_is_set(protocol):
    form = round_pages.NewRound(protocol=protocol)
    assert set(protocol.meanings) == set(protocol.settings)
    assert all(form.fields[name].help_text for name in protocol.settings)


AGREED = dict(mends="yes", problem="What is 2 + 2?", rationale="Count.", answer="4")
SOUND = dict(problem="sound", answer="sound", rationale="sound")
SETTLED = {  # protocol: people, and the ballots by which all settle on 4
    "hle_verified": (PEOPLE, [
        *((name, "vote", VOTE) for name in ("ada", "bo")), *((name, "repair", AGREED) for name in ("r1", "r2")),
        ("j", "choose", dict(choice="A", note="both")), ("a", "audit", SOUND),
    ]),
    "hle_pair": ({"reviewer": ["ada", "bo"]}, [
        (name, *ballot)
        for ballot in (("vote", VOTE), ("repair", AGREED), ("audit", SOUND))
        for name in ("ada", "bo")
    ]),
}  # fmt: skip


@pytest.mark.parametrize("protocol", SETTLED)
def test_a_round_of_suspicious_keys_comes_back_as_decisions(protocol, tmp_path):
    (tmp_path / "answers.csv").write_text("item,key,a,b\nsum,5,4,4\nother,7,7,7\n")
    votes = wrong_keys.read_votes([tmp_path / "answers.csv"])
    cases = wrong_keys.cases(votes, wrong_keys.suspects(votes), 0.5)
    assert round_pages.read_cases(cases.to_csv(index=False), PROTOCOLS[protocol])[0]["id"] == "sum"
    people, ballots = SETTLED[protocol]
    case = opened(protocol, people, id="sum")
    table = f"/rounds/{case.round.key}/table.csv"
    assert [client(name).get(table).status_code for name in ("olga", "ada", "eve")] == [200, 404, 404]

    def decisions():
        (tmp_path / "decisions.csv").write_bytes(client("olga").get(table).content)
        return wrong_keys.read_decisions(tmp_path / "decisions.csv", votes)

    assert decisions().empty  # not decided yet
    for name, move, form in ballots:
        sent = client(name).post(f"/rounds/{case.round.key}/{case.place}/{move}/", form)
        assert sent.status_code == 302, (name, move)
    assert decisions().to_dict("records") == [dict(item="sum", decision="repaired", answer="4")]
    assert wrong_keys.rescored(votes, decisions()).query("keys == 'repaired'")["accuracy"].tolist() == [100, 100]
