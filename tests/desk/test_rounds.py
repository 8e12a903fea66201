"""Rounds of review in the store and in the browser: who may do what, and who can read what at any address."""

import re
from collections import Counter
from functools import partial

import pytest
from desk import round_pages, rounds
from desk.models import Account, Act, Ballot, Case, Round, Seat
from desk.round_protocols import PROTOCOLS
from desk.trail import NotAllowed, Refused
from proctor.exam import wrong_keys

from . import round_cases
from .round_cases import CASES, account, addresses_of, cast, client, opened, pages, read

pytestmark = pytest.mark.django_db
PEOPLE = {"reviewer": ["ada", "bo", "cy", "di"], "auditor": ["ed", "flo"]}
KINA = {"reviewer": ["ada", "bo"], "auditor": ["cy"]}
SIX = {"expert": ["ada", "bo"], "repairer": ["r1", "r2"], "adjudicator": ["j"], "auditor": ["a"]}
TWO = {"reviewer": ["ada", "bo"]}
ITEM = CASES["kina_blind"]


@pytest.fixture(autouse=True)
def nobody_is_signed_in():
    round_cases.CLIENTS.clear()


@pytest.fixture
def olga():
    for name in [*PEOPLE["reviewer"], *PEOPLE["auditor"]]:
        account(name)
    account("dan", "reader")
    return account("olga", "moderator")


def blind(olga):
    return rounds.open_round(olga, "kina_blind", "Items", PEOPLE)


def test_seats_are_shared_out_evenly_one_to_an_account_and_never_to_the_author(olga):
    cases = rounds.add_cases(olga, blind(olga), [ITEM] * 6)
    load = Counter(Seat.objects.filter(part="reviewer").values_list("account__username", flat=True))
    assert set(load.values()) == {3} and set(load) == set(PEOPLE["reviewer"])
    for case in cases:
        assert Counter(case.seats.values_list("part", flat=True)) == {"reviewer": 2, "auditor": 1}
    cases = rounds.add_cases(olga, blind(olga), [ITEM | {"author": "ada"}] * 4)
    assert not Seat.objects.filter(case__in=cases, account__username="ada").exists()


@pytest.mark.parametrize(
    "change, told",
    [
        ({"question": ""}, "row 2: question: missing"),
        ({"author": "nobody"}, "row 2: author: no account"),
        ({"author": "olga"}, "row 2: author: the organizer"),
        ({"colour": "red"}, "row 2: colour: unknown"),
        ({"question": ["a"]}, "row 2: question: not a text"),
        ({"question": "\x00"}, "row 2: question: holds a NUL"),
    ],
)
def test_a_case_that_does_not_do_is_named_and_none_is_added(olga, change, told):
    with pytest.raises(Refused, match=told):
        rounds.add_cases(olga, blind(olga), [ITEM, ITEM | change])
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    "people, settings, field",
    [
        ({"reviewer": ["ada"], "auditor": ["ed"]}, {}, "reviewer"),
        ({"reviewer": ["ada", "olga"], "auditor": ["ed"]}, {}, "reviewer"),
        ({"reviewer": ["ada", "dan"], "auditor": ["ed"]}, {}, "reviewer"),  # a reader
        *((PEOPLE, {"bar": bar}, "bar") for bar in (0, 4)),
        *((PEOPLE, settings, "settings") for settings in ({"bonus": -1.0}, {"audit": 1.5})),
    ],
)
def test_a_round_that_does_not_do_is_refused_by_field(olga, people, settings, field):
    with pytest.raises(Refused) as error:
        rounds.open_round(olga, "kina_blind", "Items", people, settings)
    assert field in error.value.problems and not Round.objects.exists()


def test_only_a_moderator_opens_and_only_the_organizer_runs_a_round(olga):
    held, ada, other = blind(olga), Account.objects.get(username="ada"), account("other", "moderator")
    for act in (
        partial(rounds.open_round, ada, "kina_blind", "Mine", PEOPLE),
        partial(rounds.add_cases, other, held, [ITEM]),
        partial(rounds.close_round, other, held),
    ):
        with pytest.raises(NotAllowed):
            act()


@pytest.mark.django_db(transaction=True)
def test_two_ballots_at_once_are_both_kept_and_one_twice_only_once(at_once):
    case = opened("kina_blind", KINA)
    names = ("ada", "ada", "bo", "bo")
    refused = at_once(*(partial(cast, case, name, "review", verdict="accept", text=name) for name in names))
    numbers, texts = zip(*Ballot.objects.order_by("number").values_list("number", "form__text"))
    assert numbers == (1, 2) and set(texts) == {"ada", "bo"}
    assert [type(error) for error in refused] == [NotAllowed] * 2


# Who reads what


def readers(case, secret, names):
    """Those of `names` who read the secret on the case's page; "" is one who has not signed in."""
    return [name for name in names if secret in pages(case, name or None)]


def close(case):
    rounds.close_round(Account.objects.get(username="olga"), case.round)


def test_kina_is_double_blind_until_the_round_is_closed_and_names_are_the_organizer_s():
    case = opened("kina_blind", KINA, {"audit": 1.0}, question="SECRET-question")
    people = ["", "eve", "ada", "bo", "cy", "dan", "olga"]
    assert readers(case, "SECRET-question", people) == ["ada", "bo", "cy", "dan", "olga"]
    for address in (f"/rounds/{case.round.key}/{case.place}/", f"/rounds/{case.round.key}/"):
        assert client("eve").get(address).status_code == 404  # a moderator without a part
    cast(case, "ada", "review", verdict="accept", text="SECRET-of-ada")
    assert readers(case, "SECRET-of-ada", people) == ["ada", "olga"]
    cast(case, "bo", "review", verdict="reject", text="SECRET-of-bo")
    assert readers(case, "SECRET-of-ada", people) == ["ada", "cy", "olga"]  # an audit is due
    assert readers(case, "Hand in your audit", people) == ["cy"]
    assert readers(case, "State: <strong>audit<", people) == ["cy", "olga"]  # others read that it is under review
    assert readers(case, "State: <strong>under review<", people) == ["ada", "bo", "dan"]
    cast(case, "cy", "audit", first="2", second="3")
    assert readers(case, "SECRET-of-ada", people) == ["ada", "cy", "dan", "olga"]  # the author, once it is decided
    assert readers(case, "Your pay", people) == ["ada", "bo"]
    assert readers(case, "<dt>Verdicts", people) == ["olga"]
    close(case)
    for secret in ("SECRET-of-ada", "<dt>Verdicts"):
        assert readers(case, secret, people) == ["ada", "bo", "cy", "dan", "olga"]
    for name in ("ada", "bo", "cy"):
        Account.objects.filter(username=name).update(username=f"nameof{name}")
    for reader in ("nameofada", "nameofcy", "dan"):
        page = pages(case, reader)
        assert "Reviewer 2: review" in page and set(re.findall("nameof[a-z]+", page)) <= {reader}
    assert set(re.findall("nameof[a-z]+", pages(case, "olga"))) >= {"nameofada", "nameofbo", "nameofcy"}


FIRST = {  # protocol: people, the first ballot of ada
    "uq_filter": (TWO, "decide", dict(decision="reject", reason="SECRET")),
    "hle_review": (TWO, "review", dict(score="3", feedback="SECRET")),
    "hle_verified": (SIX, "vote", dict(problem="sound", answer="unsound", rationale="sound", note="SECRET")),
    "hle_pair": (TWO, "vote", dict(problem="sound", answer="unsound", rationale="sound", note="SECRET")),
    "kina_blind": (KINA, "review", dict(verdict="reject", text="SECRET")),
}


@pytest.mark.parametrize("protocol", FIRST)
def test_a_blind_colleague_finds_a_ballot_at_no_address_nor_does_a_moderator_in_the_admin(protocol):
    people, move, form = FIRST[protocol]
    case = opened(protocol, people)
    cast(case, "ada", move, **form)
    every = {*addresses_of(case)}
    assert "SECRET" in pages(case, "ada") and "SECRET" not in read("bo", {one for one in every if "round" in one})
    told = [str((act.before, act.reason)) for act in Act.objects.all()]
    assert Act.objects.filter(verb="cast").exists() and not re.search("SECRET|reject|unsound", str(told))
    if protocol == "kina_blind":  # pages outside of rounds do not know protocols
        assert "SECRET" not in read("bo", every)
        for address in ("/moderation/", "/moderation/?verb=cast", "/moderation/?actor=ada"):
            assert "cast" not in client("eve").get(address).text, address
        Account.objects.filter(username="eve").update(is_staff=True, is_superuser=True)
        acts = {
            act.verb: client("eve").get(f"/admin/desk/act/{act.pk}/change/").status_code for act in Act.objects.all()
        }
        assert acts["cast"] == 302 and acts["open round"] == 200  # who cast a ballot the admin does not show
        assert "SECRET" not in read("eve", every)


def test_a_sheet_of_the_filter_is_checked_and_read_by_others_when_the_round_is_closed():
    case, people = opened("uq_filter", TWO), ["", "eve", "ada", "bo", "olga"]
    for form, field in (({"decision": "maybe"}, "decision"), ({"decision": "reject"}, "reason"), ({}, "decision")):
        with pytest.raises(Refused) as error:
            cast(case, "ada", "decide", **form)
        assert list(error.value.problems) == [field]
    assert not Ballot.objects.exists() and not Act.objects.filter(verb="cast").exists()
    cast(case, "ada", "decide", decision="reject", reason="SECRET-reason")
    assert readers(case, "SECRET-reason", people) == ["ada", "olga"]
    close(case)
    assert readers(case, "SECRET-reason", people) == ["ada", "bo", "olga"]
    assert Case.objects.get().state == "reject"  # as the protocol decides; nothing comes after the end
    with pytest.raises(NotAllowed):
        cast(case, "bo", "decide", decision="accept")


def test_a_review_of_hle_is_read_after_the_own_one_and_the_second_round_reads_the_first():
    case = opened("hle_review", {"reviewer": ["ada", "bo", "cy"]})
    people = ["", "eve", "ada", "bo", "cy", "dan", "olga"]
    cast(case, "ada", "review", score="3", feedback="SECRET-first")
    assert readers(case, "SECRET-first", people) == ["ada", "dan", "olga"]
    cast(case, "bo", "review", score="4", feedback="SECRET-second")
    assert readers(case, "SECRET-first", people) == ["ada", "bo", "dan", "olga"]
    cast(case, "dan", "revise", question="New", answer="A", rationale="R", feedback="done")
    cast(case, "bo", "review", score="5", feedback="SECRET-anew")
    assert readers(case, "SECRET-anew", people) == ["bo", "dan", "olga"]  # ada has not read the new version
    cast(case, "olga", "promote", reviewers=["bo", "cy"])
    assert readers(case, "SECRET-first", people) == ["ada", "bo", "cy", "dan", "olga"]
    assert readers(case, "Hand in your review", people) == ["bo", "cy"]
    assert readers(case, "Save the revision", people) == ["dan"]
    cast(case, "bo", "review", score="5", feedback="SECRET-chosen")
    assert readers(case, "SECRET-chosen", people) == ["bo", "dan", "olga"]
    cast(case, "cy", "review", score="6", feedback="too")
    assert readers(case, "SECRET-chosen", people) == ["bo", "cy", "dan", "olga"]


VOTE = dict(problem="sound", answer="unsound", rationale="sound")


def test_hle_verified_hides_ballots_of_a_step_and_models_attempts_from_experts():
    case = opened("hle_verified", SIX)
    every = ["", "eve", "ada", "bo", "r1", "r2", "j", "a", "olga"]
    assert readers(case, "MODEL-SAYS", every) == ["olga"]
    cast(case, "ada", "vote", note="SECRET-vote", **VOTE)
    assert readers(case, "SECRET-vote", every) == ["ada", "olga"]
    cast(case, "bo", "vote", **VOTE)
    assert readers(case, "SECRET-vote", every) == ["ada", "r1", "r2", "olga"]
    assert readers(case, "MODEL-SAYS", every) == ["j", "olga"]
    cast(case, "r1", "repair", mends="yes", problem="P", rationale="SECRET-repair", answer="4")
    assert readers(case, "SECRET-repair", every) == ["r1", "olga"]
    cast(case, "r2", "repair", mends="yes", problem="P", rationale="other", answer="6")
    assert readers(case, "SECRET-repair", every) == ["r1", "j", "olga"]
    cast(case, "j", "choose", choice="A", note="SECRET-choice")
    assert readers(case, "SECRET-choice", every) == ["j", "olga"]
    assert readers(case, "SECRET-repair", every) == ["r1", "j", "a", "olga"]  # the auditor reads what was settled on
    assert readers(case, "SECRET-vote", ["a"]) == []
    cast(case, "a", "audit", problem="sound", answer="sound", rationale="sound", note="SECRET-audit")
    for secret in ("SECRET-audit", "<h2>Outcome"):
        assert readers(case, secret, every) == every[2:]


# In the browser


def test_a_reviewer_casts_a_ballot_in_the_browser_once_and_nobody_another_s():
    case = opened("kina_blind", KINA)
    browser, address = client("ada"), f"/rounds/{case.round.key}/{case.place}/"
    form = {"verdict": "accept", "text": "<b>$x$</b>"}
    assert client("eve").post(f"{address}review/", form).status_code == 404
    assert client("cy").post(f"{address}review/", form).status_code == 403
    assert b"What you wrote is kept" in client().post(f"{address}review/", form).content
    told = browser.post(f"{address}review/", form | {"text": ""})
    assert told.status_code == 422 and b"This field is required" in told.content and case.cast.count() == 0
    assert browser.post(f"{address}review/", form).status_code == 302
    assert b"&lt;b&gt;" in browser.get(address).content
    again = browser.post(f"{address}review/", {"verdict": "reject", "text": "no"})
    assert again.status_code == 403 and b"it is done" in again.content and case.cast.count() == 1


def test_a_moderator_opens_fills_and_closes_a_round_in_the_browser(olga):
    assert client("dan").get("/rounds/new/kina_blind/").status_code == 403
    browser = client("olga")
    assert b"Paid for every review" in browser.get("/rounds/new/kina_blind/").content  # each setting is explained
    form = dict(title="Items", reviewer="ada, bo", auditor="cy", bonus=4, bar=2, audit=0.5, pay=1, seed=0)
    bad = browser.post("/rounds/new/kina_blind/", form | dict(auditor="olga"))
    assert bad.status_code == 422 and b"the organizer sees every ballot" in bad.content
    address = browser.post("/rounds/new/kina_blind/", form)["Location"]
    wrong = browser.post(address, {"cases": '{"question": "Q"'})
    assert wrong.status_code == 422 and b"row 1: bad JSON" in wrong.content
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
    for text, told in {
        "problem,answer\nP,4,5": "row 2: 3 cells under 2",
        "problem,answer,replications\nP,4,no JSON": "row 2, column replications: no JSON",
        'problem,answer\n"P,4': "row 2: bad CSV",
    }.items():
        with pytest.raises(Refused, match=told):
            round_pages.read_cases(text, PROTOCOLS["hle_verified"])


AGREED = dict(mends="yes", problem="What is 2 + 2?", rationale="Count.", answer="4")
SOUND = dict(problem="sound", answer="sound", rationale="sound")
SETTLED = {  # protocol: people, and the ballots by which all settle on 4
    "hle_verified": (SIX, [
        *((name, "vote", VOTE) for name in ("ada", "bo")), *((name, "repair", AGREED) for name in ("r1", "r2")),
        ("j", "choose", dict(choice="A", note="both")), ("a", "audit", SOUND),
    ]),
    "hle_pair": (TWO, [
        (name, *ballot)
        for ballot in (("vote", VOTE), ("repair", AGREED), ("audit", SOUND))
        for name in ("ada", "bo")
    ]),
}  # fmt: skip


@pytest.mark.parametrize("protocol", SETTLED)
def test_a_round_of_suspicious_keys_comes_back_as_decisions(protocol, tmp_path):
    (tmp_path / "answers.csv").write_text("item,key,a,b\nsum,5,4,4\nother,7,7,7\n")
    votes = wrong_keys.read_votes([tmp_path / "answers.csv"])
    assert wrong_keys.suspects(votes)["item"].tolist() == ["sum", "other"]
    cases = (
        f"id,problem,answer,rationale,category\nsum,{wrong_keys.NO_TEXT},5,,\n"  # as hle_verified/your_exam writes it
    )
    assert round_pages.read_cases(cases, PROTOCOLS[protocol])[0]["id"] == "sum"
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
